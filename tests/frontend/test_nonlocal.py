"""`nonlocal`: nested functions assign to the variables of the functions around them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pcbatch
from tests.support.members import check, shared

N = np.array([1, 4, 5, 9])


def adaptive(n):
    """A counter in a function that another nested function calls."""
    a, b = -2.0, 0.25 * n
    calls = 0

    def f(x):
        nonlocal calls
        calls += 1
        return math.exp(-x * x)

    def simpson(lo, hi):
        mid = (lo + hi) / 2
        return (hi - lo) / 6 * (f(lo) + 4 * f(mid) + f(hi))

    total, todo = 0.0, [(a, b, 0)]
    while todo:
        lo, hi, depth = todo.pop()
        mid = (lo + hi) / 2
        whole, parts = simpson(lo, hi), simpson(lo, mid) + simpson(mid, hi)
        if abs(whole - parts) < 1e-6 or depth > 6:
            total += parts
        else:
            todo.append((lo, mid, depth + 1))
            todo.append((mid, hi, depth + 1))
    return total, calls


def queens(n):
    """Count the ways, in a recursion."""
    n = n % 6 + 1
    count = 0

    def place(row, cols, d1, d2):
        nonlocal count
        if row == n:
            count += 1
            return
        for c in range(n):
            b = 1 << c
            if not (cols & b or d1 & (b << row) or d2 & (b << (n - row))):
                place(row + 1, cols | b, d1 | (b << row), d2 | (b << (n - row)))

    place(0, 0, 0, 0)
    return count


def reads_in_order(n):
    lo, total = 1, 0.0

    def add(x):
        nonlocal total, lo
        total += x
        lo, extra = lo + 1, 2.0
        return total * extra / 2

    a = add(n / 1) + add(2.0) * total
    for k in range(3):
        add(k)
    total = total * 2 if total > 5 else total
    hidden = [total * 3 for total in range(3)][1], (lambda total=total: total + 1)()
    return a, total, lo, *hidden, sum(total * k for k in range(2)), (lambda: total)()


def of_a_parameter(n):
    k: int = 2

    def down():
        nonlocal n
        n -= k
        return n > 0

    rounds = 0
    while down():
        rounds += 1
    return n, rounds


def in_a_function_within(n):
    hits = 0

    def outer(m):
        def inner(j):
            nonlocal hits
            hits += j

        for j in range(m):
            inner(j)
        return hits

    r = [outer(n), outer(2)]
    return r[0], r[1], hits


def with_a_type(n):
    count: int = 0

    def add(k):
        nonlocal count
        count += k

    add(n)
    count: int = count * 2
    return count


def two_at_once(n):
    a, b = 0, 1

    def nxt():
        nonlocal a, b
        a, b = b, a + b
        return a

    s = 0
    for _ in range(n):
        s += nxt()
    return s, a, b


def deepest(n):
    best = 0

    def go(k, d):
        nonlocal best
        if d > best:
            best = d
        if k <= 1:
            return
        go(k // 2, d + 1)
        if k % 2:
            go(k * 3 // 5, d + 1)

    go(n, 0)
    return best


FUNCTIONS = [
    adaptive,
    queens,
    reads_in_order,
    of_a_parameter,
    in_a_function_within,
    two_at_once,
    with_a_type,
    deepest,
]


@pytest.mark.every(14)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("options", [{"strategy": "local"}, {"schedule": "switch"}], ids=str)
def test_as_in_python(function, options):
    check(shared(function), N, jit=False, **options)


@pytest.mark.parametrize("strategy", ["pc", "hybrid", "loop"])
def test_in_one_program_of_xla(strategy):
    check(shared(two_at_once), N, strategy=strategy)


def begins_as_none(n):
    best = None

    def visit(k):
        nonlocal best
        if best is None or k * 7 % 5 > best:
            best = k * 7 % 5
        if k > 0:
            visit(k - 1)

    if n > 1:
        visit(n)
    return -1 if best is None else best


def a_pair_or_none(n):
    best = None

    def visit(k):
        nonlocal best
        if best is None or k * 7 % 5 > best[0]:
            best = (k * 7 % 5, k)
        if k > 0:
            visit(k - 1)

    visit(n)
    return best[0], best[1]


def a_text(n):
    state = "idle"

    def go(k):
        nonlocal state
        if state == "idle":
            state = "run"
        elif k % 3 == 0:
            state = "idle"
        if k > 0:
            go(k - 1)

    go(n)
    return state == "run"


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None


def the_key_before(n):
    """Whether a tree is in order, found by the key that was visited before."""
    root, before, in_order = None, None, True

    def inserted(node, key):
        if node is None:
            return Node(key)
        if key < node.key:
            node.left = inserted(node.left, key)
        else:
            node.right = inserted(node.right, key)
        return node

    def visit(node):
        nonlocal before, in_order
        if node is None:
            return
        visit(node.left)
        if before is not None and before > node.key:
            in_order = False
        before = node.key
        visit(node.right)

    for i in range(n):
        root = inserted(root, i * 7 % 11)
    visit(root)
    return in_order, -1 if before is None else before


@pytest.mark.every(6)
@pytest.mark.parametrize("function", [begins_as_none, a_pair_or_none, a_text, the_key_before])
def test_a_variable_may_begin_as_none_or_a_text(function):
    check(function, N, jit=False)


def made(step):
    """Python makes these, so that their variables are cells of Python's."""
    total = step

    def twice():
        nonlocal total
        total *= 2
        return total

    def reads(n):
        def within(k):
            return k + total

        return within(n)

    return twice, reads


def test_what_a_function_of_python_has_rebound_is_read():
    twice, reads = made(3)
    twice()
    batched = pcbatch.autobatch(reads, jit=False)
    assert batched(N).numpy().tolist() == [reads(n) for n in N.tolist()] == [7, 10, 11, 15]
    with pytest.raises(pcbatch.ProgramError, match="`twice` assigns to a variable outside"):
        pcbatch.autobatch(lambda n: n + twice())(N)


def counter(start):
    value = start

    def advance(step):
        nonlocal value
        value += step
        return value

    return advance


class Holder:
    def __init__(self, n):
        self.next = counter(n)


def test_functions_that_other_functions_make():
    def f(n):
        first, second, holder = counter(n), counter(10), Holder(n)
        total = first(1) * 100 + second(2)
        return total + first(3), second(n), holder.next(5) + holder.next(1)

    check(f, np.array([0, 1, 4, 7]), jit=False)
