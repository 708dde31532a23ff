stage = "lower"


def program(values, x):
    values[1:3] += x
    return values
