"""Warmup: a step size and a metric are learned from many chains that run together.

Reading order: `ensemble` (all chains, between two runs of the compiled program), `learned` (what is
sought), `dual_averaging` and `step_sizes` (one step size, and those of many chains), `step_search`
(the first one for a metric), `moments` (the metric), `pooling` (which chains have arrived),
`windows` (the plan) and `warmup`, which puts them together.

Each learner is a value with an `update` that returns the next. All are NumPy on the host: an update
every few draws costs nothing beside the draws. Where statistics are pooled over chains, the step
size is one number and the variance one vector; where they are not, both have an axis of chains in
front. Why pooling changes the schedule is told in docs/nuts.md.
"""
