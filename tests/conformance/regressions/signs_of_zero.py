import math

import pcbatch


@pcbatch.autobatch
def main(n, k, x, y, b):
    """Which zero Python gives: TensorFlow took one literal for the other in the strategy "loop"."""
    low, high = min(0.0, x), max(y, 0.0)
    if b and high == 0.0:
        low = -low
    zero = 0.0 if k < 0 else -0.0
    if math.isfinite(x):
        zero = x % -2.0
    shifted = math.ldexp(-0.0, k % 4)
    return n % 97, (shifted if b else zero), math.copysign(low, high) < 0.0
