"""A machine's loop as a program that a later process finds on disk.

The loop is lowered to StableHLO as a function of values, and called as one operation between reads
and writes of the variables. A process that has lowered it runs the same program as a later one. The
later one needs no trace, and no compilation where XLA's executable is on disk, too.
"""

from __future__ import annotations

import functools
import hashlib
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from pcbatch.backend import garbage, stablehlo
from pcbatch.backend.private import direct_calls, xla_operations
from pcbatch.backend.private.direct_calls import Executable
from pcbatch.backend.resource_variable import Variable
from pcbatch.backend.surroundings import surroundings
from pcbatch.backend.target import Target
from pcbatch.cache import executables, store
from pcbatch.semantics import pytree
from pcbatch.vectorizer import all_operations
from pcbatch.vectorizer.session import Session, VectorizationError
from pcbatch.vm import program_digest
from pcbatch.vm.block_info import Prepared
from pcbatch.vm.carry import Areas, State
from pcbatch.vm.traced_function import TracedFunction, as_leaf, captured_values, type_key

Loop = Callable[..., tuple[State, Areas]]


def stored(
    loop: Loop, in_place: TracedFunction, prepared: Prepared, target: Target, *how: Any
) -> StoredLoop | None:
    """The loop of a machine, from the disk or for it; None where it cannot be kept there.

    Args:
      loop, in_place: see `StoredLoop`.
      prepared: the program.
      target: the compiler and the processor.
      *how: all else that the machine has made the loop of.
    """
    if store.directory() is None or not target.stored:
        return None
    around = surroundings(executables.flags())
    digest = program_digest.digest(prepared, target, around, how)
    return None if digest is None else StoredLoop(loop, in_place, digest)


class StoredLoop:
    """The loop of a machine, from the disk or for it.

    Args:
      loop: takes a carry without its areas, its areas as values, and other structures of tensors;
        returns the carry after the loop and its areas.
      in_place: the same for areas that are variables, which it changes. It runs where the loop
        cannot be stored.
      digest: of all that the compiled loop depends on, but for the types of its arguments.
    """

    def __init__(self, loop: Loop, in_place: TracedFunction, digest: str):
        self._loop, self._in_place, self._digest = loop, in_place, digest
        self._programs: dict[Any, StoredProgram | None] = {}
        self._lock = threading.Lock()

    def trace(self, *args: Any) -> None:
        """Find or make the program for arguments (or specs) of these types, without running."""
        if self._program(args, tf.nest.flatten(args)) is None:
            self._in_place.trace(*args)

    def __call__(self, *args: Any) -> State:
        """Run the loop on a carry without its areas, on areas and what else it takes.

        Returns:
          The carry without its areas; the areas are changed.
        """
        leaves = [as_leaf(x) for x in tf.nest.flatten(args)]
        program = self._program(args, leaves)
        if program is None:
            return self._in_place(*args)
        try:
            return program.run([x.handle if isinstance(x, Variable) else x for x in leaves])
        except tf.errors.OpError:
            if not program.is_on_trial:
                raise
        # XLA does not take what is on the disk. Nothing has run.
        store.remove(program.name)
        with self._lock:
            self._programs[_key(leaves)] = None
        return self._in_place(*args)

    def prepared(self, *args: Any) -> Executable | None:
        """What runs the loop on a flat list of arguments of these types, handles for variables.

        Returns:
          It; None until the program has run, and is known to do so.
        """
        program = self._program(args, tf.nest.flatten(args))
        if program is None:
            return self._in_place.prepared(*args)
        return program.call if program.is_kept else None

    def _program(self, args: tuple[Any, ...], leaves: Sequence[Any]) -> StoredProgram | None:
        """The program for arguments of these types; None where it cannot be stored."""
        key = _key(leaves)
        with self._lock:
            if key not in self._programs:
                self._programs[key] = self._found_or_made(args, leaves)
            return self._programs[key]

    @garbage.of_new_objects
    def _found_or_made(self, args: tuple[Any, ...], leaves: Sequence[Any]) -> StoredProgram | None:
        name = _full_digest(self._digest, args)
        entry = store.read(name)
        if entry is not None:
            return StoredProgram(name, entry, args[0], leaves, is_on_trial=True)
        module = _to_store(self._loop, args)
        if module is None:
            return None
        return StoredProgram(name, store.Entry(module, {}), args[0], leaves)


