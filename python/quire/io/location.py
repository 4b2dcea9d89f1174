"""Where values stand in a file, for programs that read them by themselves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """The values of a column, or of one component of a field, inside the file."""

    path: str
    """Inside the file, where it is a container in which objects have paths (HDF5); else empty."""
    type: str
    """As stored."""
    is_contiguous: bool
    """The values stand one behind the other as they are in memory, from `offset` on."""
    offset: int
    """Of the first one, in the file that it stands in."""
    byte_order: str
    """"little" or "big"."""
    values: int
    chunk: tuple[int, ...] = ()
    """The shape in which values are encoded together; empty where they are not."""
    member: str = ""
    """Of a set of files the name of the one with the values, beside the first one; empty: the first one."""
