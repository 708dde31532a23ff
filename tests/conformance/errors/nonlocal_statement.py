stage = "lower"


def make():
    calls, total = 0, 0

    def program(x):
        nonlocal calls, total
        calls, total = calls + 1, total + x
        return x

    return program


program = make()
