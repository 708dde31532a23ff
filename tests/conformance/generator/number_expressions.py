"""Random expressions on Python's numbers and lists: templates, whose blanks are filled in turn."""

from __future__ import annotations

from typing import TypeAlias

from tests.conformance.generator.choices import Blanks, Choices

Scope: TypeAlias = "dict[str, str]"
"""The variables that are set, and their types: a key of `TEMPLATES`."""

INTS = (
    "(({a} + {c}) % 1009)",
    "(({a} - {c}) % 97)",
    "({a} % 1009 * ({c} % 97))",
    "({a} // {c})",
    "({a} % {c})",
    "divmod({a}, {c})[{part}]",
    "(-{a})",
    "abs({a})",
    "min({a}, {c})",
    "max({a}, {c}, {n})",
    "({a} {bits} {c})",
    "(~{a})",
    "({a} >> {c})",
    "(({a} & (2**64 - 1)) % 1009)",
    "((({a} ^ 0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9 + {c} & (2**64 - 1)) >> 40)",
    "((({a} - {c}) % 2**64) // 3 % 97)",
    "math.gcd({a}, {c})",
    "math.isqrt({a})",
    "({a}).bit_length()",
    'bin({a}).count("1")',
    "sum(map(int, str(abs({a}))))",
    "pow({a}, abs({c}) % 20, 97)",
    "int({u})",
    "round({u})",
    "math.{rounded}({u})",
    "math.floor({u} / {v})",
    "int({p})",
    "len({xs})",
    "{xs}[{a}]",
    "{xs}[{place}]",
    "sum({xs})",
    "sum(itertools.accumulate({item} % 97 for {item} in {xs}))",
    "{extreme}(itertools.accumulate({xs}, lambda a, b: (3 * a + b) % 101), default={n})",
    "len(list(itertools.dropwhile(lambda {item}: {test}, {xs})))",
    "{extreme}({xs})",
    "{xs}.count({a})",
    "{xs}.index({a})",
    "sum({item} for {item} in {xs} if {test})",
    "len([{item} for {item} in {xs} if {test}])",
    "sum(1 for {item} in range({a} % 5) if {test})",
    "sorted({xs}, reverse=True)[0]",
    "sorted({xs}, key=lambda {item}: bounded({item}, high={n}))[0]",
    "{extreme}({xs}, key=digits)",
    "sum(map(bounded, {xs}))",
    "bounded({a}, low={n})",
    "digits({a})",
    "common({a}, {c})",
    "quotient({a}, {c})",
    "bump({a})",
    'box["count"]',
    'box["odd" if {p} else "count"]',
    "ball.n",
    "gate.entered",
    "gate.stopped",
    "total({xs})",
    "sum(steps({a}))",
    "max(steps({a}))",
    "next({item} for {item} in steps({a}) if {test})",
    "at({xs}, {a})",
    "at({t}, {n})",
    "int(at(TABLE, {n})[{place}])",
    "int(TABLE[[0, 1, 1], [{n}, {place}, 0]].sum())",
    "int(np.array([{a} % 97, {c} % 97, 7])[[{place}, {n}]].sum())",
    "int(TABLE[TABLE > {n} % 9].max())",
    "int(TABLE[0][TABLE[1] > {a} % 11].sum())",
    "len(np.flatnonzero(TABLE[1] > {c} % 11))",
    "int(np.unique(np.array([{a} % 5, {c} % 5, 3]))[{place}])",
    "(Pair({a} % 97, {u}) + Pair({c} % 97, {v})).a",
    "Pair({a} % 97, {u}).inverse",
    "next(({item} for {item} in {xs} if {test}), {c})",
    "({m} if {m} is not None else {c})",
    "({m} or {c})",
    "(0 if {m} is None else {m} % 97)",
    "(({m} + {c}) % 1009)",
    "(memo[{place}] or {c})",
    "(0 if memo[{n} % 4] is None else memo[{n} % 4])",
    "((memo[{a} % 4] + {c}) % 1009)",
    "memo.count(None)",
    "sum(memo)",
    "{extreme}(memo)",
    "sum({item} for {item} in memo if {item} is not None)",
    "abs(memo[{a} % 4])",
    'marks.count("b")',
    'marks.index("c")',
    'sum(1 for {item} in marks if {item} != "a")',
    "([100_003, 90_001][{a} % 2] * (100_019, {c} % 97)[{n} % 2])",
    "[[7, 100_003], [{a} % 97, 3]][{n} % 2][{c} % 2]",
    "(100_003, 7, 90_001)[{place}]",
    "functools.reduce(operator.mul, (ord({item}[0]) for {item} in marks[:4] + marks[:2]))",
    "len(marks[{place}])",
    "ord(marks[{a} % 4])",
    'marks[{place}].count("a")',
    '"cabin".find(marks[{place}])',
    "sum(len({item}) for {item} in marks)",
    "sum(ord({item}) for {item} in marks[{place}])",
    "tallies.get(marks[{a} % 4], {c})",
    'tallies.get("b", {n})',
    "sum(tallies.values())",
    "(len(met) + len(tallies))",
    '{{"a": {a} % 97, "b": 5, "c": {n}}}[marks[{c} % 4]]',
    "len({t})",
    "sum({t})",
    "{t}[{a}]",
    "len({{{a} % 7, {c} % 7}})",
    "{{0: {a}, 1: {c}}}.get({n} % 4, 5)",
)
FLOATS = (
    "({u} + {v})",
    "({u} - {v})",
    "({u} * {factor})",
    "(-{u})",
    "[0.1, {u}, 0.7][{n} % 3]",
    "((0.1, 0.7)[{a} % 2] * {u})",
    "[3.0, 2.5, {v}][{n} % 3]",
    "abs({u})",
    "min({u}, {v})",
    "max({u}, {v}, {y})",
    "({u} % {v})",
    "math.sqrt({u} * {u})",
    "math.fsum([{u}, {v}, 0.1])",
    "math.fsum({item} % 97 / 3 for {item} in {xs})",
    "math.fabs({u})",
    "float({a} % 1009)",
    "({a} % 1009 / 4)",
    "({a} % 64 + {u})",
    "({a} % 8 / ({n} % 3 * 2))",
    "math.ldexp({u}, {a} % 4)",
    "ball.u",
)
BOOLS = (
    "({a} {sign} {c})",
    "({u} {sign} {v})",
    "({a} {sign} {u})",
    "(0 <= {a} < {c})",
    "(not {p})",
    "({p} and {q})",
    "({p} or {q})",
    "({p} is True)",
    "({a} in {xs})",
    "({a} in (1, 3, {c}))",
    "bool({xs})",
    "{each}({test} for {item} in {xs})",
    "math.{kind}({u})",
    "({u}).is_integer()",
    "(({a}, {u}) < ({c}, {v}))",
    "(Pair({a}, {u}) < Pair({c}, {v}))",
    "({m} is None)",
    "(memo[{a} % 4] is None)",
    "(None in memo)",
    "({m} in memo)",
    "{each}(memo)",
    "{each}({item} is not None for {item} in memo)",
    "(memo[{place}] == {m})",
    '(marks[{a} % 4] == "b")',
    '("c" in marks)',
    "(marks[{a} % 4] {sign} marks[{place}])",
    '("a" in marks[{place}])',
    "marks[{place}].islower()",
    "(marks[{place}][-1] == marks[{a} % 4])",
    "(marks[{a} % 4] in tallies)",
    '(("a" if {p} else "d") in met)',
    "(marks[{place}] == marks[{a} % 4])",
    "({m} == {a})",
    "({t} {sign} ({a} % 97, {c} % 97))",
    "({a} in {t})",
    "isinstance({t}, tuple)",
)
LISTS = (
    "[{a} % 1009, {c} % 1009]",
    "[{a} % 1009] * ({c} % 5)",
    "list(range({a} % 6))",
    "[{item} % 97 for {item} in {xs} if {test}]",
    "[{item} * 2 for {item} in range({a} % 5)]",
    "({xs} + [{a} % 97])",
    "sorted({xs})",
    "[{item} for {item} in memo if {item} is not None]",
    "[memo[{item}] for {item} in range({a} % 4) if memo[{item}] is not None]",
    "{xs}[::-1]",
    "{xs}[1:]",
    "list({xs})",
)
OPTIONALS = (
    "({a} % 1009 if {p} else None)",
    "next(({item} % 97 for {item} in {xs} if {test}), None)",
    "{{0: {a} % 97, 2: {c} % 97}}.get({n})",
    "memo[{a} % 4]",
    "memo[{place}]",
)
"""Integers that are None for some members."""
TUPLES = (
    "tuple({item} % 97 for {item} in {xs} if {test})",
    "({t} + ({a} % 97,))",
    "(*{t}, {a} % 97)",
    "{t}[{place}:]",
    "(({a} % 97,) * ({c} % 5))",
)
TEXTS = (
    '("a" if {p} else "d")',
    "marks[{a} % 4]",
    "marks[{place}]",
    "marks[{place}].upper()",
    "marks[{a} % 4][::-1]",
    "{extreme}(marks)",
    "sorted(marks)[{place}]",
    'max(met, default="e")',
    'max(tallies, key=tallies.get, default="e")',
    '{{0: "b", 1: "c"}}.get({n} % 3, "e")',
    '("ab" + marks[{place}])[{end}:]',
    "str({a} % 97)",
    'f"{{{n} % 10}}{{marks[{place}]}}"',
    "marks[{place}] * ({a} % 3)",
    '"-".join(marks)',
    'marks[{place}].replace("a", "bc")',
)
TEMPLATES = {
    "int": INTS,
    "float": FLOATS,
    "bool": BOOLS,
    "list": LISTS,
    "optional": OPTIONALS,
    "tuple": TUPLES,
    "text": TEXTS,
}
WORDS = {
    "bits": "& | ^".split(),
    "rounded": "floor ceil trunc".split(),
    "extreme": "max min".split(),
    "factor": "0.5 2 -1.0".split(),
    "sign": "< <= == != > >=".split(),
    "each": "any all".split(),
    "kind": "isnan isinf isfinite".split(),
}
"""The words that may stand in a blank."""
LITERALS = {
    "float": ("0.25", "-1.5", "0.0", "-0.0", "2.0", "math.inf", "7.75"),
    "bool": ("True", "False"),
    "list": ("[]", "[3]", "[5, -2, 5]"),
    "optional": ("None", "3"),
    "tuple": ("()", "(3,)", "(5, -2, 5)"),
    "text": ('"a"', '"d"'),
}


