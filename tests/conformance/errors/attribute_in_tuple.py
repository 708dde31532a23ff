stage = "lower"


def program(state, x):
    y, (state.q, *state.rest) = x
    return y
