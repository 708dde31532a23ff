stage = "lower"


def program(x):
    y = [
        x
        for x in range(3)
        if (n := x)
    ]; global z
    return y
