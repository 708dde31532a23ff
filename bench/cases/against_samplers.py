"""P2, P3, P3b: useful gradients per second over those of other NUTS, same target and step size.

Useful are the leapfrogs that belong to trajectories. Each peer's draws are compared with ours
before it is timed. Peers in lock step need as long for one draw as for another, so that fewer draws
do, if a call takes seconds: shorter ones differ by a third. We make so many that the draining of
the last chains weighs as in a real run.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bench import peers, report
from bench.agreement import check_agreement
from bench.cases.goal import NO_GOAL, Goal, at_least
from bench.limit import check_gradients, limit_rate
from bench.sampler import Draws, Sampler, check_record
from bench.targets import LogisticRegression, Normal, Target
from bench.timing import alternate, ratio

OURS = "pcbatch"


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A case.

    Attributes:
      name: P2, P3 or P3b.
      target: makes the target.
      step_size: of a leapfrog step.
      chains: batch sizes.
      draws: ours per chain.
      together: those of all chains together that a peer makes, but no more than ours.
      goal: over the best of the samplers in lock step.
      others: goals over other peers.
      leapfrogs: what every trajectory must take; None where they differ.
      rounds: how often each is timed unless the user says otherwise.
    """

    name: str
    target: Callable[[], Target]
    step_size: float
    chains: tuple[int, ...]
    draws: int
    together: int
    goal: Goal
    others: dict[str, Goal] = dataclasses.field(default_factory=dict)
    leapfrogs: int | None = None
    rounds: int = 1

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options of `python -m bench NAME`."""
        names = [*peers.LOCK_STEP, *self.others]
        parser.add_argument("--chains", type=int, nargs="+", default=list(self.chains))
        parser.add_argument("--draws", type=int, default=self.draws, help="our draws")
        parser.add_argument(
            "--peer-draws",
            type=int,
            help=f"theirs (default: {self.together:,} of all chains together, at most ours)",
        )
        parser.add_argument("--peers", nargs="*", default=names, choices=[*names, []])
        parser.add_argument(
            "--rounds", type=int, default=self.rounds, help="timed calls of each, in turn"
        )
        parser.add_argument("--schedule", default="auto", help="how pcbatch orders blocks")

    def run(self, options: argparse.Namespace) -> list[dict[str, Any]]:
        """Measure each number of chains."""
        target = self.target()
        rows = []
        for chains in options.chains:
            check_gradients(target, chains)
            theirs = options.peer_draws or min(options.draws, max(1, self.together // chains))
            draws = {OURS: options.draws, **dict.fromkeys(options.peers, theirs)}
            for row in self._rows(target, chains, draws, options):
                rows.append(row)
                print(report.table(rows[-1:]), flush=True)
        return rows

    def _rows(
        self, target: Target, chains: int, draws: dict[str, int], options: argparse.Namespace
    ) -> Iterator[dict[str, Any]]:
        limit = limit_rate(target, chains, 2, with_density=False)
        runs, gradients, gaps = self._checked(target, chains, draws, options)
        times = alternate(runs, options.rounds)
        seconds = {name: statistics.median(each) for name, each in times.items()}
        rates = {name: gradients[name] / seconds[name] for name in runs}
        rivals = [name for name in rates if name in peers.LOCK_STEP]
        best = max(rivals, key=lambda name: rates[name], default=None)
        for name in (OURS, *options.peers):
            known = name in rates
            over, spread = self._over(name, times, gradients) if known else (None, None)
            goal = self.others.get(name, self.goal if name == best else NO_GOAL)
            yield {
                "case": self.name,
                "what": f"{chains} chains, {name}",
                "draws": draws[name],
                "run s": seconds.get(name),
                "leapfrogs/draw": gradients[name] / (chains * draws[name]) if known else None,
                "gradients/s": rates.get(name),
                "of limit": rates[name] / limit if known else None,
                "spread": spread,
                **goal.verdict(over),
                "gap": gaps.get(name, ""),
            }

    @staticmethod
    def _over(
        name: str, times: Mapping[str, Sequence[float]], gradients: Mapping[str, int]
    ) -> tuple[float, float]:
        """Our rate over that of another: the median of the rounds' ratios, and their spread."""
        longer, spread = ratio(times[name], times[OURS])
        return longer * gradients[OURS] / gradients[name], spread

    def _checked(
        self, target: Target, chains: int, draws: dict[str, int], options: argparse.Namespace
    ) -> tuple[dict[str, Callable[[], Draws]], dict[str, int], dict[str, str]]:
        """Ours and those peers that are there, compiled and found right.

        Returns:
          Runs by name; how many useful gradients a run has; why other peers are not there.
        """
        length = draws[OURS]
        sampler = Sampler(target, chains, self.step_size, length, schedule=options.schedule)
        record = sampler.record(length)
        check_record(record)
        ours = Draws(record.position, record.num_leapfrogs)
        self._check_leapfrogs(ours)
        runs, gaps = {OURS: lambda: sampler.run(length)}, {}
        gradients = {OURS: ours.gradients}
        for name in options.peers:
            try:
                run = peers.make(name, target, chains, self.step_size, draws[name])
            except peers.MissingPeerError as error:
                gaps[name] = str(error)
                continue
            theirs = run()
            check_agreement(ours, theirs)
            self._check_leapfrogs(theirs)
            runs[name], gradients[name] = run, theirs.gradients
        return runs, gradients, gaps

    def _check_leapfrogs(self, draws: Draws) -> None:
        if self.leapfrogs is not None:
            np.testing.assert_array_equal(draws.leapfrogs, self.leapfrogs)


P2 = Comparison(
    "P2", LogisticRegression.synthetic, 0.02, (100, 1000), 100, 5_000, at_least(3.0), rounds=3
)
P3 = Comparison(
    "P3",
    Normal.uneven,
    0.2,
    (1000,),
    100,
    4_000,
    at_least(3.0),
    others={"TFP auto_batching": at_least(50.0)},
    rounds=3,
)
P3B = Comparison("P3b", Normal.standard, 0.3, (1000,), 100, 20_000, at_least(1.5), {}, 15, 3)
