"""The shared programs on another machine: `__main__` writes them, `check` runs them there."""
