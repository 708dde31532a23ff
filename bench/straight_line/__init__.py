"""Straight-line code of one example, and the same batched by hand, for `python -m bench vectorize`.

Each module has cases of one kind of network; `ways.py` says what a case is.
"""
