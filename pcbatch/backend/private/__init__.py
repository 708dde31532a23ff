"""The private names of TensorFlow that we need; nothing outside of this package imports one.

Tested with the versions that `SUPPORTED` names (`tests/vectorizer/test_vectorizer.py` checks it).
"""

SUPPORTED = ("2.21",)
