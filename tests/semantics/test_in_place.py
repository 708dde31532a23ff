"""`a += b` of arrays: NumPy changes the array itself, which other names and views of it see."""

from __future__ import annotations

import copy
import operator
import warnings

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.semantics.arrays.methods import ATTRIBUTES, FUNCTIONS, METHODS
from pcbatch.semantics.arrays.views import CONVERSIONS, VIEWS
from tests.support.tolerances import Tolerance, assert_close

V = np.array([[1.5, -2.0, 3.0, 0.5], [0.25, 9.0, -1.0, 2.0], [0.0, 1.0, 1.0, -4.0]])
K = np.array([1, 0, 1])
GLOBAL = np.ones(4)
GLOBALS = {0: np.ones(4), 2: np.zeros(4)}


def helper(w):
    w += 1
    return w


def step(q, p, eps):
    p += 0.5 * eps * -q
    q += eps * p
    return q, p


# --- What another name would see -------------------------------------------------------------


def made(v, k):
    a = np.zeros(4)
    b = a
    b += k
    return a


def argument(v, k):
    b = v
    v += k
    return b


def in_a_loop(v, k):
    old = v * 1
    for _ in range(3):
        old = v
        v += k
    return v, old


def reshaped(v, k):
    a = np.zeros(6)
    r = a.reshape(2, 3)
    r += k
    return a


def transposed(v, k):
    m = np.outer(v, v)
    r = m.T
    r += k
    return m


def row(v, k):
    m = np.outer(v, v)
    r = m[k]
    r += 1
    return m


def each_row(v, k):
    m = np.outer(v, v)
    for r in m:
        r += k
    return m


def unpacked_row(v, k):
    m = np.outer(v, v)
    p, *_ = m
    p += k
    return m


def part(v, k):
    r = v[: k + 1]
    r += 1
    return v


def new_axis(v, k):
    r = v[None, :]
    r += 1
    return v


def one_of_two(v, k):
    a, c = np.zeros(4), np.ones(4)
    b = a if k else c
    b += 1
    return a, c


def chosen(v, k):
    pair = (v * 2, v * 3)
    r = pair[k]
    r += 1
    return pair


def in_a_tuple(v, k):
    pair = (v, k)
    v += k
    return pair[0]


def in_a_dict(v, k):
    table = {"v": v}
    v += k
    return table["v"]


def by_key(v, k):
    table = {0: v * 2, 1: v * 3}
    r = table[k % 2]
    r += 1
    return table[0]


def the_largest(v, k):
    a, b = v * 2, v * 3
    r = max(a, b, key=lambda x: x[0] * k)
    r += 1
    return a


def rows_in_order(v, k):
    m = np.outer(v, v)
    rows = sorted(m, key=lambda r: r[0] * k)
    m += 1
    return rows[0]


def part_of_a_tuple_by_key(v, k):
    a, b = v * 2, v * 3
    r, _ = {0: (a, 1), 1: (b, 2)}[k % 2]
    r += 1
    return a


def of_a_global_dict(v, k):
    r = GLOBALS.get(k)
    if r is not None:
        r += 1
    return v if r is None else r


def stored(v, k):
    rows, s = [np.zeros(4), np.ones(4)], v * 2
    rows[k] = s
    s += 1
    return rows


def appended(v, k):
    rows, s = [v * 1], v * 2
    for _ in range(k + 1):
        rows.append(s)
    s += 1
    return rows[1]


def read_from_a_list(v, k):
    rows = [np.zeros(4), np.ones(4)]
    rows[k] = v * 2
    r = rows[k]
    r += 1
    return rows


def of_a_helper(v, k):
    b = helper(v)
    return v, b


def twice_in_a_call(v, k):
    return helper_of_program(v, v)


@pcbatch.autobatch
def helper_of_program(v, w):
    if v[0] > 0:
        v += 1
    return w


def recursive(v, k):
    def go(w, n):
        if n == 0:
            return w
        w += 1
        return go(w, n - 1)

    return go(v, k) + v


def captured(v, k):
    b = v

    def g():
        return b.sum()

    v += k
    return g()


def of_a_global(v, k):
    b = GLOBAL
    b += k
    return b


