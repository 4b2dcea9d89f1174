"""Ranks share the rows of aggregates, and compute the same bits as one."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.io import row_source
from quire.io.table import Table
from quire.toolkit.concat import concat
from quire.toolkit.define import define
from quire.toolkit.filter import filter

DEFINITIONS = (
    "scaled=x / std(x)",
    "middle=median(x) + mean((x - mean(x))**3)",
    "total=cumsum(x - mean(x))",
    "widest=max(total) - min(lag(total, 3, 0))",
    "ends=last(x) - first(x)",
)
ROWS = 1000


def write(path: Path, rows: int = ROWS) -> None:
    with quire.create(path) as out:
        for number in (1, 2):
            with out.step(number) as step:
                step.put("x", np.random.default_rng(number).normal(0, 1, rows))


def make_all(comm: Any, folder: str, name: str) -> int:
    """Write files with definitions and conditions. Return how many rows this rank read for the first."""
    read = 0
    blocks = Table.blocks

    def counted(
        self: Table, names: Any = None, per: Any = None, rows: Any = None, progress: Any = None
    ) -> Any:
        nonlocal read
        for first, block in blocks(self, names, per, rows, progress):
            read += len(block["x"])
            yield first, block

    source, empty = Path(folder) / "source.h5", Path(folder) / "empty.h5"
    targets = [Path(folder) / f"{name}{place}.h5" for place in range(5)]
    with mock.patch.object(Table, "blocks", counted), mock.patch.object(row_source, "BLOCK_ROWS", 37):
        define(source, targets[0], ["mean=mean(x)", "rms=rms(x)"], comm=comm)
        found = read
        define(source, targets[1], DEFINITIONS, comm=comm)
        filter(source, targets[2], "x > mean(x) + std(x) and x > lag(x)", comm=comm)
        concat([source, source], targets[3], join_rows=True, where="x > mean(x)", comm=comm)
        define(empty, targets[4], ["n=sum(x)", "y=row / max(row)"], comm=comm)
    return found


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_share_the_rows_and_compute_the_same_bits(tmp_path: Path, ranks: int) -> None:
    write(tmp_path / "source.h5")
    write(tmp_path / "empty.h5", 0)
    alone = make_all(None, str(tmp_path), "alone")
    counts = run_ranks(make_all, ranks, str(tmp_path), "together")
    for place in range(5):
        expected = (tmp_path / f"alone{place}.h5").read_bytes()
        assert (tmp_path / f"together{place}.h5").read_bytes() == expected, place
    # The rows of two steps are read for each attribute, and to be copied.
    assert alone == 6 * ROWS
    assert sum(counts) == 6 * ROWS
    assert max(counts) <= 6 * ROWS // ranks + 6 * 37
