"""Locations of values in a file, for programs that read them without Quire."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """The location of a column, or of one component of a field, in the file."""

    path: str
    """Path inside the file, for containers such as HDF5; else empty."""
    type: str
    """Type as stored."""
    is_contiguous: bool
    """Whether the values are stored contiguously, as in memory, from `offset` on."""
    offset: int
    """Offset of the first value in its file."""
    byte_order: str
    """"little" or "big"."""
    values: int
    chunk: tuple[int, ...] = ()
    """The shape of chunks in which values are encoded; empty if there are none."""
    member: str = ""
    """Name of the file of a set that contains the values, in the directory of the first; empty: the first."""
