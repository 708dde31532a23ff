"""Passes: pure functions from program to program, composed by `pipeline`.

Passes over the call form keep each function's parameters and results; passes over the stack form
keep the program's inputs and outputs. None of them mutates what it is given.
"""
