"""Looking inside, and taking programs elsewhere."""
