stage = "lower"
count = 0


def program(x):
    global count
    count = count + 1
    return x
