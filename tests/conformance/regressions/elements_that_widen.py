"""The elements of `enumerate` are constants in one call and the member's in another."""

import pcbatch


@pcbatch.autobatch
def f0(fuel, log, v1, v2, v3, v4):
    for v5, _ in enumerate([(2.0 if v4 else 0.5), max(v3, 2.25)], 1):
        if (fuel > 0) if v4 else False:
            v2 += 1
        else:
            if f0(fuel - 1, log, 0, 5, 96.5, False) if fuel > 0 else False:
                log[2] += (3 - v5) % 97
    return f0(fuel - 1, log, 6, 0, 0.75, False) if fuel > 0 else False


@pcbatch.autobatch
def main(fuel, a, b, c, d):
    log = pcbatch.buffer(4, like=a)
    return f0(fuel, log, a, b, c, d), log
