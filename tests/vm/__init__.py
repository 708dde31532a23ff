"""The batched machine."""
