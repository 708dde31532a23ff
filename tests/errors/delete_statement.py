stage = "lower"


def program(x):
    y = x + 1
    del x
    return y
