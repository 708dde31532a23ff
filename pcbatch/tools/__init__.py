"""Looking inside a program and a run, and taking a program elsewhere."""
