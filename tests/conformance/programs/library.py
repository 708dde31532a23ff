"""Containers and loops of Python's library, and what goes by the truth of texts and lists."""

from __future__ import annotations

from collections import OrderedDict
from itertools import groupby

import pcbatch
from tests.conformance.programs.record import Program, ints


@pcbatch.autobatch
def pages(n, size):
    """Hits of a cache that drops what was used least recently, and the runs among them."""
    cache, hits = OrderedDict(), []
    for page in range(9):
        page = (page * n + page // 4) % 5
        hits.append(page in cache)
        if page in cache:
            cache.move_to_end(page)
        else:
            cache[page] = n
            if len(cache) > size:
                cache.popitem(last=False)
    runs = [len(list(group)) for hit, group in groupby(hits) if hit]
    return sum(runs), len(runs), sum(cache), next(iter(cache))


@pcbatch.autobatch
def columns_of_words(n):
    """A loop over texts stays a loop; lists of rows are turned, and empty ones left out."""
    rows, longest = [], 0
    for word in "a bee can dance over flowers".split():
        if len(word) % 3 == n % 3:
            continue
        rows.append([len(word), len(word) * n, 1])
        longest = max(longest, len(word))
    sums = [sum(column) for column in zip(*rows)]
    kept = len([part for part in ("x" * (n % 2), "y", str(n)[1:]) if part])
    return longest, len(sums), sums[1] if sums else -1, kept


PROGRAMS = (
    Program(
        "pages",
        pages,
        (ints(0, 1, 2, 3, 4, 5, 6, 7), ints(1, 2, 3, 1, 2, 3, 4, 2)),
        tags=("xla",),
    ),
    Program("columns_of_words", columns_of_words, (ints(0, 1, 2, 3, 4, 5, 16, 30),)),
)
