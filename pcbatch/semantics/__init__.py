"""What Python values, operators and builtins mean for one member.

Reading order: `pytree` and `static_values` (structures and their leaves), `numbers` (dtypes and
exact arithmetic), `operators` and `indexing`, `faults` (what Python raises), `builtin_functions`
and `library`, `arrays` (NumPy), `lists` (lists, sets, dicts and queues of a member).
"""
