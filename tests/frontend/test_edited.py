"""A file that was edited after its import: seen where a batch would differ from plain Python."""

from __future__ import annotations

import dis
import importlib
import importlib.machinery
import itertools
import linecache
import os
import pathlib
import subprocess
import sys
import textwrap
import time

import pytest

from pcbatch import frontend
from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics, edited, source
from tests.frontend.source_interpreter import run

ROOT = pathlib.Path(__file__).parents[2]
NUMBERS = itertools.count()


def lower(fn):
    return frontend.lower(fn, needs_call=lambda value: False)


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Import a text as a module, and edit it: `edit` gives the module and writes the new text."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def edit(before, after):
        name = f"edited_{next(NUMBERS)}"
        file = tmp_path / f"{name}.py"
        file.write_text(textwrap.dedent(before))
        loaded = importlib.import_module(name)
        file.write_text(textwrap.dedent(after))
        later = time.time() + 5
        os.utime(file, (later, later))
        return loaded

    yield edit
    for name in [n for n in sys.modules if n.startswith("edited_")]:
        del sys.modules[name]


def is_refused(fn):
    try:
        lower(fn)
    except ProgramError as error:
        assert isinstance(error.diagnostic, diagnostics.SourceEdited), error
        return True
    return False


BODY = """
    def f(n, k=1):
        y = 2.0
        while n > 3:
            n = n // 2
            y = y + n
        if n < 0:
            y = n.real
        return y
"""
EDITS = {
    "a number": ("// 2", "// 3"),
    "a number's type": ("2.0", "2"),
    "a bool": ("2.0", "True"),
    "an operator": ("// 2", "% 2"),
    "a comparison": ("n > 3", "n < 3"),
    "the sense of a condition": ("if n < 0", "if not n < 0"),
    "a name": ("y + n", "y + k"),
    "an attribute": ("n.real", "n.imag"),
    "a removed line": ("y = y + n", "pass"),
    "an added line": ("return y", "return y + 1"),
    "an order": ("y + n", "n + y"),
    "a loop": ("while n > 3", "if n > 3"),
}


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_is_seen(module, what):
    assert is_refused(module(BODY, BODY.replace(*EDITS[what])).f)


SAME = {
    "nothing": ("", ""),
    "a comment behind": ("// 2", "// 2  # halve"),
    "spaces": ("n // 2", "n  //  2"),
    "brackets": ("n // 2", "(n // 2)"),
    "another function": ("    def f", "    def f"),
    "a default, which the function has": ("k=1", "k=2"),
}


@pytest.mark.parametrize("what", SAME)
def test_what_changes_nothing_is_accepted(module, what):
    after = BODY.replace(*SAME[what]) + "\n    def g(x):\n        return x\n"
    assert not is_refused(module(BODY, after).f)


KINDS = """
    from __future__ import annotations
    import functools

    def same(fn):
        return fn

    @same
    @functools.wraps(same)
    def decorated(x: int) -> "float":
        "Says what."
        y: float = x + 1
        return y if x in {{"a", "b"}} else {k}

    class Outer:
        class Inner:
            def __private(self, x):
                return super().__init__ and x + {k}

            method = __private
            lambdas = (lambda x: x + {k}), (lambda x: [i + {k} for i in x])

    def outer(a):
        def inner(x):
            assert x > 0, f"{{x}} {{a}}"
            return lambda y: y + a + {k}
        return inner

    ODD = [lambda x: x + 1, lambda x: x + {k}]
"""


def kinds(module):
    inner = module.outer(1)
    yield from (module.decorated.__wrapped__, module.Outer.Inner.method, inner, inner(1))
    yield from (*module.Outer.Inner.lambdas, module.ODD[1])


def test_every_kind_of_function(module):
    before = KINDS.format(k=5)
    assert [is_refused(f) for f in kinds(module(before, before))] == [False] * 7
    after = KINDS.format(k=6)
    loaded = module(before, after)
    loaded.decorated.__wrapped__ = loaded.decorated
    assert [is_refused(f) for f in kinds(loaded)] == [True] * 7


def test_what_was_lowered_before_the_edit_stays_right(module):
    text = "def f(x):\n    g = lambda y: y + 1\n    return g(x)\n"
    loaded = module(text, text)
    assert run(loaded.f, 1) == 2
    file = pathlib.Path(loaded.__file__)
    file.write_text(text.replace("+ 1", "+ 2"))
    os.utime(file, (time.time() + 9,) * 2)
    assert run(loaded.f, 1) == 2 == loaded.f(1)
    again = importlib.reload(loaded)
    assert run(again.f, 1) == 3


