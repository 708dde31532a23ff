"""What lowering and the passes over stack form do, on small programs made for it."""

from __future__ import annotations

import pytest

from pcbatch import ir
from pcbatch.ir.analysis import flow
from pcbatch.ir.analysis.liveness import liveness
from pcbatch.ir.interpreter import run_call_form, run_stack_form
from pcbatch.ir.verify import verify
from pcbatch.passes import cancel, coalesce, dead, tail_calls, webs
from pcbatch.passes.lowering import to_stack
from pcbatch.passes.pipeline import lower
from tests.ir.builder import BOOL, INT, BlockBuilder, FunctionBuilder, program
from tests.ir.ir_programs import ackermann, countdown, even_odd, fib, trajectory, two_results
from tests.ir.runs import Opaque, count, outcome

WIDE = ir.TensorType("int32", (32,))


def pushes(stack: ir.StackProgram) -> dict[str, tuple[str, ...]]:
    """The variables that each block pushes."""
    found = {
        block.label: tuple(o.variable for o in block.operations if isinstance(o, ir.Push))
        for block in stack.blocks
    }
    return {label: names for label, names in found.items() if names}


# --- Lowering ------------------------------------------------------------------------------------


def test_only_calls_that_can_come_back_save_anything() -> None:
    stack = to_stack(trajectory().program)
    assert pushes(stack) == {
        "build.node": ("build.return.saved", "build.depth.saved"),
        "build.second": ("build.return.saved~2", "build.l.saved"),
    }


def test_arguments_move_all_at_once() -> None:
    f = FunctionBuilder("f", n=INT, a=INT, b=INT)
    f.block("entry").primitive("c", lambda n: n > 0, "n", BOOL).branch("c", "go", "stop")
    f.block("stop").returns("a b")
    f.block("go").primitive("m", lambda n: n - 1, "n").call("x y", "f", "m b a").returns("x y")
    assert outcome(run_stack_form(to_stack(program(f)), (3, 1, 2), {})) == (2, 1)


def test_tail_groups_share_their_return_variables() -> None:
    tails = tail_calls.find(even_odd().program)
    assert tails.group == {"even": "even", "odd": "even"}
    stack = to_stack(even_odd().program)
    returns = {b.terminator.address for b in stack.blocks if isinstance(b.terminator, ir.Return)}
    assert returns == {"even.return"}
    assert stack.outputs == ("even.return.0",)


def test_a_tail_call_may_be_followed_by_moves_and_jumps() -> None:
    assert tail_calls.find(ackermann().program).position == {("ack", "one"): 2, ("ack", "two"): 3}


def _exchanged() -> ir.Program:
    f = FunctionBuilder("f", n=INT, a=INT, b=INT)
    f.block("entry").primitive("c", lambda n: n > 0, "n", BOOL).branch("c", "go", "stop")
    f.block("stop").returns("a b")
    f.block("go").primitive("m", lambda n: n - 1, "n").call("x y", "f", "m a b").returns("y x")
    return program(f)


def test_a_call_whose_results_are_returned_in_another_order_is_no_tail_call() -> None:
    typed = _exchanged()
    assert tail_calls.find(typed).position == {}
    assert outcome(run_stack_form(to_stack(typed), (3, 1, 2), {})) == (2, 1)


def test_a_tail_call_out_of_the_recursion_stays_a_call() -> None:
    stack = to_stack(two_results().program)
    assert count(stack, ir.PushJump) == 2


def test_names_that_collide_are_told_apart() -> None:
    f = FunctionBuilder("f", n=INT)
    f.block("entry").constant("g.x", 1).call("y", "f.g", "n").primitive(
        "z", lambda a, b: a + b, "g.x y"
    ).returns("z")
    g = FunctionBuilder("f.g", x=INT)
    g.block("entry").returns("x")
    h = program(f, g, shared={"f.n": INT})
    stack = to_stack(h)
    verify(stack)
    assert outcome(run_stack_form(stack, (5,), {"f.n": 0})) == (6,)


# --- Passes --------------------------------------------------------------------------------------


def test_results_go_straight_to_their_targets() -> None:
    stack = lower(fib().program, knowledge=Opaque(True))
    view = liveness(flow.of_stack(stack))
    copies = [
        (block.label, operation.targets)
        for block in stack.blocks
        for operation in block.operations
        if isinstance(operation, ir.Primitive)
        and operation.fn is ir.move
        and not view.at_end[block.label].isdisjoint(operation.targets)
        and not any(t.endswith("return") for t in operation.targets)
    ]
    assert copies == [("fib.more", ("fib.n",))]


