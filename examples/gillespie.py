"""An epidemic, event by event (Gillespie 1977): `python examples/gillespie.py [picture.png]`."""

import sys

import numpy as np
import tensorflow as tf

import pcbatch

random = pcbatch.random


@pcbatch.autobatch
def epidemic(key, infection, recovery):
    """Infected people by day, and how many were infected in all: int32[40] and int32[].

    Of 200 people five are infected. An infected person infects others at the rate `infection`, and
    recovers at the rate `recovery`.
    """
    healthy, infected, total = 195, 5, 5
    time, day, event = 0.0, 0, 0
    days = pcbatch.buffer(40, like=0)
    while infected > 0 and day < 40:
        infections = infection * healthy * infected / 200.0
        recoveries = recovery * infected
        wait, which = tf.unstack(random.split(random.fold_in(key, event)))
        time += random.exponential(wait) / (infections + recoveries)
        while day < 40 and day < time:
            days[day] = infected
            day += 1
        if random.uniform(which) * (infections + recoveries) < infections:
            healthy, infected, total = healthy - 1, infected + 1, total + 1
        else:
            infected -= 1
        event += 1
    return days, total


def inputs(members):
    """A key for each epidemic, and rates of infection from 0.1 to 0.9 a day."""
    rates = np.linspace(0.1, 0.9, members, dtype=np.float32)
    keys = random.split(random.key(0), members)
    return keys, rates, np.full(members, 0.25, np.float32)


def draw(batch, result, path):
    """The epidemics by day, and their sizes by the rate of infection."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(result[0].numpy()[::33].T, color="tab:red", alpha=0.4)
    left.set(xlabel="day", ylabel="infected")
    right.scatter(batch[1], result[1], s=3, color="tab:red")
    right.set(xlabel="rate of infection", ylabel="infected in all")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(1000)
    result = epidemic(*batch)
    print(result[1].numpy()[::100])
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
