"""Programs in source call form do what Python does, on plain Python values.

Each program is a plain function. It is lowered and interpreted twice, once with calls of Python
functions inside the primitives and once with them as calls of the program.
"""

from __future__ import annotations

import builtins
import inspect
import types
from typing import NamedTuple

import pytest

from pcbatch import frontend
from tests.frontend.source_interpreter import Failed, run

SCALE = 3
NAMES = {"a": 1, "b": 2}
MATRIX = ((1, 2), (3, 4))


def double(x):
    return 2 * x


class Pair(NamedTuple):
    left: int
    right: int


class Counter:
    def __init__(self, step):
        self.step = step
        self.__hidden = 5

    def add(self, x, times=1):
        for _ in range(times):
            x += self.step
        return x

    def mangled(self, x):
        return x + self.__hidden + self.__secret(x)

    def __secret(self, x):
        return x * 10


class Twice(Counter):
    def add(self, x, times=1):
        return super().add(super().add(x, times), times)


def fib(n):
    if n <= 1:
        return 1
    return fib(n - 1) + fib(n - 2)


def collatz(n):
    """Count steps."""
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def elif_chain(n):
    if n < 0:
        kind = "negative"
    elif n == 0:
        kind = "zero"
    elif n < 10:
        kind = "digit"
    else:
        kind = "number"
    return kind


def nothing(n):
    if n > 3:
        return n


def bare_return(n):
    while True:
        n -= 1
        if n < 0:
            return


def while_else(n):
    k = 0
    while k < 5:
        if k == n:
            break
        k += 1
    else:
        k = -1
    return k


def for_else(n):
    found = 0
    for k in range(5):
        if k == n:
            break
        found += 1
    else:
        found += 100
    return found


def nested_jumps(n):
    total = 0
    for i in range(n):
        for j in range(i, -1, -1):
            if j == 3:
                continue
            if i * j > 12:
                break
            if total > 60:
                return total, i, j
            total += i + j
        else:
            total += 1000
            continue
        total += 1
    return total


def break_in_else(n):
    total = 0
    for _ in range(4):
        for j in range(3):
            if j == n:
                break
        else:
            total += 1
            break
        total += 10
    return total


def loop_variable_after(n):
    i = -1
    for i in range(n):
        pass
    return i


def loop_variable_reassigned(n):
    total = 0
    for i in range(n):
        n = 0
        i = i * 2
        total += i
    return total, n


def ranges(a, b, c):
    out = ()
    for i in range(a, b):
        out = (*out, i)
    for i in range(b, a, -2):
        out += (i,)
    for i in range(a, b, c):
        out += (i,)
    for i in range(b, a, -c):
        out += (i,)
    return out


def containers(n):
    out = []
    for x in (1, 2, n):
        out = [*out, x]
    for key in NAMES:
        out += [key]
    for key, value in NAMES.items():
        out += [key, value]
    for row in MATRIX:
        for x in row:
            out += [x]
    for x in [k * n for k in (1, 2)]:
        out += [x]
    for c in "ab":
        out += [c]
    return out


def enumerate_zip(n):
    out = ()
    for i, x in enumerate((5, 6, 7)):
        out += (i * x,)
    for i, x in enumerate("ab", start=n):
        out += (i, x)
    for i, (a, b) in enumerate(zip((1, 2, 3), (n, 5)), 1):
        out += (i, a, b)
    for a, b in zip((1, 2), (3, 4), strict=True):
        out += (a + b,)
    for (a, *rest), _ in zip(((1, 2, 3), (4,)), range(9)):
        out += (a, len(rest))
    return out


def unpacking(a, b):
    a, b = b, a
    c, (d, *e) = a, (b, 1, 2)
    [f, g] = (c, d)
    *h, k = (f, g, 3)
    (only,) = (k,)
    m = n = a + b
    first, *_ = e
    x, x = 1, 2
    return a, b, c, d, e, f, g, h, k, only, m, n, first, x


def swap_elements(n):
    buf = [10, 20, 30]
    i = 1
    i, buf[i] = n - 2, 5
    buf[0], i = i, 2
    buf[i] += 7
    buf[i - 2] *= buf[1]
    return buf, i


def element_of_structures(n):
    table = {"a": [1, 2], "b": [3, 4]}
    table["a"][n] = 5
    table["b"] = table["a"]
    return table


def aliases(n):
    a = [1, 2]
    b = a
    b[0] = n
    return a


def augmented(n):
    n += 1
    n -= 3
    n *= 4
    n //= 3
    n **= 2
    n %= 100
    n |= 8
    n &= 31
    n ^= 5
    n <<= 3
    n >>= 1
    return n / 4


def annotated(n):
    total: int = n
    later: int
    later = total + 1
    return later


def short_circuit(a, b):
    x = a and b
    y = a or b
    z = not a and (b or 7)
    a = a and b and 5
    return x, y, z, a, not (a or b)


