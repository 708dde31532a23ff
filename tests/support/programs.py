"""Programs that several tests run."""

from __future__ import annotations

import pcbatch


@pcbatch.autobatch
def fib(n):
    if n <= 1:
        return 1
    return fib(n - 1) + fib(n - 2)
