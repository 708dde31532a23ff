"""Variables that have no value on some paths: each has a flag, and each read looks at it.

    for i in range(n):              __bound_last = False
        last = i                    for i in range(n):
    return last             =>          last = i
                                        __bound_last = True
                                    if not __bound_last:
                                        raise UnboundLocalError(...)
                                    return last

A function is lowered so only where inference has found that it reads a variable without a value. A
nested function takes the flags with the variables.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from types import CodeType

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.ir.analysis import effects
from pcbatch.semantics.maybe_none import settled, settled_element
from pcbatch.semantics.unbound import FREE, LOCAL, flag, flagged

Names = frozenset[ir.Variable]
FreeReads = frozenset[tuple[ir.Variable, Span]]


class NoValue(Exception):
    """A variable is read that has no value on some path.

    Attributes:
      code: of the function.
      names: of this variable, and of others that may have none, either.
    """

    def __init__(self, code: CodeType, name: ir.Variable, source: ir.Function):
        super().__init__(name)
        self.code = code
        found = may_be_unbound(source)
        self.names = found if name.startswith("%") else found | {name}


class Flags:
    """Which variables of which functions have flags.

    A nested function's code is compiled anew when the one around it is lowered again, so functions
    are known by their places.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[str, int, str], Names] = {}

    def of(self, code: CodeType) -> Names:
        """The variables of a function that have flags."""
        return self._names.get(_place(code), frozenset())

    def learn(self, error: ProgramError) -> bool:
        """Give those variables flags that an error says have no value; False if they have them."""
        cause = error.__cause__
        if not isinstance(cause, NoValue) or cause.names <= self.of(cause.code):
            return False
        self._names[_place(cause.code)] = self.of(cause.code) | cause.names
        return True


def _place(code: CodeType) -> tuple[str, int, str]:
    return code.co_filename, code.co_firstlineno, code.co_name


def bound() -> tuple[bool]:
    """The primitive that notes that a variable has a value."""
    return (True,)


def not_bound() -> tuple[bool]:
    """The primitive that notes that a variable has none."""
    return (False,)


def may_be_unbound(function: ir.Function) -> Names:
    """The variables that the statements may read before they have a value, as far as can be seen.

    Args:
      function: in source form.
    """
    writes = (n for b in function.blocks for op in b.operations for n in effects.writes(op))
    own = frozenset(n for n in writes if not n.startswith("%"))
    blocks = {block.label: block for block in function.blocks}
    entry = function.blocks[0].label
    before = {entry: own.difference(function.params)}
    pending, found = [entry], set[str]()
    while pending:
        block = blocks[pending.pop()]
        without = before[block.label]
        ever = without
        for op in (*block.operations, block.terminator):
            found |= without.intersection(_read(op))
            without = _after(op, without)
            ever |= without
        ways = [(label, without) for label in effects.jumps(block.terminator)]
        ways += [(handler.label, ever) for handler in block.handlers]
        for label, names in ways:
            known = before.get(label)
            if known is None or not names <= known:
                before[label] = names | (known or frozenset())
                pending.append(label)
    return frozenset(found)


def _after(op: ir.CallOperation | ir.CallTerminator, without: Names) -> Names:
    """The variables without a value behind an operation."""
    written = effects.writes(op)
    if isinstance(op, ir.Primitive) and op.fn is ir.unbind:
        return without | {n for n in written if not n.startswith("%")}
    return without.difference(written)


def _read(op: ir.CallOperation | ir.CallTerminator) -> tuple[ir.Variable, ...]:
    """What Python reads where an operation stands."""
    if isinstance(op, ir.Primitive):
        notes = op.fn in (settled, settled_element) or hasattr(op.fn, "factory")
        return () if notes else op.args
    if isinstance(op, ir.Call):
        given = zip(op.args, op.keywords, strict=True)
        return (op.callee, *(n for n, kind in given if not (kind or "").startswith("?")))
    return effects.source_reads(op)


