"""Random numbers of members."""
