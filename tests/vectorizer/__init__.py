"""One member's graph for all members."""
