"""Names in stack form: every variable and every label becomes unique in the program."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from pcbatch import ir
from pcbatch.passes import invariants
from pcbatch.passes.rewrite import Names
from pcbatch.passes.tail_calls import TailCalls

ADDRESS = ir.TensorType("int32", ())


@dataclasses.dataclass(frozen=True, slots=True)
class Naming:
    """Where the parts of a call-form program live in stack form.

    Attributes:
      variable: by (function, variable), the variable's name. The parameters of one invariant class
        share a name.
      label: by (function, label), the block's label.
      address: by function, its return address; one for each tail group.
      results: by function, the variables in which it leaves its results; one set for each group.
      invariant: the stack-form variables that no call inside their recursion overwrites.
      types: the types of all of them.
      names: for the names that lowering itself adds.
      labels: for the labels that lowering itself adds.
    """

    variable: Mapping[tuple[str, ir.Variable], ir.Variable]
    label: Mapping[tuple[str, ir.Label], ir.Label]
    address: Mapping[str, ir.Variable]
    results: Mapping[str, tuple[ir.Variable, ...]]
    invariant: frozenset[ir.Variable]
    types: dict[ir.Variable, ir.TensorType]
    names: Names
    labels: Names


def assign(program: ir.Program, tails: TailCalls) -> Naming:
    """Choose the names: `function.variable`, `function.return`, `function.return.0`, ...

    `return` is no variable of the user's, since it is a keyword.
    """
    names = Names((*program.shared, *program.buffers))
    labels = Names((ir.HALT,))
    unchanged = invariants.find(program)
    types: dict[ir.Variable, ir.TensorType] = {}
    variable: dict[tuple[str, ir.Variable], ir.Variable] = {}
    address: dict[str, ir.Variable] = {}
    results: dict[str, tuple[ir.Variable, ...]] = {}
    for name, function in program.functions.items():
        if tails.group[name] == name:
            address[name] = names.fresh(f"{name}.return")
            types[address[name]] = ADDRESS
            results[name] = tuple(
                names.fresh(f"{name}.return.{i}") for i in range(len(function.results))
            )
            types.update(zip(results[name], function.results, strict=True))
        for local, type_ in function.types.items():
            key = (name, local)
            if unchanged.get(key, key) == key:
                variable[key] = names.fresh(f"{name}.{local}")
                types[variable[key]] = type_
    variable.update({key: variable[first] for key, first in unchanged.items()})
    return Naming(
        variable=variable,
        label={
            (name, block.label): labels.fresh(f"{name}.{block.label}")
            for name, function in program.functions.items()
            for block in function.blocks
        },
        address={name: address[tails.group[name]] for name in program.functions},
        results={name: results[tails.group[name]] for name in program.functions},
        invariant=frozenset(variable[key] for key in unchanged),
        types=types,
        names=names,
        labels=labels,
    )
