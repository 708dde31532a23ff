"""The batched machine: programs in stack form, all members at once.

Reading order: `layout` (where each variable lives), `carry` (the state of all members),
`block_info` (one block, prepared), `context` (running it for the batch), `switch` (the plain
schedule), `machine` (the loop, compiled), `sweep` (the fast schedule).
"""
