"""Gradients through the machine."""
