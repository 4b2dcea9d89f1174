"""Random tables of all kinds of values, and files with them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
from hypothesis import strategies as st
from tests.python.support.files import path_for, step_formats

import quire

FORMAT = step_formats()[0]
Columns = dict[str, Any]


def nan(payload: int, sign: int = 0) -> float:
    """A NaN with these bits."""
    return float(np.array([(sign << 63) | (0x7FF8 << 48) | payload], np.uint64).view(np.float64)[0])


floats = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, nan(0), nan(7), nan(7, 1), float("inf"), float("-inf")]),
    st.floats(width=64),
)
words = st.sampled_from(["", "Q1", "Q02", "Q2", "Q10", "D1", "é", "\ud7ff", "\ue000", "\udc80", "\U0001f600"])


COLUMNS: Final[dict[str, tuple[Any, Any]]] = {
    "x": (floats, np.float64),
    "k": (st.integers(-2, 2), np.int32),
    "u": (st.sampled_from([0, 2**64 - 1, 2**63]), np.uint64),
    "long": (floats, np.longdouble),
    "letter": (st.sampled_from([b"a", b"b", b"\xff"]), "S1"),
    "name": (words, object),
}
"""Values and types by the name of the column."""


@st.composite
def tables(draw: st.DrawFn, most: int = 12, names: Iterable[str] = (*COLUMNS, "id")) -> Columns:
    """A table of all kinds of values, many of them equal."""
    rows = draw(st.integers(0, most))

    def column(name: str) -> Any:
        if name == "id":
            return np.arange(rows)
        values, kind = COLUMNS[name]
        made = np.empty(rows, kind)
        made[:] = draw(st.lists(values, min_size=rows, max_size=rows))
        return made / 3 if name == "long" else made

    return {name: column(name) for name in names}


def write(folder: Path, stem: str, *steps: Columns, unit: str = "m") -> Path:
    """Write tables as the steps of a file."""
    path = path_for(folder, FORMAT, stem)
    with quire.create(path, format=FORMAT) as out:
        for number, columns in enumerate(steps):
            with out.step(number) as step:
                step.set("turn", number * 10)
                for name, values in columns.items():
                    step.put(name, values, unit=unit if name == "x" else "")
    return path
