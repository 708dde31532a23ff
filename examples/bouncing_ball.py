"""A ball bounces until it rests: `python examples/bouncing_ball.py [picture.png]`."""

import sys

import numpy as np

import pcbatch


def pull(speed, drag):
    """The acceleration of the ball: gravity, and the drag of the air."""
    return -9.81 - drag * speed * abs(speed)


@pcbatch.autobatch
def fall(height, bounce, drag):
    """When the ball rests, how often it has bounced, and how many steps that took.

    The pair of methods of Bogacki and Shampine (1989), of order three and two. An event, the ball
    that meets the floor, is found by steps that are made shorter until they end there.
    """
    time, speed, step, bounces, steps = 0.0, 0.0, 0.01, 0, 0
    while bounces < 100:
        steps += 1
        k1 = pull(speed, drag)
        v2 = speed + step * 0.5 * k1
        k2 = pull(v2, drag)
        v3 = speed + step * 0.75 * k2
        k3 = pull(v3, drag)
        faster = speed + step * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0
        higher = height + step * (2.0 * speed + 3.0 * v2 + 4.0 * v3) / 9.0
        k4 = pull(faster, drag)
        error = step * abs(-5.0 * k1 + 6.0 * k2 + 8.0 * k3 - 9.0 * k4) / 72.0
        error += step * abs(-5.0 * speed + 6.0 * v2 + 8.0 * v3 - 9.0 * faster) / 72.0
        if error > 1e-6:
            step *= max(0.2, 0.9 * (1e-6 / error) ** (1.0 / 3.0))
        elif higher < -1e-9:  # through the floor
            step *= height / (height - higher)
        else:
            time, height, speed = time + step, higher, faster
            step *= min(5.0, 0.9 * (1e-6 / max(error, 1e-12)) ** (1.0 / 3.0))
            if height < 1e-9 and speed < 0.0:
                height, speed, bounces = 0.0, -bounce * speed, bounces + 1
                if speed < 0.2:
                    break
                step = 0.02 * speed
    return time, bounces, steps


def inputs(members):
    """Balls that keep from 0.3 to 0.9 of their speed, with little drag and with much."""
    bounce = np.linspace(0.3, 0.9, members)
    return np.full(members, 2.0), bounce, np.resize([0.0, 0.05, 0.2], members)


def draw(batch, result, path):
    """When the balls rest, by what they keep of their speed and by drag."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.subplots()
    points = axes.scatter(batch[1], result[0], c=batch[2], s=4, cmap="viridis")
    axes.set(xlabel="speed kept at a bounce", ylabel="seconds until the ball rests")
    figure.colorbar(points, label="drag")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(1000)
    result = fall(*batch)
    print(result[1][::100].numpy())
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
