"""The names of a program that is differentiated, and those that its way back adds."""

from __future__ import annotations

from pcbatch import ir
from pcbatch.passes.rewrite import Names
from pcbatch.passes.tracing import argument_types

LARGE = 64
"""The adjoint of no more numbers is a register of each member. To that of more numbers members add:
of a shared value to one sum, whose bits depend on the order in which they do; of a buffer, row by
row."""
LONG = 512
"""To the adjoint of an array of more numbers members add row by row, too. Of a shorter one a pass
over all of it is faster than XLA's scatter (`python -m bench gradients --parts elements`)."""


class Scope:
    """Makes names.

    Args:
      program: in stack form.

    Attributes:
      types: of all that has a name.
      variables: those that are made here, with their types.
      buffers: the same.
      bars: the adjoint of each variable, buffer or source that has one.
    """

    def __init__(self, program: ir.StackProgram):
        self._program = program
        self._names = Names((*program.types, *program.shared, *program.buffers))
        self.types = argument_types(program.types, program)
        self.variables: dict[ir.Variable, ir.TensorType] = {}
        self.buffers: dict[str, ir.BufferType] = {}
        self.bars: dict[str, str] = {}

    def name(self, wanted: str, type_: ir.TensorType) -> str:
        """A name that is not taken, of something that is no variable."""
        name = self._names.fresh(wanted)
        self.types[name] = type_
        return name

    def variable(self, wanted: str, type_: ir.TensorType) -> ir.Variable:
        """A variable."""
        name = self.name(wanted, type_)
        self.variables[name] = type_
        return name

    def like(self, wanted: str, other: str) -> ir.Variable:
        """A variable of the type of what another name stands for."""
        return self.variable(wanted, self.types[other])

    def buffer(self, wanted: str, like: str) -> str:
        """A buffer like another one."""
        name = self.name(wanted, self.types[like])
        self.buffers[name] = self._program.buffers[like]
        return name

    def bar_of_rows(self, name: str) -> str:
        """The adjoint of an array, or of a buffer, as a buffer, to which one can add rows."""
        type_ = self.types[name]
        made = self.name(f"{name}.bar", type_)
        self.buffers[made] = ir.BufferType(
            type_.shape[0], ir.TensorType(type_.dtype, type_.shape[1:])
        )
        self.bars[name] = made
        return made

    def bar(self, name: str) -> str:
        """The adjoint of a variable, of a source, or of a buffer."""
        if name not in self.bars:
            is_buffer = name in self._program.buffers
            self.bars[name] = (self.buffer if is_buffer else self.like)(f"{name}.bar", name)
        return self.bars[name]
