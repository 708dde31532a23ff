"""The types of variables and buffers, and what names them."""

from __future__ import annotations

import dataclasses

Variable = str
Label = str


@dataclasses.dataclass(frozen=True, slots=True)
class TensorType:
    """One member's tensor: `dtype` is TensorFlow's name for it ("int32"), `shape` is static."""

    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclasses.dataclass(frozen=True, slots=True)
class BufferType:
    """One member's buffer: `length` elements, written one at a time."""

    length: int
    element: TensorType

    @property
    def whole(self) -> TensorType:
        """All elements as one tensor."""
        return TensorType(self.element.dtype, (self.length, *self.element.shape))

    def row(self, several: int | None) -> TensorType:
        """What a `Store` of one element, or of several that lie together, writes."""
        return self.element if several is None else BufferType(several, self.element).whole

    def rows(self, several: int | None) -> int:
        """How many places such a `Store` can write to."""
        return self.length if several is None else self.length // several

    def __str__(self) -> str:
        return f"buffer({self.length}, {self.element})"
