stage = "lower"


def program(x):
    from math import pi

    return pi * x
