"""Which functions of a program can call which, as far as that is known."""

from __future__ import annotations

import dataclasses
from typing import Any

from pcbatch.infer.list_plans import Replan


@dataclasses.dataclass
class CallGraph:
    """The calls of a program, kept while inference begins again.

    Attributes:
      calls: by the code of a function, the code of those that it calls.
      apart: pairs of which inference has taken that the first cannot reach the second.
    """

    calls: dict[Any, set[Any]] = dataclasses.field(default_factory=dict)
    apart: set[tuple[Any, Any]] = dataclasses.field(default_factory=set)

    def note(self, caller: Any, callee: Any) -> None:
        """Note a call.

        Raises:
          Replan: it reaches what was taken not to be reached.
        """
        known = self.calls.setdefault(caller, set())
        if callee in known:
            return
        known.add(callee)
        wrong = {pair for pair in self.apart if self._reaches(*pair)}
        if wrong:
            self.apart -= wrong
            raise Replan

    def may_run(self, callee: Any, other: Any) -> bool:
        """Whether a call of a function may run another one, or the function itself."""
        if self._reaches(callee, other):
            return True
        self.apart.add((callee, other))
        return False

    def _reaches(self, start: Any, end: Any) -> bool:
        seen, waiting = set[Any](), [start]
        while waiting:
            code = waiting.pop()
            if code == end:
                return True
            if code not in seen:
                seen.add(code)
                waiting += self.calls.get(code, ())
        return False
