"""Run a batch as its options say: on workers, member by member, or here."""

from __future__ import annotations

from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.cluster.engine import Workers
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.result import Result
from pcbatch.runtime.specialization import Specialization
from pcbatch.runtime.under_tapes import run_under_tapes


def run_strategy(
    specialization: Specialization,
    arguments: Arguments,
    options: RunOptions,
    where: Workers | None,
) -> Result:
    """Run a batch once.

    Args:
      specialization: of the function, for arguments of these types.
      arguments: the batch.
      options: the strategy is one of them.
      where: the workers; None: this process.
    """
    if where is not None:
        from pcbatch.runtime.cluster.run import run_on_workers

        return run_on_workers(specialization, arguments, options, where)
    if options.strategy == "loop" and arguments.batch_size:
        from pcbatch.runtime.one_by_one import run_loop

        return run_loop(specialization, arguments, options.max_steps)
    return run_under_tapes(specialization, arguments, options)
