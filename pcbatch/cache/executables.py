"""What XLA makes of a program, taken from it and given to it.

TensorFlow keeps executables of XLA in a directory if a flag names one. It reads the flag when it
compiles for the first time, and a file that is damaged, or a disk that is full, makes it raise in
the middle of a call. So the directory is one in the memory of this process (TensorFlow's `ram://`),
and `store` has the files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import tensorflow as tf

FLAGS = "TF_XLA_FLAGS"
PREFIX = "pcbatch_"
_FLAG = "--tf_xla_persistent_cache_directory="
_ONLY_CPU = "--tf_xla_persistent_cache_device_types=CPU"
_FOLDER = "ram://pcbatch"
_OURS = f"{_FLAG}{_FOLDER} {_ONLY_CPU}"
_FINISHED = ".pb"


def keep() -> None:
    """Have XLA keep what it compiles, unless the user has it keep that elsewhere."""
    given = os.environ.get(FLAGS, "")
    if _FLAG not in given:
        os.environ[FLAGS] = f"{given} {_OURS}".strip()


def flags() -> str:
    """The flags that the user has given to XLA in TensorFlow."""
    return os.environ.get(FLAGS, "").replace(_OURS, "").strip()


def give(executables: Mapping[str, bytes]) -> None:
    """Let XLA find executables."""
    tf.io.gfile.makedirs(_FOLDER)
    for name, content in executables.items():
        with tf.io.gfile.GFile(f"{_FOLDER}/{name}", "wb") as file:
            file.write(content)


def take(function: str) -> dict[str, bytes]:
    """Take from XLA's directory what it has made of a function.

    What it has made of functions of the user's, which nobody will ask it for, is removed.

    Args:
      function: its name, which begins with `PREFIX`; an executable contains it.
    """
    if not tf.io.gfile.exists(_FOLDER):
        return {}
    found = {}
    # Others are being written.
    for name in (x for x in tf.io.gfile.listdir(_FOLDER) if x.endswith(_FINISHED)):
        with tf.io.gfile.GFile(f"{_FOLDER}/{name}", "rb") as file:
            content = file.read()
        if function.encode() in content:
            found[name] = content
        if name in found or PREFIX.encode() not in content:
            tf.io.gfile.remove(f"{_FOLDER}/{name}")
    return found
