"""Random well-typed programs, as source text, for the conformance tests.

A program is a few mutually recursive autobatched functions and an entry `main`, over int32, int64,
float32 and bool scalars, tuples, lists, dicts, a NamedTuple and a dataclass, with nested functions,
with one buffer that all functions write, and with calls of Python on the host. Every program
terminates: recursion spends `fuel`, loops have at most three trips, and a function makes at most
`CALLS` calls, counted with the trips of the loops around them.

The result does not depend on how arithmetic is rounded: integers are reduced modulo 97 before they
can grow, and floats are multiples of 1/4 of moderate size, on which the operations used are exact.
So plain Python and every runtime must agree bit for bit, and a branch on a float cannot flip.
"""

from __future__ import annotations

import hashlib
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.conformance.generator.statements import Body
from tests.conformance.generator.types import SCALARS, STRUCTURES, Signature, Type
from tests.conformance.programs import Program

PRELUDE = """\
import dataclasses
from typing import Any, NamedTuple

import tensorflow as tf

import pcbatch


class Pair(NamedTuple):
    count: Any
    level: Any


@dataclasses.dataclass(frozen=True)
class Box:
    size: Any
    open: Any

    def __tf_flatten__(self):
        return (), (self.size, self.open)

    @classmethod
    def __tf_unflatten__(cls, metadata, leaves):
        return cls(*leaves)


@pcbatch.autobatch
def relay(g, fuel, log, *args):
    return g(fuel, log, *args)


SHARED = tf.constant([5, -3, 11, 0, 42], tf.int32)
SPEC = tf.TensorSpec([], tf.int32)


def hosted(x, y):
    return (x * 3 - y) % 97
"""

ARGS = (
    np.array([0, 1, 2, 3, 3, 2, 1], np.int32),
    np.array([0, 7, -3, 42, 11, -50, 1], np.int32),
    np.array([5, -1, 0, 13, 2, 50, -8], np.int64),
    np.array([0.0, 1.5, -2.25, 8.0, 0.25, -40.0, 3.0], np.float32),
    np.array([True, False, True, True, False, False, True]),
)
ENTRY = """\
@pcbatch.autobatch
def main(fuel, a, b, c, d):
    log = pcbatch.buffer(4, like=a)
    return f0(fuel, log, a, b, c, d), log
"""


@st.composite
def sources(draw: Callable[..., Any], raises: bool = False) -> str:
    """Strategy: the source text of a random program with an entry `main(fuel, a, b, c, d)`.

    Args:
      draw: makes every choice.
      raises: some members divide by zero, or have an index out of range.
    """
    count = draw(st.integers(0, 3))
    kinds = st.sampled_from(SCALARS + STRUCTURES)
    params = st.lists(st.sampled_from(SCALARS), min_size=1, max_size=3).map(tuple)
    functions = [Signature("f0", ("i32", "i64", "f32", "bool"), draw(kinds))]
    functions += [Signature(f"f{i}", draw(params), draw(kinds)) for i in range(1, count + 1)]
    texts = [_function(draw, own, tuple(functions), raises) for own in functions]
    return "\n\n".join([PRELUDE, *texts, ENTRY])


def _function(
    draw: Callable[..., Any], own: Signature, functions: tuple[Signature, ...], raises: bool
) -> str:
    body = Body(draw, functions, own.result, raises)
    names = [body.fresh() for _ in own.params]
    scope: dict[str, Type] = {"fuel": "i32", **dict(zip(names, own.params))}
    if body.block(scope, "    ", False):
        body.lines.append(f"    return {body.expression(scope, own.result, 2)}")
    head = ["@pcbatch.autobatch", f"def {own.name}(fuel, log, {', '.join(names)}):"]
    return "\n".join([*head, *body.lines]) + "\n"


def load(source: str) -> dict[str, Any]:
    """Execute a program's source so that its text can be found again; returns its globals."""
    file = f"<generated {hashlib.sha1(source.encode()).hexdigest()[:12]}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[file] = (len(source), None, lines, file)
    namespace: dict[str, Any] = {"__name__": "generated"}
    exec(compile(source, file, "exec", dont_inherit=True), namespace)
    return namespace


def as_program(source: str) -> Program:
    """The program with its batch, ready for the runners."""
    return Program("generated", load(source)["main"], ARGS, plain="tensor")
