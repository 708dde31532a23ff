"""What comes out of a run: draws, statistics of them, warnings, pictures and files."""
