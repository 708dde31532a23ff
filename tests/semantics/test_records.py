"""Dicts with known texts as keys that containers have: each name of one sees a change."""

from __future__ import annotations

import copy
import math
from collections import defaultdict

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(1, 2, 3, 5, 8)


def stock(n):
    found = {}
    for k in range(n):
        item = "abc"[k % 3]
        if item not in found:
            found[item] = {"count": 0, "value": 0.0}
        found[item]["count"] += k
        found[item]["value"] += k * 0.5
    rows = [(name, r["count"], r["value"]) for name, r in sorted(found.items())]
    return rows[-1], len(found)


def which_one_the_member_says(n):
    rows = [{"a": k, "b": 0.0} for k in range(3)]
    for k in range(n):
        rows[k % 3]["b"] += k
    first = rows[n % 3]
    first["a"] = 100
    return sum(r["a"] * r["b"] for r in rows), rows[0] is first, "a" in first, len(first)


def made_where_it_is_missing(n):
    table = defaultdict(lambda: {"n": 0, "sum": 0.0})
    for k in range(n):
        table[k % 3]["n"] += 1
        table[k % 3]["sum"] += k
    return len(table), table[0]["n"], table[1]["sum"]


def begins_with_other_signs(n):
    table = defaultdict(lambda: {"most": -1, "name": "", "sign": -0.0, "seen": False})
    for k in range(n):
        row = table[k % 2]
        row["most"] = max(row["most"], k - 3)
        row["name"] = "ab"[k % 2]
    sign = math.copysign(1, table[7]["sign"])
    return table[0]["most"], table[5]["most"], table[0]["name"], sign


def goes_over_keys(n):
    rows = [dict(x=k, y=2 * k) for k in range(3)]  # noqa: C408
    rows[n % 3]["x"] += 1
    total = 0
    for r in rows:
        for key, value in r.items():
            total += value if key == "x" else -3 * value
    which = "x" if n % 2 else "y"
    return total, rows[n % 3][which], rows[0].get("z", 9), [*rows[0]] == ["x", "y"]


def compares(n):
    rows = [{"a": k, "b": -k} for k in range(3)]
    rows[n % 3]["a"] = 5
    return rows[0] == {"a": 5, "b": 0}, rows[n % 3] == rows[0], rows[n % 3] == dict(rows[n % 3])


def has_lists(n):
    nodes = {}
    for k in range(n):
        nodes[k] = {"next": [], "seen": False}
    for k in range(n):
        nodes[k]["next"].append((k * 3 + 1) % n)
        nodes[k]["next"].append((k * 2 + 1) % n)
    todo, order = [0], []
    while todo:
        v = todo.pop()
        if nodes[v]["seen"]:
            continue
        nodes[v]["seen"] = True
        order.append(v)
        for w in nodes[v]["next"]:
            todo.append(w)
    return order


def search_tree(n):
    def insert(node, key):
        if node is None:
            return {"key": key, "left": None, "right": None}
        if key < node["key"]:
            node["left"] = insert(node["left"], key)
        else:
            node["right"] = insert(node["right"], key)
        return node

    def height(node):
        return 0 if node is None else 1 + max(height(node["left"]), height(node["right"]))

    root = None
    for k in range(n):
        root = insert(root, k * 7 % 11)
    return height(root), root["key"]


def is_returned(n):
    rows = [{"x": k, "y": 2 * k} for k in range(3)]
    rows[n % 3]["x"] += 1
    best = rows[n % 3]
    return best["x"], [*best.values()]


def is_returned_beside_another(n):
    rows = [{"x": k, "y": 2 * k} for k in range(3)]
    rows[n % 3]["x"] += 1
    return ({"x": 1, "y": n}["y"], rows[0]["x"]), rows[1]["x"]


def either_of_two(n):
    a, b = {"x": 1}, {"x": 2}
    c = a if n > 3 else b
    c["x"] = 7
    return a["x"], b["x"]


def a_list_has_one_several_times(n):
    d, xs = {"x": n}, []
    for _ in range(n):
        d["x"] += 1
        xs.append(d)
    return xs[0]["x"]


