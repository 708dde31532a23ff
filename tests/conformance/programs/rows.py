"""Lists of lists with rows in common, formatted texts, and exceptions that are asked."""

from __future__ import annotations

import pcbatch
from tests.conformance.programs.record import Program, ints


@pcbatch.autobatch
def joined_spans(n):
    """Intervals that touch are joined: two lists have the rows, and one changes them."""
    spans = [[k * k % 17, k * k % 17 + n % 4] for k in range(n + 1)]
    spans.sort()
    found = [spans[0]]
    for span in spans[1:]:
        if span[0] <= found[-1][1]:
            found[-1][1] = max(found[-1][1], span[1])
        else:
            found.append(span)
    return len(found), sum(b - a for a, b in found), sum(b for _, b in spans)


@pcbatch.autobatch
def peeled(n):
    """A table whose rows are taken away, and shortened backwards."""
    table = [[(i * 4 + j + n) % 10 for j in range(3)] for i in range(3)]
    code = 0
    while table:
        for x in table.pop(0):
            code = (code * 7 + x) % 1009
        for row in table[::-1]:
            if row:
                code = (code * 7 + row.pop()) % 1009
    return code


@pcbatch.autobatch
def written_numbers(n):
    """Numbers in texts: with a width, a sign, places behind the point, and in other bases."""
    x = n / 3 - 1.5
    text = f"{n:03d}|{x:.2f}|{n * 1000:>8,}|{n:x}|{n:b}|{x:+.1f}"
    same = f"{n:+d}" == "+7", f"{x:8.3f}".strip()[0] == "-"
    return len(text), text.count("0"), text.index("."), same


class Refused(Exception):
    def __init__(self, code, need):
        super().__init__(code)
        self.code = code
        self.need = need


@pcbatch.autobatch
def asked_exceptions(n):
    """A handler asks an exception for what it holds."""
    total = 0
    for k in range(n, n + 4):
        try:
            if k % 3 == 0:
                raise Refused(k, 10 - n)
            if k % 5 == 0:
                raise ValueError("no such sum")
            total += k
        except Refused as error:
            total += 100 * error.code + error.need + error.args[0]
        except ValueError as error:
            total += len(str(error))
    return total


@pcbatch.autobatch
def asked_one_by_one(n):
    """Iterators that variables have, one of which is asked before a loop goes over the rest."""
    xs = [k * 5 % 7 for k in range(n)]
    it, pairs = iter(xs), zip(range(n), range(3, 20))
    first, total = next(it, -1), 0
    a, b = next(pairs, (7, 9))
    for x in it:
        total = 3 * total + x + next(it, 1)
        if total > 90:
            break
    for c, d in pairs:
        total += c * d
    return first, total, a + b, sum(it)


NUMBERS = ints(0, 1, 2, 3, 5, 7, 9, 12)

PROGRAMS = (
    Program("joined_spans", joined_spans, (NUMBERS,), plain="python", tags=("turn",)),
    Program("peeled", peeled, (NUMBERS,), plain="python", tags=("turn",)),
    Program("written_numbers", written_numbers, (NUMBERS,), plain="python", tags=("turn",)),
    Program("asked_one_by_one", asked_one_by_one, (NUMBERS,), plain="python", tags=("turn",)),
    Program("asked_exceptions", asked_exceptions, (NUMBERS,), plain="python", tags=("turn",)),
)
