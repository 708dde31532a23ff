"""Customers and servers, an M/M/c queue: `python examples/waiting_line.py [picture.png]`."""

import heapq
import sys

import numpy as np
import tensorflow as tf

import pcbatch

random = pcbatch.random
CUSTOMERS = 300


@pcbatch.autobatch
def mean_wait(key, servers, load):
    """How long customers wait on average, in units of the mean service time.

    Customers arrive at random, `load` times as fast as `servers` can serve them.
    """
    free = [0.0] * servers  # when each server is free
    now, waited = 0.0, 0.0
    for customer in range(CUSTOMERS):
        arrival, service = tf.unstack(random.split(random.fold_in(key, customer)))
        now += random.exponential(arrival) / (load * servers)
        begin = max(now, heapq.heappop(free))
        waited += begin - now
        heapq.heappush(free, begin + random.exponential(service))
    return waited / CUSTOMERS


def inputs(members):
    """One, two, four and eight servers, under loads from 0.3 to 0.9."""
    servers = np.tile(np.array([1, 2, 4, 8], np.int32), members // 4)
    loads = np.repeat(np.linspace(0.3, 0.9, members // 4, dtype=np.float32), 4)
    return random.split(random.key(0), len(servers)), servers, loads


def draw(batch, result, path):
    """The waiting times by load."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.subplots()
    for servers in np.unique(batch[1]):
        chosen = batch[1] == servers
        axes.scatter(batch[2][chosen], result.numpy()[chosen], s=4, label=f"{servers} servers")
    axes.set(xlabel="load", ylabel="mean wait", yscale="log")
    axes.legend()
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(1000)
    result = mean_wait(*batch)
    print(result.numpy()[-4:])
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
