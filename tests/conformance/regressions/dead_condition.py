import pcbatch


@pcbatch.autobatch
def f0(fuel, log, v2, v3, v4):
    for _ in (1, 4, 6):
        for v6 in range(3, log[3] % 4, -1):
            if (v2 == 11) if (v4 if (fuel > 2) else v4) else (fuel > 2):  # noqa: RUF034
                v6 = v3
            elif fuel > 0:
                v6 -= v2
                v6 %= 97
            else:
                continue
        break
    v2 %= 97
    return v2 > 3


@pcbatch.autobatch
def main(fuel, a, b, c, d):
    log = pcbatch.buffer(4, like=a)
    return f0(fuel, log, a, b, d), log
