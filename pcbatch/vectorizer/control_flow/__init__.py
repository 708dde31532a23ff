"""Calls, conditionals and loops of a graph: all branches run, loops run while a member does."""
