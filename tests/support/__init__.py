"""Tolerances and comparisons that all tests share."""
