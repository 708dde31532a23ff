"""Run an exported program; needs JAX and NumPy only.

import sys
sys.path.insert(0, "program.zip")     # this module is in the archive
import pcbatch_program

program = pcbatch_program.load("program.zip")
result = program(x, n=n)              # the function's arguments, batched as when exported
result["value"], result["status"]
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import numpy as np
from jax.extend import backend

GPU_OPTIONS: Mapping[str, Any] = {
    "xla_gpu_enable_command_buffer": "FUSION,CUBLAS,CUSTOM_CALL,CONDITIONAL,WHILE",
    "xla_gpu_graph_min_graph_size": 1,
}
"""The loops of a program become CUDA graphs: else the host is asked before each of their turns."""


def load(
    path: str, platform: str | None = None, options: Mapping[str, Any] | None = None
) -> Program:
    """Read and compile a program.

    Args:
      path: the archive that `Compiled.export` wrote.
      platform: "cpu", "gpu" or "tpu"; None: JAX's default.
      options: options of XLA's compiler by name, as for `jax.jit(...).lower().compile`.
    """
    return Program(path, platform, options)


class Program:
    """An exported program, compiled for one device.

    Attributes:
      header: what `header.json` says: `inputs`, `outputs`, `parameters`, `status`, ...
      device: where it runs.
    """

    def __init__(
        self,
        path: str,
        platform: str | None = None,
        options: Mapping[str, Any] | None = None,
    ):
        client = backend.get_backend(platform)
        given = dict(GPU_OPTIONS) if client.platform in ("gpu", "cuda") else {}
        given.update(options or {})
        compile_options = backend.get_compile_options(
            num_replicas=1, num_partitions=1, env_options_overrides=given
        )
        self.device = client.local_devices()[0]
        with zipfile.ZipFile(path) as archive:
            self.header = json.loads(archive.read("header.json"))
            self._executable = client.compile_and_load(
                archive.read("program.stablehlo"), [self.device], compile_options
            )
            constants = [self._constant(x, archive) for x in self.header["constants"]]
        self._constants = [self._put(x) for x in constants]

    def _constant(self, entry: Mapping[str, Any], archive: zipfile.ZipFile) -> np.ndarray:
        flat = np.frombuffer(archive.read(entry["name"]), jax.numpy.dtype(entry["dtype"]))
        return flat.reshape(entry["shape"])

    def _put(self, array: np.ndarray) -> jax.Array:
        with jax.enable_x64(True):
            return jax.device_put(array, self.device)

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Run on the function's arguments.

        Args:
          *args, **kwargs: the arguments that hold tensors, as for the batched function.

        Returns:
          "value", with the structure of the function's result (NamedTuples become dicts), "status"
          per member, and the counts "steps", "executions" and "active"; NumPy arrays.

        Raises:
          TypeError: the arguments are not the function's, or have another dtype or shape.
        """
        found = {k: np.asarray(v) for k, v in self.execute(self.put(*args, **kwargs)).items()}
        value = _build(self.header["result"], found)
        return {"value": value} | {k: found[k] for k in found if not k.startswith("value")}

    def put(self, *args: Any, **kwargs: Any) -> list[jax.Array]:
        """Check the arguments and bring them to the device."""
        parameters = self.header["parameters"]
        if len(args) > len(parameters):
            raise TypeError(f"{len(args)} arguments for the parameters {list(parameters)}")
        given = dict(zip(parameters, args, strict=False))
        if given.keys() & kwargs.keys() or {**given, **kwargs}.keys() != parameters.keys():
            raise TypeError(f"the parameters are {list(parameters)}, each of them once")
        given.update(kwargs)
        leaves = dict(
            leaf for name, tree in parameters.items() for leaf in _leaves(tree, given[name])
        )
        return [self._put(_checked(leaves[x["name"]], x)) for x in self.header["inputs"]]

    def execute(self, inputs: list[jax.Array]) -> dict[str, jax.Array]:
        """Run on what `put` returned; the outputs by name, on the device."""
        outputs = self._executable.execute([*inputs, *self._constants])
        return {x["name"]: y for x, y in zip(self.header["outputs"], outputs, strict=True)}


def _checked(value: Any, entry: Mapping[str, Any]) -> np.ndarray:
    array = np.asarray(value)
    dtype, shape = jax.numpy.dtype(entry["dtype"]), tuple(entry["shape"])
    if array.dtype != dtype or array.shape != shape:
        raise TypeError(
            f"`{entry['name']}` is {array.dtype}{list(array.shape)}, but the program was exported "
            f"for {dtype}{list(shape)}"
        )
    return array


def _leaves(tree: Any, value: Any) -> Iterator[tuple[str, Any]]:
    """The tensors of a structure by name."""
    if tree is None:
        return
    if isinstance(tree, str):
        yield tree, value
        return
    for key, child in zip(tree["keys"], tree["children"], strict=True):
        by_key = isinstance(value, Mapping) or tree["kind"] in ("tuple", "list")
        yield from _leaves(child, value[key] if by_key else getattr(value, key))


def _build(tree: Any, found: Mapping[str, np.ndarray]) -> Any:
    if tree is None or isinstance(tree, str):
        return found[tree] if tree else None
    children = [_build(child, found) for child in tree["children"]]
    if tree["kind"] in ("tuple", "list"):
        return tuple(children) if tree["kind"] == "tuple" else children
    return dict(zip(tree["keys"], children, strict=True))
