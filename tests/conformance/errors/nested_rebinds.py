stage = "lower"


def program(xs):
    total = 0

    def add(x):
        nonlocal total
        total += x

    for x in xs:
        add(x)
    return total
