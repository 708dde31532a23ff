"""The No-U-Turn Sampler for one chain, as the textbook writes it.

Reading order: `trajectory` (points, metrics, the leapfrog step), `termination` (the U-turn
criterion), `tuning` (what a program is compiled for, and what its runs may change), `tree` (one
draw, by recursive doubling) and `chain` (the loop over draws).
"""
