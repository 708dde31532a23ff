"""What users call: the decorator, autobatched functions, lowered programs, and `pcbatch.map`."""
