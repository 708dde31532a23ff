"""Sets, dicts and queues of one member."""

from __future__ import annotations

from collections import Counter, defaultdict, deque

import pcbatch
from tests.conformance.programs.record import Program, ints


@pcbatch.autobatch
def cycle_of_squares(n):
    """A set, a dict whose keys are pairs, and a queue."""
    seen, steps, queue = set(), {}, deque([n])
    while queue:
        n = queue.popleft()
        if n in seen:
            return len(seen), steps[n, n % 2], max(seen)
        seen.add(n)
        steps[n, n % 2] = len(steps)
        queue.append((n * n + 1) % 37)
    return 0, 0, 0


@pcbatch.autobatch
def most_visited(n, step):
    """A set and a dict, of which a key says which comes first."""
    seen, visits = {n}, {}
    for _ in range(9):
        n = (n * n + step) % 13
        seen.add(n)
        visits[n] = visits.get(n, 0) + 1
    near = min(seen, key=lambda x: (abs(x - 6), x))
    return near, max(visits, key=visits.get), sorted(seen, key=lambda x: -x)[0]


@pcbatch.autobatch
def letters_left(n, base):
    """Counters that are added to and taken apart, and a dict of keys."""
    need, have = Counter(), Counter([n % base])
    while n > 0:
        need.update([n % base, n % 2])
        have += Counter([n % 3])
        n //= base
    need.subtract({0: 1})
    left = need - have
    marks = dict.fromkeys(left, 1)
    marks[0] = left.total()
    return sum(marks.values()), len(left), left == need, (need | have)[1], (need & have)[0]


@pcbatch.autobatch
def order_of_sets(n, step):
    """Loops over a set of numbers and one of pairs, and what `pop` and `next` take."""
    places, numbers, oldest = set(), set(), {}
    for k in range(7):
        n = (n * n + step) % 19
        places.add((n % 4 - 2, k % 3))
        numbers.add(n - 5)
        oldest[n] = oldest.pop(n, 0) + k
    code = 0
    for x, y in places:
        code = (7 * code + 3 * x + y) % 1009
    for x in numbers:
        code = (5 * code + x) % 1009
    small = {abs(x) % 8 for x in numbers}
    return code, small.pop(), next(iter(oldest)), list(oldest.values())[-1]


@pcbatch.autobatch
def neighbours(n, step):
    """A graph as a dict of lists, walked through by recursion, and groups as a `defaultdict`."""
    graph, sizes = {v: [] for v in range(6)}, defaultdict(list)
    for v in range(5):
        a, b = (v * step + n) % 6, (v + n) % 6
        graph[a].append(b)
        graph[b] = graph[b] + [a]
    seen = set()

    def reach(v):
        if v in seen:
            return 0
        seen.add(v)
        return 1 + sum(reach(w) for w in graph[v])

    for v in range(6):
        sizes[reach(v)].append(v)
    code, last = 0, sizes.get(0, [])
    for k, row in sorted(sizes.items()):
        code = (7 * code + 100 * k + sum(row)) % 1009
    return len(sizes), len(last), code


@pcbatch.autobatch
def sets_and_dicts_of_neighbours(n, step):
    """Dicts of sets and of dicts, which have several names."""
    near, weights = {v: set() for v in range(4)}, defaultdict(dict)
    for k in range(5):
        a, n = n % 4, (n * n + step) % 19
        near[a].add(n % 4)
        weights[a][n % 4] = weights[a].get(n % 4, 0) + k
    near[0] = near[step % 4]
    row = near[0]
    row.add(7)
    total = 0
    for a in near:
        for b in sorted(near[a]):
            total = 3 * total + b
    return total % 1009, len(near[step % 4] | near[1]), sum(weights[n % 4].values())


@pcbatch.autobatch
def smoothed_by_windows(n, width):
    """Two queues of bounded length, one of them as long as the member says."""
    window, last, total = deque(maxlen=width), deque([n], maxlen=2), 0.0
    for k in range(n + 4):
        window.append((k * k + n) % 7)
        last.extend([k, n - k])
        total += sum(window) / len(window) + last[0]
    window.appendleft(-1)
    return total, window[0], len(window), window.maxlen - last[-1]


PROGRAMS = (
    Program(
        "smoothed_by_windows",
        smoothed_by_windows,
        (ints(0, 1, 2, 5, 8, 3, 4, 7), ints(1, 2, 3, 1, 7, 4, 6, 5)),
        plain="python",
    ),
    Program(
        "neighbours",
        neighbours,
        (ints(0, 1, 2, 5, 8, 13, 4, 7), ints(1, 2, 3, 1, 7, 4, 6, 5)),
        tags=("xla",),
    ),
    Program(
        "order_of_sets",
        order_of_sets,
        (ints(0, 1, 2, 5, 8, 13, 4, 7), ints(1, 2, 3, 1, 7, 4, 6, 5)),
        tags=("xla",),
    ),
    Program(
        "letters_left",
        letters_left,
        (ints(0, 1, 2, 13, 40, 57, 100, 255), ints(2, 3, 2, 3, 4, 5, 2, 4)),
        tags=("xla",),
    ),
    Program(
        "most_visited",
        most_visited,
        (ints(0, 1, 2, 3, 4, 5, 6, 8), ints(1, 2, 3, 4, 5, 6, 7, 1)),
        tags=("xla",),
    ),
    Program(
        "sets_and_dicts_of_neighbours",
        sets_and_dicts_of_neighbours,
        (ints(0, 1, 2, 5, 8, 13, 4, 7), ints(1, 2, 3, 1, 7, 4, 6, 5)),
        tags=("xla",),
    ),
    Program("cycle_of_squares", cycle_of_squares, (ints(0, 1, 2, 3, 4, 5, 6, 8),), tags=("xla",)),
)
