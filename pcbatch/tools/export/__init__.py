"""A compiled program as one file that runs without pcbatch and TensorFlow.

`write` makes the file; `pcbatch_program` reads and runs it, and is itself in the file.
"""