def test_an_untouched_file_is_not_compiled(module, monkeypatch):
    """Whatever has changed the code, it was not an edit."""
    loaded = module(BODY, BODY.replace("// 2", "// 3"))
    monkeypatch.setattr(edited, "STARTED", time.time() + 100)
    assert not is_refused(loaded.f)


def test_a_file_put_in_place_with_an_old_date_is_seen(module):
    loaded = module(BODY, BODY.replace("// 2", "// 3"))
    os.utime(loaded.__file__, (1e9, 1e9))  # the inode knows better
    assert is_refused(loaded.f)


def test_the_process_has_begun_before_now():
    assert time.time() - 24 * 3600 < edited.STARTED < time.time()


def _checked(fn):
    """Add to a function what import hooks add: a call around what it returns."""
    text = "def f(x):\n    import math\n    return math.fabs(x + 1)\n"
    exec(compile(text, fn.__code__.co_filename, "exec"), made := {})
    return fn.__class__(made["f"].__code__, fn.__globals__)


def test_code_that_another_loader_has_added_to_is_accepted(module):
    text = "def f(x):\n    return x + 1\n"
    loaded = module(text, text)
    assert is_refused(_checked(loaded.f))  # Python's own loader adds nothing

    class Loader(importlib.machinery.SourceFileLoader):
        pass

    loaded.__loader__ = Loader(loaded.__name__, loaded.__file__)
    assert not is_refused(_checked(loaded.f))
    pathlib.Path(loaded.__file__).write_text(text.replace("1", "2"))
    linecache.checkcache()
    source._KNOWN._entries.clear()
    assert is_refused(_checked(loaded.f))


def test_code_that_a_profiler_has_padded_is_accepted(module):
    text = "def f(x):\n    return x + 1\n"
    fn = module(text, text).f
    code = fn.__code__
    padded = code.replace(co_code=code.co_code + bytes([dis.opmap["NOP"], 0]) * 3)
    fn.__code__ = padded
    assert padded != code and not is_refused(fn)


@pytest.mark.thorough
def test_assertions_that_pytest_rewrites(tmp_path):
    """In a test module that was written by the process that runs it."""
    script = tmp_path / "run.py"
    script.write_text(
        textwrap.dedent(
            '''
            import pathlib, sys, pytest
            from pcbatch import frontend
            from pcbatch.frontend import edited
            from pcbatch.errors import ProgramError

            TEXT = """
            from pcbatch import frontend
            def f(x, y):
                assert x + 1 > y, f"{x} is small"
                assert (x
                        or y)
                return x * 2
            def test_f():
                lowered = frontend.lower(f, needs_call=lambda value: False)
                assert lowered.name == "f"
            """
            folder = pathlib.Path(sys.argv[1])
            (folder / "test_made.py").write_text(TEXT.replace("\\n            ", "\\n"))
            sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", str(folder / "test_made.py")]))
            '''
        )
    )
    command = [sys.executable, str(script), str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout


def test_text_that_only_a_notebook_compiles():
    text = "import asyncio\ndef f(x):\n    return x + 1\nawait asyncio.sleep(0)\n"
    linecache.cache["<cell 3>"] = (len(text), None, text.splitlines(True), "<cell 3>")
    code = compile(text, "<cell 3>", "exec", edited.ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    (function,) = (c for c in code.co_consts if hasattr(c, "co_code"))
    fn = is_refused.__class__(function, {})
    assert not is_refused(fn)
    newer = text.replace("+ 1", "+ 2")
    linecache.cache["<cell 3>"] = (len(newer), None, newer.splitlines(True), "<cell 3>")
    source._KNOWN._entries.clear()
    assert is_refused(fn)


def test_a_text_that_is_compiled_in_parts():
    """Python loads `math.floor` otherwise where the text that it compiles imports `math`."""
    parts = ["import math\n", "def f(x):\n    return math.floor(x)\n"]
    text, file = "".join(parts), "<parts>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace = {}
    exec(compile(parts[0], file, "exec"), namespace)
    exec(compile("\n" + parts[1], file, "exec"), namespace)
    assert not is_refused(namespace["f"])
    newer = text.replace("floor", "ceil")
    linecache.cache[file] = (len(newer), None, newer.splitlines(True), file)
    source._KNOWN._entries.clear()
    assert is_refused(namespace["f"])
