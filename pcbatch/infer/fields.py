"""Changes of dicts whose keys are texts, and of objects: each value is a variable of its own.

Behind `state["x"] = 1` or `state.x = 1` the variable has another dict, or another object. That is
Python's meaning where nothing else has it: no other variable, no container, no caller.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Iterable
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.array_steps import nodes
from pcbatch.infer.changing import NONE, ListChanges, shown
from pcbatch.infer.domain import Shared, Static, Tensor, Value
from pcbatch.infer.keyed import are_named_alike
from pcbatch.infer.kinds import is_held, is_list, is_record, kind_of, number_keys
from pcbatch.infer.list_values import opened
from pcbatch.infer.maybe_none import is_text
from pcbatch.infer.parts import latest_in, origins_of, with_origins
from pcbatch.infer.refusals import of_misuse
from pcbatch.infer.replacing import Replaces
from pcbatch.semantics import pytree
from pcbatch.semantics.chosen_texts import ChosenText, is_coded
from pcbatch.semantics.lists import ArrayPart, tables
from pcbatch.semantics.lists.fresh import NOWHERE, Origins, latest
from pcbatch.semantics.none_or_value import MaybeNone, is_maybe, used
from pcbatch.semantics.plain_classes import is_declared
from pcbatch.semantics.sharing import is_array
from pcbatch.semantics.static_values import AttributeName
from pcbatch.semantics.texts import Text

CHANGED = "%changed"
"""The variable with an object behind a change, where several have it."""
METHODS = (
    "__setitem__", "__delitem__", "pop", "popitem", "setdefault", "update", "subtract", "clear",
    "move_to_end",
)  # fmt: skip
"""The changes of a dict that are known."""


@dataclasses.dataclass(frozen=True)
class ChangedDict:
    """A primitive's function that changes a copy of a dict.

    It gives what the method gives, and the dict.

    Attributes:
      method: its name.
      keywords: the names of the last arguments.
    """

    method: str
    keywords: tuple[str, ...] = ()

    def __call__(self, owner: Any, *values: Any) -> tuple[Any, dict[Any, Any]]:
        new = copy.copy(owner if isinstance(owner, dict) else owner.__self__)
        if self.method == "__setitem__" and isinstance(values[0], (ChosenText, Text)):
            return None, tables.assigned(new, *values)
        first = len(values) - len(self.keywords)
        named = dict(zip(self.keywords, values[first:], strict=True))
        return getattr(new, self.method)(*values[:first], **named), new


@dataclasses.dataclass(frozen=True)
class ChangedObject:
    """A primitive's function that gives None, and an object with another value of an attribute."""

    attribute: str

    def __call__(self, owner: Any, _: Any, value: Any) -> tuple[None, Any]:
        if pytree.is_made(owner):
            return None, pytree.with_attribute(owner, self.attribute, value)
        return None, pytree.with_part(owner, self.attribute, lambda _: value)


