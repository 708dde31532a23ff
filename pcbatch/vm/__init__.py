"""The batched machine: programs in stack form, all members at once.

Reading order: `storage` (where each variable lives), `state` (the carry), `code` (one block,
prepared), `blocks` (running it for the batch), `schedule` (which block when), `machine` (the loop,
compiled, and its growth).
"""