def a_list_had_it_before(n):
    xs = []
    for _ in range(n):
        d = {"x": n}
        xs.append(d)
        d["x"] += 1
    return xs[0]["x"]


def copied(n):
    rows = [{"a": k, "b": 1} for k in range(3)]
    rows[n % 3]["a"] = 7
    other, whole = copy.deepcopy(rows[n % 3]), copy.deepcopy(rows)
    other["a"] = whole[0]["a"] = 100
    plain = {**rows[1]}
    plain["a"] = 3
    return [r["a"] for r in rows], other["a"], whole[0]["a"], plain["a"]


def are_one(n):
    rows = [{"a": k} for k in range(3)]
    p, q = rows[0], {"a": n}
    rows[n % 3] = q
    p["a"] += 1
    return p is q, rows[0] is q, rows[0] is p, rows[n % 3] is q


class Bank:
    def __init__(self):
        self.accounts = {}

    def open(self, who, amount):
        self.accounts[who] = {"balance": amount, "moves": 1}

    def deposit(self, who, amount):
        if amount <= 0:
            raise ValueError("bad amount")
        self.accounts[who]["balance"] += amount
        self.accounts[who]["moves"] += 1


def in_an_attribute(n):
    bank = Bank()
    bank.open("ann", 10)
    bank.open("bob", n)
    for k in range(n):
        bank.deposit("ann" if k % 2 else "bob", 4 - k)
    return bank.accounts["ann"]["balance"], bank.accounts["bob"]["moves"]


ALIKE = (
    stock, which_one_the_member_says, made_where_it_is_missing, begins_with_other_signs,
    goes_over_keys, compares, has_lists, search_tree, is_returned, is_returned_beside_another,
    either_of_two, a_list_has_one_several_times, a_list_had_it_before, copied, are_one,
    in_an_attribute,
)  # fmt: skip


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_records_are_pythons(program):
    check(program, N)


def test_a_record_is_a_dict_of_the_result():
    def program(n):
        rows = [{"x": k, "y": 2.0} for k in range(3)]
        rows[n % 3]["x"] += 7
        return rows[n % 3]

    result = pcbatch.autobatch(program).run(N, strategy="local")
    assert {k: v.numpy().tolist() for k, v in result.value.items()} == {
        "x": [8, 9, 7, 9, 9], "y": [2.0] * 5
    }  # fmt: skip


def in_place(n):
    d = {"x": 1}
    e = [d]
    d |= {"x": n}
    return e[0]["x"]


def several_at_once(n):
    rows = [{"x": k} for k in range(3)]
    rows[n % 3].update(x=5)
    return rows[0]["x"]


def deleted(n):
    rows = [{"x": k, "y": 1} for k in range(3)]
    del rows[n % 3]["x"]
    return len(rows[0])


def taken_out(n):
    rows = [{"x": k, "y": 1} for k in range(3)]
    rows[n % 3].pop("x")
    return len(rows[0])


@pytest.mark.parametrize(
    "program", [in_place, several_at_once, deleted, taken_out], ids=lambda p: p.__name__
)
def test_other_changes_are_refused(program):
    with pytest.raises(ProgramError, match=r"keys of several kinds|that a container has|as keys"):
        pcbatch.autobatch(program).run(N, strategy="local")


def test_a_new_key_is_refused():
    def program(n):
        rows = [{"a": k} for k in range(3)]
        rows[n % 3]["b"] = 5
        return rows[0]["a"]

    with pytest.raises(ProgramError, match="may have the same one"):
        pcbatch.autobatch(program).run(N)


def test_a_key_of_the_member_is_not_assigned():
    def program(n):
        rows = [{"a": k, "b": 0} for k in range(3)]
        rows[n % 3]["a" if n % 2 else "b"] = 5
        return rows[0]["a"]

    with pytest.raises(ProgramError, match="dicts that are written to by a member's key"):
        pcbatch.autobatch(program).run(N)


def test_a_default_with_other_keys_is_refused_by_a_sentence():
    def program(n):
        table = defaultdict(lambda: {0: 5})
        table[n % 2][0] += 1
        return len(table)

    with pytest.raises(ProgramError, match="reading an element of a `defaultdict` adds the key"):
        pcbatch.autobatch(program).run(N)
