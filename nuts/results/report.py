"""A run in words and numbers, for the command line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nuts.adaptation.ensemble import BlockUse
from nuts.results import warnings
from nuts.results.fit import Fit
from nuts.results.reference import Reference
from nuts.results.table import aligned


def report(fit: Fit, reference: Reference, variables: Sequence[str] | None = None) -> str:
    """Describe a run: the posterior, what may be wrong, how the sampler and the batch did.

    Args:
      fit: the run.
      reference: what is known of the posterior; may be empty.
      variables: which to show in the table; None: of each the first numbers.
    """
    summary = fit.summary(reference)
    shown = summary if variables is None else summary.of(variables)
    parts = [str(shown), "", _sampler(fit)]
    known = [row.z_mean for row in summary if row.z_mean is not None]
    if known:
        parts.append(
            f"against the reference: largest difference {np.abs(known).max():.1f} standard errors "
            f"in {len(known)} means, root mean square {np.sqrt(np.square(known).mean()):.2f}"
        )
    if fit.blocks:
        parts += ["", utilization(fit.blocks)]
    for warning in warnings.warnings(fit, summary):
        parts += ["", f"warning: {warning}"]
    return "\n".join(parts)


def _sampler(fit: Fit) -> str:
    stats = fit.stats
    gradients = int(stats.num_leapfrogs.sum())
    seconds = fit.timing.sampling
    lines = [
        f"{fit.num_chains} chains x {fit.num_draws} draws: {fit.divergences} "
        f"divergences, mean acceptance {stats.accept_prob.mean():.3f}, "
        f"step size {stats.step_size.mean():.4g}, "
        f"{stats.num_leapfrogs.mean() / fit.thin:.1f} gradients a draw",
        f"warmup {fit.timing.warmup:.1f} s (with compilation), sampling {seconds:.1f} s: "
        f"{gradients / seconds:,.0f} gradients a second",
    ]
    return "\n".join(lines)


def utilization(blocks: tuple[BlockUse, ...]) -> str:
    """A table of the blocks of the compiled program: how often each ran and how full."""
    head = ["block", "line", "executions", "members", "utilization"]
    table = [head]
    for block in blocks:
        table.append(
            [
                block.label,
                str(block.line),
                f"{block.executions:,}",
                f"{block.active:,}",
                f"{block.utilization:.1%}",
            ]
        )
    return aligned(table)
