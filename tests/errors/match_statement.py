stage = "lower"


def program(op, a, b):
    match op:
        case 0:
            return a + b
        case _:
            return a - b
