"""Code for one member, run for all members at once.

This is the one place where vectorization happens. The code is traced for one member; the graph is
walked (`interpreter`), and each operation is replaced by its batched counterpart (`rules`,
`matmul`, `control_flow`, `lists`), with static shapes only, so that XLA compiles all of it.
"""

# Importing these registers their rules.
from pcbatch.vectorizer import ordering  # noqa: F401
from pcbatch.vectorizer.blocks import copy_block, trace, vectorize_block
from pcbatch.vectorizer.control_flow import branches, loops  # noqa: F401
from pcbatch.vectorizer.derivatives import hessian, jacobian, per_example_gradients, pfor
from pcbatch.vectorizer.lists import accumulation, stacking, tensor_lists  # noqa: F401
from pcbatch.vectorizer.matmul import batch_last, products  # noqa: F401
from pcbatch.vectorizer.pretransposed import AS_WRITTEN, Forms
from pcbatch.vectorizer.public import vectorize
from pcbatch.vectorizer.ragged_members import ragged
from pcbatch.vectorizer.rules import (  # noqa: F401
    assertions,
    axes,
    convolutions,
    depthwise,
    effects,
    jax_functions,
    ordinary,
    slices,
)
from pcbatch.vectorizer.rules.assertions import assertions_hold, messages
from pcbatch.vectorizer.session import VectorizationError, VectorizationWarning
from pcbatch.vectorizer.states import Touch, all_operations, touch
from pcbatch.vectorizer.totals import vectorize_and_add
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
    "trace",
    "vectorize_and_add",
    "vectorize_block",
]
