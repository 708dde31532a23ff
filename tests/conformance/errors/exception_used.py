stage = "lower"


def program(x):
    try:
        return 1 // x
    except ZeroDivisionError as error:
        return repr(error)
