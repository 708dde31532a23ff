"""What `@pcbatch.autobatch` makes of a function: the one place that joins the layers."""

from __future__ import annotations

import copy
import functools
import inspect
import threading
from collections.abc import Iterable
from types import FunctionType
from typing import Any

import tensorflow as tf

from pcbatch.api.in_graph import check_options, check_specialization
from pcbatch.api.lowered import Lowered
from pcbatch.api.tracebacks import short
from pcbatch.backend.clean_thread import in_clean_thread
from pcbatch.errors import ProgramError
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Callee
from pcbatch.infer.evaluate import PRIMITIVE
from pcbatch.infer.from_source import frontend_for
from pcbatch.runtime.arguments import ArgumentOptions, Arguments, of_example, read, static_names
from pcbatch.runtime.cluster.engine import Workers, workers
from pcbatch.runtime.guards import marked
from pcbatch.runtime.known_calls import KnownCalls
from pcbatch.runtime.list_room import roomier
from pcbatch.runtime.options import RunOptions, shown, taken_from
from pcbatch.runtime.result import Result
from pcbatch.runtime.specialization import Specialization
from pcbatch.runtime.strategies import run_strategy
from pcbatch.runtime.text_arguments import TextArguments
from pcbatch.semantics import methods, pickling
from pcbatch.semantics.caches import uncached
from pcbatch.semantics.faults import Checks
from pcbatch.semantics.limits import room_of_texts
from pcbatch.semantics.lists import CAPACITY
from pcbatch.semantics.numbers.widths import using
from pcbatch.semantics.plain_runs import in_plain_run, plain_run
from pcbatch.semantics.programs import program_of
from pcbatch.semantics.rounds import NeedsRounds, trying
from pcbatch.semantics.static_values import Method

INHERIT = "inherit"
MOST_OPTIONS = 256
"""So many different options of calls are kept, with those of the decorator."""


