"""The host's side of a run."""
