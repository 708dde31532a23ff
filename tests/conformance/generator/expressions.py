"""Random expressions: every method returns the text of an expression of the wanted type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.conformance.generator.choices import Choices
from tests.conformance.generator.types import SCALARS, Function, Signature, Structure, Type, places

CALLS = 4


class Expressions(Choices):
    """Writes expressions.

    Attributes:
      callees: the functions that may be called.
      trips: how often the current place can run in one call of the function.
      calls: how many calls may still be spent, counted with their trips.
      raises: divisors may be zero, and indices out of range.
    """

    def __init__(
        self, draw: Callable[..., Any], callees: tuple[Signature, ...], raises: bool = False
    ):
        super().__init__(draw)
        self.callees = callees
        self.raises = raises
        self.calls = CALLS
        self.trips = 1

    def expression(self, scope: dict[str, Type], kind: Type, depth: int) -> str:
        options = [self.leaf]
        if depth > 0:
            options += [self.conditional, self.call]
            options += [self.construct] * 2
            if kind in SCALARS:
                options[-2:] = [self.operation, self.operation, self.operation, self.apply]
        return self.pick(options)(scope, kind, depth - 1)

    def leaf(self, scope: dict[str, Type], kind: Type, depth: int) -> str:
        if isinstance(kind, Structure):
            names = [name for name, type_ in scope.items() if type_ == kind]
            return self.pick(names) if names else self.construct(scope, kind, 0)
        options = [self.literal(kind)]
        for name, type_ in scope.items():
            options += [text for text, t in places(name, type_) if t == kind]
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
        """A call, by name or by way of a function that takes the callee as an argument."""
        args = [self.expression(scope, param, depth) for param in callee.params]
        args = ["fuel - 1", "log", *args]
        if self.pick((False, False, False, True)):
            return f"relay({', '.join([callee.name, *args])})"
        return f"{callee.name}({', '.join(args)})"

    def construct(self, scope: dict[str, Type], kind: Structure, depth: int) -> str:
        """A display of the structure, or a changed copy of a variable of its type."""
        values = {key: self.expression(scope, part, depth) for key, part in kind.parts}
        alike = [name for name, type_ in scope.items() if type_ == kind]
        if not alike or kind.name in ("tuple", "list") or self.pick((True, False)):
            return kind.display(values)
        old, key = self.pick(alike), self.pick(values)
        match kind.name:
            case "dict":
                return f'{{**{old}, "{key}": {values[key]}}}'
            case "Pair":
                return f"{old}._replace({key}={values[key]})"
        return f"dataclasses.replace({old}, {key}={values[key]})"

    def apply(self, scope: dict[str, Type], kind: str, depth: int) -> str:
        """A call of a nested function, if there is one."""
        own = [n for n, t in scope.items() if isinstance(t, Function) and t.result == kind]
        if not own:
            return self.leaf(scope, kind, depth)
        name = self.pick(own)
        return f"{name}({self.expression(scope, scope[name].param, depth)})"

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
            f"({a} or {b})",
            f"sorted(({a}, {b}, {self.literal(kind)}))[{self.number(0, 2)}]",
            f"min(({a}, {b}), key=abs)",
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
        if self.raises:
            divide = [f"({a} // ({b} % 3))", f"({a} % ({b} % 4))", f"({a} // ({b} % 97))"] * 3
            read = [f"log[{b} % 9 - 4]", f"SHARED[{b} % 11 - 5]"] * 4 if kind == "i32" else []
        if kind == "i32":
            # Inside a comprehension nothing can be decided by a member.
            read.append(f"(sum(k * {self.leaf(scope, kind, 0)} for k in SHARED[:3]) % 97)")
        if kind == "i32":
            read.append(f"pcbatch.host_call(hosted, {a}, {b}, result=SPEC)")
        return self.pick([*common, f"({a} * {b} % 97)", cast, *divide, *read])

    def condition(self, scope: dict[str, Type], depth: int) -> str:
        if self.pick((True, False)):
            kind = self.pick(("i32", "f32", "i64"))
            signs = self.pick((("<",), ("<=", "<"), ("==",), ("!=",), (">=",), (">", "!=")))
            first, *rest = (self.expression(scope, kind, depth) for _ in range(len(signs) + 1))
            return f"({first} {' '.join(f'{s} {x}' for s, x in zip(signs, rest))})"
        a, b = (self.expression(scope, "bool", depth) for _ in range(2))
        if self.pick((False, False, True)):
            return f"{self.pick(('any', 'all'))}(({a}, {b}))"
        return self.pick((f"({a} and {b})", f"({a} or {b})", f"(not {a})", f"({a} == {b})"))
