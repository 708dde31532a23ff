"""Laplace's equation by walks on spheres, on a Dask cluster: `python examples/cluster_dask.py`.

The method is that of Muller (1956, "Some continuous Monte Carlo methods for the Dirichlet
problem"). A walk jumps to a random point of the largest circle around it that lies in the unit
disc, until it is close to the rim. The mean of the boundary values at the ends is the solution
where the walks began. Walks have different lengths. Each is a member of the batch, with a key of
its own, so the answer has the same bits on any number of workers.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch

RIM = 1e-4
"""A walk ends so close to the rim."""
POINTS = np.array([[0.0, 0.0], [0.5, 0.0], [0.3, -0.6], [-0.8, 0.1]], np.float32)


@pcbatch.autobatch
def walk(point, key):
    """The boundary value where a walk from a point ends, and how many jumps it made."""
    x, y, jumps = point[0], point[1], 0
    distance = 1.0 - tf.sqrt(x * x + y * y)
    while distance > RIM:
        angle = 2 * math.pi * pcbatch.random.uniform(pcbatch.random.fold_in(key, jumps))
        x, y = x + distance * tf.cos(angle), y + distance * tf.sin(angle)
        distance = 1.0 - tf.sqrt(x * x + y * y)
        jumps += 1
    return harmonic(x, y), jumps


def harmonic(x: Any, y: Any) -> Any:
    """The boundary values; as the function is harmonic, it is the solution as well."""
    return x * x - y * y + x


def solve(points: np.ndarray, walks: int, seed: int = 0, **where: Any) -> tuple[np.ndarray, ...]:
    """The solution at some points.

    Args:
      points: float32[P, 2], in the unit disc.
      walks: how many begin at each.
      seed: of the random numbers.
      **where: `executor`, `parts`, `retries`; nothing: here.

    Returns:
      The means, their standard errors, and the mean numbers of jumps, float64[P] each.
    """
    keys = pcbatch.random.split(pcbatch.random.key(seed), len(points) * walks)
    result = walk.run(np.repeat(points, walks, axis=0), keys, throw=True, **where)
    values, jumps = (x.numpy().astype(float).reshape(-1, walks) for x in result.value)
    return values.mean(1), values.std(1) / math.sqrt(walks), jumps.mean(1)


@contextmanager
def dask(address: str | None, workers: int) -> Iterator[Any]:
    """The executor of a Dask cluster: of the one at an address, or of one on this machine."""
    from dask.distributed import Client, LocalCluster

    if address is not None:
        with Client(address) as client:
            yield client.get_executor()
        return
    local = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    with local, Client(local) as client:
        yield client.get_executor()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scheduler", help="its address; none: a cluster on this machine")
    parser.add_argument("--workers", type=int, default=2, help="of the local cluster")
    parser.add_argument("--walks", type=int, default=100_000, help="from each point")
    parser.add_argument("--parts", type=int, default=8)
    options = parser.parse_args()
    tf.config.set_visible_devices([], "GPU")
    began = time.perf_counter()
    here = solve(POINTS, options.walks)
    print(f"in this process: {time.perf_counter() - began:.1f} s")
    with dask(options.scheduler, options.workers) as executor:
        for what in ("with the first compilation", "again"):
            began = time.perf_counter()
            there = solve(POINTS, options.walks, executor=executor, parts=options.parts)
            print(f"on workers, {what}: {time.perf_counter() - began:.1f} s")
    same = all(np.array_equal(a, b) for a, b in zip(here, there, strict=True))
    print(f"the same bits: {same}")
    for (x, y), value, error, jumps in zip(POINTS, *there, strict=True):
        print(f"u({x:+.1f}, {y:+.1f}) = {value:+.4f} +- {error:.4f}, exact {harmonic(x, y):+.4f},"
              f" {jumps:.1f} jumps")  # fmt: skip


if __name__ == "__main__":
    main()
