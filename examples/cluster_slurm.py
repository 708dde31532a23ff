"""Eight schools with NUTS on the workers of a Slurm job: `python examples/cluster_slurm.py`.

The model is that of Rubin (1981): the effects of coaching in eight schools, with a mean and a scale
in common. executorlib starts the workers, one process each: in the job that this script runs in, or
on this machine where there is none. All of `nuts.sample` runs on them, warmup included, and the
draws have the bits of one process.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

import numpy as np
import tensorflow as tf

import nuts

EFFECT = tf.constant([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERROR = tf.constant([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
INIT = {"mu": tf.TensorSpec([]), "log_tau": tf.TensorSpec([]), "z": tf.TensorSpec([8])}


def log_density(position: dict[str, tf.Tensor]) -> tf.Tensor:
    """Of mu, log tau and z, where school j has the effect mu + tau z[j]."""
    mu, log_tau, z = position["mu"], position["log_tau"], position["z"]
    log_prior = -0.5 * (mu / 5.0) ** 2 - tf.math.log1p(tf.exp(2.0 * log_tau) / 25.0) + log_tau
    residual = (EFFECT - mu - tf.exp(log_tau) * z) / ERROR
    return log_prior - 0.5 * tf.reduce_sum(z * z) - 0.5 * tf.reduce_sum(residual**2)


def sample(chains: int, draws: int, warmup: int = 300, **where: Any) -> nuts.Fit:
    """The posterior.

    Args:
      chains, draws, warmup: as for `nuts.sample`.
      **where: `executor`, `parts`, `retries`; nothing: here.
    """
    how = {"num_chains": chains, "num_draws": draws, "num_warmup": warmup, "target_accept": 0.95}
    return nuts.sample(log_density, INIT, **how, **where)


def workers(number: int) -> Any:
    """Processes of the Slurm job that this script runs in, or of this machine outside of one.

    With `block_allocation` workers stay, and keep the compiled program from one task to the next.
    """
    from executorlib import SingleNodeExecutor, SlurmJobExecutor

    kind = SlurmJobExecutor if "SLURM_JOB_ID" in os.environ else SingleNodeExecutor
    return kind(max_workers=number, block_allocation=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--chains", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=500)
    options = parser.parse_args()
    tf.config.set_visible_devices([], "GPU")
    began = time.perf_counter()
    here = sample(options.chains, options.draws)
    print(f"in this process: {time.perf_counter() - began:.1f} s")
    with workers(options.workers) as executor:
        began = time.perf_counter()
        there = sample(options.chains, options.draws, executor=executor, parts=options.parts)
        print(f"on workers: {time.perf_counter() - began:.1f} s")
    print(there.summary())
    same = all(np.array_equal(here.draws[name], there.draws[name]) for name in INIT)
    print(f"the same bits: {same}")


if __name__ == "__main__":
    main()
