"""What each pass over call form does, on small programs made for it."""

from __future__ import annotations

import pytest
import tensorflow as tf

from pcbatch import ir
from pcbatch.ir.interpreter import run_call_form
from pcbatch.passes import (
    coalesce,
    conditions,
    copies,
    dead,
    if_conversion,
    inline,
    invariants,
    jumps,
    operands,
    rotation,
    tracing,
    webs,
)
from pcbatch.passes.rewrite import Selected
from pcbatch.passes.tracing import Restricted
from tests.ir.builder import BOOL, FLOAT, INT, FunctionBuilder, program
from tests.ir.ir_programs import ackermann, checked, even_odd, nested_loops, trajectory, tree_sum
from tests.ir.runs import outcome


def everything(primitive: ir.Primitive) -> bool:
    """A predicate: all primitives are cheap."""
    return True


def nothing(primitive: ir.Primitive) -> bool:
    """A predicate: no primitive is cheap."""
    return False


def labels(typed: ir.Program, name: str) -> list[str]:
    """The labels of a function's blocks."""
    return [block.label for block in typed.functions[name].blocks]


def operations(typed: ir.Program, name: str) -> list[ir.CallOperation]:
    """All operations of a function."""
    return [o for block in typed.functions[name].blocks for o in block.operations]


# --- Jumps ---------------------------------------------------------------------------------------


def test_chains_of_jumps_and_single_predecessors_disappear() -> None:
    f = FunctionBuilder("f", n=INT)
    f.block("entry").jump("a")
    f.block("a").jump("b")
    f.block("b").primitive("m", lambda n: n + 1, "n").jump("c")
    f.block("c").jump("d")
    f.block("d").returns("m")
    f.block("unreachable").jump("d")
    typed = jumps.simplify_jumps(program(f))
    assert labels(typed, "f") == ["entry"]
    assert outcome(run_call_form(typed, (4,), {})) == (5,)


def test_a_branch_with_one_goal_is_a_jump() -> None:
    f = FunctionBuilder("f", n=INT)
    f.block("entry").primitive("c", lambda n: n > 1, "n", BOOL).branch("c", "a", "b")
    f.block("a").jump("end")
    f.block("b").jump("end")
    f.block("end").returns("n")
    assert labels(jumps.simplify_jumps(program(f)), "f") == ["entry"]


def test_pops_stay_first_and_pushes_last_when_blocks_merge() -> None:
    span = FunctionBuilder("f").span()
    compute = ir.Primitive(("x",), lambda: (1,), (), "1", span)
    pop, push = ir.Pop("y", span), ir.Push("y", span)
    ret = ir.Return((), span, "f.return")

    def merged(first: tuple[object, ...], second: tuple[object, ...]) -> int:
        blocks = (ir.Block("a", first, ir.Jump("b", span)), ir.Block("b", second, ret))
        return len(jumps.merge(blocks))

    assert merged((compute,), (pop,)) == merged((push,), (compute,)) == 2
    assert merged((pop,), (pop, compute)) == merged((compute,), (compute, push)) == 1


def test_an_endless_loop_stays_one() -> None:
    f = FunctionBuilder("f", n=INT)
    f.block("entry").primitive("c", lambda n: n > 1, "n", BOOL).branch("c", "a", "end")
    f.block("a").jump("b")
    f.block("b").jump("a")
    f.block("end").returns("n")
    typed = jumps.simplify_jumps(program(f))
    assert len(labels(typed, "f")) == 3
    assert run_call_form(typed, (5,), {}, max_steps=50).results is None


# --- Inlining ------------------------------------------------------------------------------------


def test_a_function_with_one_call_is_inlined_and_a_recursive_one_is_not() -> None:
    typed = inline.inline(trajectory().program, nothing)
    assert list(typed.functions) == ["chain", "build"]
    assert "leapfrog.z" in typed.functions["build"].types


def _twice() -> ir.Program:
    main = FunctionBuilder("main", n=INT)
    main.block("entry").call("a", "double", "n").call("b", "double", "a").returns("b")
    double = FunctionBuilder("double", n=INT)
    double.block("entry").primitive("n", lambda n: 2 * n, "n").returns("n")
    return program(main, double)


