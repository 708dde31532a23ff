"""Batch Python functions with control flow and recursion into one XLA computation."""

from typing import TYPE_CHECKING

from pcbatch import cache, errors, executors, random
from pcbatch.api.autobatched import Autobatched
from pcbatch.api.decorate import autobatch
from pcbatch.api.map import Mapped, Member, map
from pcbatch.api.transformed import checkpoint, grad, jvp, value_and_grad
from pcbatch.backend.private import graphs
from pcbatch.errors import (
    ArgumentError,
    HostCallError,
    MemberError,
    PcbatchError,
    ProgramError,
)
from pcbatch.runtime.control.checkpoint import CheckpointError, CheckpointWarning
from pcbatch.runtime.optimizations import OPTIMIZATIONS
from pcbatch.runtime.result import Interrupted, Result, Status
from pcbatch.semantics.batched import batched
from pcbatch.semantics.buffers import Buffer, buffer
from pcbatch.semantics.cost_annotations import counted, expensive
from pcbatch.semantics.host import breakpoint, debug_print, host_call
from pcbatch.semantics.jax_functions import from_jax
from pcbatch.semantics.labels import Labels
from pcbatch.semantics.optional import Optional
from pcbatch.vectorizer import (
    VectorizationError,
    VectorizationWarning,
    hessian,
    jacobian,
    per_example_gradients,
    pfor,
    ragged,
    vectorize,
)

if TYPE_CHECKING:
    from pcbatch.tools.profiling.profile import Profile, profile

graphs.keep_as_written(__name__)

__all__ = [
    "ArgumentError",
    "Autobatched",
    "Buffer",
    "CheckpointError",
    "CheckpointWarning",
    "HostCallError",
    "Interrupted",
    "Labels",
    "Mapped",
    "Member",
    "MemberError",
    "OPTIMIZATIONS",
    "Optional",
    "PcbatchError",
    "Profile",
    "ProgramError",
    "Result",
    "Status",
    "VectorizationError",
    "VectorizationWarning",
    "autobatch",
    "batched",
    "breakpoint",
    "buffer",
    "cache",
    "checkpoint",
    "counted",
    "debug_print",
    "executors",
    "expensive",
    "from_jax",
    "grad",
    "host_call",
    "map",
    "profile",
    "hessian",
    "jacobian",
    "jvp",
    "per_example_gradients",
    "pfor",
    "ragged",
    "random",
    "value_and_grad",
    "vectorize",
]

__getattr__ = errors.handed_on(__name__, "tools.profiling.profile")
