"""Lists of one member that are written to, or grow: their elements are in buffers."""

from pcbatch.lists import held_changes, part_reductions, reductions, tables
from pcbatch.lists.changes import CHANGES, Change, Changing
from pcbatch.lists.dense import FULL, Like, NotOneType
from pcbatch.lists.dicts import MemberDict
from pcbatch.lists.held import Held
from pcbatch.lists.layout import CAPACITY, Layout
from pcbatch.lists.making import Making, Plan, Roomier
from pcbatch.lists.member import MemberList
from pcbatch.lists.part import ArrayPart
from pcbatch.lists.queues import MemberDeque, gone_over
from pcbatch.lists.results import presented
from pcbatch.lists.sets import MemberSet

__all__ = [
    "CAPACITY", "CHANGES", "FULL", "ArrayPart", "Change", "Changing", "Held", "Layout", "Like",
    "Making", "MemberDeque", "MemberDict", "MemberList", "MemberSet", "NotOneType", "Plan",
    "Roomier", "gone_over", "held_changes", "part_reductions", "presented", "reductions", "tables",
]  # fmt: skip
