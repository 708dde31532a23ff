"""Dicts whose values are lists, which are changed: Python's answers, in every way of running."""

from __future__ import annotations

import copy
import random
from collections import defaultdict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ProgramError
from tests.semantics.test_copied_rows import REFUSALS
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.extent import sized
from tests.support.members import check, shared
from tests.support.random_programs import is_pythons

N = np.array([0, 1, 2, 5])


def grouped(n):
    groups = {}
    for i in range(8):
        groups.setdefault(i % (n + 1), []).append(i)
    return len(groups), sum(groups[0]), [len(group) for group in groups.values()]


def connected(n):
    """A graph as its neighbours, walked through."""
    graph = {i: [] for i in range(6)}
    for a, b in [(0, 1), (1, 2), (4, 5), (3, n % 4)]:
        graph[a].append(b)
        graph[b].append(a)
    seen, stack = {0}, [0]
    while stack:
        for w in graph[stack.pop()]:
            if w not in seen:
                seen.add(w)
                stack.append(w)
    return len(seen)


def distances(n):
    graph = {}
    for a, b in [(0, 1), (1, 2), (2, 3), (4, 5), (3, n % 4)]:
        if a not in graph:
            graph[a] = []
        graph[a].append(b)
    queue, found = deque([0]), {0: 0}
    while queue:
        v = queue.popleft()
        for w in graph.get(v, []):
            if w not in found:
                found[w] = found[v] + 1
                queue.append(w)
    return max(found.values()), len(found)


def recursive(n):
    graph, seen = defaultdict(list), set()
    for i in range(n + 2):
        graph[i].append((i * 2) % (n + 2))
        graph[(i * 2) % (n + 2)].append(i)

    def count(v):
        if v in seen:
            return 0
        seen.add(v)
        total = 1
        for w in graph[v]:
            total += count(w)
        return total

    return count(0), len(graph)


