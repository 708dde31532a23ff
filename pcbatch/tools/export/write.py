"""Write a compiled program to a file.

The file is a zip archive: `header.json`, `program.stablehlo` (a StableHLO portable artifact, which
later versions of XLA can read), the captured tensors, and `pcbatch_program.py`, which runs it with
JAX and NumPy alone.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import zipfile
from typing import Any

import tensorflow as tf

from pcbatch.backend.stablehlo import readable
from pcbatch.backend.target import PORTABLE, XLA_GPU, Target
from pcbatch.errors import ArgumentError, PcbatchError
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.outcome import fault_table, status
from pcbatch.runtime.specialization import Specialization
from pcbatch.semantics import pytree
from pcbatch.semantics.labels import Labels
from pcbatch.tools.export import header
from pcbatch.vm.machine import Machine
from pcbatch.vm.traced_function import captured_values, explaining

VERSION = 1
COUNTS = ("steps", "executions", "active")


PLATFORMS = {None: PORTABLE, "cpu": PORTABLE, "gpu": XLA_GPU}
PRECISIONS = ("highest", "default")


def export(
    path: str,
    specialization: Specialization,
    arguments: Arguments,
    options: RunOptions,
    platform: str | None,
    precision: str,
) -> None:
    """Write the program for these arguments.

    Args:
      path: the file.
      specialization: the program.
      arguments: their shapes and dtypes count; batched and shared ones become inputs.
      options: schedule, stack capacity (which cannot grow there) and step limit.
      platform: what the program is arranged for: "cpu", "gpu", or None.
      precision: of products: "highest" or "default".

    Raises:
      ArgumentError: there is no such platform or precision.
      PcbatchError: the program has host calls, it returns texts, or JAX, whose StableHLO serializer
        is used, is not installed.
    """
    if platform not in PLATFORMS:
        known = ", ".join(repr(name) for name in PLATFORMS)
        raise ArgumentError(f"platform={platform!r}: one of {known}")
    if precision not in PRECISIONS:
        raise ArgumentError(f"precision={precision!r}: one of {PRECISIONS}")
    if specialization.calls_host:
        raise PcbatchError(
            f"{specialization.name} calls Python while it runs (pcbatch.host_call, debug_print or "
            "breakpoint): it cannot be exported"
        )
    serialize = _serializer()
    leaves = tuple(x for x in arguments.leaves if x.axis != "static")
    made: dict[str, Any] = {}

    def program(*values: tf.Tensor) -> list[tf.Tensor]:
        supply = iter(values)
        given = tuple(
            x if x.axis == "static" else dataclasses.replace(x, value=next(supply))
            for x in arguments.leaves
        )
        those = dataclasses.replace(arguments, leaves=given)
        value, outputs = _run(specialization, those, options, PLATFORMS[platform])
        _check_result(value, specialization.name)
        names, tensors, structure = header.result(value)
        named = dict(zip(names, tensors, strict=True)) | outputs
        made["outputs"] = [header.tensor(name, x) for name, x in named.items()]
        made["result"] = structure
        return [tf.identity(x) for x in named.values()]

    function = tf.function(program, jit_compile=True, autograph=False)
    specs = [tf.TensorSpec(x.value.shape, x.value.dtype) for x in leaves]
    captured = captured_values(function.get_concrete_function(*specs))
    with explaining():
        text = function.experimental_get_compiler_ir(*specs)(stage="stablehlo")
    if precision == "highest":
        text = _exact_products(text)
    artifact, version = serialize(text)
    machine = specialization.machine(arguments.batch_size, options)
    content = {
        "format": "pcbatch program",
        "version": VERSION,
        "name": specialization.name,
        "tensorflow": tf.__version__,
        "stablehlo": version,
        "custom calls": sorted(set(re.findall(r"custom_call @(\S+?)\(", text))),
        "batch size": arguments.batch_size,
        "platform": platform,
        "precision": precision,
        "schedule": options.schedule,
        "stack depth": max(machine.rows, default=0),
        "step limit": options.max_steps,
        "inputs": header.inputs(leaves),
        "parameters": header.parameters(arguments),
        "constants": [header.tensor(f"constants/{i}", x) for i, x in enumerate(captured)],
        **made,
        "status": _meanings(machine),
        "blocks": [b.label for b in machine.program.blocks],
    }
    _write(path, content, artifact, captured)


def _run(
    specialization: Specialization, arguments: Arguments, options: RunOptions, target: Target
) -> tuple[Any, dict[str, tf.Tensor]]:
    """The value, and the other outputs by name."""
    machine = specialization.machine(arguments.batch_size, options)
    inputs, shared = specialization.entry_inputs(arguments), specialization.shared(arguments)
    named = dict(zip(machine.program.inputs, inputs, strict=True))
    end = machine.run_in_graph(named, shared, options.max_steps, target)
    value = specialization.value(end.outputs, end.buffers, shared, arguments.batch_size)
    return value, {
        "status": status(machine, end, machine.batch_size),
        **{name: getattr(end.state, name) for name in COUNTS},
    }


def _check_result(value: Any, name: str) -> None:
    """Refuse to export a result that only this process can read."""
    leaves, _ = pytree.flatten(value, stop=Labels)
    if any(isinstance(leaf, Labels) for leaf in leaves):
        raise PcbatchError(
            f"{name} returns a text, or a constant of an Enum: an exported program returns arrays "
            "of numbers\nhelp: return a number that stands for it"
        )


def _exact_products(text: str) -> str:
    """A program whose products are as exact as its dtypes; GPUs else round what they multiply."""
    text = text.replace("precision = [DEFAULT, DEFAULT]", "precision = [HIGHEST, HIGHEST]")
    return text.replace("#stablehlo<precision DEFAULT>", "#stablehlo<precision HIGHEST>")


def _meanings(machine: Machine) -> dict[str, str]:
    """What each status number means."""
    faults = [(f.message, f.where) for f in machine.context.faults]
    return {"0": "done"} | {str(k): str(v) for k, v in fault_table(faults).items()}


def _serializer() -> Any:
    """A function from StableHLO text to a portable artifact and the version that it is in."""
    try:
        from jax.extend import mlir
        from jax.extend.mlir.dialects import stablehlo
    except ImportError as error:
        raise PcbatchError(
            "export needs JAX's StableHLO serializer, and JAX is not installed.\n"
            "help: pip install pcbatch[export]"
        ) from error

    def serialize(text: str) -> tuple[bytes, str]:
        version = stablehlo.get_minimum_version()
        return mlir.serialize_portable_artifact(readable(text).encode(), version), version

    return serialize


def _write(path: str, content: Any, artifact: bytes, captured: list[tf.Tensor]) -> None:
    runner = pathlib.Path(__file__).with_name("pcbatch_program.py").read_text()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(content, indent=1))
        archive.writestr("program.stablehlo", artifact)
        archive.writestr("pcbatch_program.py", runner)
        for i, tensor in enumerate(captured):
            archive.writestr(f"constants/{i}", tensor.numpy().tobytes())
