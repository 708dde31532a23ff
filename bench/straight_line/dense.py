"""A linear projection, 768 x 768."""

from __future__ import annotations

import tensorflow as tf

from bench.straight_line.ways import Case, draw, of_one_example

WIDTH = 768


def projection(size: int) -> Case:
    """One matrix times a vector per member."""
    weight = draw(WIDTH, WIDTH)
    return of_one_example(
        lambda x: tf.linalg.matvec(weight, x),
        lambda x: tf.matmul(x, weight, transpose_b=True),
        (draw(size, WIDTH),),
    )
