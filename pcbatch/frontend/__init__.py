"""The frontend: a Python function becomes source call form."""

from pcbatch.frontend.build import can_lower_closure, lower, lower_closure
from pcbatch.frontend.dicts_of_lists import Dicts
from pcbatch.frontend.free_reads import free_reads
from pcbatch.frontend.helpers import is_made
from pcbatch.frontend.names import free_value, read_values
from pcbatch.frontend.shared_rows import SharedRows
from pcbatch.frontend.source import parameter_place

__all__ = [
    "Dicts",
    "SharedRows",
    "can_lower_closure",
    "free_reads",
    "free_value",
    "is_made",
    "lower",
    "lower_closure",
    "parameter_place",
    "read_values",
]
