"""The frontend: a Python function becomes source call form."""

from pcbatch.frontend.build import lower
from pcbatch.frontend.names import free_value

__all__ = ["free_value", "lower"]
