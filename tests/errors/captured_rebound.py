stage = "lower"


def program(x):
    scale = 2

    def scaled(y):
        return y * scale

    first = scaled(x)
    scale = 3
    return first + scaled(x)
