"""Lists of one member that are written to, or grow: their elements are in buffers."""

from pcbatch.semantics.lists import (
    counters,
    held_changes,
    part_counting,
    part_grids,
    part_indexing,
    part_joining,
    part_making,
    part_moving,
    part_products,
    part_reductions,
    part_writing,
    reductions,
    selected,
    set_changes,
    tables,
)
from pcbatch.semantics.lists.as_tensor import NoShape
from pcbatch.semantics.lists.changes import CHANGES, Change, Changing
from pcbatch.semantics.lists.dense import Like, NotOneType
from pcbatch.semantics.lists.dicts import MemberDict
from pcbatch.semantics.lists.held import Held
from pcbatch.semantics.lists.layout import CAPACITY, ListLayout
from pcbatch.semantics.lists.making import ListPlan, Making, Roomier
from pcbatch.semantics.lists.member import MemberList
from pcbatch.semantics.lists.part import ArrayPart
from pcbatch.semantics.lists.queues import MemberDeque, gone_over
from pcbatch.semantics.lists.results import presented
from pcbatch.semantics.lists.sets import MemberSet
from pcbatch.semantics.lists.tuples import MemberTuple

__all__ = [
    "ArrayPart", "CAPACITY", "CHANGES", "Change", "Changing", "Held", "Like", "ListLayout",
    "ListPlan", "Making", "MemberDeque", "MemberDict", "MemberList", "MemberSet", "MemberTuple",
    "NoShape", "NotOneType", "Roomier", "counters", "gone_over", "held_changes", "part_counting",
    "part_grids",
    "part_indexing", "part_joining", "part_making", "part_moving", "part_products",
    "part_reductions", "part_writing", "presented", "reductions", "selected", "set_changes",
    "tables",
]  # fmt: skip
