"""Warmup: a step size and a metric are learned from many chains that run together."""
