stage = "lower"


def program(state, xs):
    for state.x in xs:
        pass
    return state
