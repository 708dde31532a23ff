"""Code for one member, run for all members at once.

This is the one place where vectorization happens. The code is traced for one member; the graph is
walked (`walk`), and each operation is replaced by its batched counterpart (`rules`, `products`,
`branches`, `loops`, `lists`, `effects`), with static shapes only, so that XLA compiles all of it.
"""

# Importing these registers their rules.
from pcbatch.vectorizer import (  # noqa: F401
    accumulation,
    axes,
    branches,
    checks,
    columns,
    convolutions,
    depthwise,
    effects,
    lists,
    loops,
    ordering,
    products,
    rules,
    slices,
    stacking,
)
from pcbatch.vectorizer.blocks import copy_block, vectorize_block
from pcbatch.vectorizer.checks import assertions_hold, messages
from pcbatch.vectorizer.derivatives import hessian, jacobian, per_example_gradients, pfor
from pcbatch.vectorizer.public import vectorize
from pcbatch.vectorizer.sequences import ragged
from pcbatch.vectorizer.session import VectorizationError, VectorizationWarning
from pcbatch.vectorizer.states import Touch, all_operations, touch
from pcbatch.vectorizer.turning import AS_WRITTEN, Forms
from pcbatch.vectorizer.values import select

__all__ = [
    "AS_WRITTEN",
    "Forms",
    "Touch",
    "VectorizationError",
    "VectorizationWarning",
    "all_operations",
    "assertions_hold",
    "hessian",
    "jacobian",
    "messages",
    "per_example_gradients",
    "pfor",
    "ragged",
    "select",
    "touch",
    "vectorize",
    "copy_block",
    "vectorize_block",
]
