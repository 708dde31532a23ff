"""Adaptive quadrature, recursive (Lyness 1969): `python examples/quadrature.py [picture.png]`."""

import math
import sys

import numpy as np

import pcbatch


def height(x, sharpness):
    """A peak at 0.3 that may be broad or sharp."""
    return 1.0 / (1.0 + (sharpness * (x - 0.3)) ** 2)


@pcbatch.autobatch
def area(sharpness):
    """The area under the peak from 0 to 1, and how often its height was asked for."""
    low, middle, high = height(0.0, sharpness), height(0.5, sharpness), height(1.0, sharpness)
    total, asked = simpson(sharpness, 0.0, 1.0, low, middle, high, 1e-8)
    return total, asked + 3


@pcbatch.autobatch
def simpson(sharpness, start, end, low, middle, high, tolerance):
    """Simpson's rule on both halves, and on their halves where that is not enough."""
    centre, width = (start + end) / 2.0, end - start
    before, after = height(start + width / 4.0, sharpness), height(end - width / 4.0, sharpness)
    whole = width / 6.0 * (low + 4.0 * middle + high)
    left = width / 12.0 * (low + 4.0 * before + middle)
    right = width / 12.0 * (middle + 4.0 * after + high)
    error = (left + right - whole) / 15.0
    if abs(error) <= tolerance:
        return left + right + error, 2
    left, one = simpson(sharpness, start, centre, low, before, middle, tolerance / 2.0)
    right, other = simpson(sharpness, centre, end, middle, after, high, tolerance / 2.0)
    return left + right, one + other + 2


def exact(sharpness):
    return (math.atan(0.7 * sharpness) + math.atan(0.3 * sharpness)) / sharpness


def inputs(members):
    """From broad peaks to sharp ones."""
    return (np.geomspace(1.0, 1000.0, members),)


def draw(batch, result, path):
    """The error, and the cost, by how sharp the peak is."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.loglog(batch[0], np.abs(result[0] - np.array([exact(s) for s in batch[0]])) + 1e-17)
    left.set(xlabel="sharpness", ylabel="error")
    right.semilogx(batch[0], result[1])
    right.set(xlabel="sharpness", ylabel="heights asked for")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(1000)
    result = area(*batch)
    print(result[0].numpy()[::200])
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
