"""The language of programs: control-flow graphs, in call form and in stack form.

The package hands on the names of the language, which `program` describes.
"""

from pcbatch.ir.operations import (
    Accumulate,
    Call,
    CallOperation,
    Captured,
    Check,
    HostCall,
    Pop,
    Primitive,
    Push,
    Source,
    StackOperation,
    Store,
    Summed,
    move,
    unbind,
)
from pcbatch.ir.program import HALT, Block, Function, Handler, Program, StackProgram
from pcbatch.ir.tensor_types import BufferType, Label, TensorType, Variable
from pcbatch.ir.terminators import (
    RAISED,
    Await,
    Branch,
    CallTerminator,
    Fail,
    Jump,
    PushJump,
    Return,
    StackTerminator,
)

__all__ = [
    "Accumulate",
    "Await",
    "Block",
    "Branch",
    "BufferType",
    "Call",
    "CallOperation",
    "CallTerminator",
    "Captured",
    "Check",
    "RAISED",
    "Fail",
    "Function",
    "HALT",
    "Handler",
    "HostCall",
    "Jump",
    "Label",
    "Pop",
    "Primitive",
    "Program",
    "Push",
    "PushJump",
    "Return",
    "Source",
    "StackOperation",
    "StackProgram",
    "StackTerminator",
    "Store",
    "Summed",
    "TensorType",
    "Variable",
    "move",
    "unbind",
]
