"""What a run begins with: step size and metric, given by the user or taken over from a fit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nuts.adaptation.learned import Adaptation, Learned, first_guess
from nuts.errors import SamplingError
from nuts.results.draws import Ending
from nuts.results.fit import Fit
from nuts.results.streamed_fit import StreamedFit
from nuts.run.options import RunOptions, WarmupOptions
from nuts.run.space import Space
from nuts.structure import Structure


class Earlier(NamedTuple):
    """What a call of `nuts.sample` takes over from an earlier fit, where `init` is one.

    Attributes:
      num_chains, num_warmup, num_superchains: of this call, where it does not say them.
      learned: what the fit learned; None where there is no fit.
      num_draws_made: how many draws each chain has made already.
    """

    num_chains: int = 1000
    num_warmup: int = 500
    num_superchains: int | None = None
    learned: Learned | None = None
    num_draws_made: int = 0

    def check_chains(self, num_chains: int) -> None:
        """Check that a call has as many chains as the fit.

        Raises:
          SamplingError: it has more or fewer.
        """
        if self.learned is not None and num_chains != self.num_chains:
            raise SamplingError(
                f"init is a fit of {self.num_chains} chains and num_chains is {num_chains}\n"
                "why: each chain goes on from the last draw of its own\n"
                f"help: leave num_chains out; or give positions of {num_chains} chains as init, "
                "metric=fit.learned.inverse_mass and step_size=fit.learned.step_size"
            )


def take_over(init: Structure | None) -> tuple[Structure | Ending | None, Earlier]:
    """Find out whether a run goes on from an earlier fit.

    Args:
      init: as for `nuts.sample`.

    Returns:
      Where chains start: `init`, or the `Ending` of the fit; and what else is taken over.

    Raises:
      SamplingError: the fit does not know where its chains stand.
    """
    if not isinstance(init, Fit | StreamedFit):
        return init, Earlier()
    if init.end is None:
        raise SamplingError(
            "init is a fit that does not know where its chains stand\n"
            "why: it was saved by an older version, or it was not made by nuts.sample\n"
            "help: give unconstrained positions as init, metric=fit.learned.inverse_mass and "
            "step_size=fit.learned.step_size"
        )
    groups = init.num_superchains if isinstance(init, Fit) else None
    return init.end, Earlier(init.num_chains, 0, groups, init.learned, init.end.next_draw)


class Beginning(NamedTuple):
    """How warmup begins.

    Attributes:
      how: how to adapt.
      learned: the step size and the metric to begin with.
      search: whether the step size is a guess, from which a first one is to be searched.
    """

    how: Adaptation
    learned: Learned
    search: bool


def begin(
    warmup: WarmupOptions, run: RunOptions, earlier: Learned | None, space: Space
) -> Beginning:
    """State how warmup begins.

    What the user gives comes before what a fit learned.

    Args:
      warmup, run: the options of the call.
      earlier: what a fit learned; None where there is none.
      space: of positions.

    Raises:
      SamplingError: the metric is no metric of such positions; or there is no step size, and no
        warmup to find one; or chains of the fit do not share what this call wants to share.
    """
    given = None if warmup.metric is None or isinstance(warmup.metric, str) else warmup.metric
    taken = earlier if given is None else Learned(np.ones(()), read_metric(given, space))
    how = warmup.adaptation(run.max_tree_depth, None if taken is None else _form(taken))
    guess = first_guess(how, run.num_chains, space.dim, warmup.step_size or 1.0)
    if taken is not None and how.metric != "unit":
        guess = guess._replace(inverse_mass=_metric_of(taken, how, guess))
    if earlier is not None and warmup.step_size is None:
        _check_shared(earlier, how)
        guess = guess._replace(step_size=np.broadcast_to(earlier.step_size, guess.step_size.shape))
    search = warmup.step_size is None and earlier is None
    if search and warmup.num_warmup == 0:
        raise SamplingError("num_warmup=0 leaves nothing to find a step size: give step_size")
    return Beginning(how, guess, search)


def read_metric(given: Any, space: Space) -> np.ndarray:
    """Read the metric that the user gives: float64[D], variances, or float64[D, D].

    Raises:
      SamplingError: it has another shape, or is not positive (definite) in the dtype of positions.
    """
    metric, dim = np.asarray(given, np.float64), space.dim
    if metric.shape not in ((dim,), (dim, dim)):
        raise SamplingError(
            f"metric has the shape {list(metric.shape)}, but a position has {dim} numbers\n"
            f"help: give their variances, [{dim}], or their covariance, [{dim}, {dim}], in the "
            "order of tf.nest.flatten(init), in the unconstrained space"
        )
    rounded = metric.astype(space.dtype.as_numpy_dtype)
    if metric.ndim == 1:
        bad = np.flatnonzero(~((rounded > 0) & np.isfinite(rounded)))
        if bad.size:
            raise SamplingError(
                f"metric must be variances, positive numbers, but number {bad[0]} of it is "
                f"{metric[bad[0]]}{_rounded(metric[bad[0]], space)}"
            )
        return metric
    _check_positive_definite(metric, rounded, space)
    return 0.5 * (metric + metric.T)


def _check_positive_definite(metric: np.ndarray, rounded: np.ndarray, space: Space) -> None:
    scale = np.sqrt(np.abs(np.outer(np.diag(metric), np.diag(metric))))
    if not np.isfinite(rounded).all():
        raise SamplingError("metric must be a covariance, but it has infinities or NaN")
    apart = np.abs(metric - metric.T) > 1e-5 * scale
    if apart.any():
        row, column = np.argwhere(apart)[0]
        raise SamplingError(
            f"metric must be a covariance, a symmetric matrix, but [{row}, {column}] of it is "
            f"{metric[row, column]} and [{column}, {row}] is {metric[column, row]}"
        )
    try:
        np.linalg.cholesky(rounded)
    except np.linalg.LinAlgError:
        least = np.linalg.eigvalsh(metric)[0]
        raise SamplingError(
            f"metric must be a covariance, a positive definite matrix in {space.dtype.name}, but "
            f"its smallest eigenvalue is {least:.3g}"
        ) from None


def _rounded(number: float, space: Space) -> str:
    return f", which is 0 or infinite in {space.dtype.name}" if 0 < number < np.inf else ""


def _form(learned: Learned) -> str:
    return "dense" if np.ndim(learned.inverse_mass) - np.ndim(learned.step_size) == 2 else "diag"


def _metric_of(taken: Learned, how: Adaptation, guess: Learned) -> np.ndarray:
    """The inverse mass in the form, and for as many chains, as the run wants it."""
    _check_shared(taken, how)
    found = taken.inverse_mass
    if _form(taken) != how.metric:
        square = found[..., np.newaxis] * np.eye(found.shape[-1])
        found = square if how.metric == "dense" else np.diagonal(found, axis1=-2, axis2=-1)
    return np.broadcast_to(found, guess.inverse_mass.shape)


def _check_shared(learned: Learned, how: Adaptation) -> None:
    if how.pooled and np.ndim(learned.step_size):
        raise SamplingError(
            "the chains of the fit have step sizes and metrics of their own, and this call wants "
            'chains that share theirs\nhelp: give pool="none", as in the call that made the fit; '
            "or give both metric and step_size"
        )
