"""The loops of `bench.loops` as one writes them for JAX, for one member, in its control flow."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from bench.loops import LENGTH, LEVELS, MOST_ROUNDS, TREES


def geometric_mean(a, b):
    def step(pair):
        a, b = pair
        return 0.5 * (a + b), jnp.sqrt(a * b)

    return lax.while_loop(lambda p: jnp.abs(p[0] - p[1]) > 1e-5 * p[0], step, (a, b))[0]


def bisection(c):
    def step(ends):
        low, high = ends
        middle = 0.5 * (low + high)
        below = middle * middle * middle + middle < c
        return jnp.where(below, middle, low), jnp.where(below, high, middle)

    return lax.while_loop(lambda e: e[1] - e[0] > 1e-4, step, (0.0 * c, c + 1.0))[0]


def mandelbrot(x, y):
    def inside(state):
        u, v, rounds = state
        return (u * u + v * v < 4.0) & (rounds < MOST_ROUNDS)

    def step(state):
        u, v, rounds = state
        return u * u - v * v + x, 2.0 * u * v + y, rounds + 1

    return lax.while_loop(inside, step, (x, y, 0))[2]


def collatz(n):
    def step(state):
        n, steps = state
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    return lax.while_loop(lambda s: s[0] != 1, step, (n, 0))[1]


def edit_distance(a, b):
    def letter(i, row):
        def cell(j, state):
            before, row = state
            here = jnp.minimum(before + (a[i] != b[j]), jnp.minimum(row[j + 1], row[j]) + 1)
            return row[j + 1], row.at[j + 1].set(here)

        return lax.fori_loop(0, LENGTH, cell, (row[0], row.at[0].set(i + 1)))[1]

    return lax.fori_loop(0, LENGTH, letter, jnp.arange(LENGTH + 1))[LENGTH]


def forest(point, feature, threshold, leaf):
    inner = 2**LEVELS - 1

    def tree(k, votes):
        def down(node):
            at = k * inner + node
            return 2 * node + 1 + (point[feature[at]] > threshold[at]).astype(jnp.int32)

        node = lax.while_loop(lambda node: node < inner, down, 0)
        return votes + leaf[k * (inner + 1) + node - inner]

    return lax.fori_loop(0, TREES, tree, 0)


VMAPPED = {
    "geometric mean": jax.jit(jax.vmap(geometric_mean)),
    "bisection": jax.jit(jax.vmap(bisection)),
    "mandelbrot": jax.jit(jax.vmap(mandelbrot)),
    "collatz": jax.jit(jax.vmap(collatz)),
    "edit distance": jax.jit(jax.vmap(edit_distance)),
    "forest": jax.jit(jax.vmap(forest, in_axes=(0, None, None, None))),
}
"""By the names of `bench.loops.LOOPS`."""
