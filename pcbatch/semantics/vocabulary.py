"""What Python's library means on the values of one member: all that is known, and how it is called.

The front end sends calls of the user's program here, of whatever is not a builtin that
`functions.FUNCTIONS` names.
"""

from __future__ import annotations

import collections

import numpy as np

from pcbatch.semantics import arrays, identity, iteration, supers, text_calls
from pcbatch.semantics.attributes import get_attribute, has_attribute
from pcbatch.semantics.library import MEANINGS, attribute
from pcbatch.semantics.lists import searching, tensorflow_reductions
from pcbatch.semantics.registry import call, call_with, meant, register, register_method
from pcbatch.semantics.rounds import unknown_range
from pcbatch.semantics.types import is_instance, type_asked

__all__ = ["attribute", "call", "call_with", "meant"]

register(isinstance, is_instance)
register(type, type_asked)
register(super, supers.super_of)
register(vars, identity.vars_of)
register(hasattr, has_attribute)
register(getattr, get_attribute)
register(range, unknown_range)

for _name, _meaning in text_calls.MEANINGS.items():
    register_method(str, _name, _meaning)

for _kind in (list, tuple, collections.deque):
    register_method(_kind, "index", searching.index)
    register_method(_kind, "count", searching.count)

for _function, _meaning in (*MEANINGS.items(), *iteration.MEANINGS.items()):
    register(_function, _meaning)

for _function, _meaning in tensorflow_reductions.MEANINGS:
    register(_function, _meaning)

for _function, _known in arrays.meanings():
    register(_function, _known)

for _name, _meaning in arrays.METHODS.items():
    register_method(np.ndarray, _name, _meaning)

for _name, _of_ufunc in arrays.OF_UFUNCS.items():
    register_method(np.ufunc, _name, _of_ufunc)
