"""Pickles and copies: of functions, of methods and their objects, of results and errors."""

from __future__ import annotations

import concurrent.futures
import copy
import dataclasses
import functools
import gc
import linecache
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import types
import weakref

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.semantics import methods
from tests.semantics import pickled

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)
X = np.array([1.0, 5.0])
ROOT = pathlib.Path(__file__).parents[2]


def loaded(value, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(value, protocol))


# --- Objects with batched methods  ----------------------------------------------------------------

OBJECTS = [
    pickled.Solver(3.0),
    pickled.Slots(3.0),
    pickled.Equal(3.0),
    pickled.Frozen(3.0),
    pickled.FrozenSlots(3.0),
    pickled.Pair(3.0, 1.0),
]


@pytest.mark.every(3)
@pytest.mark.parametrize("owner", OBJECTS, ids=lambda x: type(x).__name__)
def test_an_object_is_copied_after_a_method_was_called(owner):
    np.testing.assert_array_equal(owner.until(X), [3.0, 5.0])
    assert owner.until is owner.until
    for made in (copy.copy(owner), copy.deepcopy(owner), loaded(owner), loaded(owner.until).owner):
        assert type(made) is type(owner) and made.k == owner.k
        if type(owner) is not pickled.Pair:  # a tuple is its own copy
            assert made.until is not owner.until
        assert made.until.owner is made
        np.testing.assert_array_equal(made.until(X), [3.0, 5.0])


def test_nothing_that_was_compiled_is_in_the_pickle_or_in_a_copy():
    solver = pickled.Solver(3.0)
    solver.until(X)
    assert len(pickle.dumps(solver)) < 200
    twin = copy.copy(solver)
    twin.k = 2.0
    np.testing.assert_array_equal(twin.until(X), [2.0, 5.0])
    np.testing.assert_array_equal(solver.until(X), [3.0, 5.0])
    assert solver.until is not twin.until
    assert vars(loaded(solver)).keys() == vars(solver).keys()


def test_an_object_and_what_was_compiled_for_it_die_together():
    solver = pickled.Solver(3.0)
    solver.me = solver
    solver.until(X)
    twin = copy.copy(solver)
    twin.until
    seen = weakref.ref(solver), weakref.ref(solver.until), weakref.ref(twin)
    del solver, twin
    gc.collect()
    assert [ref() for ref in seen] == [None, None, None]


def test_few_methods_of_objects_without_room_are_kept():
    refs = []
    for k in range(methods.MOST_DETACHED + 3):
        refs.append(weakref.ref(pickled.Slots(float(k)).until))
    gc.collect()
    assert [ref() is None for ref in refs[:3]] == [True] * 3
    assert refs[-1]() is not None


def test_threads_are_given_one_method():
    solvers = [pickled.Solver(3.0) for _ in range(200)]
    found = [set() for _ in solvers]
    barrier = threading.Barrier(4)

    def look():
        barrier.wait()
        for solver, ids in zip(solvers, found, strict=True):
            ids.add(id(solver.until))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {len(ids) for ids in found} == {1}


def test_a_bound_method_is_that_of_the_copied_object():
    solver = pickled.Solver(3.0)
    assert copy.copy(solver.until) is solver.until
    made, method = copy.deepcopy((solver, solver.until))
    assert made.until is method
    made, method = loaded((solver, solver.until))
    assert made.until is method


def test_a_method_of_a_class():
    class Settings:
        k = 3.0

        @classmethod
        @pcbatch.autobatch(jit=False)
        def until(cls, x):
            while x < cls.k:
                x = x + 1.0
            return x

    if sys.version_info < (3, 13):  # a classmethod binds what it wraps until then
        np.testing.assert_array_equal(Settings.until(X), [3.0, 5.0])


# --- Functions  -----------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "function",
    [
        pickled.halvings,
        pickled.fib,
        pickled.climbs,
        pickled.climbs_together,
        pickled.Solver.until,
        pickled.doubled,
        pickled.squared,
        pcbatch.debug_print,
        pcbatch.host_call,
    ],
    ids=lambda x: getattr(x, "__qualname__", type(x).__name__),
)
def test_a_function_is_pickled_as_its_name(function, protocol):
    assert loaded(function, protocol) is function
    assert copy.copy(function) is function
    assert copy.deepcopy(function) is function
    assert copy.deepcopy({"f": [function]})["f"][0] is function


def test_a_batched_callable_is_pickled_as_what_it_is_made_of():
    for made in (pcbatch.batched(functools.partial(np.add, 1)), pcbatch.batched(abs)):
        assert loaded(made).function(3) == made.function(3)
    again = pcbatch.batched(pickled.plain)
    assert loaded(again) is again


def test_methods_of_a_function_are_pickled():
    assert loaded(pickled.halvings.run).__self__ is pickled.halvings
    assert loaded(pickled.halvings.single)(9) == 3


def test_what_is_made_anew_of_a_function_is_made_once():
    made = pcbatch.autobatch(pickled.plain, jit=False, max_steps=12)
    text = pickle.dumps(made)
    assert pickle.loads(text) is made
    del made
    gc.collect()
    again = pickle.loads(text)
    assert pickle.loads(text) is again and again._defaults.max_steps == 12
    np.testing.assert_array_equal(again(np.array([1, 20])), [10, 20])


