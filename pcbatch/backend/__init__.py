"""All that is TensorFlow's, XLA's or this processor's own, and no part of their public promise.

`graphs` has TensorFlow's private names; `elementwise` and `op_traces` say what operations are;
`exact`, `rounding`, `blocked_sums` and `materialize` make XLA compute what is written; `outlining`,
`bitset` and `resource_variable` say how programs are laid out for it.
"""
