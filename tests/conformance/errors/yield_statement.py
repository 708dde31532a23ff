stage = "lower"


def program(n):
    for i in range(n):
        yield i * i
