"""Draw the profile of the tutorial: `python docs/figures/profile.py`."""

from __future__ import annotations

import pathlib

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def fib(n):
    if n <= 1:
        return 1
    return fib(n - 1) + fib(n - 2)


if __name__ == "__main__":
    pcbatch.profile(fib)(tf.range(12)).plot(str(pathlib.Path(__file__).with_suffix(".png")))
