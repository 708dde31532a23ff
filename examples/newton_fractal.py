"""Which root Newton's method finds, by pixel: `python examples/newton_fractal.py [picture.png]`."""

import sys

import numpy as np

import pcbatch

ROOTS = ((1.0, 0.0), (-0.5, 0.75**0.5), (-0.5, -(0.75**0.5)))


@pcbatch.autobatch
def newton(x, y):
    """The root of z**3 = 1 that Newton's method reaches from x + iy, and after how many steps."""
    for step in range(60):
        for k, (u, v) in enumerate(ROOTS):
            if (x - u) ** 2 + (y - v) ** 2 < 1e-6:
                return k, step
        a, b = x * x - y * y, 2.0 * x * y  # z * z
        size = a * a + b * b
        if size == 0.0:
            break
        x, y = (2.0 * x + a / size) / 3.0, (2.0 * y - b / size) / 3.0
    return -1, 60


def inputs(members):
    """The pixels of a square."""
    side = np.linspace(-1.5, 1.5, int(members**0.5))
    x, y = np.meshgrid(side, side)
    return x.ravel(), y.ravel()


def draw(batch, result, path):
    """A colour for each root, dark where it took long."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 4), layout="constrained")
    axes = figure.subplots()
    colours = np.array([[0.9, 0.4, 0.3], [0.3, 0.7, 0.5], [0.3, 0.5, 0.9], [0.0, 0.0, 0.0]])
    light = np.exp(-result[1].numpy() / 12.0)[:, None]
    side = int(len(light) ** 0.5)
    axes.imshow((colours[result[0]] * light).reshape(side, side, 3))
    axes.axis("off")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(400 * 400)
    result = newton(*batch)
    print(np.bincount(result[0] + 1))
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
