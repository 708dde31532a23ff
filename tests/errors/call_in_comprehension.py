import pcbatch

stage = "lower"


@pcbatch.autobatch
def square(x):
    return x * x


def program(xs):
    return [square(x) + 1 for x in xs]
