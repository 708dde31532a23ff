"""Examples as modules: their folder is no package."""

from __future__ import annotations

import importlib.util
import pathlib
import sys
from types import ModuleType

FOLDER = pathlib.Path(__file__).parents[2] / "examples"


def load(name: str) -> ModuleType:
    """Import `examples/NAME.py`, under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
