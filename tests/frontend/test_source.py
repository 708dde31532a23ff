"""The frontend finds the source of functions wherever they are defined, and names exact places."""

from __future__ import annotations

import doctest
import functools
import linecache
import sys
import traceback
from types import SimpleNamespace

import pytest

from pcbatch import frontend, ir
from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics
from tests.frontend.source_interpreter import define, run


def lower(fn):
    return frontend.lower(fn, needs_call=lambda value: False)


def logged(*, level):
    def decorate(fn):
        return fn

    return decorate


@logged(
    level=1,
)
@logged(level=2)
def decorated(x):
    return x + 1


def wrapping(fn):
    @functools.wraps(fn)
    def wrapper(*args):
        return 10 * fn(*args)

    return wrapper


@wrapping
def wrapped(x):
    return x + 1


class Outer:
    class Inner:
        def method(self, x):
            return x + self.offset

        offset = 4

        twice = staticmethod(lambda x: 2 * x)

        @classmethod
        def make(cls, x):
            return cls.offset * x

    def __private(self, x):
        return x + 1

    private = __private


def two_lambdas():
    return (lambda x: x + 1), (lambda x: x + 2), (lambda x: lambda y: x + y)


def multi_line():
    return [
        lambda x: (
            x
            + 5
        ),
        lambda x: x
        - 5,
    ]  # fmt: skip


def test_decorated_functions():
    assert run(decorated, 1) == 2
    assert run(wrapped, (1,)) == wrapped(1) == 20
    assert lower(decorated).span.line == decorated.__code__.co_firstlineno + 4


def test_methods():
    inner = Outer.Inner()
    assert run(Outer.Inner.method, inner, 3) == 7
    assert run(Outer.Inner.make.__func__, Outer.Inner, 3) == 12
    assert run(Outer.Inner.twice, 3) == 6
    assert lower(Outer.Inner.method).span.function == "Outer.Inner.method"
    assert run(Outer.private, None, 3) == 4


def test_lambdas_that_share_a_line():
    first, second, third = two_lambdas()
    assert [run(f, 10) for f in (first, second)] == [11, 12]
    assert run(third(3), 4) == 7
    assert run(third, 3)(4) == 7


def test_lambdas_over_several_lines():
    assert [run(f, 10) for f in multi_line()] == [15, 5]


def test_lambdas_in_one_expression_with_equal_code():
    pair = SimpleNamespace(a=lambda x: x * 2, b=lambda x: x * 2)
    assert lower(pair.a).span.column < lower(pair.b).span.column


def test_closures_read_cells_first():
    def make(k):
        def inner(x):
            return x + k

        return inner

    inner = make(5)
    assert run(inner, 1) == 6
    lowered = lower(inner)
    assert lowered.free == ("k",)
    assert frontend.free_value(inner, "k") == 5
    assert lowered.span.function.endswith("make.<locals>.inner")


def test_exec_with_linecache_and_without():
    fn = define("def program(x):\n    return x * 3\n")
    assert run(fn, 2) == 6
    namespace = {}
    exec("def program(x):\n    return x * 3\n", namespace)
    with pytest.raises(ProgramError) as caught:
        lower(namespace["program"])
    assert isinstance(caught.value.diagnostic, diagnostics.SourceUnavailable)


def test_a_notebook_cell():
    """Cells are registered in linecache, under a name in angle brackets, and may hold magics."""
    name = "<ipython-input-1-abc>"
    text = "import math\n\nnumber = 2\ndef program(x):\n    return math.floor(x) + number\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    lowered = lower(namespace["program"])
    assert lowered.free == ("math", "number")
    assert (lowered.span.file, lowered.span.line) == (name, 4)
    assert run(namespace["program"], 2.5) == 4


TYPED = """\
import math
def program(x):
    return x + 1

@staticmethod
def program(x):
    def inner(y):
        return y * 10
    if x > 2:
        return inner(x)
    return x

def program(x):
    return x + 2

pair = [lambda x: x - 1,
    lambda x: x - 2]
"""


def test_the_plain_shell(monkeypatch):
    """What was typed is found in the history: the last statement that has the function's code."""
    typed = TYPED.splitlines()
    history = SimpleNamespace(
        get_current_history_length=lambda: len(typed), get_history_item=lambda k: typed[k - 1]
    )
    monkeypatch.setitem(sys.modules, "readline", history)
    for text, expected in (
        ("def program(x):\n    return x + 2\n", [3, 4, 5, 6]),
        ("def program(x):\n    return x + 1\n", [2, 3, 4, 5]),
        ("\n".join(typed[4:11]) + "\n", [1, 2, 30, 40]),
    ):
        namespace = {}
        exec(compile(text, "<stdin>", "single"), namespace)
        fn = getattr(namespace["program"], "__func__", namespace["program"])
        assert [run(fn, x) for x in (1, 2, 3, 4)] == expected
        assert lower(fn).span.file.startswith("<typed at line ")
    exec(compile("\n".join(typed[-2:]) + "\n", "<stdin>", "single"), namespace)
    assert [run(fn, 5) for fn in namespace["pair"]] == [4, 3]
    exec(compile("def other(x):\n    return x\n", "<stdin>", "single"), namespace)
    with pytest.raises(ProgramError) as caught:
        lower(namespace["other"])
    assert isinstance(caught.value.diagnostic, diagnostics.SourceUnavailable)


