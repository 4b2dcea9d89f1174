"""The table of specs/sdds-toolkit.md, section 11, and old programs run in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import quire
from quire.legacy.running import main

X = np.arange(1.0, 7.0)
Y = np.array([2.0, 4, 1, 8, 5, 9])
N = ["Q1", "Q2", "D1", "D2", "S1", "Q3"]
K = [1, 1, 2, 2, 3, 3]


def table(pages: int = 1) -> quire.sdds.DataSet:
    """Return table T, several times with y and p shifted by the number of the page."""
    data = quire.sdds.DataSet("table T", "cases")
    data.parameter("p", [3.0 + page for page in range(pages)], unit="m")
    data.parameter("label", [f"page {page}" for page in range(pages)])
    data.column("x", [X] * pages, unit="m")
    data.column("y", [Y + page for page in range(pages)], unit="T", symbol="B")
    data.column("n", [N] * pages)
    data.column("k", [K] * pages, type="long")
    return data


def write_table(path: Path, pages: int = 1, **options: Any) -> Path:
    """Write table T."""
    quire.sdds.save(table(pages), path, **options)
    return path


def run(program: str, *words: Any) -> None:
    """Run a program that must succeed."""
    assert main(program, [str(word) for word in words]) == 0


def made(program: str, source: Path, *words: Any) -> quire.sdds.DataSet:
    """Run a filter, and return what it writes."""
    target = source.with_name("made.sdds")
    run(program, source, target, *words)
    return quire.sdds.load(target)