def chains(a, b):
    x = 0 < a < b < 10
    y = a < b > 2 != 4
    if 0 < a <= b:
        x = not x
    return x, y, 1 if a < b < 5 else 2


def conditional(a, b):
    a = a + 1 if a < b else b if b > 3 else -1
    return (a if a else b) + (b if b else a)


def walrus(n):
    total = 0
    while (k := n - total) > 0:
        total += k // 2 + 1
    y = total + (total := 5) + total
    return k, y, (z := 3) + z


def boolean_tests(a, b):
    out = 0
    if (a > 1 and b > 1) or not (a or b):
        out += 1
    if not (a > 1 and (b > 1 or a > 3)):
        out += 2
    if a > 2 if b else a < 2:
        out += 4
    if True:
        out += 8
    if a and None:
        out += 16
    while not (a <= 0 or b <= 0):
        a -= 1
        b -= 2
    return out, a, b


def calls(n):
    x = double(n) + double(double(n)) * 2
    y = max(double(x), abs(-n), key=lambda v: -v)
    z = dict(a=double(1), **{"b": double(n)})
    w = Pair(*(n, double(n)))
    v = Pair(right=double(n), left=n)._replace(left=9)
    return x, y, z, w.left, v, "-".join([str(double(n)), "x"]), f"{double(n):>{n + 3}}{n!r}"


def starred_calls(*args, scale=2, **rest):
    total = 0
    for a in args:
        total += a * scale
    return total, sorted(rest), max(*args), Pair(*args[:2])


def pass_through(n):
    return starred_calls(n, *(1, 2), scale=3, **{"k": 4}, j=5)


def subscripts(n):
    x = [1, 2, 3, 4, 5, 6]
    return x[n], x[-1], x[1 : double(n)], x[:: double(1)], x[double(1) :][0], MATRIX[n - 1][0]


def displays(n):
    return [double(n), n], (n, *(1, 2)), {"a": double(n), **{"b": 1}}, {n, double(n)}


def comprehensions(n):
    xs = [double(k) + n for k in range(4) if k != n]
    table = {k: v * SCALE for k, v in NAMES.items()}
    flat = [x * y for row in MATRIX for x, y in [row, row] if x < y]
    shadow = [n + 1 for n in (1, 2)]
    return xs, table, flat, shadow, n, sum(k * k for k in range(n)), {k % 2 for k in (1, 2, 3)}


def closures(n):
    k = n + 1

    def add(x, y=n * 2, *, z=1):
        """A nested function."""
        w = x + y
        w += k
        return w + z * SCALE

    triple = lambda x: 3 * x + k  # noqa: E731
    fns = (add, triple, lambda: n)
    return add(1), add(1, 2, z=3), triple(2), fns[2](), sum(map(triple, (1, 2)))


def recursive_closure(n):
    def power(base, exponent):
        if exponent == 0:
            return 1
        return base * power(base, exponent - 1)

    fact = lambda m: 1 if m <= 1 else m * fact(m - 1)  # noqa: E731
    return power(2, n), fact(n)


def closure_in_loop(n):
    total = 0
    for k in range(n):
        shifted = k * 10

        def f(x):
            return x + shifted

        total += f(k)
    return total


def closure_defaults_by_value(n):
    scale = n
    f = lambda x, scale=scale: x * scale  # noqa: E731
    scale = 100
    return f(2) + scale


def methods(n):
    counter = Counter(n)
    twice = Twice(n)
    return counter.add(1), counter.add(1, times=3), twice.add(1), counter.mangled(n)


def shadowed_builtins(n):
    max = double
    range = lambda k: (k, k + 1)  # noqa: E731
    total = 0
    for i in range(n):
        total += i
    return max(n), total


def builtin_values(n):
    f = abs
    return f(-n), divmod(n, 2), pow(n, 2, 5), round(2.5), int("12"), list(map(abs, (-1, n)))


def membership(n):
    return n in (1, 2), n not in NAMES, "a" in NAMES, n is None, n is not None, -n, +n, ~n


def dead_code(n):
    if n > 1:
        return 1
        n = undefined_name  # noqa: F821
    while True:
        n += 1
        if n > 5:
            break
        continue
        n += 100
    return n


def docstring_only():
    """Nothing else."""


def keyword_only(a, /, b, *, c=4):
    return a + b * c


def many_returns(n):
    for i in range(n):
        while True:
            if i == 3:
                return "three", i
            break
    else:
        return "none", n
    return "never"


def empty_targets(n):
    [] = ()
    (a,) = [b] = [n]
    return a, b


