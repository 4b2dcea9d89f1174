"""Rows of two tables that have the same value of a column, such as the number of a particle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.errors import ConflictError

if TYPE_CHECKING:
    from quire import Table

    Array = np.ndarray[Any, Any]

MOST_SHOWN = 3


@dataclass(frozen=True)
class MatchedRows:
    """The rows of the left and of the right table, in the order of the left, and the values of one only."""

    left: Array
    right: Array
    only_left: Array
    only_right: Array


def keys_of(table: Table, name: str, path: str) -> Array:
    """Independent. Return the values of a column. Raises ConflictError if two rows have the same."""
    keys = np.asarray(table[name][:])
    values, counts = np.unique(keys, return_counts=True)
    if (counts > 1).any():
        twice = values[counts > 1][0]
        raise ConflictError(
            f"{counts.max()} rows have the value {twice}, so rows cannot be matched by this column",
            file=path,
            object=name,
        )
    return keys


def matched_rows(ours: Array, theirs: Array) -> MatchedRows:
    """Independent. Match rows by their keys, which are unique in each table."""
    _, left, right = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    order = np.argsort(left)
    return MatchedRows(left[order], right[order], np.setdiff1d(ours, theirs), np.setdiff1d(theirs, ours))


def shown_keys(keys: Array) -> str:
    """Independent. Return how many keys there are, and the first."""
    some: Sequence[str] = [str(key) for key in keys[:MOST_SHOWN].tolist()]
    return f"{', '.join(some)}{', ...' if len(keys) > MOST_SHOWN else ''}"
