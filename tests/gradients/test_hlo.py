"""What XLA makes of a way back: in the loop no tape, no array and no adjoint is made anew.

But for one copy: the last block of a way back takes the adjoint of an array as the result.
`test_totals` says the same of weights.
"""

from __future__ import annotations

import pytest
import tensorflow as tf

import pcbatch
from tests.backend.hlo import inside_loops

BATCH, DEPTH, LENGTH = 23, 37, 613
IN_PLACE = ("scatter", "dynamic-update-slice", "dynamic_update_slice")
MERELY_NAMES = (
    " parameter(", " get-tuple-element(", " bitcast(", " while(", " call(", " tuple(",
    " conditional(",
)  # fmt: skip
TAPES, ARRAYS = (f"[{BATCH * DEPTH},",), (f"[{BATCH * LENGTH}", f"[{BATCH},{LENGTH}")


def walk(a, n):
    total = 0.0
    for k in range(n):
        total = total * a[k] + tf.sin(a[-1 - k])
    return total


@pytest.mark.every(4)
@pytest.mark.parametrize("schedule", ["sweep", "switch"])
def test_nothing_large_is_made_in_the_loop(schedule: str) -> None:
    specs = tf.TensorSpec([BATCH, LENGTH], tf.float64), tf.TensorSpec([BATCH], tf.int32)
    slope = pcbatch.grad(pcbatch.autobatch(walk, max_stack_depth=DEPTH))
    text = slope.lower(*specs).compile(schedule=schedule).as_text("optimized_hlo", kernels=True)
    lines = list(inside_loops(text, fused=False))
    for shapes, copies in ((TAPES, 0), (ARRAYS, 1)):
        made = [x for x in lines if any(shape in x.split("(")[0] for shape in shapes)]
        assert any(word in x for x in made for word in IN_PLACE), shapes
        anew = [x for x in made if not any(w in x for w in (*IN_PLACE, *MERELY_NAMES))]
        assert len(anew) <= copies, anew
