"""A variable that only computes itself once its branches are selects is assigned all the same."""

import pcbatch


@pcbatch.autobatch
def count(fuel):
    return count(fuel - 1) + 1 if fuel > 0 else 0


@pcbatch.autobatch
def main(fuel, a, b, c, d):
    total = a
    for _ in range(a % 5):
        if d:
            b = b or 0
            total += count(fuel)
        elif c > 0.0:
            b = 3 if d else 1
    return total
