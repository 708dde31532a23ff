"""Seeing inside: a run step by step, one member's call stack, the control-flow graph as a picture.

Reading order: `moment` (a stopped machine), `member` (one member of it), `layout` and `drawing` (the
graph).
"""
