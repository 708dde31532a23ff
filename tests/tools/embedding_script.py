"""Run by `test_embedding.py` in processes of their own: what must be set before them differs."""

from __future__ import annotations

import sys

import tensorflow as tf


class Blocked:
    """An import hook for which a package does not exist."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "pcbatch":
            raise ImportError(f"{name} is blocked here")


def load(directory: str) -> None:
    """Use a SavedModel without pcbatch: its value, then again after its variable has changed."""
    sys.meta_path.insert(0, Blocked())
    model = tf.saved_model.load(directory)
    n = tf.constant([0, 3, 12])
    before = model(n)
    model.factor.assign(10.0)
    after = model(n)
    assert "pcbatch" not in sys.modules
    print([x.numpy().tolist() for x in (before["value"], before["status"], after["value"])])


def distribute() -> None:
    """Run under strategies on two logical CPUs, eagerly and in a graph."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(cpu, two)
    from tests.tools.test_embedding import fib

    def run_on(strategy):
        return lambda n: strategy.run(fib, args=(n,))

    mirrored = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    data = tf.data.Dataset.range(8).map(lambda n: tf.cast(n, tf.int32)).batch(8, True)
    (n,) = mirrored.experimental_distribute_dataset(data)
    parts = mirrored.experimental_local_results
    for run in (run_on(mirrored), tf.function(run_on(mirrored))):
        print([part.numpy().tolist() for part in parts(run(n))])
    one = tf.distribute.OneDeviceStrategy("CPU:1")
    for run in (run_on(one), tf.function(run_on(one))):
        print(run(tf.range(6)).numpy().tolist())


if __name__ == "__main__":
    load(sys.argv[2]) if sys.argv[1] == "load" else distribute()
