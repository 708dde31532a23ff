stage = "lower"


def program(n):
    total = yield from range(n)
    return total
