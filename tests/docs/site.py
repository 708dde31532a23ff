"""What tests of the site share: its hooks, and the modules whose public names have pages."""

from __future__ import annotations

import functools
import importlib.util
from types import ModuleType

import nuts
import pcbatch
from nuts import reducers
from tests.docs.pages import DOCS

MODULES = (pcbatch, pcbatch.random, pcbatch.cache, pcbatch.executors, nuts, reducers)


@functools.cache
def hook(name: str) -> ModuleType:
    """A hook of MkDocs, of the folder `docs/hooks`, which is no package."""
    path = DOCS / "hooks" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{name}_page", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
