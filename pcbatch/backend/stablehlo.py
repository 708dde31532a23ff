"""StableHLO as text, in the form that XLA reads again."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import tensorflow as tf

from pcbatch.backend import jax_calls, op_traits

_COPY = re.compile(r"mhlo\.copy (%\S+) : (tensor<[^>]*>)")
_UNARY = re.compile(r"mhlo\.(\w+) (%\S+)( \{[^}]*\})? : (tensor<[^>]*>)")
_BITS = re.compile(r'dense<"0x([0-9A-F]+)"> : tensor<((?:\d+x)+)i1>')


def has_no_form(op: tf.Operation) -> bool:
    """Whether XLA makes of an operation something that StableHLO does not have."""
    return op.type in op_traits.NOT_IN_STABLEHLO or jax_calls.behind(op) is not None


def readable(text: str) -> str:
    """A module that XLA has written, as one that it can read.

    XLA's copy, which comes from reading a variable, is not in StableHLO: to reshape to the same
    shape is to copy. Nor is erf, which is called by its name. The locations name files of this
    machine; nothing needs them elsewhere.
    Long constants are bytes; of truth values TensorFlow writes eight to a byte, where later
    versions of MLIR read one: they are written out.
    """
    text = _COPY.sub(r"stablehlo.reshape \1 : (\2) -> \2", text)
    text = _UNARY.sub(_by_name, text)
    bare: str = tf.mlir.experimental.run_pass_pipeline(text, "strip-debuginfo")
    return _BITS.sub(_written_out, bare)


def _by_name(found: re.Match[str]) -> str:
    """An operation of one operand that XLA has and StableHLO has not, as a call of XLA's."""
    how = "{mhlo.attributes = {}, mhlo.version = 1 : i64}"
    return f"stablehlo.custom_call @mhlo.{found[1]}({found[2]}) {how} : ({found[4]}) -> {found[4]}"


def _written_out(found: re.Match[str]) -> str:
    """A constant of truth values, each by its name."""
    shape = [int(size) for size in found[2].split("x") if size]
    packed = np.frombuffer(bytes.fromhex(found[1]), np.uint8)
    values = np.unpackbits(packed, count=math.prod(shape), bitorder="little").reshape(shape)
    return f"dense<{json.dumps(values.astype(bool).tolist())}> : tensor<{found[2]}i1>"
