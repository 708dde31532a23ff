"""The architecture: packages on a stair, and no circle among modules."""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).parent.parent

STAIR = {
    "pcbatch": (
        ("errors", "backend", "cache"),
        ("ir",),
        ("semantics",),
        ("random", "vectorizer"),
        ("frontend", "passes", "vm"),
        ("infer",),
        ("local_static",),
        ("runtime",),
        ("executors", "tools"),
        ("api",),
    ),
    "nuts": (
        ("errors", "structure", "sampler", "likelihoods", "startup_lines", "users_code"),
        ("adaptation", "samplers", "jax_models"),
        ("reducers", "numpyro_models", "pymc_models", "stan_models"),
        ("results",),
        ("models", "run"),
        ("tfp_kernel", "quiet_start"),
        ("command_line",),
        ("__main__",),
    ),
}
"""The rooms of a package, from the lowest step up. A room imports those of lower steps only."""


def _modules() -> dict[str, pathlib.Path]:
    found = {}
    for top in ("pcbatch", "nuts", "bench"):
        for path in (ROOT / top).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = _modules()


def _imports(tree: ast.Module) -> Iterator[str]:
    """What a module imports, in functions and for types only, too; a package or a name of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def imported(text: str, name: str) -> set[str]:
    """The modules of this project that a module's text imports, itself left out."""
    found = set()
    for what in _imports(ast.parse(text)):
        whole = what if what in MODULES else what.rpartition(".")[0]
        if whole in MODULES:
            found.add(whole)
    return found - {name}


GRAPH = {name: imported(path.read_text(), name) for name, path in MODULES.items()}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules of which each imports the next, and the last the first; empty without a circle."""
    done: set[str] = set()

    def search(module: str, path: list[str]) -> list[str]:
        if module in path:
            return path[path.index(module) :]
        if module not in done:
            for other in sorted(graph[module]):
                if found := search(other, [*path, module]):
                    return found
            done.add(module)
        return []

    return next((found for module in sorted(graph) if (found := search(module, []))), [])


def rooms(module: str) -> tuple[str, str]:
    """The package, and the room in it: a package or a module of the first level."""
    top, _, rest = module.partition(".")
    return top, rest.partition(".")[0]


@pytest.mark.parametrize("top", sorted(STAIR))
def test_rooms_import_lower_steps_only(top: str) -> None:
    level = {room: step for step, names in enumerate(STAIR[top]) for room in names}
    there = {rooms(module)[1] for module in MODULES if module.startswith(f"{top}.")}
    assert there == set(level), "each room has a step"
    for module in MODULES:
        own = rooms(module)
        for other in map(rooms, GRAPH[module]):
            if own[0] == other[0] == top and own[1] and own[1] != other[1]:
                assert other[1], f"{module} imports the public names of {top}"
                assert level[other[1]] < level[own[1]], f"{module} imports {other[1]}"


def test_no_circle_among_modules() -> None:
    assert circle(GRAPH) == []


def test_a_circle_is_seen() -> None:
    """One that was there: the machine imported its driver; the driver, for types, the machine."""
    name = "pcbatch.vm.machine"
    more = imported(
        "def run():\n    from typing import TYPE_CHECKING\n\n    if TYPE_CHECKING:\n"
        "        from pcbatch.runtime.driver import drive",
        name,
    )
    found = circle(GRAPH | {name: GRAPH[name] | more})
    assert {name, "pcbatch.runtime.driver"} <= set(found)


CORE = ("block_info", "carry", "context", "lanes", "layout", "predicates", "stacks")
"""The modules of `pcbatch.vm` that every schedule needs."""
TRICKS = {
    *(f"pcbatch.backend.{name}" for name in ("bitset", "outlining", "processor", "rounding")),
    "pcbatch.backend.blocked_sums",
    "pcbatch.vectorizer.matmul.batch_last",
    "pcbatch.vectorizer.pretransposed",
}
"""Modules for one compiler or processor."""


@pytest.mark.parametrize("module", CORE)
def test_the_core_of_the_machine_knows_compilers_by_its_target_only(module: str) -> None:
    others = GRAPH[f"pcbatch.vm.{module}"]
    assert not others & TRICKS
    assert not [other for other in others if other.startswith("pcbatch.vm.sweep")]


PYTHONS = {"_fields", "_replace", "_asdict", "_value_", "_getframe"}
"""Private names by their looks that Python documents."""


def private_names(tree: ast.AST) -> Iterator[str]:
    """The private names that a module asks other things than its own objects for: "op._id"."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            of_itself = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if not (of_itself or node.attr.endswith("__")):
                yield ast.unparse(node)


def own_names(tree: ast.AST) -> Iterator[str]:
    """The names that a module gives: to functions, variables, fields and attributes of `self`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield from [node.attr] if ast.unparse(node.value) == "self" else []


def test_private_names_of_tensorflow_are_used_in_one_room() -> None:
    """A test of the vectorizer names the versions that it was tried with."""
    ours = {n: p for n, p in MODULES.items() if n.startswith("pcbatch")}
    room = "pcbatch.backend.private"
    trees = {n: ast.parse(p.read_text()) for n, p in ours.items() if not n.startswith(room)}
    known = {name for tree in trees.values() for name in own_names(tree)} | PYTHONS
    for module, tree in trees.items():
        text = ours[module].read_text()
        assert "tensorflow.python" not in text and "_gradient_op_type" not in text, module
        foreign = [x for x in private_names(tree) if x.rpartition(".")[2] not in known]
        assert not foreign, (module, foreign)


def test_private_names_are_seen() -> None:
    """Two that were there."""
    tree = ast.parse("self._number, graph = op._id, op.graph._functions")
    assert [*private_names(tree)] == ["op._id", "op.graph._functions"]
    assert [*own_names(tree)] == ["_number", "graph"]


def test_numbers_are_compared_with_both_tolerances_stated() -> None:
    """NumPy's `assert_allclose` has a relative tolerance of its own beside an absolute one."""
    for path in (ROOT / "tests").rglob("*.py"):
        if path not in (ROOT / "tests/support/tolerances.py", pathlib.Path(__file__)):
            assert "assert_allclose" not in path.read_text(), f"{path}: assert_close"


def test_the_sampler_uses_public_names_only() -> None:
    import pcbatch

    public = set(pcbatch.__all__)
    for path in (ROOT / "nuts").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("pcbatch"), path
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert node.value.id != "pcbatch" or node.attr in public, (path, node.attr)
