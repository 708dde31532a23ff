"""What the objects are called that a program makes: by where it makes them.

Where an operation makes an object, that is the last one from there, and the variables that have an
earlier one have an *older* one. So what is called by the same place is the same object. What a call
gives is called by the place of the call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pcbatch.infer.domain import Value
from pcbatch.infer.list_values import Path
from pcbatch.infer.parts import objects_in, origins_of, with_objects
from pcbatch.semantics.lists.fresh import (
    NOWHERE,
    Older,
    Origin,
    Origins,
    Site,
    Version,
    identity,
    is_parameter,
    latest,
)

Naming = Callable[[Path], Site]
"""The name of what an operation makes, by where it is in the result."""


def older(origins: Origins, sites: Origins) -> Origins:
    """What objects are called when new ones are made at some sites."""
    if not origins & sites:
        return origins
    return frozenset(Older(x) if isinstance(x, Site) and x in sites else x for x in origins)


def with_older(value: Value, sites: Origins) -> Value:
    """A value, when new objects are made where some of its objects were made."""
    return with_objects(value, lambda _, part: older(origins_of(part), sites))


def fresh(value: Value, naming: Naming) -> Value:
    """A value all of whose objects are new ones."""
    return with_objects(value, lambda path, _: frozenset({naming(path)}))


def made_by_call(
    value: Value, lent: Mapping[Site, Origins], given: Origins, naming: Naming
) -> dict[Path, Origins]:
    """The names of the objects that a call makes, by where they are in what it gives.

    Args:
      value: what it gives, with the function's names.
      lent: what the caller calls the objects that the function changes for it.
      given: what the other objects are called that it hands over.
      naming: gives the names.
    """
    made = {
        path: frozenset(x for x in identity(origins_of(part)) if x not in lent and x not in given)
        for path, part in objects_in(value)
        if not _may_be_empty(part)
    }
    return {path: _name(path, made, naming) for path in made}


def _name(path: Path, made: Mapping[Path, Origins], naming: Naming) -> Origins:
    """The name of an object: one of its own where it is known to be one."""
    own = made[path]
    alike = [other for other, origins in made.items() if own & origins]
    exact = len(own) == 1 and all(made[other] == own for other in alike)
    if not own:
        return NOWHERE
    if len(alike) == 1 or (exact and all(isinstance(x, Site) for x in own)):
        return frozenset({naming(alike[0])})
    return frozenset({Older(naming(()))})


def given_back(
    value: Value,
    lent: Mapping[Site, Origins],
    made: Mapping[Path, Origins],
    given: tuple[Origins, Origins],
    naming: Naming,
) -> tuple[Value, set[tuple[Origin, Origin]]]:
    """What a call gives, with the caller's names of the objects in it.

    Args:
      value, lent, naming: as for `made_by_call`.
      made: what that gives.
      given: what the other objects are called that it hands over; and which of them the call may
        have made anew.

    Returns:
      That, and what it has made: the last change of an object in the function, and the object's
      name here.
    """
    renamed: set[tuple[Origin, Origin]] = set()
    fresh_sites = NOWHERE.union(*made.values())

    def name(path: Path, part: Value) -> Origins:
        old = origins_of(part)
        own = NOWHERE.union(*(new for site, new in lent.items() if site in old))
        others = frozenset(x for x in identity(old) if x not in lent)
        changed = frozenset(map(Version, _sites(latest(old)))) if others else NOWHERE
        if path not in made:  # a dict that may be one of the member is called what it was
            return own | others | frozenset(map(Older, _sites(others))) | changed
        kept = others & given[0]
        if not own and not kept:
            renamed.update((v, s) for v in _sites(latest(old)) for s in latest(made[path]))
            return made[path]
        may_be_new = {Older(naming(()))} if kept & given[1] else NOWHERE
        return older(own | kept, fresh_sites) | may_be_new | made[path] | changed

    return with_objects(value, name), renamed


def _sites(origins: Origins) -> list[Site]:
    return [x for x in origins if isinstance(x, Site) and not is_parameter(x)]


def _may_be_empty(part: Value) -> bool:
    return not getattr(part.tree, "keys", ())
