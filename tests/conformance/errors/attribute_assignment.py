stage = "lower"


def program(state):
    state.q = state.q + 1
    return state
