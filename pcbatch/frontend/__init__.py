"""The frontend: a Python function becomes source call form."""

from pcbatch.frontend.build import can_lower_closure, lower, lower_closure
from pcbatch.frontend.free_reads import free_reads
from pcbatch.frontend.helpers import is_made
from pcbatch.frontend.names import free_value, read_values
from pcbatch.frontend.prelude_objects import PreludeObjects
from pcbatch.frontend.source import parameter_place

__all__ = [
    "PreludeObjects",
    "can_lower_closure",
    "free_reads",
    "free_value",
    "is_made",
    "lower",
    "lower_closure",
    "parameter_place",
    "read_values",
]
