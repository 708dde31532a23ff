"""The benchmarks check what they time."""