def test_a_nested_function_is_refused_as_python_does():
    @pcbatch.autobatch
    def nested(x):
        return x

    with pytest.raises((AttributeError, pickle.PicklingError), match="nested"):
        pickle.dumps(nested)
    assert copy.deepcopy(nested) is nested


@pytest.fixture(scope="module")
def pool():
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as made:
        yield made


def test_another_process_runs_functions_and_methods(pool):
    solver = pickled.Solver(3.0)
    solver.until(X)
    calls = [
        (pickled.ran, (pickled.halvings, [1, 8, 9]), [0, 3, 3]),
        (pickled.ran, (solver.until, X), [3.0, 5.0]),
        (pickled.ran, (pickled.climbs, [1, 20]), [10, 20]),
        (pickled.same_compiled, (pickled.climbs, "climbs"), True),
        (pickled.halvings.single, (9,), 3),
        (pickled.halvings, (np.array([1, 8, 9]),), [0, 3, 3]),
    ]
    waiting = [pool.submit(function, *args) for function, args, _ in calls]
    for (_, _, wanted), future in zip(calls, waiting, strict=True):
        np.testing.assert_array_equal(np.asarray(future.result(timeout=300)), wanted)


def test_an_error_comes_back_from_another_process(pool):
    with pytest.raises(pcbatch.MemberError, match="step limit"):
        pool.submit(pickled.ran, pickled.climbs_together, [-1000]).result(timeout=300)


@pytest.mark.thorough
def test_functions_of_the_main_module_are_carried(tmp_path):
    pytest.importorskip("cloudpickle", reason="cloudpickle is not installed (extra test)")
    script, target = tmp_path / "carried.py", tmp_path / "calls"
    script.write_text(pathlib.Path(pickled.__file__).read_text())
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, script, target], env=environment, check=True, timeout=300)
    for function, x, wanted in pickle.loads(target.read_bytes()):
        np.testing.assert_array_equal(np.asarray(function(np.asarray(x))), wanted)
        if isinstance(function, pcbatch.Autobatched) and not function._bound:
            assert function.__qualname__ == function._function.__qualname__


def test_a_notebooks_cell_is_carried_with_its_text(monkeypatch):
    cloudpickle = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")
    text = "@pcbatch.autobatch(jit=False)\ndef f(n):\n    while n > 3:\n        n = n // 2\n"
    text += "    return n\n"
    lines = text.splitlines(keepends=True)
    linecache.cache["<cell 1>"] = (len(text), None, lines, "<cell 1>")
    main = types.ModuleType("__main__")
    main.pcbatch = pcbatch
    monkeypatch.setitem(sys.modules, "__main__", main)
    exec(compile(text, "<cell 1>", "exec"), vars(main))
    by_name = pickle.dumps(main.f)
    assert pickle.loads(by_name) is main.f
    carried = cloudpickle.dumps(main.f)
    del linecache.cache["<cell 1>"]
    again = pickle.loads(carried)
    assert again is not main.f
    np.testing.assert_array_equal(again(np.array([1, 9, 30])), [1, 2, 3])
    del main.f
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.loads(by_name)


# --- Results and errors  --------------------------------------------------------------------------


@pcbatch.autobatch(jit=False)
def positive(x):
    if x <= 0:
        raise ValueError("not positive")
    return x, [x + 1]


@pcbatch.autobatch
def refused(x):
    return {}[x]


def test_a_result_is_pickled_with_its_faults():
    result = positive.run(np.array([1.0, -1.0]))
    for made in (loaded(result), copy.deepcopy(result), copy.copy(result)):
        assert made.stats == result.stats and made.faults == result.faults
        tf.nest.map_structure(np.testing.assert_array_equal, made.value, result.value)
        assert made.message(1) == result.message(1) != ""


def _raised(function, *args):
    try:
        function(*args)
    except BaseException as error:  # Ctrl-C is none of Exception
        return error
    raise AssertionError("nothing was raised")


def _errors():
    result = positive.run(np.array([1.0, 2.0]))
    cancelled = dataclasses.replace(result, status=tf.constant([0, pcbatch.Status.CANCELLED]))
    return [
        _raised(positive, np.array([1.0, -1.0])),
        _raised(refused, np.array([1.0, -1.0])),
        _raised(positive, 1.0),
        _raised(positive),
        _raised(cancelled.check),
        pcbatch.HostCallError("f", "it failed", None),
        pcbatch.CheckpointError("damaged"),
        pcbatch.VectorizationError("cannot"),
    ]


def test_errors_are_pickled_whole():
    for error in _errors():
        for made in (loaded(error), copy.copy(error), copy.deepcopy(error)):
            assert type(made) is type(error) and str(made) == str(error)
            assert vars(made).keys() == vars(error).keys()
            assert getattr(made, "diagnostic", None) == getattr(error, "diagnostic", None)
            assert getattr(made, "span", None) == getattr(error, "span", None)
    stopped = loaded(_errors()[4])
    assert isinstance(stopped, pcbatch.Interrupted)
    np.testing.assert_array_equal(stopped.result.value[0], [1.0, 2.0])


@pytest.mark.thorough
def test_what_belongs_to_a_process_is_refused():
    lowered = positive.lower(X)
    for value in (lowered, lowered.compile(jit=False), lowered.compile(jit=False).start(X)):
        with pytest.raises(TypeError, match=r"export\(path\)") as raised:
            pickle.dumps(value)
        assert isinstance(raised.value, pcbatch.PcbatchError)
        assert copy.copy(value) is value and copy.deepcopy(value) is value