def with_flags(function: ir.Function, names: Names, free: FreeReads) -> ir.Function:
    """A function whose members stop where they read a variable that has no value.

    Args:
      function: in source form.
      names: of the variables.
      free: where they are read as variables of the function around.
    """
    taken = flagged(function.params)
    parts_of = (_Flagged(block, names, taken, free) for block in function.blocks)
    first, *others = (tuple(flags.parts()) for flags in parts_of)
    begun = (
        ir.Primitive((flag(name),), bound if name in function.params else not_bound, (), name,
                     function.span)
        for name in sorted(names - taken)
    )  # fmt: skip
    start = dataclasses.replace(first[0], operations=(*begun, *first[0].operations))
    blocks = (start, *first[1:], *(part for parts in others for part in parts))
    return dataclasses.replace(function, blocks=blocks, unbound=tuple(sorted(names)))


def stops(terminator: ir.CallTerminator) -> bool:
    """Whether a terminator stops members that read a variable without a value."""
    kinds = (NameError, UnboundLocalError)
    return isinstance(terminator, ir.Fail) and terminator.kind in kinds


class _Flagged:
    """One block with flags.

    Args:
      block: as it was.
      names: the variables that have flags.
      taken: those of them that are a nested function's and those of the function around.
      free: see `with_flags`.
    """

    def __init__(self, block: ir.Block, names: Names, taken: Names, free: FreeReads):
        self._block, self._names, self._taken, self._free = block, names, taken, free
        self._label = block.label
        self._operations: list[ir.CallOperation] = []
        self._known = set[str]()
        self._checks = 0

    def parts(self) -> Iterator[ir.Block]:
        """The block up to its first check, what stops members, what is behind it, and so on."""
        for op in self._block.operations:
            yield from self._checked(_read(op), op.span)
            self._operations.append(op)
            self._note(op)
        terminator = self._block.terminator
        yield from self._checked(_read(terminator), terminator.span)
        yield self._part(terminator)

    def _part(self, terminator: ir.CallTerminator) -> ir.Block:
        operations, self._operations = tuple(self._operations), []
        return ir.Block(self._label, operations, terminator, self._block.handlers)

    def _note(self, op: ir.CallOperation) -> None:
        """Set the flags of what an operation assigns."""
        has_value = not (isinstance(op, ir.Primitive) and op.fn is ir.unbind)
        for name in dict.fromkeys(effects.writes(op)):
            if name in self._names:
                self._set(name, has_value, op.span)

    def _set(self, name: ir.Variable, has_value: bool, span: Span) -> None:
        (self._known.add if has_value else self._known.discard)(name)
        fn = bound if has_value else not_bound
        self._operations.append(ir.Primitive((flag(name),), fn, (), name, span))

    def _checked(self, read: Iterable[ir.Variable], span: Span) -> Iterator[ir.Block]:
        """Close the block before a read of what may have no value, once for each variable."""
        for name in dict.fromkeys(read):
            if name not in self._names or name in self._known:
                continue
            self._checks += 1
            rest, stop = (f"{self._block.label}.{x}{self._checks}" for x in ("bound", "unbound"))
            yield self._part(ir.Branch(flag(name), rest, stop, span))
            is_free = any(name == n and _is_within(part, span) for n, part in self._free)
            local = (UnboundLocalError, LOCAL)
            kind, said = (NameError, FREE) if is_free or name in self._taken else local
            said = said.replace("'sample'", f"'{name.rpartition('.')[2]}'")
            fault = ir.Fail(f"{kind.__name__}: {said}", span, kind, given=(said,))
            yield ir.Block(stop, (), fault, self._block.handlers)
            self._label = rest
            self._set(name, True, span)


def _is_within(part: Span, whole: Span) -> bool:
    """Whether a place is a part of another one of the same function."""
    begins = (whole.line, whole.column) <= (part.line, part.column)
    ends = (part.end_line, part.end_column) <= (whole.end_line, whole.end_column)
    return begins and ends
