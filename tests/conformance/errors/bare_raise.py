stage = "lower"


def program(x):
    if x < 0:
        raise
    return x
