stage = "lower"


def program(xs):
    return (x async for x in xs)
