"""Mirrors that reflect mirrors, ray by ray: `python examples/ray_tracing.py [picture.png]`."""

import math
import sys

import numpy as np

import pcbatch

SPHERES = (  # x, y, z, radius, light of its own, how much it reflects
    (0.0, -1000.0, 0.0, 1000.0, 0.3, 0.2),
    (-1.1, 1.0, 4.5, 1.0, 0.15, 0.7),
    (1.1, 1.0, 4.5, 1.0, 0.05, 0.9),
    (0.0, 0.5, 3.2, 0.5, 0.5, 0.3),
)


@pcbatch.autobatch
def light(x, y, z, u, v, w, depth):
    """The light that comes along a ray from (x, y, z) in the direction (u, v, w)."""
    nearest, hit = 1e9, -1
    for k, (a, b, c, radius, _, _) in enumerate(SPHERES):
        dx, dy, dz = x - a, y - b, z - c
        half = dx * u + dy * v + dz * w
        inside = half * half - (dx * dx + dy * dy + dz * dz - radius * radius)
        if inside > 0.0:
            distance = -half - math.sqrt(inside)
            if 1e-3 < distance < nearest:
                nearest, hit = distance, k
    if hit < 0:
        return 0.4 + 0.6 * max(v, 0.0)  # the sky
    a, b, c, radius, own, share = SPHERES[hit]
    x, y, z = x + nearest * u, y + nearest * v, z + nearest * w
    n1, n2, n3 = (x - a) / radius, (y - b) / radius, (z - c) / radius
    colour = own * (0.3 + 0.7 * max(0.0, 0.6 * n2 - 0.8 * n3))
    if depth == 0:
        return colour
    turn = 2.0 * (u * n1 + v * n2 + w * n3)
    return colour + share * light(x, y, z, u - turn * n1, v - turn * n2, w - turn * n3, depth - 1)


def inputs(members):
    """A ray through each pixel."""
    side = np.linspace(-0.6, 0.6, int(members**0.5))
    u, v = (part.ravel() for part in np.meshgrid(side, 0.15 - side))
    length = np.sqrt(u * u + v * v + 1.0)
    eye = [np.zeros_like(u), np.full_like(u, 0.9), np.zeros_like(u)]
    return *eye, u / length, v / length, 1.0 / length, np.full(len(u), 6, np.int32)


def draw(batch, result, path):
    """The picture that the rays make."""
    from matplotlib.figure import Figure

    side = int(len(result) ** 0.5)
    figure = Figure(figsize=(4, 4), layout="constrained")
    axes = figure.subplots()
    axes.imshow(result.numpy().reshape(side, side), cmap="bone", vmin=0.0, vmax=1.0)
    axes.axis("off")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(300 * 300)
    result = light(*batch)
    print(result.numpy()[::30000])
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
