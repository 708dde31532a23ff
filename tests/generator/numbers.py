"""Random programs on Python's numbers and lists, as source text, to be held against Python itself.

`main(n, k, x, y, b)` takes int64, int64, float64, float64 and bool members, extremes, NaN and
infinities among them, and uses what Python makes of them: `math`, digits, lists that grow,
comprehensions and generators, exceptions of every operation that has one. Every program terminates:
loops have at most three trips, or go over a list that nothing in them changes.

Integers stay below 2**62, so that none wraps: what can grow is reduced at once. Floats are
multiples of small powers of two, on which the operations used are exact, so that no branch on one
can flip.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

HEAD = "import math\n\nimport pcbatch\n\n\n@pcbatch.autobatch\ndef main(n, k, x, y, b):\n"
NAN, INF = float("nan"), float("inf")
ARGS = (
    np.array([0, 1, -1, 7, 12, -50, 2**40 + 3, -(2**61)], np.int64),
    np.array([3, 0, 2, -5, 97, 2**61, 1, 10], np.int64),
    np.array([0.0, -0.0, 1.5, NAN, INF, -INF, -2.25, 40.0]),
    np.array([1.0, 0.0, -0.5, 2.0, NAN, -0.0, 3.0, INF]),
    np.array([True, False, True, True, False, False, True, False]),
)
PARAMETERS = {"n": "int", "k": "int", "x": "float", "y": "float", "b": "bool"}
STATEMENTS = 9
DEEPEST = 2


def is_one(source: str) -> bool:
    """Whether a program is one of these."""
    return source.startswith(HEAD)


Scope = dict[str, str]
"""The variables that are set, and their types: "int", "float", "bool" or "list"."""


class Program:
    """Writes one program; `draw` makes every choice, and shrinks towards the first option."""

    def __init__(self, draw: Callable[..., Any]):
        self._draw = draw
        self._names = 0
        self._left = STATEMENTS
        self._read_only: list[str] = []
        self.lines: list[str] = []

    def pick(self, options: Any) -> Any:
        return self._draw(st.sampled_from(list(options)))

    def number(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def fresh(self) -> str:
        self._names += 1
        return f"v{self._names}"

    # --- Expressions ---------------------------------------------------------------------------

    def expression(self, scope: Scope, kind: str, depth: int = 2) -> str:
        if depth == 0 or self.pick((False, False, True)):
            return self.leaf(scope, kind)
        if kind != "list" and self.pick((False,) * 7 + (True,)):
            yes, no = (self.expression(scope, kind, depth - 1) for _ in range(2))
            return f"({yes} if {self.expression(scope, 'bool', depth - 1)} else {no})"
        return getattr(self, f"_{kind}")(scope, depth - 1)

    def leaf(self, scope: Scope, kind: str) -> str:
        literals = {
            "int": lambda: str(self.number(-3, 12)),
            "float": lambda: self.pick(("0.25", "-1.5", "0.0", "-0.0", "2.0", "math.inf", "7.75")),
            "bool": lambda: self.pick(("True", "False")),
            "list": lambda: self.pick(("[]", "[3]", "[5, -2, 5]")),
        }
        own = [name for name, type_ in scope.items() if type_ == kind]
        return self.pick([*own, *own, None][::-1]) or literals[kind]()

    def _int(self, scope: Scope, depth: int) -> str:
        a, c = (self.expression(scope, "int", depth) for _ in range(2))
        u, v = (self.expression(scope, "float", depth) for _ in range(2))
        xs = self.leaf(scope, "list")
        item, test = self._over(scope, xs)
        return self.pick(
            (
                f"(({a} + {c}) % 1009)",
                f"(({a} - {c}) % 97)",
                f"({a} % 1009 * ({c} % 97))",
                f"({a} // {c})",
                f"({a} % {c})",
                f"divmod({a}, {c})[{self.number(0, 1)}]",
                f"(-{a})",
                f"abs({a})",
                f"min({a}, {c})",
                f"max({a}, {c}, {self.leaf(scope, 'int')})",
                f"({a} {self.pick('&|^')} {c})",
                f"(~{a})",
                f"({a} >> {c})",
                f"math.gcd({a}, {c})",
                f"math.isqrt({a})",
                f"({a}).bit_length()",
                f'bin({a}).count("1")',
                f"sum(map(int, str(abs({a}))))",
                f"pow({a}, abs({c}) % 20, 97)",
                f"int({u})",
                f"round({u})",
                f"math.{self.pick(('floor', 'ceil', 'trunc'))}({u})",
                f"math.floor({u} / {v})",
                f"int({self.expression(scope, 'bool', depth)})",
                f"len({xs})",
                f"{xs}[{a}]",
                f"{xs}[{self.number(-3, 3)}]",
                f"sum({xs})",
                f"{self.pick(('max', 'min'))}({xs})",
                f"{xs}.count({a})",
                f"{xs}.index({a})",
                f"sum({item} for {item} in {xs} if {test})",
                f"len([{item} for {item} in {xs} if {test}])",
                f"sum(1 for {item} in range({a} % 5) if {test})",
                f"sorted({xs}, reverse=True)[0]",
            )
        )

    def _float(self, scope: Scope, depth: int) -> str:
        u, v = (self.expression(scope, "float", depth) for _ in range(2))
        a = self.expression(scope, "int", depth)
        return self.pick(
            (
                f"({u} + {v})",
                f"({u} - {v})",
                f"({u} * {self.pick(('0.5', '2', '-1.0'))})",
                f"(-{u})",
                f"abs({u})",
                f"min({u}, {v})",
                f"max({u}, {v}, {self.leaf(scope, 'float')})",
                f"({u} % {v})",
                f"math.sqrt({u} * {u})",
                f"math.fabs({u})",
                f"float({a} % 1009)",
                f"({a} % 1009 / 4)",
                f"({a} % 64 + {u})",
                f"({a} % 8 / ({self.leaf(scope, 'int')} % 3 * 2))",
                f"math.ldexp({u}, {a} % 4)",
            )
        )

    def _bool(self, scope: Scope, depth: int) -> str:
        a, c = (self.expression(scope, "int", depth) for _ in range(2))
        u, v = (self.expression(scope, "float", depth) for _ in range(2))
        p, q = (self.expression(scope, "bool", depth) for _ in range(2))
        xs = self.leaf(scope, "list")
        item, test = self._over(scope, xs)
        sign = self.pick(("<", "<=", "==", "!=", ">", ">="))
        return self.pick(
            (
                f"({a} {sign} {c})",
                f"({u} {sign} {v})",
                f"({a} {sign} {u})",
                f"(0 <= {a} < {c})",
                f"(not {p})",
                f"({p} and {q})",
                f"({p} or {q})",
                f"({p} is True)",
                f"({a} in {xs})",
                f"({a} in (1, 3, {c}))",
                f"bool({xs})",
                f"{self.pick(('any', 'all'))}({test} for {item} in {xs})",
                f"math.{self.pick(('isnan', 'isinf', 'isfinite'))}({u})",
                f"({u}).is_integer()",
                f"(({a}, {u}) < ({c}, {v}))",
            )
        )

    def _list(self, scope: Scope, depth: int) -> str:
        a, c = (self.expression(scope, "int", depth) for _ in range(2))
        xs = self.leaf(scope, "list")
        item, test = self._over(scope, xs)
        return self.pick(
            (
                f"[{a} % 1009, {c} % 1009]",
                f"[{a} % 1009] * ({c} % 5)",
                f"list(range({a} % 6))",
                f"[{item} % 97 for {item} in {xs} if {test}]",
                f"[{item} * 2 for {item} in range({a} % 5)]",
                f"({xs} + [{a} % 97])",
                f"sorted({xs})",
                f"{xs}[::-1]",
                f"{xs}[1:]",
                f"list({xs})",
            )
        )

    def _over(self, scope: Scope, xs: str) -> tuple[str, str]:
        """A variable of a comprehension, and a condition on it."""
        item = self.fresh()
        return item, self.pick(
            (f"{item} > {self.leaf(scope, 'int')}", f"{item} % 2 == 0", self.leaf(scope, "bool"))
        )

    # --- Statements ----------------------------------------------------------------------------

    def block(self, scope: Scope, indent: str, loop: bool) -> bool:
        """Write up to four statements; returns whether the end of the block can be reached."""
        for _ in range(self.number(1, 4)):
            if self._left <= 0:
                break
            self._left -= 1
            options = [self.assign, self.assign, self.update]
            if self._changeable(scope):
                options += [self.change] * 3
            if len(indent) < 4 * (DEEPEST + 1):
                options += [self.branch, self.branch, self.for_loop, self.while_loop]
            if len(indent) > 4:
                options.append(self.leave)
            choice = self.pick(options)
            choice(scope, indent, loop)
            if choice == self.leave:
                return False
        if self.lines[-1].endswith(":"):
            self.lines.append(f"{indent}pass")
        return True

    def _changeable(self, scope: Scope) -> list[str]:
        return [n for n, kind in scope.items() if kind == "list" and n not in self._read_only]

    def assign(self, scope: Scope, indent: str, loop: bool) -> None:
        kind = self.pick(("list", "int", "float", "bool"))
        old = [n for n in scope if scope[n] == kind and n not in self._read_only]
        name = self.pick([None, *old]) or self.fresh()
        self.lines.append(f"{indent}{name} = {self.expression(scope, kind)}")
        scope[name] = kind

    def update(self, scope: Scope, indent: str, loop: bool) -> None:
        name = self.pick([n for n, kind in scope.items() if kind in ("int", "float")])
        if scope[name] == "float":
            self.lines.append(f"{indent}{name} += {self.expression(scope, 'float', 1)}")
            return
        value = self.expression(scope, "int", 1)
        self.lines.append(f"{indent}{name} {self.pick(('+=', '-='))} {value}")
        self.lines.append(f"{indent}{name} %= 1009")

    def change(self, scope: Scope, indent: str, loop: bool) -> None:
        """Change a list in place."""
        xs = self.pick(self._changeable(scope))
        a, c = (self.expression(scope, "int", 1) for _ in range(2))
        name = self.fresh()
        text = self.pick(
            (
                f"{xs}.append({a} % 1009)",
                f"{xs}[{c}] = {a} % 1009",
                f"{xs}[{self.number(-2, 2)}] += {a} % 97",
                f"{name} = {xs}.pop()",
                f"{name} = {xs}.pop({self.number(-1, 1)})",
                f"{xs}.insert({c} % 4, {a} % 1009)",
                f"{xs}.extend([{a} % 97, {c} % 97])",
                f"{xs}.sort()",
                f"{xs}.reverse()",
                f"{xs}.remove({a})",
                f"{xs}.clear()",
                f"{xs}[0], {xs}[-1] = {xs}[-1], {xs}[0]",
            )
        )
        self.lines.append(indent + text)
        if text.startswith(f"{name} ="):
            scope[name] = "int"

    def branch(self, scope: Scope, indent: str, loop: bool) -> None:
        self.lines.append(f"{indent}if {self.expression(scope, 'bool')}:")
        self.block(dict(scope), indent + "    ", loop)
        if self.pick((False, True)):
            self.lines.append(f"{indent}else:")
            self.block(dict(scope), indent + "    ", loop)

    def for_loop(self, scope: Scope, indent: str, loop: bool) -> None:
        name, a = self.fresh(), self.leaf(scope, "int")
        lists = [n for n, kind in scope.items() if kind == "list"]
        heads = [f"{name} in range({a} % 4)", f"{name} in (2, {a}, 5)"]
        over = self.pick([None, *lists])
        head = f"{name} in {over}" if over else self.pick(heads)
        if over and self.pick((False, True)):
            head = f"_, {name} in enumerate({over})"
        self.lines.append(f"{indent}for {head}:")
        self._body({**scope, name: "int"}, indent, over)

    def while_loop(self, scope: Scope, indent: str, loop: bool) -> None:
        name = f"w{self.fresh()[1:]}"
        self.lines.append(f"{indent}{name} = 0")
        test = self.expression(scope, "bool", 1)
        self.lines.append(f"{indent}while {name} < {self.number(1, 3)} and {test}:")
        self.lines.append(f"{indent}    {name} += 1")
        self._body(dict(scope), indent, None)

    def _body(self, scope: Scope, indent: str, over: str | None) -> None:
        before = list(self._read_only)
        if over:  # another name may be the same list
            self._read_only += [n for n, kind in scope.items() if kind == "list"]
        self.block(scope, indent + "    ", True)
        self._read_only = before

    def leave(self, scope: Scope, indent: str, loop: bool) -> None:
        words = ("break", "continue") if loop else ()
        error = self.pick(("ValueError", "IndexError", "RuntimeError"))
        text = self.pick((self.result(scope), *words, f'raise {error}("stop")'))
        self.lines.append(indent + text)

    def result(self, scope: Scope) -> str:
        parts = [self.expression(scope, kind, 1) for kind in ("int", "float", "bool")]
        return f"return {', '.join(parts)}"


@st.composite
def sources(draw: Callable[..., Any]) -> str:
    """Strategy: the source text of a random program with an entry `main(n, k, x, y, b)`."""
    program = Program(draw)
    scope = dict(PARAMETERS)
    program.lines.append(f"    xs = {program.expression(scope, 'list')}")
    scope["xs"] = "list"
    if program.block(scope, "    ", False):
        program.lines.append(f"    {program.result(scope)}")
    return HEAD + "\n".join(program.lines) + "\n"
