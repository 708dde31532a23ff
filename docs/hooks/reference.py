"""MkDocs makes a page of the reference for each name in `reference/index.md`.

A page has the docstring of the name, which mkdocstrings shows, the example of
`reference/examples/`, which a test runs, and the members if the name is a class.
"""

from __future__ import annotations

import collections
import functools
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import griffe

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "reference"
GROUP = re.compile(
    r"^## (?P<title>.+)\n(?:(?!## ).*\n)*?<!-- names: (?P<names>[^>]+?) -->$", re.MULTILINE
)
"""A section of the index that lists names."""
NAMES = re.compile(r"<!-- names: ([^>]+?) -->")

PAGE = """\
::: {name}
    options: {{heading_level: 1, members: false}}

## Example

{example}
"""

MEMBERS = """
## Members
"""

MEMBER = """
::: {name}
    options: {{heading_level: 3, show_root_full_path: false}}
"""


def on_config(config: Any) -> Any:
    """Put the pages into the navigation; MkDocs calls this once a build."""
    reference = next(entry["Reference"] for entry in config.nav if "Reference" in entry)
    for title, names in groups().items():
        pages = [{short(name): f"reference/{file_name(name)}.md"} for name in names]
        reference.append({title: pages})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages; MkDocs calls this once a build."""
    from mkdocs.structure.files import File

    for name in all_names():
        files.append(File.generated(config, f"reference/{file_name(name)}.md", content=page(name)))
    return files


def on_page_markdown(markdown: str, page: Any, **kwargs: Any) -> str:
    """Write the tables of the index; MkDocs calls this for each page."""
    return index(markdown) if page.file.src_uri == "reference/index.md" else markdown


def index(text: str) -> str:
    """The index with a table in the place of each list of names."""
    return NAMES.sub(lambda found: table(found[1].split()), text)


def table(names: list[str]) -> str:
    """Names, with links to their pages, and the first sentences of their docstrings."""
    lines = [f"| [`{name}`]({file_name(name)}.md) | {first_sentence(name)} |" for name in names]
    return "\n".join(["| name | what it is |", "| --- | --- |", *lines])


def groups() -> dict[str, list[str]]:
    """The names of each section of the index, in order."""
    found = GROUP.finditer((FOLDER / "index.md").read_text())
    return {match["title"]: match["names"].split() for match in found}


def all_names() -> list[str]:
    """The names that have a page, in the order of the index."""
    return [name for names in groups().values() for name in names]


def page(name: str) -> str:
    """The page of one name, in Markdown."""
    text = PAGE.format(name=name, example=example(name).read_text().strip())
    found = list(members(name))
    return text + (MEMBERS + "".join(MEMBER.format(name=member) for member in found)) * bool(found)


def example(name: str) -> pathlib.Path:
    """The file that has the example of a name."""
    return FOLDER / "examples" / f"{file_name(name)}.md"


def file_name(name: str) -> str:
    """The name of the page, which differs from all others also where letters have no case."""
    clash = collections.Counter(map(str.lower, all_names()))[name.lower()] > 1
    return f"{name}-class" if clash and short(name)[0].isupper() else name


def short(name: str) -> str:
    """The name without its module."""
    return name.rpartition(".")[2]


def first_sentence(name: str) -> str:
    """The first sentence of a docstring, in a line."""
    paragraph = " ".join(documented(name).docstring.value.partition("\n\n")[0].split())
    return re.match(r".+?[.:](?= |$)|.+", paragraph)[0].replace("|", "\\|")


def members(name: str) -> Iterator[str]:
    """The documented public members of a class, its own and those of classes of this project."""
    found = documented(name)
    if found.is_class:
        for member in found.all_members.values():
            if member.has_docstring and not member.name.startswith("_"):
                yield f"{name}.{member.name}"


def documented(name: str) -> Any:
    """What Griffe read of a name, where it is defined: an extension may have changed it there."""
    return sources()[sources()[name].canonical_path]


@functools.cache
def sources() -> griffe.ModulesCollection:
    """Both packages, as Griffe reads them for mkdocstrings."""
    extensions = griffe.load_extensions(str(ROOT / "docs" / "hooks" / "wrapped_functions.py"))
    loader = griffe.GriffeLoader(extensions=extensions, search_paths=[ROOT])
    for package in ("pcbatch", "nuts"):
        loader.load(package)
    return loader.modules_collection
