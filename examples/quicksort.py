"""Quicksort of many rows at once: `python examples/quicksort.py [picture.png]`."""

import sys

import numpy as np

import pcbatch


@pcbatch.autobatch
def quicksort(row):
    """The numbers of a row in order, and how many comparisons that took."""
    numbers = list(row)
    return numbers, sort(numbers, 0, len(numbers) - 1)


@pcbatch.autobatch
def sort(numbers, low, high):
    """Sort from place `low` to place `high`; Hoare's way to part them (1962)."""
    if low >= high:
        return 0
    pivot, i, j = numbers[(low + high) // 2], low, high
    while i <= j:
        while numbers[i] < pivot:
            i += 1
        while numbers[j] > pivot:
            j -= 1
        if i <= j:
            numbers[i], numbers[j] = numbers[j], numbers[i]
            i, j = i + 1, j - 1
    return high - low + sort(numbers, low, j) + sort(numbers, i, high)


def inputs(members):
    """Rows of 24 numbers, from random ones to nearly sorted ones: float32[members, 24]."""
    random = np.random.default_rng(0)
    noise = np.linspace(0.0, 1.0, members)[:, None] * random.normal(size=[members, 24])
    return ((np.linspace(0.0, 1.0, 24) + noise).astype(np.float32),)


def draw(batch, result, path):
    """How many comparisons the rows take."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.subplots()
    axes.hist(result[1].numpy(), bins=30, color="tab:purple")
    axes.set(xlabel="comparisons", ylabel="rows")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(1000)
    result = quicksort(*batch)
    print(result[0][500].numpy().round(1))
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
