"""From source call form to typed call form: abstract evaluation to a fixpoint.

`domain` has the abstract values and their join, `evaluate` runs one primitive on abstract values,
`engine` finds the fixpoint over blocks and functions, `emit` writes the typed program down.
"""

from pcbatch.infer.engine import infer

__all__ = ["infer"]
