stage = "lower"


def program(x):
    class State:
        q = x

    return State.q
