"""`try`: a member's exceptions are caught where Python catches them."""

from __future__ import annotations

import math

import pytest

import pcbatch
from pcbatch.frontend import lower
from tests.conformance.programs.record import ints
from tests.support.members import check, of_member, outcome

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


def of_an_outer_handler(n):
    """What an `except` around has caught, from within another one."""
    try:
        return 12 // n
    except ZeroDivisionError as error:
        try:
            return [1, 2][n + 5]
        except IndexError:
            raise error from None


def texts(n):
    if n == 0:
        raise ValueError("a", n)
    if n == 1:
        raise ValueError("a", 3)
    if n == 2:
        raise KeyError("k")
    if n == 3:
        raise IndexError(1, "two")
    if n == 4:
        raise Mine("b")
    return n


def plain(k):
    if k == 3:
        raise Mine("three")
    return k


def of_a_variable(n):
    """Classes that variables hold, a nested function captures, and a plain function raises."""

    def nested(k):
        if k == 2:
            raise Mine("two")
        return plain(3) if k == 5 else k

    total = 0
    for kind in (ValueError, KeyError):
        try:
            if n == 1:
                raise kind("one")
            total += nested(n)
        except KeyError:
            total += 100
        except ValueError:
            total += 1000
    error = Mine("last")
    if n == 6:
        raise error
    return total


def within(n):
    """`finally` within `finally`, and the remedy for one that is too deep."""
    total = 0

    def close(k):
        try:
            return 3 // k
        finally:
            k += 1

    for k in range(n):
        try:
            total += 1 // (k + 1)
        finally:
            try:
                total += 6 // (k - 2)
            except ZeroDivisionError:
                total += 100
            finally:
                try:
                    total += 8 // (k + 1)
                finally:
                    total += close(k + 1)
    return total


def everything(n):
    return down(n), ways_out(n), changes(n)


def truths(n):
    """What is true within a `try` is known not to be None behind the condition only."""
    found = None
    try:
        if n:
            found = 6 // (n - 1)
        r = 1 if found else 2
    except ZeroDivisionError:
        r = 10 if n or found else 20
    finally:
        r = r + 100 if found else r
    return r


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


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("function", "options"),
    [
        (everything, {"strategy": "local"}),
        (raises, {"strategy": "local"}),
        (of_an_outer_handler, {"strategy": "local"}),
        (of_a_variable, {"strategy": "local"}),
        (within, {"strategy": "local"}),
        (truths, {"strategy": "local"}),
        (truths, {"schedule": "switch"}),
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


def test_the_texts_of_exceptions():
    expected = [str(python(texts, n)) for n in (1, 2, 3, 4)]
    result = pcbatch.autobatch(texts).run(ints(0, 1, 2, 3, 4, 5), strategy="local", jit=False)
    shown = [result.message(i).partition("\n")[0].partition(": ")[2] for i in range(5)]
    assert shown == ["('a', {n})", *expected]


def bound_again(n):
    try:
        return 12 // n
    except ZeroDivisionError as error:  # noqa: F841
        error = ValueError("other")
        raise error


def no_exception(n):
    kind = 5
    if n == 0:
        raise kind
    return n


def of_a_list(n):
    kinds = [ValueError, KeyError]
    if n < 2:
        raise kinds[n]("no")
    return n


@pytest.mark.parametrize("function", [bound_again, no_exception, of_a_list])
def test_a_class_that_is_not_known_is_refused(function):
    with pytest.raises(pcbatch.ProgramError, match=r"is not known before|but `kind` is"):
        pcbatch.autobatch(function).run(ints(0, 1), strategy="local", jit=False)


def one(n):
    total = 0
    for k in range(n):
        try:
            if k == 3:
                break
            total += 10 // k
        finally:
            total += 1
    return total


def three(n):
    total = 0
    for k in range(n):
        try:
            try:
                try:
                    if k == 3:
                        break
                    total += 10 // k
                finally:
                    total += 1
            finally:
                total += 1
        finally:
            total += 1
    return total


def five(n):
    total = 0
    for k in range(n):
        try:
            try:
                try:
                    try:
                        try:
                            if k == 3:
                                break
                            total += 10 // k
                        finally:
                            total += 1
                    finally:
                        total += 1
                finally:
                    total += 1
            finally:
                total += 1
        finally:
            total += 1
    return total


def test_finally_within_try_grows_by_as_many_blocks_each():
    sizes = [len(lower(f, needs_call=lambda _: False).blocks) for f in (one, three, five)]
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0]


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