@pytest.mark.parametrize(("cheap", "kept"), [(everything, 1), (nothing, 2)])
def test_a_function_with_two_calls_is_inlined_only_if_cheap(cheap: object, kept: int) -> None:
    typed = inline.inline(_twice(), cheap)
    assert len(typed.functions) == kept
    assert outcome(run_call_form(typed, (5,), {})) == (20,)


# --- Webs, coalescing, copies, dead code ---------------------------------------------------------


def test_a_name_used_for_two_things_becomes_two_variables() -> None:
    f = FunctionBuilder("f", n=INT)
    block = f.block("entry").primitive("x", lambda n: n + 1, "n")
    block.primitive("y", lambda x: 2 * x, "x").primitive("x", lambda y: y + 3, "y").returns("x")
    typed = webs.split_webs(program(f))
    targets = [o.targets[0] for o in operations(typed, "f")]
    assert targets == ["x", "y", "x~2"]
    assert outcome(run_call_form(typed, (4,), {})) == (13,)


def test_a_variable_of_a_loop_stays_one() -> None:
    typed = webs.split_webs(nested_loops().program)
    before = nested_loops().program.functions["pairs"].types
    assert set(typed.functions["pairs"].types) == set(before)


def test_copies_between_variables_that_do_not_overlap_disappear() -> None:
    f = FunctionBuilder("f", n=INT)
    block = f.block("entry").primitive("%1", lambda n: n + 1, "n").move("x", "%1")
    block.move("%2", "x").primitive("y", lambda a: a * 2, "%2").returns("y")
    typed = coalesce.coalesce(program(f))
    assert [o.targets for o in operations(typed, "f")] == [("x",), ("y",)]


def test_copies_of_what_changes_later_stay() -> None:
    f = FunctionBuilder("f", n=INT)
    block = f.block("entry").move("old", "n").primitive("n", lambda n: n + 1, "n")
    block.primitive("y", lambda a, b: 10 * a + b, "old n").returns("y")
    typed = coalesce.coalesce(program(f))
    assert any(o.fn is ir.move for o in operations(typed, "f"))
    assert outcome(run_call_form(typed, (3,), {})) == (34,)


def test_a_swap_stays_a_swap() -> None:
    f = FunctionBuilder("f", a=INT, b=INT)
    f.block("entry").move("a b", "b a").returns("a b")
    typed = coalesce.coalesce(webs.split_webs(program(f)))
    assert outcome(run_call_form(typed, (1, 2), {})) == (2, 1)


def test_a_parameter_that_is_never_assigned_stays_so() -> None:
    f = FunctionBuilder("f", n=INT, k=INT)
    f.block("entry").primitive("c", lambda n: n > 0, "n", BOOL).branch("c", "go", "stop")
    f.block("stop").returns("k")
    go = f.block("go").primitive("m", lambda n: n - 1, "n").call("r", "f", "m k")
    go.move("j", "k").primitive("j", lambda j, r: j + r, "j r").returns("j")
    typed = coalesce.coalesce(program(f))
    assert ("f", "k") in invariants.find(typed)


def test_shared_values_are_named_by_primitives_themselves() -> None:
    f = FunctionBuilder("f", n=INT)
    block = f.block("entry").move("a", "table").move("b", "a")
    block.primitive("y", lambda n, b: n + b, "n b")
    block.primitive("z", lambda n, b: n + b, "n b", batched=True).returns("y z")
    typed = dead.remove_dead(copies.propagate_shared(program(f, shared={"table": INT})))
    assert [o.args for o in operations(typed, "f")] == [("table",), ("n", "table"), ("n", "b")]


def test_dead_targets_of_a_primitive_go_and_stores_calls_stay() -> None:
    f = FunctionBuilder("f", n=INT)
    block = f.block("entry").primitive("a b c", lambda n: (n, n + 1, n + 2), "n")
    block.store("rows", "n", "b").call("unused", "f", "n")
    block.primitive("d", lambda a: a, "a").returns("c")
    typed = dead.remove_dead(program(f, buffers={"rows": ir.BufferType(3, INT)}))
    first, store, call = operations(typed, "f")
    assert first.targets == ("b", "c") and first.fn(5) == (6, 7)
    assert isinstance(first.fn, Selected)
    assert isinstance(store, ir.Store) and isinstance(call, ir.Call)
    assert set(typed.functions["f"].types) == {"n", "b", "c", "unused"}


