"""What XLA has compiled, and how to drop it.

TensorFlow keeps what XLA has compiled for as long as the process lives, at about ten megabytes a
program, also when the function is gone. It is a resource of the device, like a variable, but no
handle of it is given out. Here one is written by hand, so that the resource can be destroyed.
TensorFlow makes a new one, and compiles again, when a function is called that still is there.

No program may run meanwhile.
"""

from __future__ import annotations

import ctypes
import gc
import resource
from pathlib import Path

import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import tensor_pb2

PAGE = resource.getpagesize()
RESOURCE = "xla_device_compiler"
CLASS = b"N10tensorflow14DeviceCompilerIN3xla15LocalExecutableENS1_11LocalClientEEE"
"""The class of the resource, as C++ mangles its name."""
_SEED, _FACTOR, _WORD = 0xDECAFCAFFE, 0xC6A4A7935BD1E995, (1 << 64) - 1


def resident() -> int:
    """Megabytes of memory that this process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE // 2**20


def hashed(data: bytes) -> int:
    """TensorFlow's `Hash64` of bytes: MurmurHash64A (Austin Appleby, public domain)."""

    def mixed(value: int) -> int:
        return value ^ value >> 47

    value = _SEED ^ len(data) * _FACTOR & _WORD
    for start in range(0, len(data), 8):
        part = int.from_bytes(data[start : start + 8], "little")
        if len(data) - start >= 8:
            part = mixed(part * _FACTOR & _WORD) * _FACTOR & _WORD
        value = (value ^ part) * _FACTOR & _WORD
    return mixed(mixed(value) * _FACTOR & _WORD)


def drop() -> bool:
    """Destroy what XLA has compiled on this processor.

    Returns:
      Whether there was something: XLA may have compiled nothing since the last time.
    """
    gc.collect()
    handle = text_format.Parse(
        f"""
        dtype: DT_RESOURCE tensor_shape {{}} resource_handle_val {{
          device: "/job:localhost/replica:0/task:0/device:CPU:0" container: "localhost"
          name: "{RESOURCE}" hash_code: {hashed(CLASS)} maybe_type_name: "{CLASS.decode()}"
        }}""",
        tensor_pb2.TensorProto(),
    ).SerializeToString()
    with tf.device("CPU:0"):
        try:
            tf.raw_ops.DestroyResourceOp(
                resource=tf.io.parse_tensor(handle, tf.resource), ignore_lookup_error=False
            )
        except tf.errors.NotFoundError:
            return False
        finally:
            _give_back()
    return True


def _give_back() -> None:
    """Have the allocator return free memory, where it is glibc's."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
