"""Questions about programs: which block follows which, what is live, which calls recurse.

Reading order: `effects` (what one instruction reads and writes), `graph` (orders and components of
any directed graph), `flow` (the control-flow graph of a function or of a stack program), `dataflow`
(one solver), `liveness` (on that solver), `calls` (the call graph).
"""
