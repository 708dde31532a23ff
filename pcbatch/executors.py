"""Executors for `executor=`, beside those of the standard library and of clusters."""

from pcbatch.runtime.cluster.engine import Renewing

__all__ = ["Renewing"]