# --- Branches ------------------------------------------------------------------------------------


def test_a_branch_that_picks_a_value_becomes_a_select() -> None:
    case = checked()
    typed = if_conversion.convert_branches(case.program, everything)
    assert labels(typed, "checked") == ["entry", "bad", "good", "end"]
    selects = [o for o in operations(typed, "checked") if o.fn is if_conversion.select]
    assert [o.targets for o in selects] == [("y",)]


def test_a_primitive_that_is_not_cheap_is_never_run_for_nothing() -> None:
    typed = checked().program
    assert if_conversion.convert_branches(typed, nothing) == typed


def test_returns_on_both_sides_become_one() -> None:
    f = FunctionBuilder("f", n=INT)
    f.block("entry").primitive("c", lambda n: n > 1, "n", BOOL).branch("c", "a", "b")
    f.block("a").primitive("n", lambda n: n * 2, "n").returns("n n")
    f.block("b").primitive("m", lambda n: n * 3, "n").returns("n m")
    typed = if_conversion.convert_branches(program(f), everything)
    assert labels(typed, "f") == ["entry"]
    assert outcome(run_call_form(typed, (4,), {})) == (8, 8)
    assert outcome(run_call_form(typed, (1,), {})) == (1, 3)


def test_a_side_may_assign_the_condition_itself() -> None:
    f = FunctionBuilder("f", c=BOOL, n=INT)
    f.block("entry").branch("c", "a", "end")
    side = f.block("a").primitive("c", lambda c: not c, "c", BOOL)
    side.primitive("n", lambda n: n + 1, "n").jump("end")
    f.block("end").returns("c n")
    typed = if_conversion.convert_branches(program(f), everything)
    assert labels(typed, "f") == ["entry", "end"]
    for c in (True, False):
        wanted = outcome(run_call_form(program(f), (c, 4), {}))
        assert outcome(run_call_form(typed, (c, 4), {})) == wanted


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
def test_and_and_or_share_one_branch(first: bool, second: bool) -> None:
    f = FunctionBuilder("f", a=BOOL, b=BOOL)
    f.block("entry").branch("a", *(("next", "out") if first else ("out", "next")))
    following = f.block("next").primitive("d", lambda b: not b, "b", BOOL)
    following.branch("d", *(("on", "out") if second else ("out", "on")))
    f.block("on").constant("x", 1).returns("x")
    f.block("out").constant("y", 2).returns("y")
    typed = conditions.join_conditions(program(f), everything)
    assert labels(typed, "f") == ["entry", "on", "out"]
    for args in ((True, True), (True, False), (False, True), (False, False)):
        wanted = outcome(run_call_form(program(f), args, {}))
        assert outcome(run_call_form(typed, args, {})) == wanted
    assert conditions.join_conditions(program(f), nothing) == program(f)


def test_a_condition_that_assigns_what_the_way_out_needs_stays() -> None:
    f = FunctionBuilder("f", a=BOOL, n=INT)
    f.block("entry").branch("a", "next", "out")
    following = f.block("next").primitive("n", lambda n: n + 1, "n")
    following.primitive("d", lambda n: n > 3, "n", BOOL).branch("d", "on", "out")
    f.block("on").constant("x", 1).returns("x")
    f.block("out").returns("n")
    assert conditions.join_conditions(program(f), everything) == program(f)


def test_a_loop_becomes_one_block() -> None:
    f = FunctionBuilder("f", n=INT)
    f.block("entry").constant("i", 0).jump("head")
    f.block("head").primitive("c", lambda i, n: i < n, "i n", BOOL).branch("c", "body", "exit")
    f.block("body").primitive("i", lambda i: i + 2, "i").jump("head")
    f.block("exit").returns("i")
    typed = rotation.rotate(program(f), everything)
    assert labels(typed, "f") == ["entry", "body", "exit"]
    assert outcome(run_call_form(typed, (5,), {})) == (6,)
    assert rotation.rotate(program(f), nothing) == program(f)


# --- Invariant parameters ------------------------------------------------------------------------


