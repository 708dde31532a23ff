"""Tensor lists, whose elements are of all members, and the sums that gradients make of them."""
