"""What the host does during a run besides running: checkpoints and progress.

Each is a `pcbatch.runtime.hooks.Hook`, called between two slices of the machine's loop.
"""
