"""The tests. They compile what they test, and leave the user's cache of programs alone."""

import os

os.environ["PCBATCH_CACHE"] = os.environ.get("PCBATCH_CACHE_OF_TESTS", "")
