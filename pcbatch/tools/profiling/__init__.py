"""What a run did, block by block and step by step.

Reading order: `record` (run and write down), `profile` (what the user gets), `plot` (with
matplotlib), `page` (one page of HTML).
"""