class FieldChanges(Replaces, ListChanges):
    """What a block assigns to values of such dicts and objects."""

    def is_by_names(self, owner: Value, arguments: Iterable[str], span: Span) -> bool:
        """Whether a dict has keys that are no numbers, or is given one.

        Args:
          owner: the dict.
          arguments: of its change: the first has the key, or another dict.
          span: where it stands.
        """
        if kind_of(owner) != "dict" or is_held(owner.tree):
            return False
        given = [self.read(name, span) for name in arguments][:1]
        others = [x for x in given if kind_of(x) == "dict" and not is_held(x.tree)]
        texts = any(isinstance(x.leaf, Static) and isinstance(x.leaf.value, str) for x in given)
        return texts or not all(map(number_keys, (owner, *others)))

    def store_by_names(self, op: ir.Store, owner: Value) -> bool | None:
        """Assign a value of such a dict, or an attribute; None where it is another assignment."""
        args = (op.buffer, op.index, op.value)
        key = self.read(op.index, op.span).leaf
        if isinstance(key, Static) and isinstance(key.value, AttributeName):
            name = str(key.value)
            if is_maybe(owner.tree):
                raise ProgramError(of_misuse(op.span, used(), ()))
            if not is_record(owner.tree) or not _takes(owner.tree, name):
                raise ProgramError(report.AttributeOfObject(op.span, name))
            what = _attribute(name, op.buffer)
            return self._change((NONE, what), ChangedObject(name), owner, args, op.span)
        if not self.is_by_names(owner, [op.index], op.span):
            return None
        self._check_key(args[1], op.span, _dict(op.buffer))
        if not op.augmented:
            self._keep_for_keys(self.read(op.index, op.span), owner)
        changed = ChangedDict("__setitem__")
        return self._change((NONE, _dict(op.buffer)), changed, owner, args, op.span)

    def _keep_for_keys(self, key: Value, owner: Value) -> None:
        """Keep a dict as the member's own, where a text that depends on the member may be new.

        Raises:
          Replan: it has not been kept so until now.
        """
        where = self.engine.lists.of(owner)
        if is_text(key.tree) and where and are_named_alike(opened(owner)):
            self.engine.lists.write(where, grows=True)

    def change_names(self, op: ir.Call, method: str, owner: Value) -> bool | None:
        """Run a method of such a dict; None where it is another kind of value."""
        named = tuple(k for k in op.keywords if k)
        if kind_of(owner) != "dict" or not (named or self.is_by_names(owner, op.args, op.span)):
            return None
        name = method.rpartition(".")[2].removeprefix("counter_").removeprefix("ordered_")
        if name not in METHODS or "*" in named or "**" in named:
            raise ProgramError(report.NamedKeys(op.span, "a dict"))
        if op.args and name not in ("update", "subtract"):
            self._keep_for_keys(self.read(op.args[0], op.span), owner)
            self._check_key(op.args[0], op.span, "a dict")
        args, changed = (op.callee, *op.args), ChangedDict(name, named)
        return self._change((op.targets[0], "a dict"), changed, owner, args, op.span)

    def _check_key(self, key: str, span: Span, what: str) -> None:
        """Refuse a key that depends on the member."""
        value = self.read(key, span)
        if not is_text(value.tree) and not all(isinstance(leaf, Static) for leaf in value.leaves):
            raise ProgramError(report.NamedKeys(span, what))

    def _change(
        self,
        result: tuple[str, str],
        changed: ChangedDict | ChangedObject,
        owner: Value,
        args: tuple[str, ...],
        span: Span,
    ) -> bool:
        """Change what one variable alone has: it has another dict or object behind the change.

        Args:
          result: the variable that takes what the change gives, and what to call what is changed.
          changed: the change.
          owner: the dict or the object.
          args: it, or its method, and the arguments.
          span: where it stands.

        Returns:
          Whether what follows is reached.

        Raises:
          ProgramError: something else may have it.
        """
        (target, what), where = result, self.engine.lists.of(owner)
        if not where:
            raise ProgramError(self._not_made(changed, args[0], owner, what, span))
        places = self.places_of(where, (target,))
        self.check_known(where, places, args[:1], what, span)
        self.note_changed(origins_of(owner), what, span)
        alone = len(places) == 1 and not places[0][1]
        name = places[0][0] if alone else CHANGED
        op = ir.Primitive((target, name), changed, args, f"{name} with {changed}", span)
        if not self._primitive(op, changed, args):
            return False
        behind = with_origins(self.read(name, span), self.changed_origins(where))
        self.assign(name, behind, span)
        if not alone:
            new = self.operand(name, span)
            self.replace(where, places, new, nodes(name, new.value), span)
        return True

    def note_changed(self, old: Origins, what: str, span: Span) -> None:
        """Take note of a change of an object.

        Args:
          old: where it is made, and how it was changed before.
          what: it is.
          span: of the change.

        Raises:
          ProgramError: it is copied somewhere where the change is not seen.
        """
        self.engine.lists.named.assigned |= latest(old)
        self.check_copies(what, span)

    @staticmethod
    def _not_made(
        changed: ChangedDict | ChangedObject, name: str, owner: Value, what: str, span: Span
    ) -> Any:
        """What to say where it is not known where the program has made what it changes."""
        if isinstance(owner.tree, pytree.Node) and owner.tree.meta == pytree.MADE:
            return report.SharedObject(span, what, "what it has been taken from")
        if isinstance(changed, ChangedObject):
            return report.AttributeOfObject(span, changed.attribute)
        return report.StoreIntoDict(span, shown(name))

    def note_array(self, name: str, owner: Value, element: Value, span: Span) -> None:
        """Take note of an array in a list of the member that an operator changes in place."""
        if is_list(owner.tree) and has_axes(element):
            self.engine.lists.arrays.assigned |= self.engine.lists.of(owner)
            self._check_arrays(name, span)

    def note_put(self, target: Value, names: tuple[str, ...], span: Span) -> None:
        """Take note of arrays in a list of the member that variables mean, too."""
        kept = self.kept(())
        if any(name in kept and has_axes(kept[name]) for name in names):
            self.engine.lists.arrays.copied |= self.engine.lists.of(target)
            self._check_arrays("%", span)

    def note_twice(self, results: Iterable[Value], span: Span) -> None:
        """Take note of lists that have one array twice."""
        for value in results:
            self.engine.lists.arrays.copied |= self.engine.lists.of(value)
        self._check_arrays("%", span)

    def _check_arrays(self, name: str, span: Span) -> None:
        if self.engine.lists.arrays.has_copies():
            raise ProgramError(report.ArrayInList(span, shown(name)))

    def note_copies(self, values: Iterable[Value], span: Span) -> None:
        """Take note of values that are copied into the storage of a list of the member.

        Raises:
          ProgramError: something is assigned to a value of one, which the copy does not see.
        """
        self.note_hidden(NOWHERE.union(*map(latest_in, values)), span)

    def note_hidden(self, where: Origins, span: Span) -> None:
        """Take note of what is put where no change of it is seen."""
        self.engine.lists.named.copied |= where
        self.check_copies("a dict or an object", span)


