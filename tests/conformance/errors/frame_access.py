stage = "lower"


def program(x):
    y = x + 1
    return locals()["y"]
