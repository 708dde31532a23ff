"""One call of `nuts.sample`: from the user's target to a result."""
