"""What layers above make known to those below them: each sets its own when it is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn


class Meanings:
    """What the module that has lists of members makes known to the layers below it.

    Attributes:
      repeated: what a list or a tuple and a number of the member make.
      sliced: what some elements of a list or a tuple are, where the bounds are the member's.
      inside: what an index of several parts means of an array whose lengths may be the member's.
      of_each: what a function of each element gives of arrays whose lengths may be the member's.
      sized: an array with a shape in which there are numbers of the member, and how it is made.
      arange: `np.arange` with a bound of the member.
      linspace: `np.linspace` with a number of points of the member.
      eye: `np.eye` with a shape of the member.
      indices: `np.indices` of a shape of the member.
      tri: `np.tri` with a shape of the member.
      bincount: `np.bincount`, which has as many elements as the member's numbers say.
      padded: `np.pad` with as many elements around as the member says.
      written: what an array with as many elements as the member has is after an assignment.
      written_at: what an array is with other elements at the places that such an array has.
      placed: where an element of such an array is, counted along all axes.
      selected: the elements of an array that truth values of the member choose.
      selecting: NumPy's functions whose results have as many elements as the member's values say.
      array_of: the array of a list or a tuple in which there are values of the member.
      array: the array of a list or a queue of the member, a part where its length is the member's.
      table: what a key of the member is looked up in, of a dict that is not changed.
      row: one of several lists of known, and different, lengths.
      with_texts: elements with texts among them, which a member may choose from.
      set_of: the set of the elements of several sequences.
      dict_of: the dict of several parts, each a pair or a dict.
      dict_of_pairs: the dict of a list of the member with pairs.
      of_text: an attribute, by its name, of a text that depends on the member.
      builtin: calls one of Python's builtins on arguments among which are lists of the member.
      text: refuses to make a text of a sequence of the member, by a function of some name.
      unknown_of_numpy: refuses to call a function of NumPy with one.
      looked_up: by a class of the prelude, what an index of an object of it is looked up in, given
        the user's text of the index.
      stand_ins: by a class of the prelude, the type that Python has in its place, and what is gone
        over in an object of it.
      contents: by the class of references to sets, or dicts, on the heap, what one is now.
    """

    repeated: Callable[[Sequence[Any], Any], Any]
    sliced: Callable[[Sequence[Any], slice], Any]
    inside: Callable[[Any, Sequence[Any], Sequence[str]], Any]
    of_each: Callable[..., Any]
    sized: Callable[[Sequence[Any], Callable[[list[int]], Any]], Any]
    arange: Callable[..., Any]
    linspace: Callable[..., Any]
    eye: Callable[..., Any]
    indices: Callable[[Sequence[Any], Any, bool], Any]
    tri: Callable[..., Any]
    bincount: Callable[..., Any]
    padded: Callable[..., Any]
    written: Callable[[Any, Any, Any, Sequence[str]], Any]
    written_at: Callable[[Any, Any, Any, str, bool], Any]
    placed: Callable[[Any, Sequence[Any], Sequence[str]], Any]
    selected: Callable[[Any, Any], Any]
    selecting: Mapping[str, Callable[[Any], Any]]
    array_of: Callable[[Sequence[Any]], Any]
    array: Callable[[Any], Any]
    table: Callable[[Mapping[Any, Any], tuple[str, ...], bool], Any]
    row: Callable[[Sequence[list[Any]], Any], Any]
    with_texts: Callable[[list[Any]], Any]
    set_of: Callable[[Iterable[Any]], Any]
    dict_of: Callable[[Iterable[Any]], Any]
    dict_of_pairs: Callable[[Any], Any]
    of_text: Callable[[Any, str], Any]
    builtin: Callable[[Callable[..., Any], Any, Any], Any]
    text: Callable[[str], NoReturn]
    unknown_of_numpy: Callable[[Callable[..., Any]], NoReturn]
    looked_up: ClassVar[dict[type, Callable[[Any, tuple[str, ...]], Any]]] = {}
    stand_ins: ClassVar[dict[type, tuple[type, Callable[[Any], Any]]]] = {}
    contents: ClassVar[dict[type, Callable[[Any], Any]]] = {}


def gone_over(value: Any) -> Any:
    """What is gone over in an object of the prelude; anything else as it is."""
    known = Meanings.stand_ins.get(type(value))
    return value if known is None else known[1](value)


def contents(value: Any) -> Any:
    """The set, or the dict, that an object on the heap stands for; anything else as it is."""
    known = Meanings.contents.get(type(value))
    return value if known is None else known(value)