def buckets(n):
    found, out = defaultdict(list), []
    for x in [12, 7, 25, 31, 4, 18, n]:
        found[x // 10].append(x)
    for k in sorted(found):
        out.extend(sorted(found[k]))
    for k, xs in sorted(found.items()):
        out.append(100 * k + len(xs))
    longest = max(found, key=lambda k: len(found[k]))
    numbers = list(map(len, found.values())), [sum(xs) for _, xs in zip(range(2), found.values())]
    return (
        out,
        longest,
        max(found.values(), key=len),
        9 in found,
        numbers,
        sorted(map(len, found.values())),
    )


def by_names(n):
    """Keys that are texts, known ones and a member's."""
    colors = ["red", "blue", "red", "green", "blue", "red"]
    places = defaultdict(list)
    for i, color in enumerate(colors):
        places[color].append(i + n)
    parts = {"even": [], "odd": []}
    for i in range(n):
        parts["even" if i % 2 == 0 else "odd"].append(i)
    return places["red"], len(places), sum(places["blue"]), sum(parts["odd"]), len(parts["even"])


def anagrams(n):
    found = {}
    for word in ["ab", "ba", "cd", "dc", "ee"]:
        found.setdefault("".join(sorted(word)), []).append(word)
    return len(found), max(len(words) for words in found.values()) + n


def replaced(n):
    """Lists that are assigned anew, extended and taken out."""
    table = {}
    for i in range(6):
        table[i % (n + 1)] = table.get(i % (n + 1), []) + [i]
    table[0] += [50]
    first = table[0]
    table[0] = [n]
    first.append(7)
    table[9] = [1, 2]
    del table[9]
    table[8] = [3]
    return len(table), first, table[0], table.pop(8), 8 in table, list(table)


def of_pairs(n):
    """Lists of pairs, and what is made of each."""
    graph, means = {}, {}
    for a, b, w in [(0, 1, 4), (0, 2, 1), (2, 1, 2), (1, 3, n)]:
        graph.setdefault(a, []).append((b, w))
        graph.setdefault(b, []).append((a, w))
    for v, edges in graph.items():
        means[v] = sum(w for _, w in edges) / len(edges)
    return means[0], means[2], [v for v, edges in graph.items() if len(edges) > 1]


def counted(n):
    """A `defaultdict` of a function that makes lists."""
    table = defaultdict(lambda: [0, 0])
    for i in range(7):
        table[i % (n + 1)][0] += 1
        table[i % (n + 1)][1] += i
    return table[0][0], table[0][1], len(table), list(table.values())[-1]


class Store:
    """A class that keeps lists by keys, and looks in them."""

    def __init__(self):
        self.kept = {}

    def put(self, key, value, time):
        if key not in self.kept:
            self.kept[key] = []
        self.kept[key].append((value, time))

    def get(self, key, time):
        found = -1
        for value, at in self.kept.get(key, []):
            if at <= time:
                found = value
        return found


def of_a_class(n):
    store = Store()
    for i in range(5):
        store.put(i % 2, i * 10, i)
    return store.get(0, n), store.get(1, n), store.get(5, n)


def copied_lists(n):
    """Copies that have their own lists, and several names of one dict."""
    table = {k: [k] for k in range(3)}
    table[n % 3].append(1)
    own, deep, same = {k: row[:] for k, row in table.items()}, copy.deepcopy(table), table
    own[0].append(9)
    deep[0].append(5)
    same[1].append(4)
    del same[2]
    return (
        own[0],
        deep[0],
        table[0],
        table[1],
        len(table),
        same is table,
        list(table),
        set(table) == {0, 1},
    )


def taken_out_in_a_loop(n):
    table = defaultdict(list)
    for i in range(n):
        table[i // 2].append(i)
    for k in list(table):
        if len(table[k]) < 2:
            del table[k]
    return len(table), [rows[0] for rows in table.values()], not table, isinstance(table, dict)


def of_the_same_lists(n):
    """Dicts that are made of others have the same lists, but keys of their own."""
    table, counts = {}, {}
    for i in range(5):
        table[i % 3] = table.get(i % 3, [])
        table[i % 3].append(i)
        counts.setdefault(i % (n + 1), []).append(i)
    same, also = dict(table), {**counts}
    third = table.copy()
    same[0].append(50)
    same[n] = [7]
    also[0].append(60)
    third[9] = [n]
    key, rows = third.popitem()
    del third[1]
    return table[0], len(table), len(same), same[n], counts[0], len(also), key, rows, list(third)


RIGHT = [
    of_the_same_lists,
    grouped, connected, distances, recursive, buckets, by_names, anagrams, replaced, of_pairs,
    counted, of_a_class, copied_lists, taken_out_in_a_loop,
]  # fmt: skip


@pytest.mark.every(14)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_dicts_of_lists_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(grouped, N, **options)
    check(recursive, N, **options)


def missing(n):
    table = {}
    for i in range(3):
        table.setdefault(i, []).append(i)
    return table[n]


def missing_taken_out(n):
    table = {}
    for i in range(3):
        table.setdefault(i, []).append(i)
    return table.pop(n)


def missing_deleted(n):
    table = {}
    for i in range(3):
        table.setdefault(i, []).append(i)
    del table[n]
    return len(table)


def grows_in_a_loop(n):
    table = defaultdict(list)
    for i in range(n):
        table[i].append(i)
    for k in table:
        table[k + 100].append(1)
    return len(table)


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("function", "said", "line"),
    [
        (missing, "KeyError: {n}", "return table[n]"),
        (missing_taken_out, "KeyError", "return table.pop(n)"),
        (missing_deleted, "KeyError", "del table[n]"),
        (grows_in_a_loop, "RuntimeError: dictionary changed size", "for k in table:"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_python_raises_is_said_of_the_users_line(
    function: Callable[[Any], Any], said: str, line: str
) -> None:
    check(function, np.array([0, 2, 3, 5]), jit=False)
    result = shared(function).run(np.array([0, 5]), jit=False)
    with pytest.raises(pcbatch.MemberError) as caught:
        result.check()
    assert said in str(caught.value) and line in str(caught.value)


def compared(n):
    table = defaultdict(list)
    table[n].append(1)
    return table == {}


def copied(n):
    table = defaultdict(list)
    table[n].append(1)
    return len(table.copy())


def updated(n):
    table, other = {}, {}
    table.setdefault(n, []).append(1)
    other.setdefault(0, []).append(n)
    table.update(other)
    return len(table)


def given_back(n):
    table = defaultdict(list)
    table[n].append(1)
    return table


def without_a_default(n):
    table = defaultdict(list)
    table[n].append(1)
    row = table.get(0)
    return 0 if row is None else len(row)


def given_to(table):
    return len(dict(table))


def made_of_another(n):
    table = defaultdict(list)
    table[n].append(1)
    return given_to(table)


def copied_by_copy(n):
    table = defaultdict(list)
    table[n].append(1)
    return len(copy.copy(table))


def changed_by_get(n):
    table = defaultdict(list)
    table[n].append(1)
    row = table.get(0, [])
    row.append(2)
    return len(row)


def shared_by_two_keys(n):
    table, row = {}, [n]
    table[0] = row
    table[1] = row
    row.append(2)
    return len(table[0])


@pytest.mark.every(8)
@pytest.mark.parametrize(
    ("function", "said"),
    [
        (changed_by_get, "a list among the values of a dict is changed"),
        (shared_by_two_keys, "this list was put into a list of lists, and is changed afterwards"),
        (made_of_another, "a dict is made of a dict of lists"),
        (copied_by_copy, "a dict of lists is copied"),
        (compared, "a comparison of a dict of lists"),
        (copied, "a `defaultdict` of lists is copied"),
        (updated, "`update` of a dict of lists"),
        (given_back, "the function returns a dict of the member"),
        (without_a_default, "`get` of a member's key gives a list, or another object, or None"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_is_refused_is_said_of_the_users_line(
    function: Callable[[Any], Any], said: str
) -> None:
    with pytest.raises(pcbatch.ProgramError) as caught:
        pcbatch.autobatch(function)(N)
    assert str(caught.value).startswith(said) and "prelude" not in str(caught.value)


# --- Random programs -----------------------------------------------------------------------------


def _statement(rng: random.Random, depth: int) -> list[str]:
    key = lambda: rng.choice(["i % 3", "n % 3", "0", "1", "(i + n) % 4"])  # noqa: E731
    choices = [
        lambda: [f"d.setdefault({key()}, []).append(i)"],
        lambda: [f"d[{key()}] = [i, n]"],
        lambda: [f"k = {key()}", "if k in d:", "    d[k].append(i)"],
        lambda: [f"k = {key()}", "if k in d:", "    d[k] += [i, 7]"],
        lambda: [f"k = {key()}", "if k in d:", "    row = d[k]", "    row.append(100)"],
        lambda: [
            f"k = {key()}", "if k in d:", "    row = d[k]", "    d[k] = [i]", "    row.append(2)",
            "    total += sum(row)",
        ],
        lambda: [f"k = {key()}", "if k in d:", "    total += len(d.pop(k))"],
        lambda: [f"k = {key()}", "if k in d:", "    del d[k]"],
        lambda: [f"d[{key()}] = d.get({key()}, []) + [i]"],
        lambda: ["for k, row in d.items():", "    total += k * sum(row)"],
        lambda: ["for row in d.values():", "    row.append(i)"],
        lambda: [f"j, k = {key()}, {key()}", "if j in d:", "    d[k] = d[j]"],
        lambda: ["total += max([len(row) for row in d.values()], default=0)"],
        lambda: ["x = [i]", f"d[{key()}] = x", "x.append(n)"],
    ]  # fmt: skip
    if depth and rng.random() < 0.4:
        inner = [line for _ in range(2) for line in _statement(rng, depth - 1)]
        head = rng.choice(["if (i + n) % 2:", f"for i in range({rng.choice(['3', 'n % 4'])}):"])
        return [head, *(f"    {line}" for line in inner)]
    return rng.choice(choices)()


def _program(seed: int) -> str:
    rng = random.Random(seed)
    lines = [line for _ in range(rng.randint(3, 5)) for line in _statement(rng, 1)]
    start = rng.choice(["{}", "{0: [], 1: [5]}", "{i: [i] for i in range(3)}"])
    body = [f"d, i, total = {start}, 1, 0", "d[0] = [3]", *lines]
    body.append("return total, len(d), [k * 10 + len(row) for k, row in d.items()], list(d)")
    return "def program(n):\n" + "".join(f"    {line}\n" for line in body)


@pytest.mark.thorough
def test_random_programs_are_pythons_or_refused(tmp_path: Path) -> None:
    how = {"refusals": REFUSALS, "jit": False}
    seeds = range(sized(12, 40, 400))
    ran = [is_pythons(tmp_path / f"dicts_of_lists_{k}.py", _program(k), N, **how) for k in seeds]
    assert sum(ran) > len(seeds) // 5


def test_a_list_that_grows_in_a_dict_has_no_shape() -> None:
    """It had the shape of the list that was put into the dict, without a word."""

    def grows(n):
        table = {0: [n], 1: [2]}
        table[0].append(n)
        return tf.stack(table[0])

    with pytest.raises(ProgramError, match="whose length depends on the member"):
        pcbatch.autobatch(grows).run(np.array([0, 3]), strategy="local")


def ordered(jobs):
    """A helper in which nothing depends on the member, but what it hands on."""
    followers, waiting = defaultdict(list), {name: len(after) for name, after, _ in jobs}
    for name, after, _ in jobs:
        for other in after:
            followers[other].append(name)
    ready, order = sorted(name for name, k in waiting.items() if not k), []
    while ready:
        name = ready.pop(0)
        order.append(name)
        for other in followers[name]:
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    return order


def in_order(n):
    jobs = [("a", ("b",), n), ("b", (), n + 1), ("c", ("a", "b"), 2)]
    return ordered(jobs), sum(cost for *_, cost in jobs)


def test_a_helper_reads_a_defaultdict_of_its_own() -> None:
    check(in_order, N, jit=False)
