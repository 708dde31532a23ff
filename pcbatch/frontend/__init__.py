"""The frontend: a Python function becomes source call form."""

from pcbatch.frontend.build import can_lower_closure, lower, lower_closure
from pcbatch.frontend.names import free_value, read_values

__all__ = ["can_lower_closure", "free_value", "lower", "lower_closure", "read_values"]
