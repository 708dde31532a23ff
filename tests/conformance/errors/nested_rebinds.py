stage = "lower"


def program(xs):
    if len(xs) > 1:
        total = 0

    def add(x):
        nonlocal total
        total += x

    for x in xs:
        add(x)
    return total