GRID = [
    *[(fib, (n,)) for n in range(8)],
    *[(collatz, (n,)) for n in (1, 6, 7)],
    *[(elif_chain, (n,)) for n in (-1, 0, 5, 50)],
    *[(nothing, (n,)) for n in (3, 4)],
    (bare_return, (3,)),
    *[(while_else, (n,)) for n in (2, 9)],
    *[(for_else, (n,)) for n in (0, 2, 9)],
    *[(nested_jumps, (n,)) for n in (0, 2, 5, 9)],
    *[(break_in_else, (n,)) for n in (1, 5)],
    *[(loop_variable_after, (n,)) for n in (0, 4)],
    (loop_variable_reassigned, (4,)),
    *[(ranges, args) for args in ((0, 5, 2), (5, 0, 1), (0, 5, -2), (-3, 4, 3))],
    (containers, (4,)),
    (enumerate_zip, (4,)),
    (unpacking, (1, 2)),
    (swap_elements, (4,)),
    *[(element_of_structures, (n,)) for n in (0, 1)],
    (aliases, (9,)),
    (augmented, (17,)),
    (annotated, (1,)),
    *[(short_circuit, (a, b)) for a in (0, 1) for b in (0, 2)],
    *[(chains, (a, b)) for a in (-1, 1, 4) for b in (0, 3, 12)],
    *[(conditional, (a, b)) for a in (0, 3, 5) for b in (0, 2, 4)],
    (walrus, (10,)),
    *[(boolean_tests, (a, b)) for a in (0, 1, 4) for b in (0, 1, 3)],
    *[(calls, (n,)) for n in (0, 3)],
    (pass_through, (2,)),
    *[(subscripts, (n,)) for n in (1, 2)],
    (displays, (3,)),
    (comprehensions, (2,)),
    (closures, (2,)),
    (recursive_closure, (5,)),
    (closure_in_loop, (4,)),
    (closure_defaults_by_value, (3,)),
    (methods, (2,)),
    (shadowed_builtins, (4,)),
    (builtin_values, (7,)),
    *[(membership, (n,)) for n in (1, 3)],
    *[(dead_code, (n,)) for n in (0, 2)],
    (docstring_only, ()),
    *[(many_returns, (n,)) for n in (0, 2, 5)],
    (empty_targets, (4,)),
]


def never(value: object) -> bool:
    return False


def python_functions(value: object) -> bool:
    """Whether a callee is a Python function of this module."""
    return isinstance(value, types.FunctionType) and value.__module__ == __name__


def identify(value: object) -> str:
    return getattr(value, "__name__", str(value))


@pytest.mark.parametrize(("fn", "args"), GRID, ids=identify)
def test_same_as_python(fn, args):
    expected = fn(*args)
    actual = run(fn, *args)
    assert actual == expected
    assert type(actual) is type(expected)


@pytest.mark.parametrize(
    # In a comprehension a call of the program is refused.
    ("fn", "args"),
    [(fn, args) for fn, args in GRID if fn is not comprehensions],
    ids=identify,
)
def test_same_as_python_with_calls_of_the_program(fn, args):
    assert run(fn, *args, needs_call=python_functions) == fn(*args)


def test_every_program_is_run():
    everything = [value for value in globals().values() if python_functions(value)]
    programs = {fn for fn in everything if not fn.__name__.startswith("test_")}
    helpers = {double, starred_calls, keyword_only, failing, identify, never, python_functions}
    assert programs - helpers == {fn for fn, _ in GRID}


def test_parameters_stand_in_the_order_of_the_signature():
    assert run(keyword_only, 1, 2, 3) == keyword_only(1, 2, c=3)
    lowered = frontend.lower(starred_calls, needs_call=never)
    assert lowered.params == tuple(inspect.signature(starred_calls).parameters)


def failing(n):
    assert n != 1
    assert n != 2, "two is not allowed"
    assert n != 3, f"{n} is not allowed"
    if n == 4:
        raise ValueError("bad " + "value")
    if n == 5:
        raise builtins.KeyError
    if n == 6:
        raise RuntimeError(f"step {n + 1} of {SCALE}", n)
    if n == 7:
        raise ValueError(MESSAGE) from None
    for _ in range(0, 3, n - 8):
        n += 1
    return n


MESSAGE = "a constant message"


@pytest.mark.parametrize(
    ("n", "message"),
    [
        (1, "AssertionError: n != 1"),
        (2, "AssertionError: two is not allowed"),
        (3, "AssertionError: {n} is not allowed"),
        (4, "ValueError: bad value"),
        (5, "KeyError"),
        (6, "RuntimeError: (step {n + 1} of {SCALE}, {n})"),
        (7, "ValueError: a constant message"),
    ],
)
def test_failures_have_messages(n, message):
    with pytest.raises(Failed) as caught:
        run(failing, n)
    assert str(caught.value) == message


def test_a_static_step_of_zero_raises_as_in_python():
    with pytest.raises(ValueError, match="range\\(\\) arg 3 must not be zero"):
        run(failing, 8)
    assert run(failing, 9) == failing(9)
