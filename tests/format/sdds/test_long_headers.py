"""Headers of any length that a writer makes without a word are read without an option."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import quire

COLUMNS = 30_000
UNIT = 200 * "m"


def test_headers_of_seven_megabytes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "columns"
    value = np.array([1.0])
    with quire.create(path, format="sdds") as out, out.step(0) as step:
        for number in range(COLUMNS):
            step.put(f"column{number}", value, unit=UNIT)
    with quire.open(path) as file:
        assert len(file[0].table) == 1
        assert len(file[0].table.columns) == COLUMNS


def test_the_limit_of_a_header_follows_the_memory_budget(tmp_path: Path) -> None:
    path = tmp_path / "columns"
    with quire.create(path, format="sdds") as out, out.step(0) as step:
        for number in range(300):
            step.put(f"column{number}", [1.0])
    with pytest.raises(quire.BadFileError, match=r"memory_budget="):
        quire.open(path, memory_budget=1 << 16)
    with quire.open(path, memory_budget=1 << 20) as file:
        assert len(file[0].table.columns) == 300
