"""A batch on the workers of an executor: in other processes, or on other machines.

`travel` and `programs` are what goes there and comes back, and `packing` makes bytes of it.
`worker` runs a slice of a part there. `part` is what the run knows of one, `dispatch` gives parts
to workers and takes them back, and `moves` cuts slow ones for idle workers. `run` makes one result
of them, and `stream` does it for `pcbatch.map`. `watch` writes checkpoints of them and shows
progress. `refusals` are what a call is told that cannot go. See docs/cluster.md.
"""
