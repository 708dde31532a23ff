"""Seeing inside: a run step by step, one member's call stack, the control-flow graph.

Reading order: `moment` (a stopped machine), `member` (one member of it), `layout` (where the blocks
of a graph go), `drawing` (the picture).
"""
