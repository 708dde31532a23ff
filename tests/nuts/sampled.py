"""A call of `nuts.sample` in a process of its own, to be killed or stopped by Ctrl-C.

    python -m tests.nuts.sampled OUT                # draws to OUT, an npz file
    python -m tests.nuts.sampled OUT --folder DIR   # goes on from what is in DIR, keeps it there

It prints "draws" when warmup is over. Where Ctrl-C stops it, OUT has the draws that it was given.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
import tensorflow as tf

import nuts
from nuts.adaptation.ensemble import Ensemble

ROOT = pathlib.Path(__file__).parents[2]
DRAWS, WARMUP = 40_000, 30
SCALES = np.float32([1.0, 3.0])


def target(x: tf.Tensor) -> tf.Tensor:
    return -0.5 * tf.reduce_sum(tf.square(x / SCALES))


def sample(**options: Any) -> nuts.Fit:
    """The call."""
    how = {
        "num_chains": 8,
        "num_draws": DRAWS,
        "num_warmup": WARMUP,
        "max_tree_depth": 4,
        "seed": 5,
    }
    return nuts.sample(target, tf.zeros(2), progress=False, **how, **options)


def start(
    out: pathlib.Path, folder: pathlib.Path | None, hash_seed: int, cache: pathlib.Path | str
) -> subprocess.Popen[str]:
    """Begin the call, or go on with it, in a process that keeps compiled programs in `cache`."""
    command = [sys.executable, "-m", "tests.nuts.sampled", str(out)]
    if folder is not None:
        command += ["--folder", str(folder)]
    path = os.pathsep.join([str(ROOT), *sys.path])
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "PYTHONHASHSEED": str(hash_seed),
        "PCBATCH_CACHE_OF_TESTS": str(cache),
    }
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


def wait_for(process: subprocess.Popen[str], folder: pathlib.Path, pattern: str, more: int) -> bool:
    """Wait until there are files of a name that were not there; False if the process ends first."""
    while len(list(folder.glob(pattern))) < more:
        if process.poll() is not None:
            return False
        time.sleep(0.02)
    return True


def killed(
    out: pathlib.Path,
    folder: pathlib.Path,
    rng: random.Random,
    cache: pathlib.Path,
    amid_draws: bool,
) -> bool:
    """Go on until a random moment of warmup, or of the draws, and kill the process.

    Returns:
      Whether it was killed; else it has ended.
    """
    process = start(out, folder, rng.randrange(1000), cache)
    if amid_draws:
        running = wait_for(process, folder, "*.carry", 1)
    else:
        running = wait_for(process, folder, "run-*.npz", rng.randint(1, 8))
    if running:
        time.sleep(rng.uniform(0.0, 0.3))
    process.kill()
    return process.wait() == -signal.SIGKILL


def check(seed: int, kills: int) -> int:
    """Kill a call at random moments, first in warmup, and compare its end with that of another.

    Returns:
      How often it was killed before it ended.
    """
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        out, folder, cache = (pathlib.Path(name, x) for x in ("draws.npz", "run", "cache"))
        done = sum(killed(out, folder, rng, cache, amid_draws=i > 0) for i in range(kills))
        process = start(out, folder, rng.randrange(1000), cache)
        assert process.wait() == 0, "a call that was killed cannot be gone on with"
        whole = sample()
        with np.load(out) as ended:
            np.testing.assert_array_equal(ended["draws"], whole.draws)
            np.testing.assert_array_equal(ended["energy"], whole.stats.energy)
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    advance = Ensemble.advance

    def advance_and_tell(self: Ensemble, tuning: Any, num_draws: int, thin: int = 1) -> Any:
        if num_draws > WARMUP:  # The draws are made in a few pieces.
            print("draws", flush=True)
        return advance(self, tuning, num_draws, thin)

    Ensemble.advance = advance_and_tell
    how = {}
    if options.folder is not None:
        how = {"checkpoint": options.folder, "resume": True, "every": 0.2}
    try:
        fit = sample(**how)
    except nuts.Interrupted as stopped:
        assert isinstance(stopped.result, nuts.Fit), stopped
        fit = stopped.result
    np.savez(options.out, draws=fit.draws, energy=fit.stats.energy)


if __name__ == "__main__":
    main()
