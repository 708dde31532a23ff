"""Random typed call-form programs: structured control flow, recursion, early returns, stores.

Every program terminates: recursion spends fuel and loops count. Values are Python ints modulo a
prime, whatever type they are declared with, so that programs run fast in the reference.
"""

from __future__ import annotations

import random
from typing import Any

from pcbatch import ir
from tests.ir.builder import BOOL, INT, BlockBuilder, FunctionBuilder, program

WIDE = ir.TensorType("int32", (32,))
PRIME = 97


def random_program(seed: int) -> ir.Program:
    """Generate a program; its entry takes three integers, the first of them fuel up to 3."""
    rng = random.Random(seed)
    names = [f"f{i}" for i in range(rng.randint(1, 3))]
    results = {name: rng.randint(1, 2) for name in names}
    functions = [_Generator(rng, name, names, results).function() for name in names]
    main = FunctionBuilder("main", fuel=INT, a=INT, b=INT)
    block = main.block("entry").primitive("w", lambda a: a * 3 % PRIME, "a", WIDE)
    targets = " ".join(f"r{i}" for i in range(results["f0"]))
    block.call(targets, "f0", "fuel a b w")
    block.primitive("path_sum", lambda path: sum(int(x) for x in path), "path")
    block.returns(f"{targets} path_sum")
    return program(main, *functions, buffers={"path": ir.BufferType(4, INT)})


class _Generator:
    """Generates one function: every block it opens is ended exactly once."""

    def __init__(self, rng: random.Random, name: str, names: list[str], results: dict[str, int]):
        self._rng = rng
        self._names = names
        self._results = results
        self._function = FunctionBuilder(name, fuel=INT, a=INT, b=INT, w=WIDE)
        self._name = name
        self._count = 0
        self._block: BlockBuilder | None = None

    def function(self) -> FunctionBuilder:
        """Generate the body: a base case without fuel, statements with it."""
        entry = self._function.block("entry")
        entry.primitive("dry", lambda fuel: fuel <= 0, "fuel", BOOL).branch("dry", "base", "more")
        self._open("base")
        self._return({"a": INT, "b": INT, "w": WIDE})
        self._open("more")
        self._block.primitive("fuel1", lambda fuel: fuel - 1, "fuel")
        known = {"a": INT, "b": INT, "w": WIDE}
        self._statements(known, depth=3, length=self._rng.randint(3, 6))
        if self._block is not None:
            self._return(known)
        return self._function

    def _fresh(self, stem: str) -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def _open(self, label: str) -> None:
        self._block = self._function.block(label)

    def _pick(self, known: dict[str, Any], type_: ir.TensorType) -> str:
        return self._rng.choice([name for name, t in known.items() if t == type_])

    def _target(self, known: dict[str, Any], type_: ir.TensorType) -> str:
        """An old variable or a new one; never a loop's counter."""
        old = [n for n, t in known.items() if t == type_ and not n.startswith("k")]
        return self._rng.choice([*old, self._fresh("x" if type_ == INT else "wide")])

    def _statements(self, known: dict[str, Any], depth: int, length: int) -> None:
        for _ in range(length):
            if self._block is None:
                return
            kinds = [self._assign, self._assign, self._copy, self._swap, self._call, self._store]
            if depth:
                kinds += [self._if, self._if, self._while]
            self._rng.choice(kinds)(known, depth - 1)

    def _assign(self, known: dict[str, Any], depth: int) -> None:
        type_ = self._rng.choice([INT, INT, WIDE])
        x, y = (self._pick(known, self._rng.choice([INT, WIDE])) for _ in range(2))
        factor = self._rng.randint(1, 5)
        target = self._target(known, type_)

        def fn(x: int, y: int) -> int:
            return (factor * int(x) + int(y) + 1) % PRIME

        self._block.primitive(target, fn, f"{x} {y}", type_, f"{factor} * {x} + {y} + 1")
        known[target] = type_

    def _copy(self, known: dict[str, Any], depth: int) -> None:
        type_ = self._rng.choice([INT, WIDE])
        source, target = self._pick(known, type_), self._target(known, type_)
        self._block.move(target, source, type_)
        known[target] = type_

    def _swap(self, known: dict[str, Any], depth: int) -> None:
        x = self._pick(known, INT)
        if x.startswith("k") or x == "a":
            return
        self._block.move(f"{x} a", f"a {x}")

    def _store(self, known: dict[str, Any], depth: int) -> None:
        index = self._fresh("i")
        source = self._pick(known, INT)
        self._block.primitive(index, lambda x: int(x) % 4, source)
        self._block.store("path", index, self._pick(known, INT))

    def _call(self, known: dict[str, Any], depth: int) -> None:
        callee = self._rng.choice(self._names)
        wide = "w" if self._rng.random() < 0.5 else self._pick(known, WIDE)
        args = f"fuel1 {self._pick(known, INT)} {self._pick(known, INT)} {wide}"
        targets = [self._target(known, INT) for _ in range(self._results[callee])]
        if len(set(targets)) < len(targets):
            targets[0] = self._fresh("x")
        self._block.call(" ".join(targets), callee, args)
        if self._rng.random() < 0.2 and len(targets) == self._results[self._name]:
            self._block.returns(" ".join(targets))
            self._block = None
        known.update(dict.fromkeys(targets, INT))

    def _return(self, known: dict[str, Any]) -> None:
        values = [self._pick(known, INT) for _ in range(self._results[self._name])]
        self._block.returns(" ".join(values))
        self._block = None

    def _test(self, known: dict[str, Any]) -> str:
        test = self._fresh("c")
        limit = self._rng.randint(10, 90)
        self._block.primitive(
            test, lambda x: int(x) < limit, self._pick(known, INT), BOOL, f"< {limit}"
        )
        return test

    def _if(self, known: dict[str, Any], depth: int) -> None:
        then, orelse, join = (self._fresh(stem) for stem in ("then", "else", "join"))
        has_else = self._rng.random() < 0.6
        self._block.branch(self._test(known), then, orelse if has_else else join)
        ways = [known] if not has_else else []
        for label in [then, orelse][: 1 + has_else]:
            self._open(label)
            inner = dict(known)
            self._statements(inner, depth, self._rng.randint(0, 3))
            if self._block is not None and self._rng.random() < 0.15:
                self._end_early(inner)
            if self._block is not None:
                self._block.jump(join)
                ways.append(inner)
        if not ways:
            self._block = None
            return
        self._open(join)
        both = {n: t for n, t in ways[0].items() if all(n in way for way in ways)}
        known.clear()
        known.update(both)

    def _end_early(self, known: dict[str, Any]) -> None:
        if self._rng.random() < 0.1:
            self._block.fail("ValueError: unlucky")
            self._block = None
        else:
            self._return(known)

    def _while(self, known: dict[str, Any], depth: int) -> None:
        head, body, done = (self._fresh(stem) for stem in ("head", "body", "exit"))
        counter, test = self._fresh("k"), self._fresh("c")
        rounds = self._rng.randint(1, 2)
        self._block.constant(counter, 0).jump(head)
        self._open(head)
        self._block.primitive(test, lambda k: k < rounds, counter, BOOL).branch(test, body, done)
        self._open(body)
        inner = {**known, counter: INT}
        self._statements(inner, depth, self._rng.randint(1, 3))
        if self._block is not None:
            self._block.primitive(counter, lambda k: k + 1, counter).jump(head)
        self._open(done)
