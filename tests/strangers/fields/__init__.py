"""Plain Python functions in the style of textbooks. None of them is bent to be batched.

Each module ends with `CASES`: pairs of a function and its argument tuples, one per member. All
members of a function have numbers of the same types, and lists of the same lengths.
"""
