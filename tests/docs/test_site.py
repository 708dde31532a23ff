"""The code of the site's pages runs and prints what they say; each public name has a page."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import pathlib
import re
from types import ModuleType

import pytest

from tests.docs.pages import DOCS, ROOT, blocks, run, write
from tests.docs.site import MODULES, hook

OTHERS = (DOCS / "python.md",)
"""`test_python` runs its examples."""
WITH_CODE = [page for page in sorted(DOCS.rglob("*.md")) if page not in OTHERS and blocks(page)]
"""Pages all of whose Python runs, but for blocks that say why they do not."""
LONG = ("discrete.md",)
"""Pages whose samplers take more than a minute to compile: tests of `nuts` run such ones, too."""
RUN = [pytest.param(p, marks=[pytest.mark.large] * (p.name in LONG)) for p in WITH_CODE]

reference = functools.partial(hook, "reference")
"""The hook that makes the pages of the reference."""


def name_of(page: pathlib.Path) -> str:
    return str(page.relative_to(DOCS))


@pytest.mark.every(15)
@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_code_prints_what_the_page_says(
    page: pathlib.Path, monkeypatch: pytest.MonkeyPatch, update_golden: bool
) -> None:
    found = blocks(page)
    printed = run(page, found, monkeypatch)
    if update_golden:
        write(page, found, printed)
    for block, text in zip(blocks(page), printed, strict=True):
        assert text == block.output, f"{page}, code at line {block.line}"


def public(module: ModuleType) -> list[str]:
    """The public names of a module that are no modules, with its name before them."""
    values = {name: getattr(module, name) for name in module.__all__}
    return [f"{module.__name__}.{n}" for n, v in values.items() if not inspect.ismodule(v)]


PUBLIC = [name for module in MODULES for name in public(module)]


RETURNED = {
    f"pcbatch.{name}"
    for name in (
        "api.lowered.Lowered",
        "api.lowered.Compiled",
        "api.lowered.Memory",
        "tools.inspection.moment.Moment",
    )
}
"""Classes whose objects a reader gets, but whose names are not public."""
NOT_RUN_HERE = {"pcbatch.executors.ray", "nuts.from_stan"}
"""Names whose examples need what no extra of the tests installs; the pages say so."""


def test_each_public_name_has_one_page_of_the_reference() -> None:
    names = reference().all_names()
    assert sorted(names) == sorted({*PUBLIC, *RETURNED})
    files = [reference().file_name(name).lower() for name in names]
    assert len(set(files)) == len(files)


@pytest.mark.parametrize("name", reference().all_names())
def test_each_page_of_the_reference_has_an_example(name: str) -> None:
    """`test_code_prints_what_the_page_says` runs it. A class may be shown by what returns it."""
    example = reference().example(name)
    text = example.read_text()
    assert example in WITH_CODE or (name in NOT_RUN_HERE and "<!-- not run: " in text)
    assert name in RETURNED or inspect.isclass(value(name)) or name in text
    assert text.strip() in reference().page(name)


def test_each_example_of_the_reference_is_of_a_page() -> None:
    used = {reference().example(name) for name in reference().all_names()}
    assert used == set((DOCS / "reference" / "examples").glob("*.md"))


def test_the_index_of_the_reference_has_each_name_with_a_sentence() -> None:
    lines = reference().index((DOCS / "reference" / "index.md").read_text()).splitlines()
    for name in reference().all_names():
        (line,) = (line for line in lines if line.startswith(f"| [`{name}`]("))
        _, _, sentence = line.strip(" |").partition(" | ")
        assert re.fullmatch(r"\S.{15,}[.:]", sentence), line


def value(name: str) -> object:
    module, _, attribute = name.rpartition(".")
    return getattr(next(m for m in MODULES if m.__name__ == module), attribute)


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_name_has_a_docstring(name: str) -> None:
    """So has each public method of a class; a constant has it in its module, behind its value."""
    named = value(name)
    if not callable(named):
        assert name.rpartition(".")[2] in documented_constants()
        return
    undocumented = [] if inspect.getdoc(named) else [name]
    if inspect.isclass(named):
        undocumented += [f"{name}.{member}" for member in undocumented_members(named)]
    assert not undocumented


def undocumented_members(named: type) -> list[str]:
    """Public methods and properties of the class, and of classes of this project above it."""
    own = [c for c in named.__mro__ if c.__module__.split(".")[0] in ("pcbatch", "nuts")]
    members = {n: v for c in reversed(own) for n, v in vars(c).items() if not n.startswith("_")}
    functions = (property, classmethod, staticmethod)
    described = [n for n, v in members.items() if inspect.isfunction(v) or isinstance(v, functions)]
    return [name for name in described if not inspect.getdoc(getattr(named, name))]


@functools.cache
def documented_constants() -> set[str]:
    """Names of the sources' modules whose value has a string behind it."""
    found = set()
    for path in sorted((ROOT / "pcbatch").rglob("*.py")):
        body = ast.parse(path.read_text()).body
        for statement, following in itertools.pairwise(body):
            if isinstance(statement, ast.Assign) and isinstance(following, ast.Expr):
                if isinstance(following.value, ast.Constant):
                    found |= {t.id for t in statement.targets if isinstance(t, ast.Name)}
    return found
