"""Gradients of functions of the program."""

from __future__ import annotations

import dataclasses

from pcbatch.errors import Diagnostic


@dataclasses.dataclass(frozen=True)
class NoFloatingScalar(Diagnostic):
    title = "the gradient of `{name}` is that of a number, and `{name}` gives none"
    reason = "it returns {value}, and a gradient is that of one floating number."
    remedy = (
        "return a float, e.g. tf.reduce_sum(...) of an array. With has_aux=True return a pair: "
        "the float, and what else there is."
    )
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class NoneHasNoGradient(Diagnostic):
    title = "`{name}` returns None for some members, and its derivative is asked for"
    reason = "it returns {value}, and None has no derivative."
    remedy = (
        "return a number for the others, too: return 0.0  # instead of return None\n"
        'or stop them: raise ValueError("there is none")'
    )
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class NoneIsFixed(Diagnostic):
    title = "the derivative with regard to `{name}` is asked for, which is None for some members"
    reason = "it is {value}, and None has no derivative."
    remedy = (
        "hand over the numbers, and beside them which members have one:\n"
        "f(x, o.value, o.has_value)  # instead of f(x, o)\n"
        "if not has_value:  # instead of if o is None:"
    )
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class NoAux(Diagnostic):
    title = "`{name}` does not return a pair"
    reason = "with has_aux=True it returns its value and something beside; here it is {value}."
    remedy = "write `return value, something`, or leave has_aux out."
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class AuxOfLists(Diagnostic):
    title = "`{name}` returns a list or a buffer beside its value"
    reason = "it returns {value}, and what is handed on beside a gradient is numbers and arrays."
    remedy = "return numbers or arrays, e.g. `tf.stack(items)`, or call `{name}` for it once more."
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class GradientChanges(Diagnostic):
    title = "`{name}` changes what it is handed"
    reason = "a function that is differentiated may read `{place}`, and only return new values."
    remedy = (
        "have it change a copy, and return what is needed of it:\n"
        "own = copy.copy({place})  # the first line of `{name}`"
    )
    name: str
    place: str


@dataclasses.dataclass(frozen=True)
class NoFloats(Diagnostic):
    title = "there is no gradient with regard to `{name}`"
    reason = "it is {value}, and only floats have one."
    remedy = "pass a float, e.g. 2.0 for 2, or name another argument in argnums."
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class NoSlopeOfList(Diagnostic):
    title = "there is no gradient with regard to the list `{name}`"
    reason = "it is {value}, which changes while the program runs."
    remedy = "pass an array or a tuple of floats, and make a list of it in the function."
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class NoSuchArgument(Diagnostic):
    title = "`{name}` has no argument {position}"
    reason = "argnums counts from 0, and there are {count}."
    remedy = "name a position below {count}."
    name: str
    position: int
    count: int


@dataclasses.dataclass(frozen=True)
class TangentsDiffer(Diagnostic):
    title = "the tangents do not fit the arguments"
    reason = "the arguments are {primals}, the tangents {tangents}."
    remedy = (
        "give a tangent for each argument, of its structure: pcbatch.jvp(f, (x, n), (dx, None)). "
        "None stands for what does not move, and for integers."
    )
    primals: str
    tangents: str


@dataclasses.dataclass(frozen=True)
class GradientOfItself(Diagnostic):
    title = "`{name}` asks for its own gradient"
    reason = "the gradient of `{name}` would need that of its gradient, and so on without end."
    remedy = "differentiate another function here, one that does not ask for this gradient."
    name: str
