stage = "lower"


def program(buf, x):
    buf[1:3] = x
    return buf
