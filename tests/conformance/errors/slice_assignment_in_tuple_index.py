stage = "lower"


def program(buf, x):
    buf[0, :] += x
    return buf
