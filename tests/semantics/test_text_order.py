"""Long texts in a list of the member are put in order as Python does."""

from __future__ import annotations

import random

import numpy as np
import pytest
import tensorflow as tf

from pcbatch.semantics.lists.text_order import LONG, ranks
from tests.support.members import check

N = np.array([0, 1, 2, 3, 5, 8])
ALPHABET = "aab\0 \u00e9\U0001f600Z"


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("room", [LONG + 1, 3 * LONG])
def test_ranks_are_in_the_order_of_texts(room: int, jit: bool) -> None:
    rng = random.Random(room)
    found = tf.function(ranks, jit_compile=jit)
    for longest in (0, 1, 3, 4, room):
        # Python tells "a" from "a\0" by their lengths, which are compared by themselves.
        texts = [
            "".join(rng.choices(ALPHABET, k=rng.randint(0, longest))).rstrip("\0")
            for _ in range(40)
        ]
        codes = np.zeros([len(texts), room], np.int32)
        for row, text in zip(codes, texts, strict=True):
            row[: len(text)] = [ord(c) for c in text]
        used = np.arange(len(texts)) < 33
        codes[33:] = 7
        order = sorted(set(texts[:33]))
        result = found(tf.constant(codes), tf.constant(used)).numpy()[:33]
        assert [order.index(text) for text in texts[:33]] == (result - result.min()).tolist()


def words(n):
    text = "the quick brown fox, the lazy dog and the fox " * n
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    by_count = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    kept = [word for word, _ in by_count]
    longest_first = sorted(counts, key=lambda word: (len(word), word), reverse=True)
    return sorted(text.split())[-2:], kept[:4], longest_first


def in_place(n):
    names = ("b" * 14 + " a c " + "b" * 13 + "a " * n).split()
    names.sort()
    names.sort(reverse=True, key=lambda name: name[-1:])
    return names


def of_a_set(n):
    endings = {str(k * n % 17) + "x" * (n % 2) for k in range(5)}
    return sorted(endings, key=lambda text: text[::-1]), max(endings, key=lambda text: text + "0")


@pytest.mark.parametrize("function", [words, in_place, of_a_set])
def test_lists_of_long_texts(function) -> None:
    check(function, N)
