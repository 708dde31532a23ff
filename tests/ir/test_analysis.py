"""Orders, components, the dataflow solver, liveness, the call graph."""

from __future__ import annotations

import pytest

from pcbatch import ir
from pcbatch.ir.analysis import calls, dataflow, flow, graph
from pcbatch.ir.analysis.liveness import liveness
from pcbatch.passes.lowering import to_stack
from tests.ir.builder import BOOL, INT, FunctionBuilder, program
from tests.ir.ir_programs import CASES, even_odd, fib, nested_loops, trajectory


def test_reverse_postorder_puts_a_loop_body_before_its_exit() -> None:
    edges = {"a": ("head",), "head": ("body", "exit"), "body": ("head",), "exit": ()}
    assert graph.reverse_postorder(edges, "a") == ("a", "head", "body", "exit")


def test_reverse_postorder_leaves_out_what_cannot_be_reached() -> None:
    assert graph.reverse_postorder({"a": ("b",), "b": (), "c": ("a",)}, "a") == ("a", "b")


def test_reverse_postorder_of_a_long_chain_needs_no_recursion() -> None:
    edges = {i: (i + 1,) for i in range(5000)} | {5000: ()}
    assert graph.reverse_postorder(edges, 0) == tuple(range(5001))


def test_components_come_after_those_they_lead_to() -> None:
    edges = {1: (2,), 2: (3, 4), 3: (1,), 4: (5,), 5: (4, 6), 6: ()}
    assert graph.components(edges) == ((6,), (4, 5), (1, 2, 3))


def test_components_of_a_long_cycle_need_no_recursion() -> None:
    edges = {i: ((i + 1) % 5000,) for i in range(5000)}
    assert graph.components(edges) == (tuple(range(5000)),)


def test_cyclic_finds_loops_and_self_loops() -> None:
    edges = {1: (2,), 2: (2, 3), 3: (4,), 4: (3, 5), 5: ()}
    assert graph.cyclic(edges) == {2, 3, 4}


def test_liveness_of_a_loop() -> None:
    function = nested_loops().program.functions["pairs"]
    live = liveness(flow.of_function(function))
    assert live.at_start["entry"] == {"n"}
    assert live.at_start["inner"] == {"n", "i", "j", "count"}
    assert live.at_start["done"] == {"count"}
    assert live.at_end["done"] == set()


def test_a_variable_that_only_computes_itself_is_dead() -> None:
    f = FunctionBuilder("f", n=INT)
    f.block("entry").constant("useless", 0).jump("head")
    f.block("head").primitive("c", lambda n: n > 0, "n", BOOL).branch("c", "body", "exit")
    body = f.block("body").primitive("useless", lambda u: u + 1, "useless")
    body.primitive("n", lambda n: n - 1, "n").jump("head")
    f.block("exit").returns("n")
    live = liveness(flow.of_function(f.build()))
    assert live.at_start["head"] == {"n"}


def test_a_push_needs_its_variable_only_where_a_pop_yields_a_live_value() -> None:
    stack = to_stack(fib().program)
    live = liveness(flow.of_stack(stack))
    assert "fib.n.saved" in live.stacks
    first_call = next(b.label for b in stack.blocks if b.label == "fib.more")
    assert "fib.n" in live.at_start[first_call]
    assert "fib.n.saved" not in live.at_end[first_call]


def test_returns_lead_to_the_return_blocks_of_their_address() -> None:
    stack = to_stack(fib().program)
    view = flow.of_stack(stack)
    assert view.successors["fib.base"] == ("fib.more.fib", "fib.more.fib.fib")
    assert view.results["fib.base"] == stack.outputs


def test_the_solver_joins_only_paths_that_exist() -> None:
    f = FunctionBuilder("f", n=INT)
    f.block("entry").primitive("c", lambda n: n > 0, "n", BOOL).branch("c", "a", "b")
    f.block("a").constant("x", 1).constant("y", 1).jump("join")
    f.block("b").constant("x", 2).jump("join")
    f.block("join").returns("x")
    f.block("unreachable").jump("join")
    view = flow.of_function(f.build())
    assigned = dataflow.solve(
        view,
        direction="forward",
        border=lambda label: frozenset({"n"}) if label == "entry" else None,
        transfer=lambda label, state: state.union(
            *(o.targets for o in view.blocks[label].operations)
        ),
        join=frozenset.intersection,
    )
    assert assigned.at_start["join"] == {"n", "c", "x"}
    assert "unreachable" not in assigned.at_start


def test_call_graph_and_recursion() -> None:
    typed = trajectory().program
    assert calls.call_graph(typed) == {
        "chain": ("build",),
        "build": ("leapfrog", "build"),
        "leapfrog": (),
    }
    assert calls.recursion(typed) == {"chain": (), "build": ("build",), "leapfrog": ()}
    assert calls.call_sites(typed) == {"chain": 0, "build": 3, "leapfrog": 1}
    mutual = even_odd().program
    assert calls.recursion(mutual) == {"even": ("even", "odd"), "odd": ("even", "odd")}


@pytest.mark.parametrize(
    ("function", "label", "once"),
    [
        ("main", "entry", True),
        ("main", "loop", False),
        ("once", "entry", True),
        ("once", "inner", False),
        ("twice", "entry", False),
        ("looped", "entry", False),
        ("recursive", "entry", False),
    ],
)
def test_allocates_once(function: str, label: str, once: bool) -> None:
    main = FunctionBuilder("main", n=INT)
    main.block("entry").call("a", "once", "n").call("b", "recursive", "n").jump("loop")
    main.block("loop").call("c", "looped", "n").call("d", "twice", "n").primitive(
        "more", lambda c: c > 0, "c", BOOL
    ).branch("more", "loop", "end")
    main.block("end").call("e", "twice", "n").returns("e")
    inner = FunctionBuilder("once", n=INT)
    inner.block("entry").jump("inner")
    inner.block("inner").primitive("c", lambda n: n > 0, "n", BOOL).branch("c", "inner", "end")
    inner.block("end").returns("n")
    recursive = FunctionBuilder("recursive", n=INT)
    recursive.block("entry").call("r", "recursive", "n").returns("r")
    leaves = []
    for name in ("twice", "looped"):
        leaf = FunctionBuilder(name, n=INT)
        leaf.block("entry").returns("n")
        leaves.append(leaf)
    typed = program(main, inner, recursive, *leaves)
    assert calls.allocates_once(typed, function, label) is once


@pytest.mark.parametrize("name", CASES)
def test_stack_programs_are_in_flow_order(name: str) -> None:
    stack = to_stack(CASES[name]().program)
    assert flow.in_order(stack.blocks) == stack.blocks
    assert isinstance(stack.blocks[0], ir.Block)
