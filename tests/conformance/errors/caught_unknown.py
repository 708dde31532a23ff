stage = "lower"


def program(x, kind):
    try:
        return 1 // x
    except kind:
        return 0
