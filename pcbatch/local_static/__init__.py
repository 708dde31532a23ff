"""Local static batching: masks, and Python's own recursion for calls.

Every activation of a function has a program counter per member; the host picks the smallest one
that a live member stands at, runs that block for the members there, and recurses into a call with
the mask of those members. Members at different recursion depths, or in different activations, are
never batched together: that is the difference from the machine. `jit=False` runs each block op by
op ("local"), `jit=True` compiles each block with XLA ("hybrid").

Source: Radul et al. 2020, algorithm 1.
"""

from pcbatch.local_static.program import LocalStatic

__all__ = ["LocalStatic"]
