"""From source call form to typed call form: abstract evaluation to a fixpoint.

Reading order: `domain` (the abstract values), `meeting` (their join), `evaluate` (one primitive),
`calls` (which function, which argument), `instance` and `engine` (the fixpoint over blocks and
functions), `transfer` (one block), `emit` and `program` (the typed program written down). Of
buffers: `rooms` (where they are), `allocation` and `holding` (what an operation does to them),
`buffer_writer`.
"""

from pcbatch.infer.instance import Frontend, Inferred
from pcbatch.infer.program import infer

__all__ = ["Frontend", "Inferred", "infer"]