def in_a_handler(v, k):
    y = v.copy()
    old = y
    try:
        y += k
        return y * (1 // k)
    except ZeroDivisionError:
        return old


SEEN = [
    made, argument, in_a_loop, reshaped, transposed, row, each_row, unpacked_row, part, new_axis,
    one_of_two, chosen, in_a_tuple, in_a_dict, by_key, the_largest, rows_in_order,
    part_of_a_tuple_by_key,
    of_a_global_dict, stored, appended, read_from_a_list, of_a_helper,
    twice_in_a_call, recursive, captured, of_a_global, in_a_handler,
]  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("function", SEEN, ids=lambda f: f.__name__)
def test_what_another_name_would_see_is_refused(function):
    with pytest.raises(pcbatch.ProgramError, match=r"in place"):
        pcbatch.autobatch(function).run(V, K, strategy="local", jit=False)


# --- What no other name sees -----------------------------------------------------------------


def numbers(v, k):
    y = k
    y += 1
    y *= 2
    z = k
    z -= y
    return k, y, z


def never_read_again(v, k):
    b = v
    b += k
    b *= 2
    return b


def copies(v, k):
    a, b, c, d, e = v.copy(), np.array(v), v.astype(float), +v, copy.copy(v)
    a += 1
    b += 2
    c += 3
    d += 4
    e += 5
    return v, a, b, c, d, e


def new_ones(v, k):
    y, old = v * 1, v
    for _ in range(3):
        old = y
        y = y + k
        y *= 1.5
    return y, old


def rows_apart(v, k):
    a, b, c, d = np.outer(v, v)
    a += k
    b *= 2
    return a, b, c, d


def exchanged(v, k):
    u, w = v.copy(), np.zeros(4)
    for _ in range(k + 2):
        u, w = w, u
        u += w
    return u, w


def helpers(v, k):
    w = helper(v * 2)
    return v, helper(w)


def steps(v, k):
    q, p = v.copy(), np.ones(4)
    for _ in range(k + 2):
        q, p = step(q, p, 0.25)
    return q, p, v


def nested(v, k):
    a = np.zeros(4)

    def g(y):
        return a[0] + y

    a += k
    return g(1)


def copied_into_a_list(v, k):
    rows, s = [v * 1], v * 2
    for _ in range(k + 1):
        rows.append(s.copy())
        s += 1
    return rows[0], rows[1], s


def in_a_try(v, k):
    y = v.copy()
    try:
        y += k
        y *= 1 // k
    except ZeroDivisionError:
        y = y - 1
    return y


def kept_dtypes(v, k):
    n, f = np.zeros(4, dtype=int), np.zeros(4, dtype=np.float32)
    n += 3
    n //= 2
    f += v
    t = v > 0
    t |= v < -1
    return n, f, t


def tensors(v, k):
    """TensorFlow's are never changed in place: `+=` makes a new one."""
    start = tf.reverse(v, [0])
    pair = (start, k)
    moved = start
    moved += k
    moved *= 2
    return pair[0], moved


def number_becomes_a_float(v, k):
    n = 1
    n += 0.5 * k
    return n


UNSEEN = [
    numbers, never_read_again, copies, new_ones, rows_apart, exchanged, helpers, steps, nested,
    copied_into_a_list, in_a_try, kept_dtypes, tensors, number_becomes_a_float,
]  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("function", UNSEEN, ids=lambda f: f.__name__)
@pytest.mark.parametrize("decorated", [False, True])
def test_what_no_other_name_sees_runs(function, decorated, monkeypatch):
    if decorated and not {"helper", "step"}.intersection(function.__code__.co_names):
        pytest.skip("it calls nothing")
    expected = [function(V[i].copy(), K[i].item()) for i in range(3)]
    for name in ("helper", "step") if decorated else ():
        monkeypatch.setitem(globals(), name, pcbatch.autobatch(globals()[name]))
    value = pcbatch.autobatch(function).run(V, K, strategy="local", jit=False, throw=True).value
    for i, truth in enumerate(expected):
        pairs = zip(value, truth, strict=True) if isinstance(truth, tuple) else [(value, truth)]
        for mine, theirs in pairs:
            assert np.asarray(mine).dtype == np.asarray(theirs).dtype
            assert_close(np.asarray(mine)[i], theirs, Tolerance(1e-14))


# --- What the array cannot hold ----------------------------------------------------------------


def integers_get_floats(v, k):
    n = np.zeros(4, dtype=int)
    n += 0.5 * v
    return n


def integers_get_quotients(v, k):
    n = np.ones(4, dtype=int) * k
    n /= 2
    return n


def truth_values_get_integers(v, k):
    t = v > 0
    t += k
    return t


def more_elements(v, k):
    v += np.outer(v, v)
    return v


@pytest.mark.parametrize(
    "function",
    [integers_get_floats, integers_get_quotients, truth_values_get_integers, more_elements],
)
def test_what_the_array_cannot_hold_is_refused(function):
    with pytest.raises((TypeError, ValueError)):
        function(V[0].copy(), 2)
    with pytest.raises(pcbatch.ProgramError, match=r"`a [+/]= b`"):
        pcbatch.autobatch(function).run(V, K, strategy="local", jit=False)


# --- Views -------------------------------------------------------------------------------------

A, B, Z = np.arange(1.0, 10.0).reshape(3, 3), np.arange(1.0, 4.0), np.arange(1.0, 4.0) + 1j
ARGUMENTS = [
    (A,), (B,), (Z,), (A, 0), (A, 1), (A, 2), (A, (3, 3)), (A, 0, 1), (A, 1, 0), ([A, A],),
    ([A > 1], [A]), (A > 1, A, A), (A.astype(bool),), (A, float), ((3, 3),), (3,), (B, B), (A, B),
]  # fmt: skip
_IDLE = {"diff", "linalg.matrix_power", "nan_to_num"}
"""What gives its argument only where it has nothing to do, or is told so."""
_WRITE = {"isposinf", "isneginf", "fix", "conj", "conjugate", "dot", "matmul"}
"""What writes to another argument."""


def _gives_a_view(function):
    found = False
    for arguments in ARGUMENTS:
        try:
            result = function(*arguments)
        except Exception:  # whatever NumPy says of arguments that do not fit
            continue
        results = result if isinstance(result, (list, tuple)) else [result]
        arrays = [x for x in results if isinstance(x, np.ndarray) and x.ndim]
        found |= any(np.shares_memory(x, y) for x in arrays for y in (A, B, Z))
    return found


def _numpys():
    """What is known of NumPy's, by name; ufuncs write to a third argument, and make new arrays."""
    for name in FUNCTIONS:
        parent, _, last = name.rpartition(".")
        known = getattr(operator.attrgetter(parent)(np) if parent else np, last, None)
        if known is not None and not isinstance(known, np.ufunc):
            yield name, known
    for name in METHODS:
        yield name, lambda x, *rest, name=name: getattr(np.asarray(x), name)(*rest)
    for name in ATTRIBUTES:
        yield name, lambda x, name=name: getattr(x, name)


def test_all_views_of_numpys_are_listed():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = {name for name, function in _numpys() if _gives_a_view(function)}
    assert found - _IDLE - _WRITE <= VIEWS | CONVERSIONS
    assert VIEWS <= found | {"split", "T"}
