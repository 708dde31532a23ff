"""Random statements: every method appends lines to the body of a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.conformance.generator.expressions import Expressions
from tests.conformance.generator.types import (
    NUMBERS,
    SCALARS,
    STRUCTURES,
    Function,
    Signature,
    Type,
)

STATEMENTS = 9
TRIPS = 3


class Body(Expressions):
    """Writes the body of one function.

    Attributes:
      result: the type that the function returns.
      lines: the text so far.
      statements: how many statements may still be written.
    """

    def __init__(
        self,
        draw: Callable[..., Any],
        callees: tuple[Signature, ...],
        result: Type,
        raises: bool = False,
    ):
        super().__init__(draw, callees, raises)
        self.result = result
        self.lines: list[str] = []
        self.statements = STATEMENTS

    def block(self, scope: dict[str, Type], indent: str, loop: bool) -> bool:
        """Write up to four statements; returns whether the end of the block can be reached."""
        for _ in range(self.number(1, 4)):
            if self.statements <= 0:
                break
            self.statements -= 1
            if not self.statement(scope, indent, loop):
                return False
        if self.lines and self.lines[-1].endswith(":"):
            self.lines.append(f"{indent}pass")
        return True

    def statement(self, scope: dict[str, Type], indent: str, loop: bool) -> bool:
        options = [self.assign, self.store, self.several]
        if any(scope[name] in NUMBERS for name in self.assignable(scope)):
            options.append(self.update)
        if len(indent) < 16:
            options += [self.branch, self.branch, self.for_loop, self.while_loop, self.each]
        if len(indent) < 12:
            options.append(self.define)
        if len(indent) > 4:
            options.append(self.leave)
        choice = self.pick(options)
        if choice == self.leave:
            words = ("return", "break", "continue") if loop else ("return",)
            return self.leave(scope, indent, self.pick(words))
        choice(scope, indent, loop)
        return True

    def assignable(self, scope: dict[str, Type]) -> list[str]:
        """All but the fuel, the counters of `while` loops and what nested functions capture."""
        return [name for name in scope if name.startswith("v")]

    def assign(self, scope: dict[str, Type], indent: str, loop: bool) -> None:
        name = self.pick([None, *self.assignable(scope)])
        kind = scope[name] if name else self.pick(SCALARS + STRUCTURES)
        name = name or self.fresh()
        self.lines.append(f"{indent}{name} = {self.expression(scope, kind, 2)}")
        scope[name] = kind

    def update(self, scope: dict[str, Type], indent: str, loop: bool) -> None:
        own = [n for n in self.assignable(scope) if scope[n] in NUMBERS]
        name = self.pick(own)
        operator = self.pick(("+", "-"))
        self.lines.append(f"{indent}{name} {operator}= {self.expression(scope, scope[name], 1)}")
        self.lines.append(f"{indent}{name} %= 97")

    def store(self, scope: dict[str, Type], indent: str, loop: bool) -> None:
        index, value = (self.expression(scope, "i32", 1) for _ in range(2))
        place = f"log[{index} % 9 - 4]" if self.raises else f"log[{index} % 4]"
        target = self.pick((f"log[{self.number(0, 3)}]", place))
        if self.pick((True, False)):
            self.lines.append(f"{indent}{target} = {value}")
        else:
            self.lines.append(f"{indent}{target} += {value}")
            self.lines.append(f"{indent}{target} %= 97")

    def several(self, scope: dict[str, Type], indent: str, loop: bool) -> None:
        """Parallel assignment: a swap, or the parts of a tuple."""
        own = self.assignable(scope)
        same = [(m, n) for m in own for n in own if m < n and scope[m] == scope[n]]
        if same and self.pick((False, True)):
            m, n = self.pick(same)
            self.lines.append(f"{indent}{m}, {n} = {n}, {m}")
            return
        kind = self.pick([s for s in STRUCTURES if s.name in ("tuple", "list")])
        value = self.expression(scope, kind, 1)
        names = [self.fresh() for _ in kind.parts]
        types = [part for _, part in kind.parts]
        if self.pick((False, False, True)):
            # The starred target takes the rest, one element here.
            self.lines.append(f"{indent}{names[0]}, *{names[1]} = {value}")
            self.lines.append(f"{indent}{names[1]} = {names[1]}[-1]")
        else:
            self.lines.append(f"{indent}{', '.join(names)} = {value}")
        scope.update(zip(names, types))

    def branch(self, scope: dict[str, Type], indent: str, loop: bool) -> None:
        test = self.expression(scope, "bool", 2)
        if self.pick((False, False, True)):
            name = self.fresh()
            test = f"({name} := {self.expression(scope, 'i32', 1)}) < {self.literal('i32')}"
            scope[name] = "i32"
        self.lines.append(f"{indent}if {test}:")
        self.block(dict(scope), indent + "    ", loop)
        if self.pick((False, True)):
            self.lines.append(f"{indent}elif {self.expression(scope, 'bool', 1)}:")
            self.block(dict(scope), indent + "    ", loop)
        if self.pick((False, True)):
            self.lines.append(f"{indent}else:")
            self.block(dict(scope), indent + "    ", loop)

    def for_loop(self, scope: dict[str, Type], indent: str, loop: bool) -> None:
        name = self.fresh()
        a, b = (self.leaf(scope, "i32", 0) for _ in range(2))
        ranges = (
            f"range({a} % 4)",
            f"range({a} % 3, {b} % 4)",
            f"range(3, {a} % 4, -1)",
            "(1, 4, 6)",
            f"reversed(range({a} % 3, {b} % 5, 2))",
            f"reversed((4, {a}))",
        )
        self.lines.append(f"{indent}for {name} in {self.pick(ranges)}:")
        self.loop_body({**scope, name: "i32"}, indent)
        self.loop_else(scope, indent, loop)

    def while_loop(self, scope: dict[str, Type], indent: str, loop: bool) -> None:
        name = f"w{self.fresh()[1:]}"
        test = self.expression(scope, "bool", 1)
        self.lines.append(f"{indent}{name} = 0")
        self.lines.append(f"{indent}while {name} < {self.number(1, TRIPS)} and {test}:")
        self.lines.append(f"{indent}    {name} += 1")
        self.loop_body({**scope, name: "i32"}, indent)
        self.loop_else(scope, indent, loop)

    def each(self, scope: dict[str, Type], indent: str, loop: bool) -> None:
        """A loop over the leading axis of a tensor, a container, `enumerate` or `zip`."""
        name, other = self.fresh(), self.fresh()
        kind = self.pick(NUMBERS)
        a, b = (self.expression(scope, kind, 1) for _ in range(2))
        heads: tuple[tuple[str, dict[str, Type]], ...] = (
            (f"{name} in SHARED[:3]", {name: "i32"}),
            (f"{name} in reversed(SHARED[1:])", {name: "i32"}),
            (f"{name} in ({a}, {b})", {name: kind}),
            (f"{name}, {other} in enumerate([{a}, {b}], 1)", {name: "i32", other: kind}),
            (f"{name}, {other} in zip(SHARED[1:4], (1, 0, 2))", {name: "i32", other: "i32"}),
            (f"{name}, {other} in (({a}, 1), ({b}, 2))", {name: kind, other: "i32"}),
        )
        head, bound = self.pick(heads)
        self.lines.append(f"{indent}for {head}:")
        self.loop_body({**scope, **bound}, indent)
        self.loop_else(scope, indent, loop)

    def define(self, scope: dict[str, Type], indent: str, loop: bool) -> None:
        """A nested function that captures a variable which nothing assigns again."""
        kept, name, param = (f"{letter}{self.fresh()[1:]}" for letter in "khp")
        kind, result = self.pick(NUMBERS), self.pick(SCALARS)
        self.lines.append(f"{indent}{kept} = {self.expression(scope, result, 1)}")
        scope[kept] = result
        inner = Body(self.draw, (), result)
        inner.names = self.names
        own: dict[str, Type] = {param: kind, kept: result}
        value = inner.expression(own, result, 2)
        form = self.pick(("lambda", "def", "pair"))
        if form == "lambda":
            self.lines.append(f"{indent}{name} = lambda {param}: {value}")
        elif form == "pair":
            self.pair(inner, own, indent, (name, f"g{self.fresh()[1:]}"), param)
        else:
            test, early = (inner.expression(own, k, 1) for k in ("bool", result))
            self.lines.append(f"{indent}def {name}({param}):")
            self.lines.append(f"{indent}    if {test}:")
            self.lines.append(f"{indent}        return {early}")
            self.lines.append(f"{indent}    return {value}")
        scope[name] = Function(kind, result)

    def pair(
        self,
        inner: Body,
        scope: dict[str, Type],
        indent: str,
        names: tuple[str, str],
        param: str,
    ) -> None:
        """Two nested functions that call each other, with a default that one of them captures."""
        kept = next(name for name in scope if name != param)
        for own, other in (names, names[::-1]):
            early = inner.expression(scope, inner.result, 1)
            value = inner.expression(scope, scope[param], 1)
            self.lines.append(f"{indent}def {own}({param}, left=2, last={kept}):")
            self.lines.append(f"{indent}    if left <= 0:")
            self.lines.append(f"{indent}        return {self.pick((early, 'last'))}")
            self.lines.append(f"{indent}    return {other}({value}, left - 1)")

    def loop_body(self, scope: dict[str, Type], indent: str) -> None:
        self.trips *= TRIPS
        self.block(scope, indent + "    ", True)
        self.trips //= TRIPS

    def loop_else(self, scope: dict[str, Type], indent: str, loop: bool) -> None:
        if self.pick((False, False, True)):
            self.lines.append(f"{indent}else:")
            self.block(dict(scope), indent + "    ", loop)

    def leave(self, scope: dict[str, Type], indent: str, word: str) -> bool:
        result = f" {self.expression(scope, self.result, 1)}" if word == "return" else ""
        self.lines.append(f"{indent}{word}{result}")
        return False
