"""Where a program is wrong, why, and what to write instead.

Three things live here: `Span` (a place in the user's file), `Diagnostic` (one kind of mistake; each
kind is a small frozen dataclass in the layer that finds it), and the exceptions that users see.
Messages end with the address of their section on the page of errors.
"""

from __future__ import annotations

import dataclasses
import importlib
import linecache
import pathlib
import types
from collections.abc import Callable
from typing import Any, ClassVar

SITE = "out/site"
"""Where the documentation is: `make docs` builds it there. Its URL belongs here once it has one."""


_CAN_BE_BUILT = (pathlib.Path(__file__).parents[1] / "mkdocs.yml").is_file()


def address(kind: str) -> str:
    """The last line of a message: where the site has more examples of its kind.

    There is none where pcbatch is installed without its documentation.

    Args:
      kind: the class of the diagnostic, or of the exception that has none.
    """
    return f"\nsee: {SITE}/errors.html#{kind} (`make docs` builds it)" if _CAN_BE_BUILT else ""


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """A range of the user's source text.

    Lines count from 1 and columns from 1, as editors count; the end column is exclusive.
    `function` is the qualified name of the function that the text belongs to.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """The source line with a caret under the range; empty where the source is not at hand."""
        text = linecache.getline(self.file, self.line).rstrip("\n")
        if not text:
            return ""
        end = self.end_column if self.end_line == self.line else len(text) + 1
        width = max(1, min(end, len(text) + 1) - self.column)
        return underlined(self.line, text, self.column - 1, width)


def underlined(line: int, text: str, start: int, width: int) -> str:
    """A line of source with its number, and carets under a part of it."""
    gutter = " " * len(str(line))
    return f"{gutter} |\n{line} | {text}\n{gutter} | {' ' * start}{'^' * width}"


NOWHERE = Span("<generated>", 0, 0, 0, 0)


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One mistake at one place.

    A kind of mistake is a subclass: a frozen dataclass with the class variables `title` (a short
    noun phrase), `reason` (one sentence) and `remedy` (what to write instead, with code); each is a
    format string over the fields.
    """

    title: ClassVar[str]
    reason: ClassVar[str]
    remedy: ClassVar[str] = ""

    span: Span

    def trace(self) -> tuple[str, ...]:
        """Lines between the title and the place: the way that led there, where there is one."""
        return ()

    def render(self) -> str:
        """The text that a user reads: title, place, source line, reason, remedy and address."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        where = f" in {self.span.function}" if self.span.function else ""
        lines = [self.title.format(**fields), *self.trace(), f"  --> {self.span}{where}"]
        excerpt = self.span.excerpt()
        if excerpt:
            lines.append(excerpt)
        lines.append(f"why: {self.reason.format(**fields)}")
        if self.remedy:
            remedy = self.remedy.format(**fields)
            lines.append("help: " + remedy.replace("\n", "\n      "))
        return "\n".join(lines) + address(type(self).__name__)


def handed_on(package: str, *modules: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package that hands on the public names of its modules.

    A module is imported when a name of it is first asked for. To define a dataclass takes half a
    millisecond, so that all kinds of mistakes take longer than many a program.

    Args:
      package: its name; its `__all__` are the names.
      modules: where they are, within the package.
    """

    def find(name: str) -> Any:
        if name in importlib.import_module(package).__all__:
            for module in modules:
                there = vars(importlib.import_module(f"{package}.{module}"))
                if name in there:
                    return there[name]
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find


class PcbatchError(Exception):
    """Base of every error that pcbatch raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        return as_they_are(self)


def as_they_are(error: BaseException) -> tuple[Any, ...]:
    """Pickle an exception by its text and its attributes.

    Python would call the class with the text, which is not what these classes take; and the line
    of source that the text shows may not be at hand elsewhere.
    """
    return _remade, (type(error), error.args, vars(error))


def _remade(kind: type[BaseException], args: tuple[Any, ...], attributes: Any) -> BaseException:
    error = kind.__new__(kind, *args)
    vars(error).update(attributes)
    return error


class NotPickledError(PcbatchError, TypeError):
    """Something that belongs to one process was to be pickled, as a compiled program does."""


class ProgramError(PcbatchError):
    """The program cannot be batched as written; `.diagnostic` says where, why and what to do.

    Attributes:
      helpers: the plain functions among which is the one that is at fault, where the traceback does
        not say.
      methods: more of them, which may be where all others are functions of the program.
    """

    def __init__(
        self,
        diagnostic: Diagnostic,
        helpers: tuple[types.CodeType, ...] = (),
        methods: tuple[types.CodeType, ...] = (),
    ):
        super().__init__(diagnostic.render())
        self.diagnostic, self.helpers, self.methods = diagnostic, helpers, methods


class HostCallError(PcbatchError, RuntimeError):
    """The Python function of a host call failed; the run is over.

    Attributes:
      name: the function.
      span: where the program calls it; None outside of a batched program.
    """

    def __init__(self, name: str, reason: str, span: Span | None):
        where = f"\n  --> {span}\n{span.excerpt()}" if span else ""
        more = address(HostCallError.__name__)
        super().__init__(f"the host call of {name} failed: {reason}{where}{more}")
        self.name, self.span = name, span


class ArgumentError(PcbatchError, ValueError):
    """A call of a batched function has arguments that do not fit together.

    `.diagnostic` says where, why and what to do, where the function itself has a part in it.
    """

    def __init__(self, problem: str | Diagnostic):
        super().__init__(problem if isinstance(problem, str) else problem.render())
        self.diagnostic = None if isinstance(problem, str) else problem


class MemberError(PcbatchError, RuntimeError):
    """Some members of the batch stopped before they returned; the message lists them."""

    def __init__(self, message: str):
        super().__init__(message + address(MemberError.__name__))
