"""A fit in a file: what `Fit.save` writes and `nuts.load` reads. Stores share its descriptions."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import BlockUse
from nuts.adaptation.learned import Learned
from nuts.results.axes import NO_NAMES
from nuts.results.draws import Draws, Ending, Repeats, Stats, Timing
from nuts.results.pickles import named_tuple
from nuts.structure import Structure

Arrays = Mapping[str, np.ndarray]


def write(fit: Draws, path: str | os.PathLike[str]) -> None:
    """Write a fit; see `nuts.Fit.save`."""
    leaves: dict[str, Any] = {
        f"draws_{i}": leaf for i, leaf in enumerate(tf.nest.flatten(fit.draws))
    }
    leaves |= {f"stats_{name}": leaf for name, leaf in fit.stats._asdict().items()}
    about = json.dumps({"format": 1, **described(fit)}, default=str)
    leaves |= learned_arrays(fit.learned) | end_arrays(fit.end)
    with open(path, "wb") as file:
        np.savez_compressed(file, about=about, **leaves)


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the fields of a fit from a file.

    Raises:
      OSError: there is no such file.
    """
    with np.load(path, allow_pickle=False) as file:
        about = json.loads(str(file["about"]))
        return {
            "draws": rebuilt(about["structure"], file, "draws"),
            "stats": Stats(*(file[f"stats_{name}"] for name in Stats._fields)),
            **rest(about, file, file),
        }


def described(fit: Draws) -> dict[str, Any]:
    """What a fit says beside its arrays, in JSON's terms."""
    end = fit.end
    return {
        "structure": _numbered(fit.draws),
        "max_tree_depth": fit.max_tree_depth,
        "timing": list(fit.timing),
        "blocks": [list(block) for block in fit.blocks],
        "num_superchains": fit.num_superchains,
        "thin": fit.thin,
        "repeats": list(fit.repeats),
        "end": None if end is None else [_numbered(end.positions), *end[1:]],
        "axes": list(fit.axes),
    }


def rest(about: Mapping[str, Any], learned: Arrays, ends: Arrays) -> dict[str, Any]:
    """The fields of a fit beside its draws and statistics.

    Args:
      about: what `described` gave; files of older versions do not have all of it.
      learned: what `learned_arrays` gave.
      ends: what `end_arrays` gave.
    """
    return {
        "learned": _read_learned(learned),
        "max_tree_depth": about["max_tree_depth"],
        "timing": Timing(*about["timing"]),
        "blocks": tuple(BlockUse(*block) for block in about["blocks"]),
        "num_superchains": about.get("num_superchains"),
        "thin": about.get("thin", 1),
        "repeats": Repeats(*about.get("repeats", ())),
        "end": _read_end(about.get("end"), ends),
        "axes": NO_NAMES.extended(*about.get("axes", ({}, {}))),
    }


def learned_arrays(learned: Learned) -> dict[str, np.ndarray]:
    """What was learned, by the names in files."""
    return {f"learned_{name}": leaf for name, leaf in learned._asdict().items()}


def end_arrays(end: Ending | None) -> dict[str, np.ndarray]:
    """Where chains stand, by the names in files."""
    leaves = [] if end is None else tf.nest.flatten(end.positions)
    return {f"end_{i}": leaf for i, leaf in enumerate(leaves)}


def _read_learned(file: Arrays) -> Learned:
    """What was learned; files of older versions do not have all of it."""
    names = {name: f"learned_{name}" for name in Learned._fields}
    return Learned(**{name: file[key] for name, key in names.items() if key in file})


def _read_end(description: Any, file: Arrays) -> Ending | None:
    if description is None:  # not known, or written by an older version
        return None
    structure, first_draw, next_draw = description
    return Ending(rebuilt(structure, file, "end"), first_draw, next_draw)


def _numbered(structure: Structure) -> Any:
    return _describe(structure, itertools.count())


def _describe(structure: Structure, numbers: Any) -> Any:
    """Describe a structure in JSON; leaves are numbered in `tf.nest` order."""
    if isinstance(structure, dict):
        return {"dict": {key: _describe(structure[key], numbers) for key in sorted(structure)}}
    if hasattr(structure, "_fields"):
        items = {name: _describe(getattr(structure, name), numbers) for name in structure._fields}
        return {"namedtuple": type(structure).__name__, "items": items}
    if isinstance(structure, list | tuple):
        kind = "list" if isinstance(structure, list) else "tuple"
        return {kind: [_describe(item, numbers) for item in structure]}
    return next(numbers)


def rebuilt(description: Any, file: Arrays, name: str) -> Structure:
    """Make the structure that was described; its arrays are called "name_0" and so on."""
    match description:
        case int():
            return file[f"{name}_{description}"]
        case {"dict": items}:
            return {key: rebuilt(item, file, name) for key, item in items.items()}
        case {"namedtuple": kind, "items": items}:
            values = {key: rebuilt(item, file, name) for key, item in items.items()}
            return named_tuple(kind, tuple(values), tuple(values.values()))
        case {"list": items}:
            return [rebuilt(item, file, name) for item in items]
        case {"tuple": items}:
            return tuple(rebuilt(item, file, name) for item in items)
    raise ValueError(f"not a description of a structure: {description!r}")
