import functools

stage = "lower"


def plain(function):
    return functools.partial(function)


def program(x):
    scale = 2

    @plain
    def scaled(y):
        return y * scale

    scale = 3
    return scaled(x)
