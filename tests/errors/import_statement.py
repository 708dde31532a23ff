stage = "lower"


def program(x):
    import math

    return math.pi * x
