"""Benchmarks: `python -m bench --help`.

They compile what they measure: only `start` uses a cache of compiled programs.
"""

import os

os.environ["PCBATCH_CACHE"] = os.environ.get("PCBATCH_CACHE_OF_BENCH", "")
