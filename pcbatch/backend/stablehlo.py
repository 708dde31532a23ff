"""StableHLO as text, in the form that XLA reads again."""

from __future__ import annotations

import re

import tensorflow as tf

_COPY = re.compile(r"mhlo\.copy (%\S+) : (tensor<[^>]*>)")


def readable(text: str) -> str:
    """A module that XLA has written, as one that it can read.

    XLA's copy, which comes from reading a variable, is not in StableHLO: to reshape to the same
    shape is to copy. The locations name files of this machine; nothing needs them elsewhere.
    """
    text = _COPY.sub(r"stablehlo.reshape \1 : (\2) -> \2", text)
    bare: str = tf.mlir.experimental.run_pass_pipeline(text, "strip-debuginfo")
    return bare
