"""The batched counterparts of single operations."""