class StoredProgram:
    """A stored loop for arguments of some types.

    Args:
      name: of its file.
      entry: what the file holds, or is to hold.
      rest: a carry without its areas.
      leaves: the arguments, or their specs.

    Attributes:
      call: runs it on the arguments, with handles in the place of variables.
      is_on_trial: whether it is from the disk and has not run yet.
    """

    def __init__(
        self,
        name: str,
        entry: store.Entry,
        rest: State,
        leaves: Sequence[Any],
        is_on_trial: bool = False,
    ):
        self.name, self.is_on_trial = name, is_on_trial
        # Two functions of one name must be the same to TensorFlow.
        content = hashlib.sha256(name.encode() + entry.module).hexdigest()
        self._function = executables.PREFIX + content
        self._entry: store.Entry | None = entry
        self._lock = threading.Lock()
        same, self._tree = pytree.flatten(rest)
        changed = [i for i, x in enumerate(leaves) if isinstance(x, Variable)]
        specs = [tf.TensorSpec(x.shape, x.dtype) for x in leaves]
        results = [tf.TensorSpec(x.shape, x.dtype) for x in same]
        executables.give(entry.executables)

        def in_place(*given: tf.Tensor) -> list[tf.Tensor]:
            variables = {i: leaves[i].at(given[i]) for i in changed}
            values = [variables[i].read() if i in variables else x for i, x in enumerate(given)]
            types = [*results, *(specs[i] for i in changed)]
            made = xla_operations.whole_module(entry.module, values, types)
            for i, value in zip(changed, made[len(results) :], strict=True):
                variables[i].assign(value)
            return made[: len(results)]

        given = [tf.TensorSpec([], tf.resource) if i in changed else x for i, x in enumerate(specs)]
        self.call = direct_calls.compiled_by_name(self._function, in_place, given)

    def run(self, given: Sequence[tf.Tensor]) -> State:
        """Run it on the arguments, with handles in the place of variables."""
        results = self.call(given)
        if self._entry is not None:
            self._keep()
        return pytree.unflatten(self._tree, results)

    @property
    def is_kept(self) -> bool:
        """Whether it has run, and is on disk if it can be."""
        return self._entry is None

    def _keep(self) -> None:
        """Put the program on disk, with what XLA has made of it, unless it is there."""
        with self._lock:
            entry, self._entry = self._entry, None
            if entry is None:  # another thread has done it
                return
            made = executables.take(self._function)
            if not entry.executables and (made or not self.is_on_trial):
                store.write(self.name, entry._replace(executables=made))
            self.is_on_trial = False


class Lowered(NamedTuple):
    """A loop in a form that any process can run.

    Attributes:
      module: StableHLO, serialized or as text: a function of the leaves of the arguments and of the
        constants.
      key: a digest that is equal in every process that lowers the same loop.
      constants: the values that the loop captures.
    """

    module: bytes
    key: str
    constants: tuple[tf.Tensor, ...]


class Lowering:
    """Lowers a loop for other processes, once for arguments of the same types.

    Args:
      loop: see `StoredLoop`.
      digest: gives the digest of all that the loop depends on, but for the types of its arguments;
        None: not known.
    """

    def __init__(self, loop: Loop, digest: Callable[[], str | None]):
        self._function, self._digest = TracedFunction(loop, jit=True), functools.cache(digest)
        self._modules: dict[Any, tuple[bytes, str]] = {}

    def __call__(self, *args: Any) -> Lowered:
        """Lower it.

        Args:
          *args: structures of tensors or of specs.

        Returns:
          The loop, with the constants as they are now.
        """
        specs = tf.nest.map_structure(lambda x: tf.TensorSpec(x.shape, x.dtype), args)
        constants = tuple(captured_values(self._function.trace(*specs).concrete))
        types = _key(tf.nest.flatten(specs))
        if types not in self._modules:
            module = _module(self._function, specs)
            digest = self._digest()
            whole = module if digest is None else _full_digest(digest, specs).encode()
            self._modules[types] = module, hashlib.sha256(whole).hexdigest()
        return Lowered(*self._modules[types], constants)


def _module(function: TracedFunction, specs: tuple[Any, ...]) -> bytes:
    """A loop as StableHLO.

    It is bytes, but for a loop that XLA could not read in them: one that captures variables, or has
    operations that are not in StableHLO.
    """
    traced = function.trace(*specs).concrete
    operations = all_operations(traced.graph.get_operations())
    if traced.captured_inputs or any(map(stablehlo.has_no_form, operations)):
        return stablehlo.readable(function.compiler_ir("stablehlo", *specs)).encode()
    module: Any = function.compiler_ir("stablehlo_serialized", *specs)
    return bytes(module)


def _full_digest(digest: str, args: tuple[Any, ...]) -> str:
    """A digest of a loop with the types of its arguments."""
    types = repr(tf.nest.map_structure(_told, args))
    return hashlib.sha256(f"{digest} {types}".encode()).hexdigest()


def _to_store(loop: Loop, args: tuple[Any, ...]) -> bytes | None:
    """The loop as serialized StableHLO; None where it has no such form, or where that is not all.

    What it captures would be another process's, and a warning would not be heard there.
    """
    function, warned = TracedFunction(loop, jit=True), Session.warnings
    specs = tf.nest.map_structure(lambda x: tf.TensorSpec(x.shape, x.dtype), args)
    if function.trace(*specs).concrete.captured_inputs or Session.warnings > warned:
        return None
    try:
        return _module(function, specs)
    except (
        tf.errors.OpError,
        ValueError,
        VectorizationError,
    ):  # the call will say what XLA does not compile
        return None


def _key(leaves: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(type_key, leaves))


def _told(leaf: Any) -> str:
    """What a loop depends on, of an argument."""
    kind = "variable " if isinstance(leaf, Variable) else ""
    return f"{kind}{tf.as_dtype(leaf.dtype).name}{tuple(leaf.shape)}"
