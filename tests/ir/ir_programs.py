"""Hand-written programs for the tests of analysis, passes and interpreters.

Each comes with arguments and with what plain Python computes for them.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from pcbatch import ir
from tests.ir.builder import BOOL, INT, FunctionBuilder, program


@dataclasses.dataclass(frozen=True)
class Case:
    """A program, the arguments to try, the shared values, and the truth."""

    program: ir.Program
    arguments: tuple[tuple[Any, ...], ...]
    truth: Callable[..., tuple[Any, ...]]
    shared: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def fib() -> Case:
    """Two recursive calls; the parameter lives across the first, its result across the second."""
    f = FunctionBuilder("fib", n=INT)
    f.block("entry").primitive("c", lambda n: n <= 1, "n", BOOL).branch("c", "base", "more")
    f.block("base").constant("one", 1).returns("one")
    more = f.block("more").primitive("%1", lambda n: n - 1, "n", text="n - 1")
    more.call("%2", "fib", "%1").primitive("%3", lambda n: n - 2, "n", text="n - 2")
    more.call("%4", "fib", "%3").primitive("%5", lambda a, b: a + b, "%2 %4", text="%2 + %4")
    more.returns("%5")

    def truth(n: int) -> tuple[int]:
        return (1 if n <= 1 else truth(n - 1)[0] + truth(n - 2)[0],)

    return Case(program(f), tuple((n,) for n in (0, 1, 2, 7, 10)), truth)


def ackermann() -> Case:
    """A tail call, and a call whose result is the argument of a tail call."""
    f = FunctionBuilder("ack", m=INT, n=INT)
    f.block("entry").primitive("a", lambda m: m == 0, "m", BOOL).branch("a", "zero", "other")
    f.block("zero").primitive("r", lambda n: n + 1, "n").returns("r")
    f.block("other").primitive("b", lambda n: n == 0, "n", BOOL).branch("b", "one", "two")
    one = f.block("one").primitive("m1", lambda m: m - 1, "m").constant("k", 1)
    one.call("r1", "ack", "m1 k").returns("r1")
    two = f.block("two").primitive("n1", lambda n: n - 1, "n").call("inner", "ack", "m n1")
    two.primitive("m2", lambda m: m - 1, "m").call("r2", "ack", "m2 inner")
    two.move("out", "r2").jump("end")
    f.block("end").returns("out")

    def truth(m: int, n: int) -> tuple[int]:
        if m == 0:
            return (n + 1,)
        return truth(m - 1, 1) if n == 0 else truth(m - 1, truth(m, n - 1)[0])

    return Case(program(f), ((0, 3), (1, 2), (2, 2), (2, 3)), truth)


def even_odd() -> Case:
    """Mutual recursion by tail calls only."""
    even = FunctionBuilder("even", n=INT)
    even.block("entry").primitive("c", lambda n: n == 0, "n", BOOL).branch("c", "yes", "no")
    even.block("yes").constant("t", True, BOOL).returns("t")
    even.block("no").primitive("m", lambda n: n - 1, "n").call("r", "odd", "m", BOOL).returns("r")
    odd = FunctionBuilder("odd", n=INT)
    odd.block("entry").primitive("c", lambda n: n == 0, "n", BOOL).branch("c", "yes", "no")
    odd.block("yes").constant("t", False, BOOL).returns("t")
    odd.block("no").primitive("m", lambda n: n - 1, "n").call("r", "even", "m", BOOL).returns("r")
    return Case(program(even, odd), ((0,), (1,), (10,), (13,)), lambda n: (n % 2 == 0,))


def hofstadter() -> Case:
    """Mutual recursion with nested calls: the female and male sequences."""

    def one(name: str, other: str, zero: int) -> FunctionBuilder:
        f = FunctionBuilder(name, n=INT)
        f.block("entry").primitive("c", lambda n: n == 0, "n", BOOL).branch("c", "base", "more")
        f.block("base").constant("z", zero).returns("z")
        more = f.block("more").primitive("m", lambda n: n - 1, "n").call("a", name, "m")
        more.call("b", other, "a").primitive("r", lambda n, b: n - b, "n b").returns("r")
        return f

    @functools.cache
    def truth(n: int, male: bool = False) -> tuple[int]:
        if n == 0:
            return (0 if male else 1,)
        return (n - truth(truth(n - 1, male)[0], not male)[0],)

    return Case(
        program(one("female", "male", 1), one("male", "female", 0)),
        tuple((n,) for n in (0, 1, 4, 9)),
        truth,
    )


def nested_loops() -> Case:
    """Count pairs i < n, j < i with i * j odd, leaving the inner loop early; no calls."""
    f = FunctionBuilder("pairs", n=INT)
    f.block("entry").constant("i", 0).constant("count", 0).jump("outer")
    f.block("outer").primitive("more", lambda i, n: i < n, "i n", BOOL).branch(
        "more", "start", "done"
    )
    f.block("start").constant("j", 0).jump("inner")
    f.block("inner").primitive("again", lambda i, j: j < i, "i j", BOOL).branch(
        "again", "body", "next"
    )
    f.block("body").primitive("odd", lambda i, j: i * j % 2 == 1, "i j", BOOL).branch(
        "odd", "hit", "step"
    )
    hit = f.block("hit").primitive("count", lambda count: count + 1, "count")
    hit.primitive("enough", lambda j: j > 4, "j", BOOL).branch("enough", "next", "step")
    f.block("step").primitive("j", lambda j: j + 1, "j").jump("inner")
    f.block("next").primitive("%1", lambda i: i + 1, "i").move("i", "%1").jump("outer")
    f.block("done").returns("count")

    def truth(n: int) -> tuple[int]:
        return (sum(1 for i in range(n) for j in range(min(i, 6)) if i * j % 2 == 1),)

    return Case(program(f), ((0,), (1,), (5,), (12,)), truth)


def two_results() -> Case:
    """Quotient and remainder by a recursion with two results, called from a loop."""
    main = FunctionBuilder("main", a=INT, b=INT)
    main.block("entry").constant("total", 0).constant("k", 0).jump("loop")
    main.block("loop").primitive("c", lambda k: k < 3, "k", BOOL).branch("c", "body", "exit")
    body = main.block("body").call("q r", "divide", "a b")
    body.primitive("total", lambda t, q, r: t * 10 + q + r, "total q r")
    body.primitive("a", lambda a: a + 1, "a").primitive("k", lambda k: k + 1, "k").jump("loop")
    main.block("exit").returns("total q")
    divide = FunctionBuilder("divide", x=INT, y=INT)
    divide.block("entry").primitive("c", lambda x, y: x < y, "x y", BOOL).branch("c", "no", "yes")
    divide.block("no").constant("zero", 0).returns("zero x")
    yes = divide.block("yes").primitive("d", lambda x, y: x - y, "x y").call("q r", "divide", "d y")
    yes.primitive("q", lambda q: q + 1, "q").returns("q r")
    main.types["q"] = INT
    fixed = main.blocks[0]
    zero = ir.Primitive(("q",), lambda: (0,), (), "0", main.span())
    main.blocks[0] = dataclasses.replace(fixed, operations=(*fixed.operations, zero))

    def truth(a: int, b: int) -> tuple[int, int]:
        total = 0
        for k in range(3):
            total = total * 10 + (a + k) // b + (a + k) % b
        return total, (a + 2) // b

    return Case(program(main, divide), ((7, 3), (20, 4), (1, 5)), truth)


def countdown() -> Case:
    """Tail recursion with an accumulator and a parameter that never changes."""
    f = FunctionBuilder("sum_to", n=INT, step=INT, total=INT)
    f.block("entry").primitive("c", lambda n: n <= 0, "n", BOOL).branch("c", "stop", "go")
    f.block("stop").returns("total")
    go = f.block("go").primitive("%1", lambda n, step: n - step, "n step")
    go.primitive("%2", lambda t, n: t + n, "total n").call("r", "sum_to", "%1 step %2")
    go.returns("r")
    return Case(
        program(f),
        ((0, 1, 0), (5, 1, 0), (1000, 1, 0), (9, 2, 1)),
        lambda n, step, total: (total + sum(range(n, 0, -step)),),
    )


def tree_sum() -> Case:
    """Tree traversal: the arrays are passed on unchanged; a shared table weighs the nodes."""
    vector = ir.TensorType("int32", (7,))
    f = FunctionBuilder("walk", left=vector, right=vector, node=INT)
    f.block("entry").primitive("c", lambda node: node < 0, "node", BOOL).branch("c", "leaf", "in")
    f.block("leaf").constant("zero", 0).returns("zero")
    inner = f.block("in").primitive("l", lambda left, node: left[node], "left node")
    inner.move("a", "left", vector).call("x", "walk", "a right l")
    inner.primitive("r", lambda right, node: right[node], "right node")
    inner.call("y", "walk", "a right r")
    inner.primitive("v", lambda weight, node: weight[node], "weight node")
    inner.primitive("s", lambda x, y, v: x + y + v, "x y v").returns("s")
    main = FunctionBuilder("main", left=vector, right=vector)
    main.block("entry").constant("root", 0).call("s", "walk", "left right root").returns("s")
    left, right = (1, 3, 5, -1, -1, -1, -1), (2, 4, 6, -1, -1, -1, -1)
    chain = (1, 2, 3, 4, 5, 6, -1)
    none = (-1,) * 7
    weight = (1, 2, 3, 4, 5, 6, 7)

    def truth(left: Any, right: Any) -> tuple[int]:
        def walk(node: int) -> int:
            return 0 if node < 0 else walk(left[node]) + walk(right[node]) + weight[node]

        return (walk(0),)

    return Case(
        program(main, f, shared={"weight": vector}),
        ((left, right), (chain, none), (none, none), (none, chain)),
        truth,
        {"weight": weight},
    )


def trajectory() -> Case:
    """The shape of a no-U-turn sampler: a loop around a doubling recursion that may stop early."""
    main = FunctionBuilder("chain", q=INT, draws=INT)
    main.block("entry").constant("i", 0).jump("head")
    main.block("head").primitive("c", lambda i, n: i < n, "i draws", BOOL).branch(
        "c", "body", "exit"
    )
    body = main.block("body").primitive("d", lambda i: i % 4, "i").constant("step", 3)
    body.call("l r ok", "build", "q d step")
    body.primitive("q", lambda q, a, b, ok: (q + a - b + ok) % 97, "q l r ok")
    body.store("path", "i", "q").primitive("i", lambda i: i + 1, "i").jump("head")
    main.block("exit").primitive("s", lambda p, q: tf.reduce_sum(p) + q, "path q").returns("s")
    b = FunctionBuilder("build", q=INT, depth=INT, step=INT)
    b.block("entry").primitive("c", lambda d: d == 0, "depth", BOOL).branch("c", "leaf", "node")
    b.block("leaf").call("z", "leapfrog", "q step").primitive(
        "ok", lambda z: int(z % 5 != 0), "z"
    ).returns("z z ok")
    node = b.block("node").primitive("d1", lambda d: d - 1, "depth")
    node.call("l r ok", "build", "q d1 step")
    node.primitive("good", lambda ok: ok == 1, "ok", BOOL).branch("good", "second", "stop")
    b.block("stop").returns("l r ok")
    second = b.block("second").primitive("d2", lambda d: d - 1, "depth")
    second.call("l2 r2 ok2", "build", "r d2 step")
    second.primitive("turn", lambda a, b: int((a + b) % 7 != 0), "l r2")
    second.primitive("ok", lambda a, b: a * b, "ok2 turn").move("r", "r2").jump("join")
    b.block("join").returns("l r ok")
    leap = FunctionBuilder("leapfrog", q=INT, step=INT)
    leap.block("entry").primitive("z", lambda q, s: (q * 5 + s) % 89, "q step").returns("z")

    def build(q: int, depth: int) -> tuple[int, int, int]:
        if depth == 0:
            z = (q * 5 + 3) % 89
            return z, z, int(z % 5 != 0)
        left, right, ok = build(q, depth - 1)
        if ok != 1:
            return left, right, ok
        _, right, ok = build(right, depth - 1)
        return left, right, ok * int((left + right) % 7 != 0)

    def truth(q: int, draws: int) -> tuple[int]:
        path = 0
        for i in range(draws):
            left, right, ok = build(q, i % 4)
            q = (q + left - right + ok) % 97
            path += q
        return (path + q,)

    return Case(
        program(main, b, leap, buffers={"path": ir.BufferType(20, INT)}),
        ((1, 0), (5, 7), (12, 20)),
        truth,
    )


def checked() -> Case:
    """A fault on one path, a shared value, a branch that only picks a value."""
    f = FunctionBuilder("checked", x=INT)
    f.block("entry").primitive("c", lambda x: x < 0, "x", BOOL).branch("c", "bad", "good")
    f.block("bad").fail("ValueError: negative")
    f.block("good").primitive("big", lambda x, limit: x > limit, "x limit", BOOL).branch(
        "big", "clip", "keep"
    )
    f.block("clip").move("y", "limit").jump("end")
    f.block("keep").primitive("y", lambda x: x + 1, "x").jump("end")
    f.block("end").primitive("z", lambda x, y: 2 * y + x, "x y").returns("z")
    return Case(
        program(f, shared={"limit": INT}),
        ((3,), (10,), (11,), (20,), (-1,)),
        lambda x: ("ValueError: negative",) if x < 0 else (2 * (10 if x > 10 else x + 1) + x,),
        {"limit": 10},
    )


CASES: dict[str, Callable[[], Case]] = {
    case.__name__: case
    for case in (
        fib,
        ackermann,
        even_odd,
        hofstadter,
        nested_loops,
        two_results,
        countdown,
        tree_sum,
        trajectory,
        checked,
    )
}
