"""Dicts of dicts that are only read, as a graph that is written out: a key says which."""

from __future__ import annotations

import heapq

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 5, 8)

TURN = {
    "L": {"N": "W", "W": "S", "S": "E", "E": "N"},
    "R": {"N": "E", "E": "S", "S": "W", "W": "N"},
}
GRAPH = {"A": {"B": 1, "C": 4}, "B": {"C": 2, "D": 5}, "C": {"D": 1}, "D": {}}
STATES = {0: {0: 1, 1: 0}, 1: {0: 1, 1: 2}, 2: {0: 0, 1: 2}}


def turns(n):
    facing = "N"
    for k in range(n):
        facing = TURN["LR"[k * k % 3 % 2]][facing]
    return facing


def automaton(n):
    state = 0
    for k in range(n):
        row = STATES[state]
        state = row.get(k * n % 3, 0)
    return state, len(STATES[state]), sum(STATES[state].values())


def goes_over_one(n):
    total = 0
    for letter, weight in GRAPH["ABCD"[n % 4]].items():
        total += weight * ord(letter)
    return total, list(GRAPH["ABCD"[n % 4]])


def asks_one(n):
    row = GRAPH["ABCD"[n % 4]]
    return row.get("D", -1), "C" in row, len(row)


def is_not_there(n):
    return GRAPH["ABCD"[n % 4]]["C"]


def copies_one(n):
    row = dict(GRAPH["ABCD"[n % 4]])
    row["Z"] = 3
    return len(row), len(GRAPH["D"])


def shortest_paths(n):
    start = "ABCD"[n % 4]
    distance, heap = {start: 0}, [(0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for v, weight in GRAPH[u].items():
            if d + weight < distance.get(v, 1000):
                distance[v] = d + weight
                heapq.heappush(heap, (d + weight, v))
    return sum(distance.values()), len(distance)


ALIKE = (
    turns, automaton, goes_over_one, asks_one, is_not_there, copies_one, shortest_paths,
)  # fmt: skip


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_they_are_pythons(program):
    check(program, N)


def test_one_of_the_module_is_not_changed():
    def program(n):
        row = GRAPH["ABCD"[n % 4]]
        row["Z"] = 3
        return len(row)

    with pytest.raises(ProgramError, match="among the values of a dict is changed"):
        pcbatch.autobatch(program).run(N)
