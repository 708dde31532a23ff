"""Dicts and lists whose values are sets and dicts that change: Python's answers, each way of
running, and what has several names."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pcbatch
from tests.semantics.test_mathematics import STRATEGIES
from tests.strangers.fields.grouping import components
from tests.strangers.fields.networks import is_two_colourable
from tests.support.extent import sized
from tests.support.members import check, shared
from tests.support.random_programs import is_pythons

N = np.array([0, 1, 2, 5])


def inverted_index(n):
    index = defaultdict(set)
    for i, doc in enumerate([[1, 2, 3], [2, 3, 4], [n, 5], [1, n]]):
        for word in doc:
            index[word].add(i)
    both, either = index[1] & index[n], index[2] | index[5]
    return sorted(both), sorted(either), len(index), sorted(index), len(index[100]), len(index)


def closure(n):
    reach = {v: {v} for v in range(5)}
    edges = [(0, 1), (1, 2), (3, 4), (n % 5, (n + 1) % 5)]
    changed = True
    while changed:
        changed = False
        for a, b in edges:
            before = len(reach[a])
            reach[a] |= reach[b]
            if len(reach[a]) > before:
                changed = True
    return [len(reach[v]) for v in range(5)], sorted(reach[0]), sum(map(len, reach.values()))


def names_of_sets(n):
    """Each name of a set sees a change, whichever set the member means."""
    g = {v: set() for v in range(4)}
    s = g[0]
    s.add(1)
    g[1] = g[n % 4]
    g[1].add(7)
    g[2] = g[2] | {5}
    t = g[2]
    g[2] = {9}
    t.add(6)
    own = set()
    g[3] = own
    own.add(n)
    copied = g[1].copy()
    copied.add(100)
    return (
        sorted(g[0]), sorted(g[1]), sorted(g[2]), sorted(t), sorted(g[3]), sorted(copied),
        g[1] is g[0], g[0] == g[1], s is g[0],
    )  # fmt: skip


def list_of_sets(n):
    g = [{1}, {2, 3}, set()]
    g[0], g[1] = g[1], g[0]
    g[0].add(n)
    g[2] = g[0]
    g[2].add(10)
    g.append(g[0] - g[1])
    g[-1].add(5)
    x = g.pop(0)
    x.add(11)
    total = set()
    for s in g:
        total |= s
    return [len(s) for s in g], sorted(x), sorted(g[1]), 11 in g[1], sorted(total), bool(g[0])


def taken_out_of_sets(n):
    g = {v: {0, 1, 2, 3} for v in range(4)}
    g[n % 4].discard(9)
    g[n % 4].discard(2)
    g[1].remove(3)
    code = 0
    for w in g[n % 4]:
        code = code * 10 + w
    g[3].clear()
    g[3].add(4)
    x = g[3].pop()
    del g[0]
    g[1] ^= {7, n}
    g[2] -= {n}
    g[2] &= {0, 1, 2}
    return code, len(g[3]), x, len(g), [sum(s) for s in g.values()], min(g[1]), max(g[2])


def ready_first(n):
    """Tasks in an order in which each comes after what it needs, kept as sets."""
    needs, order = {0: set(), 1: {0}, 2: {0, 1}, 3: {2}, 4: {n % 4}}, []
    while needs:
        ready = [k for k, d in needs.items() if not d]
        for k in ready:
            del needs[k]
            order.append(k)
        for d in needs.values():
            d -= set(ready)
    return order


class Graph:
    """A class that keeps sets by keys."""

    def __init__(self):
        self.adj = {}

    def add(self, a, b):
        if a not in self.adj:
            self.adj[a] = set()
        self.adj[a].add(b)

    def has(self, a, b):
        return b in self.adj.get(a, set())


def of_a_class(n):
    g = Graph()
    for i in range(5):
        g.add(i % 2, i * n)
    return g.has(0, 4), g.has(1, n), g.has(7, 1), len(g.adj[0])


def of_texts_and_pairs(n):
    """Containers of which each has another type of elements."""
    index, seen = defaultdict(set), defaultdict(set)
    for i, word in enumerate(["ab", "cd", "ab", "ef", "cd"]):
        index[word].add(i * n)
        seen[i % 2].add((i, n))
    return len(index), sorted(index["ab"]), (1, n) in seen[1], len(seen[0])


# --- Dicts of dicts --------------------------------------------------------------------------


def shortest_ways(n):
    graph = defaultdict(dict)
    for a, b, w in [(0, 1, 4), (0, 2, 1), (2, 1, 2), (1, 3, n + 1), (2, 3, 8)]:
        graph[a][b] = w
        graph[b][a] = w
    dist, todo = {0: 0}, [0]
    while todo:
        v = min(todo, key=lambda u: dist[u])
        todo.remove(v)
        for w, cost in graph[v].items():
            if w not in dist or dist[v] + cost < dist[w]:
                dist[w] = dist[v] + cost
                todo.append(w)
    return [dist[k] for k in sorted(dist)]


def counted_pairs(n):
    counts = defaultdict(lambda: defaultdict(int))
    xs = [1, 2, 3, 1, 2, n, 1]
    for a, b in zip(xs, xs[1:]):  # noqa: RUF007
        counts[a][b] += 1
    best = max(counts[1], key=lambda b: counts[1][b])
    return best, counts[1][2], len(counts), sum(counts[1].values()), sorted(counts)


def counters(n):
    by = defaultdict(Counter)
    for i in range(8):
        by[i % 2][i % (n + 1)] += 1
    return by[0][0], len(by[1]), by[0].most_common(1)[0][1], by[0][77], sum(by[1].values())


def names_of_dicts(n):
    g = {i: {} for i in range(3)}
    d = g[n % 3]
    d[1] = 10
    g[0] = g[n % 3]
    g[0][2] = 20
    d[1] += 5
    e = g[1]
    g[1] = {7: 7}
    e[8] = 8
    return d[1], len(d), len(g[0]), len(e), list(g[1]), g[0] is d, g[0] == d, g.get(n) is None


def changed_dicts(n):
    g = {i: {0: 1, 1: 2, 2: 3} for i in range(3)}
    x, y = g[0].pop(n % 3), g[1].pop(9, -1)
    del g[1][n % 3]
    k, v = g[2].popitem()
    g[2].update({5: 50, 0: 11})
    g[0].clear()
    own = {key: dict(row) for key, row in g.items()}
    own[1][77] = 1
    both = {**g[2], 4: 4}
    return x, y, k, v, list(g[1]), sorted(g[2].values()), len(g[0]), len(own[1]), len(both)


def read_dicts(n):
    g = {}
    for a, b, w in [(0, 1, 4), (0, 2, 1), (2, 1, 2), (n, 3, 6)]:
        g.setdefault(a, {})[b] = w
    best = max((w, a, b) for a, row in g.items() for b, w in row.items())
    inner = [b for a in g for b in g[a] if b > 1]
    totals = {a: sum(row.values()) for a, row in g.items()}
    return best, inner, g[0].get(3, -1), 1 in g[0], list(g), totals[0]


def changed_in_a_loop_over_it(n):
    """A loop over pairs sees the values that it assigns."""
    g, code = {0: {}, 1: {}}, 0
    for i in range(4):
        g[0][i] = i
    for k, v in g[0].items():
        code = code * 10 + v
        g[0][(k + 1) % 4] = v + n
    return code


RIGHT = [
    components, is_two_colourable, inverted_index, closure, names_of_sets, list_of_sets,
    taken_out_of_sets, ready_first, of_a_class, of_texts_and_pairs, shortest_ways, counted_pairs,
    counters, names_of_dicts, changed_dicts, read_dicts, changed_in_a_loop_over_it,
]  # fmt: skip


@pytest.mark.every(36, 2)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_containers_in_containers_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
@pytest.mark.parametrize("function", [components], ids=lambda f: f.__name__)
def test_each_strategy(function: Callable[[Any], Any], options: dict[str, Any]) -> None:
    check(function, N, **options)


# --- What Python raises ----------------------------------------------------------------------


def not_in_the_set(n):
    g = defaultdict(set)
    for i in range(4):
        g[i % 2].add(i)
    g[0].remove(n)
    return len(g[0])


def not_in_the_dict(n):
    g = {i: {0: 1, 2: 2} for i in range(3)}
    return g[0].pop(n)


def no_key_to_delete(n):
    g = defaultdict(dict)
    g[0][2] = 5
    g[0][0] = 5
    del g[0][n]
    return len(g[0])


def read_without_a_key(n):
    g = {i: {0: 1, 2: 2} for i in range(3)}
    g[1][4] = 4
    return g[1][n]


def set_changed_by_its_loop(n):
    g = defaultdict(set)
    for i in range(3):
        g[0].add(i)
    for w in g[0]:
        if n % 2:
            g[0].add(w + 10)
    return len(g[0])


def dict_changed_by_its_loop(n):
    g = {0: {}, 1: {}}
    for i in range(3):
        g[0][i] = i
    for w in g[0]:
        if n % 2:
            g[0][w + 10] = 1
    return len(g[0])


@pytest.mark.every(6)
@pytest.mark.parametrize(
    ("function", "said", "line"),
    [
        (not_in_the_set, "KeyError: {n}", "g[0].remove(n)"),
        (not_in_the_dict, "KeyError", "return g[0].pop(n)"),
        (no_key_to_delete, "KeyError", "del g[0][n]"),
        (read_without_a_key, "KeyError: {n}", "return g[1][n]"),
        (set_changed_by_its_loop, "RuntimeError: Set changed size", "for w in g[0]:"),
        (dict_changed_by_its_loop, "RuntimeError: dictionary changed size", "for w in g[0]:"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_python_raises_is_said_of_the_users_line(
    function: Callable[[Any], Any], said: str, line: str
) -> None:
    values = np.array([0, 2, 5, 7])
    check(function, values, jit=False)
    with pytest.raises(pcbatch.MemberError) as caught:
        shared(function).run(values, jit=False).check()
    assert said.replace("{n}", "") in str(caught.value) and line in str(caught.value)


# --- What is refused -------------------------------------------------------------------------


def given_back(n):
    g = defaultdict(set)
    g[0].add(n)
    return g[0]


def of_two_types(n):
    g = defaultdict(set)
    g[0].add(n)
    g[0].add((n, n))
    return len(g[0])


def a_number_beside_sets(n):
    g = defaultdict(set)
    g[0].add(n)
    g[1] = n
    return len(g[0])


def a_list_as_a_key(n):
    g = defaultdict(set)
    g[0].add([n])
    return len(g[0])


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("function", "said", "line"),
    [
        (given_back, "the function returns a set of the member", "return g[0]"),
        (of_two_types, "this value does not fit into the list", "g[0].add((n, n))"),
        (a_number_beside_sets, "this value does not fit into the list", "g[1] = n"),
        (a_list_as_a_key, "this expression fails for one member: unhashable", "g[0].add([n])"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_is_refused_is_said_of_the_users_line(
    function: Callable[[Any], Any], said: str, line: str
) -> None:
    with pytest.raises(pcbatch.ProgramError) as caught:
        pcbatch.autobatch(function)(N)
    assert str(caught.value).startswith(said) and line in str(caught.value)
    assert "prelude" not in str(caught.value) and "OnHeap" not in str(caught.value)


# --- Random programs -------------------------------------------------------------------------


def _key(rng: random.Random) -> str:
    return rng.choice(["i % 3", "n % 3", "0", "1", "(i + n) % 3"])


def _of_sets(rng: random.Random) -> list[str]:
    key = lambda: _key(rng)  # noqa: E731
    return rng.choice([
        [f"d[{key()}].add(i)"],
        [f"d[{key()}] = d[{key()}]"],
        [f"d[{key()}] = {{i, n}}"],
        [f"d[{key()}] |= d[{key()}]"],
        [f"d[{key()}] -= {{i}}"],
        [f"d[{key()}].discard(n)"],
        [f"s = d[{key()}]", "s.add(i + 3)"],
        [f"d[{key()}] = d[{key()}] ^ d[{key()}]"],
        [f"total += len(d[{key()}] & d[{key()}])"],
        [f"for w in sorted(d[{key()}]):", "    total = 3 * total + w"],
        [f"if n in d[{key()}]:", f"    d[{key()}] = set()"],
        ["x = set()", f"d[{key()}] = x", "x.add(n)"],
        [f"if d[{key()}] is d[{key()}]:", "    total += 1"],
        ["for s in d.values():", "    s.add(i)"],
    ])  # fmt: skip


def _of_dicts(rng: random.Random) -> list[str]:
    key = lambda: _key(rng)  # noqa: E731
    return rng.choice([
        [f"d[{key()}][{key()}] = i"],
        [f"d[{key()}] = d[{key()}]"],
        [f"d[{key()}] = {{i: n, 5: i}}"],
        [f"d[{key()}].update(d[{key()}])"],
        [f"s = d[{key()}]", f"s[{key()}] = s.get({key()}, 4) + 1"],
        [f"total += d[{key()}].pop({key()}, 7)"],
        [f"for a, w in d[{key()}].items():", "    total = 3 * total + a * w"],
        [f"if n in d[{key()}]:", f"    d[{key()}] = {{}}"],
        [f"if {key()} in d[{key()}]:", "    total += 5"],
        ["x = {}", f"d[{key()}] = x", "x[n] = i"],
        [f"if d[{key()}] is d[{key()}]:", "    total += 1"],
        [f"d[{key()}] = dict(d[{key()}])"],
        ["for s in d.values():", "    s[i] = n"],
    ])  # fmt: skip


def _program(seed: int) -> str:
    rng = random.Random(seed)
    statement, empty = rng.choice([(_of_sets, "set()"), (_of_dicts, "{}")])
    lines = []
    for _ in range(rng.randint(3, 5)):
        inner = statement(rng)
        if rng.random() < 0.4:
            head = rng.choice(["if (i + n) % 2:", f"for i in range({rng.choice(['3', 'n % 4'])}):"])
            inner = [head, *(f"    {line}" for line in [*inner, *statement(rng)])]
        lines += inner
    make = rng.choice([f"{{k: {empty} for k in range(3)}}", f"[{empty} for _ in range(3)]"])
    if make.startswith("["):
        lines = [line.replace("d.values()", "d") for line in lines]
    whole = "sum(s)" if empty == "set()" else "sum(s) + 10 * sum(s.values())"
    body = [f"d, i, total = {make}, 1, 0", *lines, "sums = []", "for k in range(3):"]
    body += ["    s = d[k]", f"    sums.append({whole})", "return total, sums"]
    return "def program(n):\n" + "".join(f"    {line}\n" for line in body)


@pytest.mark.thorough
def test_random_programs_are_pythons(tmp_path: Path) -> None:
    for seed in range(sized(2, 4, 250)):
        path = tmp_path / f"containers_on_heap_{seed}.py"
        assert is_pythons(path, _program(seed), N, jit=False)
