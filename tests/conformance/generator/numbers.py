"""Random programs on Python's numbers and lists, as source text, to be held against Python itself.

`main(n, k, x, y, b)` takes int64, int64, float64, float64 and bool members, extremes, NaN and
infinities among them, and uses what Python makes of them: `math`, digits, lists that grow,
comprehensions and generators, exceptions of every operation that has one, helpers without a
decorator, a nested function with `nonlocal`, a class with operators of its own, an object and a
dict of texts whose values are assigned, lists of numbers or None and of texts, and `with`
statements. Every program terminates: loops have at most three trips, or go over a list that nothing
in them changes.

Integers stay below 2**62, so that none wraps: what can grow is reduced at once. Floats are
multiples of small powers of two, on which the operations used are exact, so that no branch on one
can flip.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.conformance.generator.number_statements import Body

HELPERS = """
@dataclasses.dataclass
class Ball:
    n: int
    u: float


@dataclasses.dataclass
class Gate:
    entered: int = 0
    stopped: int = 0

    def __enter__(self):
        self.entered += 1
        return self.entered

    def __exit__(self, kind, value, trace):
        if kind is None:
            return False
        self.stopped += 1
        return issubclass(kind, LookupError)


class Pair(NamedTuple):
    a: int
    u: float

    def __add__(self, other):
        return Pair((self.a + other.a) % 1009, self.u * 0.5)

    def __lt__(self, other):
        return self.u < other.u

    @property
    def inverse(self):
        return 64 // self.a


def bounded(a, low=-50, high=50):
    if a < low:
        return low
    if a > high:
        return high
    return a


def digits(a):
    a, total = abs(a), 0
    while a:
        a, total = a // 10, total + a % 10
    return total


def common(a, c):
    return abs(a) if c == 0 else common(c, a % c)


def quotient(a, c):
    try:
        return a // c
    except ZeroDivisionError:
        return -1


def put(xs, a):
    if a % 2:
        xs.append(a % 97)


def at(xs, i):
    return xs[i]


def steps(a):
    a = abs(a) % 9
    while a > 0:
        yield a
        a -= 2


def total(xs):
    result = 0
    for x in xs:
        result = (result + x) % 1009
    return result
"""
"""What a program may call: plain functions of which none is decorated, and a class."""
COUNTER = """\
    tally = 0

    def bump(a):
        nonlocal tally
        tally = (tally + a) % 1009
        return tally

"""
"""A nested function that changes a variable of the program's, which may read and change it, too."""
NAMED = """\
    box, ball, gate, memo = {"count": 0, "odd": 1}, Ball(2, 0.5), Gate(), [None, 7, None, 4]
    marks = ["a", "b", "a", "c", "cab"]
    tallies, met = {}, {"b"}
"""
"""A dict of texts, an object whose values are assigned, a context, lists of numbers or None, and of
texts, a dict and a set that have texts as keys."""
HEAD = (
    "import contextlib\nimport dataclasses\nimport functools\nimport itertools\nimport math\n"
    "import operator\n"
    "from typing import NamedTuple\n\n"
    "import numpy as np\n\nimport pcbatch\n\n"
    "TABLE = np.array([[3, 1, 4], [1, 5, 9]])\n\n"
    + HELPERS
    + "\n\n@pcbatch.autobatch\ndef main(n, k, x, y, b):\n"
)
NAN, INF = float("nan"), float("inf")
ARGS = (
    np.array([0, 1, -1, 7, 12, -50, 2**40 + 3, -(2**61)], np.int64),
    np.array([3, 0, 2, -5, 97, 2**61, 1, 10], np.int64),
    np.array([0.0, -0.0, 1.5, NAN, INF, -INF, -2.25, 40.0]),
    np.array([1.0, 0.0, -0.5, 2.0, NAN, -0.0, 3.0, INF]),
    np.array([True, False, True, True, False, False, True, False]),
)
PARAMETERS = {"n": "int", "k": "int", "x": "float", "y": "float", "b": "bool"}


def is_one(source: str) -> bool:
    """Whether a program is one of these."""
    return "@pcbatch.autobatch\ndef main(n, k, x, y, b):\n" in source


@st.composite
def sources(draw: Callable[..., Any]) -> str:
    """Strategy: the source text of a random program with an entry `main(n, k, x, y, b)`."""
    body = Body(draw)
    scope = dict(PARAMETERS)
    body.lines += [*COUNTER.splitlines(), *NAMED.splitlines()]
    scope["tally"] = "int"
    body.lines.append(f"    xs = {body.expression(scope, 'list')}")
    scope["xs"] = "list"
    if body.block(scope, "    ", False):
        body.lines.append(f"    {body.result(scope)}")
    return HEAD + "\n".join(body.lines) + "\n"
