"""Generators that variables have, `g = lcg(7)`: objects on the heap of the member, see `prelude`.

Each generator function has a class. An object has what the statements of the generator need when
they go on: where they stand, and their variables.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from typing import Any, NoReturn

from pcbatch.semantics import pytree
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.iterators import Iterator, refuse
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.references import is_reference, reference_kind
from pcbatch.semantics.rounds import OnlyInProgram
from pcbatch.semantics.static_values import MemberSequence
from pcbatch.semantics.texts import Text

GENERATOR = "__pcbatch_generator__"
"""The attribute of a function of the program that has the generator function it goes on with."""
PARAMETER = "__generator__"
"""The one parameter of that function."""
STATE, ELEMENT = "state_", "element_"
"""The attributes of a generator beside its variables, see `Generated`."""
OVER = -1
"""The state of a generator that is over."""
TAKEN = "__pcbatch_taken__"
"""The attribute of such a function that is nested in another one: what it takes from around it."""
OUTER = "__pcbatch_outer__"
"""And the function around it."""


class Generated(Iterator):
    """A generator of which some elements have been taken.

    Attributes:
      state_: behind which `yield` the statements go on; 0 at the beginning, `OVER` at the end.
      element_: the element that they have given last.
    """

    state_: Any
    element_: Any

    def has_next(self) -> Any:
        """Whether there is a next element, up to which the statements go on."""
        return self.resume()

    def has_several(self, number: Any) -> NoReturn:
        refuse()

    def taken(self) -> Any:
        """The next element, which has been asked for."""
        return self.element_

    def resume(__generator__) -> Any:
        """Let the statements go on to the next `yield`; whether there is one."""
        raise __generator__.only_in_program()

    def only_in_program(self) -> OnlyInProgram:
        """What is raised where a primitive would have a generator go on."""
        return OnlyInProgram("a generator goes on")


def own(name: str) -> str:
    """The attribute that has a variable of a generator's statements."""
    if name.startswith("__"):  # those of a class
        return f"its{name}"
    return f"{name}_" if hasattr(Generated, name) or name.endswith("_") else name


def generated(function: Any, *given: Any) -> Any:
    """A generator at its beginning.

    Args:
      function: the generator function.
      given: its arguments, in the order of its parameters.

    Raises:
      Unsupported: it is no such function of the user's.
    """
    generator = function
    if not isinstance(generator, types.FunctionType) or not inspect.isgeneratorfunction(generator):
        raise Unsupported(
            "a generator is kept of which the function is not known",
            "its statements are a part of the program.",
            "take all elements first: xs = list(values(n))",
        )
    made: Any = object.__new__(_kind(generator, tuple(map(_sort, given))))
    if TAKEN not in vars(generator):
        given += tuple(cell.cell_contents for cell in generator.__closure__ or ())
    vars(made).update(zip(map(own, variables(generator)), given, strict=True))
    vars(made)[STATE] = 0
    return pytree.as_made(made)


def variables(generator: types.FunctionType) -> tuple[str, ...]:
    """What a generator has at its beginning: its parameters, and what it takes from around it."""
    taken = vars(generator).get(TAKEN, generator.__code__.co_freevars)
    return (*inspect.signature(generator).parameters, *taken)


def nested(
    outer: types.FunctionType, name: str, line: int, taken: tuple[str, ...]
) -> types.FunctionType | None:
    """A generator function that is defined in another function, without what is around it.

    Args:
      outer: the function around it.
      name: of it.
      line: in which its `def` stands.
      taken: what it takes from around it.
    """
    waiting = [outer.__code__]
    while waiting:
        code = waiting.pop()
        if code.co_name == name and code.co_firstlineno == line:
            key = code, code.co_filename, taken, id(outer.__globals__)
            return _FUNCTIONS.setdefault(key, _bare(code, outer, taken))
        waiting += [x for x in code.co_consts if isinstance(x, types.CodeType)]
    return None


def makes(owner: Any, name: str) -> bool:
    """Whether a method of an object is a generator function."""
    return inspect.isgeneratorfunction(method_of(owner, name))


def generated_by(owner: Any, name: str, *given: Any) -> Any:
    """The same of a method."""
    return generated(method_of(owner, name), owner, *given)


def _bare(
    code: types.CodeType, outer: types.FunctionType, taken: tuple[str, ...]
) -> types.FunctionType:
    cells = tuple(types.CellType() for _ in code.co_freevars)
    made = types.FunctionType(code, outer.__globals__, code.co_name, None, cells)
    made.__qualname__ = code.co_qualname
    made.__dict__.update({TAKEN: taken, OUTER: outer})
    return made


_FUNCTIONS: dict[Any, types.FunctionType] = {}
"""Those of `nested`: code is compiled anew when a function is lowered again."""


def _sort(value: Any) -> Any:
    """What sort of thing a generator is given: those of one class have it in one list."""
    value = value.value if isinstance(value, MaybeNone) else value
    if is_reference(value):
        return reference_kind(value)
    if isinstance(value, str | ChosenText | Text):
        return str
    if isinstance(value, list):
        return list, _sort(value[0]) if value else None
    return type(value) if isinstance(value, MemberSequence) else None


@functools.lru_cache(maxsize=1024)
def _kind(generator: types.FunctionType, _: tuple[Any, ...]) -> type[Generated]:
    """The class of the generators that a function makes of arguments of some sorts."""
    of, like = Generated.resume.__code__, generator.__code__
    code = of.replace(
        co_filename=like.co_filename, co_firstlineno=like.co_firstlineno,
        co_name=f"{like.co_name}~on", co_qualname=like.co_qualname,
    )  # fmt: skip
    resume = types.FunctionType(code, generator.__globals__, generator.__name__)
    resume.__dict__[GENERATOR] = generator
    names = {
        "__module__": generator.__module__, "__qualname__": generator.__qualname__,
        "resume": resume,
    }  # fmt: skip
    return types.new_class(generator.__name__, (Generated,), {}, lambda own: own.update(names))


def cycled(elements: Any) -> Any:
    """What `itertools.cycle` gives, which saves the elements."""
    saved = []
    for element in elements:
        saved.append(element)
        yield element
    while saved:
        for element in saved:
            yield element


def counted(start: Any, step: Any) -> Any:
    """What `itertools.count` gives."""
    while True:
        yield start
        start += step


def method_of(value: Any, name: str) -> Any:
    """A method of an object's class, as it is written there; None where it has none."""
    kind = reference_kind(value) if is_reference(value) else type(value)
    return inspect.getattr_static(kind, name, None)


def going(it: Any) -> NoReturn:
    """Stands for what goes on with an iterator, where no loop does."""
    refuse()


def program_methods() -> list[types.CodeType]:
    """The code of what is a function of the program, beside what goes on with a generator."""
    return [Generated.has_next.__code__, Generated.taken.__code__]


@dataclasses.dataclass(frozen=True)
class Own:
    """A primitive's function: a variable of a generator's statements, or another attribute."""

    attribute: str

    def __call__(self, generator: Any) -> tuple[Any]:
        return (getattr(generator, self.attribute),)


@dataclasses.dataclass(frozen=True)
class Stands:
    """A primitive's function: whether a generator has a state."""

    state: int

    def __call__(self, state: Any) -> tuple[Any]:
        return (state == self.state,)
