"""`try`: a member's exceptions are caught where Python catches them."""

from __future__ import annotations

import math

import pytest

import pcbatch
from tests.members import check, of_member, outcome
from tests.programs.record import ints

N = (0, 1, 2, 3, 4, 5, 6, -3)


class Mine(ValueError):
    """An exception of the user's."""


def checked(n):
    if n < 0:
        raise Mine("negative")
    if n == 4:
        raise KeyError(n)
    return [12, 6, 7][n] // n


def down(n):
    """Recursion in which each call catches, and one raises."""
    try:
        if n <= 0:
            return 6 // n
        return down(n - 1) + 10 // (n - 2)
    except ZeroDivisionError:
        return 100 + n


def ways_out(n):
    total = 0
    for k in range(n):
        try:
            if k == 3:
                break
            if k == 1:
                continue
            total += 10 // k
        except ZeroDivisionError:
            total += 1
            continue
        finally:
            total += 100
    try:
        return total if n % 2 else total // n
    except ArithmeticError:
        total = -1
    finally:
        total += 7
        if n == 4:
            return total
    return total


def changes(n):
    """What has been done before an exception stays done; what raises assigns nothing."""
    xs, x = [1, 2, 3], 50
    try:
        for _ in range(n):
            x += 1
            xs.pop()
        xs[0] = 7
        x = xs[2] // (n - 1)
    except (IndexError, OverflowError):
        x += 1000
    except ZeroDivisionError:
        del xs[0]
        x = -x
    else:
        x += 5
    try:
        found = xs.index(3)
    except ValueError:
        found = -1
    try:
        root = int(math.sqrt(n) / (n - 2))
    except ValueError:
        root = -2
    except:  # noqa: E722
        root = -3
    return len(xs), x, found, root


def raises(n):
    k = 0
    try:
        try:
            return checked(n)
        except (ValueError, ArithmeticError) as error:
            k += 1
            if n < 0:
                raise
            raise RuntimeError("zero") from error
        finally:
            k += 10
    except IndexError:
        return k
    except RuntimeError:
        return -k


def everything(n):
    return down(n), ways_out(n), changes(n)


def python(function, n):
    """What Python gives, or raises, for a member."""
    return outcome(function, (n,))


@pytest.fixture
def decorated(monkeypatch):
    """The functions of this module, autobatched."""
    made = {f.__name__: pcbatch.autobatch(f) for f in (checked, down, ways_out, changes)}

    def batch():
        for name, function in made.items():
            monkeypatch.setitem(globals(), name, function)

    return batch


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (everything, {"strategy": "local"}),
        (raises, {"strategy": "local"}),
        (raises, {"schedule": "switch", "checks": False}),
    ],
)
def test_as_in_python(function, options, decorated):
    members = N if options.get("checks", True) else tuple(n for n in N if n not in (3, 4))
    expected = [python(function, n) for n in members]
    decorated()
    check(function, ints(*members), truths=expected, **({"jit": False} | options))


def test_where_an_exception_that_is_raised_again_is_from(decorated):
    decorated()
    result = pcbatch.autobatch(raises).run(ints(-1, 1), jit=False)
    text = result.message(0)
    assert text.startswith("Mine: negative")
    assert 'raise Mine("negative")' in text


def test_room_for_a_list_is_no_exception_of_the_programs():
    """The run begins again with more room, though the program catches what it can."""

    def fills(n):
        xs = []
        try:
            for k in range(n):
                xs.append(k)
        except Exception:
            return -1
        return len(xs)

    result = pcbatch.autobatch(fills).run(ints(3, 70), jit=False)
    assert [of_member(result.value, i) for i in (0, 1)] == [3, 70]
