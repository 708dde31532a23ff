stage = "lower"


def program(x):
    y = locals(
        # the variables
        # of the program
        # and no others
    )
    return y
