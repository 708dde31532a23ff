"""The No-U-Turn Sampler for one chain, as the textbook writes it."""
