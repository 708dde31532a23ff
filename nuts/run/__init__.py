"""One call of `nuts.sample`: from the user's target to a result.

Reading order: `target` (what is sampled), `arguments`, `distributions` and `non_finite` (what can
be wrong with it), `density` (when two calls have the same target) and `problem`, which puts these
together; `options`, `beginning` (what is given, or taken over from an earlier fit),
`initialization` (where chains start), `collection` and `streaming` (where draws go), `run_log` (a
call that goes on later), `interruption` (Ctrl-C and lost workers), `progress_bar` and `sampling`,
the call itself. `chain_layout` is for `nuts.tfp_kernel`.
"""
