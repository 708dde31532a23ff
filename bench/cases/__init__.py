"""The cases P1 to P10: each measures one thing that the project wants, and says what it wants.

A case is a module with `add_arguments` and `run`; `bench/cases/goal.py` says what a row is.
"""