EXAMPLE = """
>>> def program(x):
...     return x + 1
>>> run(program, 1)
2
>>> run(lambda x: x - 1, 1)
0
"""


def test_a_doctest():
    test = doctest.DocTestParser().get_doctest(EXAMPLE, {"run": run}, "example", None, 0)
    results = doctest.DocTestRunner(verbose=False).run(test)
    assert (results.attempted, results.failed) == (3, 0)


def test_a_file_that_changed_is_refused():
    fn = define("def program(x):\n    return x\n")
    file = fn.__code__.co_filename
    for text in (
        "\n\ndef program(x):\n    return x\n",
        "def program(x, y):\n    return x\n",
        "def (",
    ):
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        with pytest.raises(ProgramError) as caught:
            lower(fn)
        assert isinstance(caught.value.diagnostic, diagnostics.SourceChanged)


def test_spans_are_exact_and_count_characters():
    fn = define(
        """
        def program(x):
            é = "ü" * x; y = é + str(x)
            return (
                y
                + é
            )
        """
    )
    (block,) = lower(fn).blocks
    spans = [(o.text, o.span) for o in block.operations]
    lines = linecache.getlines(fn.__code__.co_filename)
    for text, span in spans[:2]:
        assert lines[span.line - 1][span.column - 1 : span.end_column - 1].replace("'", '"') == (
            text.replace("'", '"')
        )
    text, span = spans[2]
    assert (text, span.line, span.column, span.end_line, span.end_column) == ("y + é", 5, 9, 6, 12)


def test_a_traceback_shows_the_users_line():
    fn = define("def program(x):\n    y = x + 1\n    return [k / (y - k) for k in (1, 2)]\n")
    with pytest.raises(ZeroDivisionError) as caught:
        run(fn, 1)
    frames = traceback.extract_tb(caught.value.__traceback__)
    ours = [f for f in frames if f.filename == fn.__code__.co_filename]
    assert ours
    assert {(f.lineno, f.line) for f in ours} == {(3, "return [k / (y - k) for k in (1, 2)]")}
    assert ours[0].name == "program"


def test_free_names_are_current_and_builtins_are_not_free():
    fn = define("def program(x):\n    return abs(x) + later + later\n")
    assert lower(fn).free == ("later",)
    with pytest.raises(ProgramError) as caught:
        frontend.free_value(fn, "later")
    assert caught.value.diagnostic.name == "later"
    fn.__globals__["later"] = 3
    assert frontend.free_value(fn, "later") == 3
    fn.__globals__["abs"] = lambda x: 100
    assert lower(fn).free == ("abs", "later")
    assert run(fn, -1) == 106


def test_an_empty_cell_is_unbound():
    def inner():
        return unset

    with pytest.raises(ProgramError):
        frontend.free_value(inner, "unset")
    unset = 1
    assert frontend.free_value(inner, "unset") == 1


def everything(x, y):
    total = [k for k in range(x) if k] or sum((x, y), start=1 if x < y < 9 else 2)
    f = lambda a, b=total: a + b + x  # noqa: E731
    for i, (a, *b) in enumerate(zip(((1, 2), (3, 4)), (5, 6))):
        y += f(i) + a * len(b)
    return total, y


def test_lowering_is_deterministic():
    def text(function: ir.Function) -> list:
        shown = []
        for block in function.blocks:
            shown += [block.label, block.terminator]
            for op in block.operations:
                shown.append((op.targets, op.args, op.text) if isinstance(op, ir.Primitive) else op)
        return shown

    assert text(lower(everything)) == text(lower(everything))


def test_labels_are_unique_and_the_entry_is_never_a_target():
    fn = define(
        """
        def program(x):
            while x > 0 and (x < 9 or x > 20):
                for i in range(x):
                    if i or x if x else i: continue
                    elif 0 < i < x: break
                else:
                    x -= 1
            return x
        """
    )
    blocks = lower(fn).blocks
    labels = [block.label for block in blocks]
    assert len(set(labels)) == len(labels)
    targets = set()
    for block in blocks:
        match block.terminator:
            case ir.Jump(target=target):
                targets.add(target)
            case ir.Branch(then=then, orelse=orelse):
                targets |= {then, orelse}
    assert targets == set(labels) - {"entry"}
