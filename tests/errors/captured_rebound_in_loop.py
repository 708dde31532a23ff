stage = "lower"


def program(n):
    above = lambda y: y > limit
    limit = 0
    while not above(limit):
        limit += n
    return limit
