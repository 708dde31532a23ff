stage = "lower"


def program(größe):
    straße = "äöü" ; größe.maß = 1
    return straße