def test_a_push_of_a_value_that_is_never_used_goes() -> None:
    f = FunctionBuilder("f", n=INT, unused=INT)
    f.block("entry").primitive("c", lambda n: n > 0, "n", BOOL).branch("c", "go", "stop")
    f.block("stop").returns("n unused")
    go = f.block("go").primitive("m", lambda n: n - 1, "n").call("x y", "f", "m n")
    go.call("z u", "f", "m unused").primitive("s", lambda x, z: x + z + 1, "x z").returns("s u")
    main = FunctionBuilder("main", n=INT)
    main.block("entry").call("r u", "f", "n n").returns("r")
    typed = program(main, f)
    stack = to_stack(typed)
    lean = dead.remove_stack_dead(stack)
    assert any("unused" in name for name in stack.types)
    assert not any("unused" in name for name in lean.types)
    assert count(lean, ir.Push) == count(stack, ir.Push) - 1
    for n in (0, 1, 4):
        assert outcome(run_stack_form(lean, (n,), {})) == outcome(run_call_form(typed, (n,), {}))


def _keeps(between: str) -> ir.Program:
    """Two recursive calls; the wide `base` is needed after the second, perhaps in between too."""
    f = FunctionBuilder("f", n=INT, w=WIDE)
    f.block("entry").primitive("c", lambda n: n > 0, "n", BOOL).branch("c", "go", "stop")
    f.block("stop").returns("n")
    go = f.block("go").primitive("base", lambda w, n: w + n, "w n", WIDE)
    go.primitive("m", lambda n: n - 1, "n").call("x", "f", "m base")

    def second(block: BlockBuilder) -> None:
        block.call("y", "f", "m base" if between == "read" else "m w")
        block.primitive("s", lambda x, y, b: (2 * x + y + b) % 97, "x y base").returns("s")

    if between == "branch":
        go.primitive("odd", lambda x: x % 2 == 1, "x", BOOL).branch("odd", "more", "enough")
        f.block("enough").primitive("s", lambda x, b: x + b, "x base").returns("s")
        second(f.block("more"))
    else:
        second(go)
    return program(f)


@pytest.mark.parametrize(("between", "saved"), [("nothing", 1), ("branch", 1), ("read", 0)])
def test_a_wide_value_stays_on_its_stack_between_two_calls(between: str, saved: int) -> None:
    typed = _keeps(between)
    joined = coalesce.coalesce_stack(webs.split_stack_webs(to_stack(typed)))
    lean = cancel.cancel_pushes(joined)
    verify(lean)
    assert count(joined, ir.Push) - count(lean, ir.Push) == saved
    for n in range(5):
        wanted = outcome(run_call_form(typed, (n, 3), {}))
        assert outcome(run_stack_form(lean, (n, 3), {})) == wanted


@pytest.mark.parametrize(("argument", "kept"), [("w", 2), ("v", 1)])
def test_a_value_that_the_callee_reads_is_popped_for_it(argument: str, kept: int) -> None:
    span = FunctionBuilder("f").span()
    push, pop = ir.Push("w", span), ir.Pop("w", span)

    def call(label: str, operations: tuple[object, ...], following: str) -> ir.Block:
        return ir.Block(label, operations, ir.PushJump(following, "callee", "g.return", span))

    halt = ir.Return((), span, "f.return")
    result = ir.Primitive(("r",), ir.move, ("w",), "w", span)
    spoil = ir.Primitive(("w", "seen"), lambda x: (0, x), (argument,), "(0, x)", span)
    blocks = (
        call("entry", (push,), "middle"),
        call("middle", (pop, push), "last"),
        ir.Block("last", (pop, result), halt),
        ir.Block("callee", (spoil,), ir.Return((), span, "g.return")),
    )
    types = dict.fromkeys(("w", "v", "r", "seen", "f.return", "g.return"), INT)
    stack = ir.StackProgram(
        flow.in_order(blocks), types, ("w", "v"), ("r", "seen"), "f.return", {}, {}
    )
    verify(stack)
    lean = cancel.cancel_pushes(stack)
    verify(lean)
    assert count(lean, ir.Push) == kept
    assert outcome(run_stack_form(lean, (7, 5), {})) == (7, 7 if argument == "w" else 5)


def test_saved_variables_of_different_calls_keep_different_names() -> None:
    stack = lower(fib().program, knowledge=Opaque(True))
    first, second = pushes(stack).values()
    assert not set(first) & set(second)


def test_inputs_and_outputs_stay_distinct() -> None:
    f = FunctionBuilder("f", a=INT, b=INT)
    f.block("entry").returns("a a b")
    stack = lower(program(f), knowledge=Opaque(True))
    assert len(set(stack.outputs)) == 3 and len(set(stack.inputs)) == 2
    assert outcome(run_stack_form(stack, (1, 2), {})) == (1, 1, 2)


def test_tail_recursion_is_a_loop_of_few_blocks() -> None:
    stack = lower(countdown().program, knowledge=Opaque(True))
    assert [block.label for block in stack.blocks] == [
        "sum_to.entry", "sum_to.stop", "sum_to.go",
    ]  # fmt: skip