def test_invariant_parameters() -> None:
    assert set(invariants.find(tree_sum().program)) == {("walk", "right")}
    moved = coalesce.coalesce(tree_sum().program)
    assert set(invariants.find(moved)) == {("walk", "left"), ("walk", "right")}
    assert invariants.find(even_odd().program) == {}
    assert ("ack", "m") not in invariants.find(ackermann().program)


def _mutual(swapped: bool) -> ir.Program:
    f = FunctionBuilder("f", n=INT, a=INT, b=INT)
    f.block("entry").primitive("c", lambda n: n > 0, "n", BOOL).branch("c", "go", "stop")
    f.block("stop").returns("a b")
    f.block("go").primitive("m", lambda n: n - 1, "n").call("x y", "g", "b m a").returns("x y")
    g = FunctionBuilder("g", p=INT, n=INT, q=INT)
    args = "n p q" if swapped else "n q p"
    g.block("entry").call("x y", "f", args).returns("x y")
    return program(f, g)


def test_invariants_cross_mutual_recursion_and_swaps_are_none() -> None:
    assert invariants.find(_mutual(swapped=False)) == {
        ("f", "a"): ("f", "a"), ("g", "q"): ("f", "a"),
        ("f", "b"): ("f", "b"), ("g", "p"): ("f", "b"),
    }  # fmt: skip
    assert invariants.find(_mutual(swapped=True)) == {}


# --- Tracing -------------------------------------------------------------------------------------


def _structures() -> ir.Program:
    f = FunctionBuilder("f", x=FLOAT, y=FLOAT, n=INT, z=ir.TensorType("float32", (3,)))
    block = f.block("entry").primitive("sum", lambda x, y, n, z: x + z[0], "x y n z", FLOAT)
    block.primitive("quotient", lambda n, x: n // n, "n x")
    block.primitive("big", lambda x: tf.reduce_sum(tf.zeros([1000]) + x), "x", FLOAT)
    block.primitive("same", lambda x: x * 2.0, "x", FLOAT, batched=True)
    block.returns("sum quotient big same")
    return program(f)


def test_arguments_without_influence_are_dropped() -> None:
    typed = _structures()
    restricted = operands.restrict_operands(typed, tracing.Traced(typed))
    found = operations(restricted, "f")
    assert [o.args for o in found] == [("x", "z"), ("n",), ("x",), ("x",)]
    assert isinstance(found[0].fn, Restricted)
    args = (tf.constant(1.0), tf.constant(2.0), tf.constant(3), tf.constant([4.0, 5.0, 6.0]))
    plain = run_call_form(typed, args, {}).results
    lean = run_call_form(restricted, args, {}).results
    assert [float(v) for v in plain] == [float(v) for v in lean] == [5.0, 1.0, 1000.0, 2.0]


def test_cheap_is_what_is_small_and_cannot_fail() -> None:
    typed = _structures()
    known = tracing.Traced(typed)
    assert [known.is_cheap(o) for o in operations(typed, "f")] == [True, False, False, False]


def test_a_division_is_harmless_where_its_divisor_is_known_to_be() -> None:
    integer, pair = ir.TensorType("int32", ()), ir.TensorType("int32", (2,))
    cases = [
        (integer, lambda n: (n // 2,), True),
        (integer, lambda n: (n % 7,), True),
        (pair, lambda n: (n // tf.constant([2, 3]),), True),
        (pair, lambda n: (n // tf.constant([2, 0]),), False),
        (integer, lambda n: (n // -1,), False),
        (integer, lambda n: (7 // n,), False),
        (FLOAT, lambda x: (x // 0.0,), True),
    ]
    for type_, function, expected in cases:
        assert tracing.trace(function, (type_,)).harmless == expected


def test_an_argument_that_only_gives_its_shape_is_dropped() -> None:
    vector = ir.TensorType("float32", (3,))
    known = tracing.trace(lambda x, y: (tf.zeros_like(x) + y,), (vector, FLOAT))
    assert known.needed == (1,)


def test_an_argument_that_an_assertion_reads_is_needed() -> None:
    def checked_sum(x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor]:
        tf.debugging.assert_positive(x)
        return (y + 1.0,)

    known = tracing.trace(checked_sum, (FLOAT, FLOAT))
    assert known.needed == (0, 1) and not known.harmless
