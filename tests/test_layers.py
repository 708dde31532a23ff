"""The architecture: who may import whom."""

from __future__ import annotations

import ast
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parent.parent / "pcbatch"

# Each part may import itself, the parts above it in this list (lower layers), and nothing else.
LAYERS = (
    ("errors", "backend"),
    ("ir",),
    ("semantics",),
    ("vectorizer", "random"),
    ("frontend", "passes", "vm"),
    ("infer",),
    ("local_static",),
    ("runtime",),
    ("tools",),
    ("api",),
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}


def part_of(path: pathlib.Path) -> str:
    relative = path.relative_to(ROOT)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports(path: pathlib.Path) -> set[str]:
    """The parts of pcbatch that a module imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "pcbatch":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pcbatch."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            names = [a.name.split(".") for a in node.names]
            found |= {n[1] for n in names if n[0] == "pcbatch" and len(n) > 1}
    return found


MODULES = sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_only_lower_layers(path: pathlib.Path) -> None:
    own = part_of(path)
    for other in imports(path) - {own}:
        assert LEVEL[other] < LEVEL[own], f"{own} imports {other}"


def test_private_tensorflow_is_not_imported() -> None:
    """Except in one module; `test_vectorizer.py` names the versions that it was tried with."""
    for path in MODULES:
        if path != ROOT / "backend" / "graphs.py":
            assert "tensorflow.python" not in path.read_text(), path


def test_the_sampler_uses_public_names_only() -> None:
    import pcbatch

    public = set(pcbatch.__all__)
    for path in (ROOT.parent / "nuts").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("pcbatch"), path
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert node.value.id != "pcbatch" or node.attr in public, (path, node.attr)
