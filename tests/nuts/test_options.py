"""The options of a call, in groups."""

from __future__ import annotations

import dataclasses
import inspect

import nuts
from nuts.run.options import OutputOptions, RunOptions, WarmupOptions, WorkerOptions

GROUPS = (RunOptions, WarmupOptions, OutputOptions, WorkerOptions)


def test_each_keyword_is_in_one_group() -> None:
    grouped = [field.name for group in GROUPS for field in dataclasses.fields(group)]
    problem = {"target", "init", "batched_target", "discrete"}
    assert sorted(grouped) == sorted(inspect.signature(nuts.sample).parameters.keys() - problem)


def test_only_the_target_and_init_are_positional() -> None:
    parameters = inspect.signature(nuts.sample).parameters.values()
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == ["target", "init"]
    assert all(p.default is not p.empty for p in parameters if p.name != "target")
