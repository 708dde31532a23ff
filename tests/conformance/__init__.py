"""Programs under every strategy and schedule against plain Python."""