class Autobatched(pickling.Wrapper, Method):
    """A function of one example that runs over batches; made by `pcbatch.autobatch`."""

    __name__: str
    __qualname__: str

    def __init__(
        self,
        function: FunctionType,
        options: ArgumentOptions,
        defaults: RunOptions,
        bound: tuple[Any, ...] = (),
        unbound: Autobatched | None = None,
    ):
        functools.update_wrapper(self, function)
        self._function, self._options, self._defaults = function, options, defaults
        self._bound = bound
        self.owner = bound[0] if bound else None
        self.unbound = unbound or self
        self._specializations: list[tuple[Any, Specialization]] = []
        self._texts = TextArguments()
        self._lock = threading.RLock()
        self._variants: list[Autobatched] = []
        self.transformed: dict[Any, Autobatched] = {}
        self._overridden: dict[Any, RunOptions] = {}
        self._known_calls = KnownCalls()
        if unbound is None and not bound:
            pickling.note(self, function, Autobatched, (options, defaults))

    @functools.cached_property
    def _callee(self) -> Callee:
        function = pickling.settle(self._function)
        return Callee(function, self._bound, self._options.static_argnames)

    @functools.cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self._callee.function)

    # --- Calling ---------------------------------------------------------------------------

    @short
    @tf.autograph.experimental.do_not_convert
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the batch; the value alone.

        Inside a `tf.function` nothing can be raised while it runs: there a failed member's floats
        are NaN, and an assertion fails where the graph is not compiled by XLA (which drops
        assertions). Use `.run` for the status.

        Raises:
          MemberError: some member failed, or ran out of steps or stack.
        """
        span = PRIMITIVE.get()
        if span is not None and trying():
            raise NeedsRounds
        if span is not None:
            raise ProgramError(report.CallInsidePrimitive(span, self.__name__))
        if in_plain_run():
            return self.single(*args, **kwargs)
        result = self._run(args, kwargs, self._defaults)
        return marked(result) if tf.inside_function() else result.check().value

    @tf.autograph.experimental.do_not_convert
    def single(self, *args: Any, **kwargs: Any) -> Any:
        """Run the plain Python function on one example: the ground truth."""
        if in_plain_run():
            return self._function(*self._bound, *args, **kwargs)
        with plain_run(), using(of_example((args, kwargs))):
            return self._function(*self._bound, *args, **kwargs)

    @shown()
    @short
    @tf.autograph.experimental.do_not_convert
    def run(
        self,
        *args: Any,
        in_axes: Any = INHERIT,
        static_argnames: str | Iterable[str] | None = None,
        throw: bool = False,
        executor: Any = None,
        parts: int | None = None,
        retries: int | None = None,
        task_timeout: float | None = None,
        **kwargs: Any,
    ) -> Result:
        """Run the batch; the value with every member's status and the run's counts.

        Args:
          *args, **kwargs: the function's arguments; and options of `autobatch`, which override the
            decorator's.
          in_axes, static_argnames: override the decorator's, too.
          throw: raise if a member failed.
          executor: run on its workers, in other processes or on other machines (docs/cluster.md):
            anything with the `submit` of `concurrent.futures.Executor`, or a function without
            arguments that makes such a thing. Only `submit` is used.
          parts: cut the batch into so many parts for the workers; None: 16, or fewer for a small
            batch.
          retries: how often in a row a part whose worker was lost is given to another one; None:
            3. Then its members have the status LOST.
          task_timeout: so many seconds late a task counts as lost, as its worker may hang; None: it
            is waited for. Starting a worker and compiling must take less.

        Returns:
          A `Result`. Ctrl-C stops the run within about a second: members that had not returned
          then have the status CANCELLED. In a host call it raises there, and then stops the run.

        Raises:
          ArgumentError: the arguments do not fit together.
          ProgramError: the program cannot be batched as written.
          CheckpointError: the checkpoint to go on from is missing, damaged or of another run.
          MemberError: `throw` is set and a member failed.
          Interrupted: `throw` is set, and Ctrl-C stopped the run; it has the `Result`.
        """
        options, kwargs = taken_from(kwargs)
        where = workers(executor, parts, retries, task_timeout)
        reading = self._reading(in_axes, static_argnames)
        result = reading._run(args, kwargs, self.options(**options), where)
        return result.check() if throw else result

    def _reading(self, in_axes: Any, static_argnames: str | Iterable[str] | None) -> Autobatched:
        """The same function with its arguments read in another way."""
        if in_axes is INHERIT and static_argnames is None:
            return self
        axes = self._options.in_axes if in_axes is INHERIT else in_axes
        names = self._options.static_argnames if static_argnames is None else static_argnames
        names = static_names(self._function, names)
        if (axes, names) == (self._options.in_axes, self._options.static_argnames):
            return self
        with self._lock:
            for other in self._variants:
                if (other._options.in_axes, other._options.static_argnames) == (axes, names):
                    return other
            made = self._like(ArgumentOptions(axes, names))
            self._variants.append(made)
            return made

    def _like(self, options: ArgumentOptions) -> Autobatched:
        return Autobatched(self._function, options, self._defaults, self._bound)

    def _run(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        options: RunOptions,
        where: Workers | None = None,
    ) -> Result:
        by_position = where is None and not kwargs
        if by_position and (result := self._known_calls.run(args, options)) is not None:
            return result
        arguments = self.read(*args, **kwargs)
        if tf.inside_function():
            check_options(self.__name__, options)
        specialization, arguments = self.specialized(
            arguments, options.checks, options.list_capacity
        )
        if tf.inside_function():
            check_specialization(self.__name__, options, specialization)
        result = run_strategy(specialization, arguments, options, where)
        while room := roomier(specialization, result, options):
            specialization, arguments = self.specialized(arguments, options.checks, room)
            result = run_strategy(specialization, arguments, options, where)
        if by_position:
            self._known_calls.learn(args, options, arguments, specialization)
        return result

    # --- Specializing ----------------------------------------------------------------------

    def specialized(
        self,
        arguments: Arguments,
        checks: Checks | None = None,
        capacity: int | None = None,
    ) -> tuple[Specialization, Arguments]:
        """The specialization for these arguments, and they as it takes them.

        Args:
          arguments, checks, capacity: as of `specialize`.
        """
        room = room_of_texts(capacity or self._defaults.list_capacity or CAPACITY)
        return self._texts.specialized(
            arguments, lambda given: self.specialize(given, checks, capacity), room
        )

    def specialize(
        self,
        arguments: Arguments,
        checks: Checks | None = None,
        capacity: int | None = None,
    ) -> Specialization:
        """The specialization for these arguments; made once per signature.

        Args:
          arguments: of a call.
          checks: which exceptions stop a member; None: as the decorator says.
          capacity: the least number of elements that lists that grow have room for; None: that of
            the decorator.
        """
        checks = self._defaults.checks if checks is None else checks
        signature = (arguments.signature(), checks)
        room = capacity or self._defaults.list_capacity
        with self._lock:
            for known, specialization in reversed(self._specializations):
                enough = specialization.list_capacity >= (room or 0) or not specialization.grows
                if enough and known == signature and specialization.still_valid():
                    return specialization
            source = frontend_for(callee_of)

            def make() -> Specialization:
                return Specialization(self._callee, arguments, source, checks, room or CAPACITY)

            made = in_clean_thread(make) if tf.inside_function() else make()
            self._specializations.append((signature, made))
            return made

    @short
    def lower(self, *specs: Any, **kwargs: Any) -> Lowered:
        """Lower for arguments of these types, without running.

        Args:
          *specs, **kwargs: arguments, or `tf.TensorSpec`s with the batch on axis 0.

        Returns:
          A `Lowered`: `.as_text()` prints every stage, `.compile()` compiles.
        """
        arguments = self.read(*specs, **kwargs)
        specialization, arguments = self.specialized(arguments)
        return Lowered(specialization, arguments, self._defaults, self.read)

    def read(self, *args: Any, **kwargs: Any) -> Arguments:
        """Take the arguments of a call apart."""
        return read(self._function, self._signature, self._bound, self._options, args, kwargs)

    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, without that of a method's object."""
        return tuple(inspect.signature(self._function).parameters)[len(self._bound) :]

    def options(self, **given: Any) -> RunOptions:
        """The decorator's options, those replaced that are not None."""
        # With the type, as 1, 1.0 and True are equal, and not all of them are numbers of shards.
        key = tuple((n, type(value), value) for n, value in given.items() if value is not None)
        try:
            known = self._overridden.get(key)
        except TypeError:  # a value that no option has
            return self._defaults.override(**given)
        if known is None:
            known = self._defaults.override(**given)
            if len(self._overridden) < MOST_OPTIONS:
                self._overridden[key] = known
        return known

    # --- Methods ---------------------------------------------------------------------------

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A method bound to its object, which is static."""
        if instance is None:
            return self
        return methods.bound(self, instance)

    def bind(self, owner: Any) -> Autobatched:
        """The method of an object; `__get__` keeps it with the object."""
        return Autobatched(self._function, self._options, self._defaults, (owner,), self)

    # --- Copies ----------------------------------------------------------------------------

    def __reduce_ex__(self, protocol: Any) -> str | tuple[Any, ...]:
        """Pickle a function by its name, a method as its object's."""
        if self._bound:
            return methods.bound, (self.unbound, self.owner)
        return pickling.reduce(self, Autobatched, (self._options, self._defaults), protocol)

    def __deepcopy__(self, memo: Any) -> Any:
        """The function itself; of a method, that of a copy of its object."""
        if not self._bound:
            return self
        return methods.bound(self.unbound, copy.deepcopy(self.owner, memo))

    def __repr__(self) -> str:
        return f"<autobatched {self.__qualname__}>"


def callee_of(value: Any) -> Callee | None:
    """The function behind an autobatched object, or of the library; None for anything else."""
    value = uncached(value)
    if program := program_of(value):
        return Callee(program)
    return value._callee if isinstance(value, Autobatched) else None