PARTS = ("int", "float", "bool")
"""The types that a choice between two values may have."""


class Expressions(Choices):
    """Writes expressions of a wanted type."""

    def expression(self, scope: Scope, kind: str, depth: int = 2) -> str:
        """The text of an expression of at most so many levels."""
        if depth == 0 or self.pick((False, False, True)):
            return self.leaf(scope, kind)
        if kind in PARTS and self.pick((False,) * 7 + (True,)):
            yes, no = (self.expression(scope, kind, depth - 1) for _ in range(2))
            return f"({yes} if {self.expression(scope, 'bool', depth - 1)} else {no})"
        return self.pick(TEMPLATES[kind]).format_map(self.blanks(scope, depth - 1))

    def leaf(self, scope: Scope, kind: str) -> str:
        """A variable of the wanted type, or a literal."""
        own = [name for name, type_ in scope.items() if type_ == kind]
        return self.pick([*own, *own, None][::-1]) or self.literal(kind)

    def literal(self, kind: str) -> str:
        """A constant of the wanted type."""
        return str(self.number(-3, 12)) if kind == "int" else self.pick(LITERALS[kind])

    def blanks(self, scope: Scope, depth: int) -> Blanks:
        """What stands in the blanks of a template, each of at most so many levels.

        `a` and `c` are integers, `u` and `v` floats, `p` and `q` bools. Without operations are `n`,
        an integer, `y`, a float, `xs`, a list, `m`, an integer or None, and `t`, a tuple. `test`
        is a condition on `item`, and `name` a new variable.
        """
        kinds = {"a": "int", "c": "int", "u": "float", "v": "float", "p": "bool", "q": "bool"}
        leaves = {"n": "int", "y": "float", "xs": "list", "m": "optional", "t": "tuple"}
        draws = {
            **{b: lambda _, k=k: self.expression(scope, k, depth) for b, k in kinds.items()},
            **{b: lambda _, k=k: self.leaf(scope, k) for b, k in leaves.items()},
            **{b: lambda _, words=words: self.pick(words) for b, words in WORDS.items()},
            "part": lambda _: self.number(0, 1),
            "place": lambda _: self.number(-3, 3),
            "end": lambda _: self.number(-1, 1),
            "item": lambda _: self.fresh(),
            "name": lambda _: self.fresh(),
            "test": lambda blanks: self.condition(scope, blanks["item"]),
        }
        return Blanks(draws)

    def condition(self, scope: Scope, item: str) -> str:
        """A condition on the variable of a comprehension."""
        one = self.pick(("{item} > {n}", "{item} % 2 == 0", "{b}"))
        draws = {
            "item": lambda _: item,
            "n": lambda _: self.leaf(scope, "int"),
            "b": lambda _: self.leaf(scope, "bool"),
        }
        return one.format_map(Blanks(draws))
