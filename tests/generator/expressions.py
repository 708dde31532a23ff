"""Random expressions: every method returns the text of an expression of the wanted type."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

SCALARS = ("i32", "f32", "bool", "i64")
STRUCTURES = (("i32", "f32"), ("bool", "i32"), "Pair")
PAIR = {"count": "i32", "level": "f32"}
CALLS = 4

Type = Any
"""One of SCALARS, the string "Pair", or a tuple of scalar types."""


@dataclasses.dataclass(frozen=True, slots=True)
class Signature:
    """What a caller must know: `fuel` and `log` come before the parameters."""

    name: str
    params: tuple[str, ...]
    result: Type


class Expressions:
    """Writes expressions; `draw` makes every choice, and shrinks towards the first option.

    Attributes:
      callees: the functions that may be called.
      trips: how often the current place can run in one call of the function.
      calls: how many calls may still be spent, counted with their trips.
    """

    def __init__(self, draw: Callable[..., Any], callees: tuple[Signature, ...]):
        self.draw = draw
        self.callees = callees
        self.names = 0
        self.calls = CALLS
        self.trips = 1

    def pick(self, options: Any) -> Any:
        return self.draw(st.sampled_from(list(options)))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def fresh(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def expression(self, scope: dict[str, Type], kind: Type, depth: int) -> str:
        options = [self.leaf]
        if depth > 0:
            options += [self.conditional, self.call]
            options += [self.operation] * 3 if kind in SCALARS else [self.construct] * 2
        return self.pick(options)(scope, kind, depth - 1)

    def leaf(self, scope: dict[str, Type], kind: Type, depth: int) -> str:
        if kind not in SCALARS:
            names = [name for name, type_ in scope.items() if type_ == kind]
            return self.pick(names) if names else self.construct(scope, kind, 0)
        options = [self.literal(kind), *(n for n, type_ in scope.items() if type_ == kind)]
        for name, type_ in scope.items():
            if isinstance(type_, tuple):
                options += [f"{name}[{i}]" for i, t in enumerate(type_) if t == kind]
            elif type_ == "Pair":
                options += [f"{name}.{field}" for field, t in PAIR.items() if t == kind]
        if kind == "bool":
            options.append(f"(fuel > {self.number(0, 2)})")
        if kind == "i32":
            options += [f"log[{self.number(0, 3)}]", f"SHARED[{self.number(0, 4)}]"]
        return self.pick(options)

    def literal(self, kind: str) -> str:
        if kind == "bool":
            return self.pick(("False", "True"))
        value = self.number(0, 12)
        return str(value / 4) if kind == "f32" else str(value)

    def conditional(self, scope: dict[str, Type], kind: Type, depth: int) -> str:
        test = self.expression(scope, "bool", depth)
        yes, no = (self.expression(scope, kind, depth) for _ in range(2))
        return f"({yes} if {test} else {no})"

    def call(self, scope: dict[str, Type], kind: Type, depth: int) -> str:
        fitting = [callee for callee in self.callees if callee.result == kind]
        if not fitting or self.calls < self.trips:
            return self.leaf(scope, kind, depth)
        self.calls -= self.trips
        otherwise = self.leaf(scope, kind, depth)
        return f"({self.invoke(scope, self.pick(fitting), depth)} if fuel > 0 else {otherwise})"

    def invoke(self, scope: dict[str, Type], callee: Signature, depth: int) -> str:
        args = [self.expression(scope, param, depth) for param in callee.params]
        return f"{callee.name}({', '.join(['fuel - 1', 'log', *args])})"

    def construct(self, scope: dict[str, Type], kind: Type, depth: int) -> str:
        if kind == "Pair":
            fields = [f"{f}={self.expression(scope, t, depth)}" for f, t in PAIR.items()]
            pairs = [name for name, type_ in scope.items() if type_ == "Pair"]
            if pairs and self.pick((False, True)):
                return f"{self.pick(pairs)}._replace({self.pick(fields)})"
            return f"Pair({', '.join(fields)})"
        return f"({', '.join(self.expression(scope, t, depth) for t in kind)})"

    def operation(self, scope: dict[str, Type], kind: str, depth: int) -> str:
        if kind == "bool":
            return self.condition(scope, depth)
        a, b = (self.expression(scope, kind, depth) for _ in range(2))
        common = [
            f"(({a} + {b}) % 97)",
            f"(({a} - {b}) % 97)",
            f"(-{a})",
            f"min({a}, {b})",
            f"max({a}, {b}, {self.literal(kind)})",
            f"abs({a})",
            f"({a} * {self.number(0, 3)} % 97)",
        ]
        if kind == "f32":
            n = self.leaf(scope, "i32", 0)
            return self.pick(
                [*common, f"tf.floor({a} * 0.5)", f"(tf.cast({n}, tf.float32) * 0.25)"]
            )
        x = self.leaf(scope, "f32" if kind == "i32" else "i32", 0)
        to = "tf.int32" if kind == "i32" else "tf.int64"
        cast = f"tf.cast(tf.floor({x}), {to})" if kind == "i32" else f"tf.cast({x}, {to})"
        divide = [f"({a} // ({b} % 5 + 1))", f"({a} % ({b} % 7 + 2))"]
        read = [f"log[{b} % 4]", f"SHARED[{b} % 5]"] if kind == "i32" else []
        return self.pick([*common, f"({a} * {b} % 97)", cast, *divide, *read])

    def condition(self, scope: dict[str, Type], depth: int) -> str:
        if self.pick((True, False)):
            kind = self.pick(("i32", "f32", "i64"))
            signs = self.pick((("<",), ("<=", "<"), ("==",), ("!=",), (">=",), (">", "!=")))
            first, *rest = (self.expression(scope, kind, depth) for _ in range(len(signs) + 1))
            return f"({first} {' '.join(f'{s} {x}' for s, x in zip(signs, rest))})"
        a, b = (self.expression(scope, "bool", depth) for _ in range(2))
        return self.pick((f"({a} and {b})", f"({a} or {b})", f"(not {a})", f"({a} == {b})"))
