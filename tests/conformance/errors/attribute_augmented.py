stage = "lower"


def program(state):
    state.q += 1
    return state
