"""Random statements on Python's numbers and lists: every method appends lines to a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.conformance.generator.number_expressions import Expressions, Scope

STATEMENTS = 9
DEEPEST = 2
CHANGES = (
    "{xs}.append({a} % 1009)",
    "{xs}[{c}] = {a} % 1009",
    "{xs}[{place}] += {a} % 97",
    "{name} = {xs}.pop()",
    "{name} = {xs}.pop({end})",
    "{xs}.insert({c} % 4, {a} % 1009)",
    "{xs}.extend([{a} % 97, {c} % 97])",
    "{xs}.sort()",
    "{xs}.reverse()",
    "{xs}.remove({a})",
    "{xs}.clear()",
    "put({xs}, {a})",
    "{xs}[0], {xs}[-1] = {xs}[-1], {xs}[0]",
)
"""What changes a list in place."""
ASSIGNED = (
    'box["count"] = {a} % 1009',
    'box["odd"] += {a} % 97',
    'box["odd" if {p} else "count"] = {a} % 97',
    "box.update(odd={a} % 7)",
    "ball.n = {a} % 97",
    "ball.n -= {c} % 97",
    "ball.u = {u}",
    "ball = Ball({a} % 97, ball.u)",
)
"""What changes a value of an object, or of a dict of texts."""
MEMO = (
    "memo[{a} % 4] = {m}",
    "memo[{place}] = {c} % 97",
    "memo[{n} % 4] = None",
    "memo[{place}] += {c} % 97",
    "memo[0], memo[{a} % 4] = memo[{c} % 4], memo[1]",
    "memo.reverse()",
    "memo[1:3] = [None, {m}]",
    'marks[{a} % 4] = "b" if {p} else "c"',
    "marks[0], marks[{place}] = marks[{c} % 4], marks[0]",
    'marks.append("a")',
    "tallies[marks[{place}]] = tallies.get(marks[{place}], 0) + {a} % 97",
    "tallies[marks[{c} % 4]] = {a} % 97",
    'tallies["b"] = {c} % 97',
    "tallies[marks[{place}]] += 1",
    "tallies.pop(marks[{c} % 4], 0)",
    "met.add(marks[{a} % 4])",
    'met.discard("c" if {p} else "a")',
    'marks[{c} % 4] = marks[{place}][-3:] + "d"',
    "tallies[str({a} % 3)] = {c} % 97",
)
"""What changes the lists of numbers or None, and of texts, and what has texts as keys."""
CAUGHT = (
    "ZeroDivisionError",
    "IndexError",
    "ValueError",
    "(ValueError, IndexError)",
    "LookupError",
    "ArithmeticError",
    "Exception",
)


class Body(Expressions):
    """Writes the body of one function.

    Attributes:
      lines: the text so far.
      left: how many statements may still be written.
      read_only: the lists that a loop goes over.
    """

    def __init__(self, draw: Callable[..., Any]):
        super().__init__(draw)
        self.lines: list[str] = []
        self.left = STATEMENTS
        self.read_only: list[str] = []

    def block(self, scope: Scope, indent: str, loop: bool) -> bool:
        """Write up to four statements; returns whether the end of the block can be reached."""
        for _ in range(self.number(1, 4)):
            if self.left <= 0:
                break
            self.left -= 1
            options = [self.assign, self.assign, self.update, self.assign_value, self.remember]
            if self._changeable(scope):
                options += [self.change] * 3
            if len(indent) < 4 * (DEEPEST + 1):
                options += [self.branch, self.branch, self.for_loop, self.while_loop, self.attempt]
                options.append(self.context)
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
        return [n for n, kind in scope.items() if kind == "list" and n not in self.read_only]

    def assign(self, scope: Scope, indent: str, loop: bool) -> None:
        kind = self.pick(("list", "int", "float", "bool", "optional", "tuple"))
        old = [n for n in scope if scope[n] == kind and n not in self.read_only]
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
        blanks = self.blanks(scope, 1)
        blanks["xs"] = self.pick(self._changeable(scope))
        self.lines.append(indent + self.pick(CHANGES).format_map(blanks))
        if "name" in blanks:
            scope[blanks["name"]] = "int"

    def assign_value(self, scope: Scope, indent: str, loop: bool) -> None:
        """Change a value of an object, or of a dict."""
        self.lines.append(indent + self.pick(ASSIGNED).format_map(self.blanks(scope, 1)))

    def remember(self, scope: Scope, indent: str, loop: bool) -> None:
        """Change a list of numbers or None, or of texts."""
        self.lines.append(indent + self.pick(MEMO).format_map(self.blanks(scope, 1)))

    def test(self, scope: Scope) -> str:
        """A condition: a bool, or any value for its truth."""
        kind = self.pick(("bool", "bool", "bool", "int", "float", "list", "tuple", "optional"))
        if kind == "bool":
            return self.expression(scope, kind)
        return self.pick(("", "", "not ")) + self.leaf(scope, kind)

    def branch(self, scope: Scope, indent: str, loop: bool) -> None:
        optional = [name for name, kind in scope.items() if kind == "optional"]
        optional.append(f"memo[{self.pick((self.number(0, 3), self.leaf(scope, 'int') + ' % 4'))}]")
        if optional and self.pick((False, True)):
            name = self.pick(optional)
            self.lines.append(f"{indent}if {name} is not None:")
            self.block({**scope, name: "int"}, indent + "    ", loop)
        else:
            self.lines.append(f"{indent}if {self.test(scope)}:")
            self.block(dict(scope), indent + "    ", loop)
        if self.pick((False, True)):
            self.lines.append(f"{indent}else:")
            self.block(dict(scope), indent + "    ", loop)

    def attempt(self, scope: Scope, indent: str, loop: bool) -> None:
        """Write a `try` statement, with handlers or `finally` or both."""
        last = self.pick((False, False, True))

        def part(head: str) -> None:
            self.lines.append(f"{indent}{head}:")
            self.block(dict(scope), indent + "    ", loop)

        part("try")
        handlers = [self.pick(CAUGHT) for _ in range(self.number(0 if last else 1, 2))]
        for kinds in handlers:
            part(f"except {kinds}")
        if handlers and self.pick((False, False, True)):
            part("else")
        if last:
            self.lines.append(f"{indent}finally:")
            self.update(dict(scope), indent + "    ", loop)

    def context(self, scope: Scope, indent: str, loop: bool) -> None:
        """Write a `with` statement."""
        kinds = f"contextlib.suppress({', '.join(self.pick(CAUGHT).strip('()').split(', '))})"
        name, inner = self.fresh(), dict(scope)
        head = self.pick((kinds, "gate", f"gate as {name}", f"{kinds}, gate as {name}"))
        if head.endswith(name):
            inner[name] = "int"
        self.lines.append(f"{indent}with {head}:")
        self.block(inner, indent + "    ", loop)

    def for_loop(self, scope: Scope, indent: str, loop: bool) -> None:
        name, a = self.fresh(), self.leaf(scope, "int")
        lists = [n for n, kind in scope.items() if kind == "list"]
        heads = [f"{name} in range({a} % 4)", f"{name} in (2, {a}, 5)", f"{name} in steps({a})"]
        over = self.pick([None, *lists])
        head = f"{name} in {over}" if over else self.pick(heads)
        if over and self.pick((False, True)):
            head = f"_, {name} in enumerate({over})"
        self.lines.append(f"{indent}for {head}:")
        self._body({**scope, name: "int"}, indent, over)

    def while_loop(self, scope: Scope, indent: str, loop: bool) -> None:
        name = f"w{self.fresh()[1:]}"
        self.lines.append(f"{indent}{name} = 0")
        test = self.pick((self.expression(scope, "bool", 1), self.test(scope)))
        self.lines.append(f"{indent}while {name} < {self.number(1, 3)} and {test}:")
        self.lines.append(f"{indent}    {name} += 1")
        self._body(dict(scope), indent, None)

    def _body(self, scope: Scope, indent: str, over: str | None) -> None:
        before = list(self.read_only)
        if over:  # another name may be the same list
            self.read_only += [n for n, kind in scope.items() if kind == "list"]
        self.block(scope, indent + "    ", True)
        self.read_only = before

    def leave(self, scope: Scope, indent: str, loop: bool) -> None:
        words = ("break", "continue") if loop else ()
        error = self.pick(("ValueError", "IndexError", "RuntimeError"))
        text = self.pick((self.result(scope), *words, f'raise {error}("stop")'))
        self.lines.append(indent + text)

    def result(self, scope: Scope) -> str:
        """A `return`: of None, or of a number that may be None, a float, a bool, a list, a text."""
        if self.pick((False,) * 5 + (True,)):
            return "return None"
        first = self.pick(("int", "int", "optional"))
        kinds = (first, "float", "bool", "list", "text")
        parts = [self.expression(scope, kind, 1) for kind in kinds]
        return f"return {', '.join(parts)}"