def has_axes(value: Value) -> bool:
    """Whether a value is an array of NumPy's, or a tensor with axes."""
    leaf = value.leaf
    if isinstance(value.tree, pytree.Node) and value.tree.type is ArrayPart:
        return True
    if isinstance(leaf, Static):
        return is_array(leaf.value)
    return isinstance(leaf, (Tensor, Shared)) and bool(leaf.type.shape)


def stores_named(value: Value) -> bool:
    """Whether a list of the member in a value holds dicts or objects whose values may change."""
    lists = (node for node in pytree.nodes(value.tree) if is_list(node) or is_held(node))
    inner = (part for node in lists for part in pytree.nodes(node))
    return any(issubclass(part.type, dict) or _is_users_record(part) for part in inner)


def _is_users_record(tree: pytree.Node) -> bool:
    is_text = is_coded(tree) or issubclass(tree.type, (ChosenText, Text, MaybeNone))
    return is_record(tree) and not is_text


def _takes(tree: pytree.Tree, name: str) -> bool:
    """Whether an attribute may be assigned; an object of a plain class may get a new one."""
    if not isinstance(tree, pytree.Node):
        return False
    if tree.meta != pytree.MADE:
        return name in tree.keys
    if not is_declared(tree.type, name):
        return False
    return not hasattr(inspect.getattr_static(tree.type, name, None), "__set__")


def _attribute(name: str, variable: str) -> str:
    return f"the attribute `{name}`" + ("" if variable.startswith("%") else f" of `{variable}`")


def _dict(variable: str) -> str:
    return "a dict" if variable.startswith("%") else f"the dict `{variable}`"
