"""Functions as strangers type them, one module of `fields` for each field, and how they are run.

`python -m tests.strangers` runs all of them, prints which are accepted and right, which are refused
and which differ from plain Python, per field and per idiom.
"""
