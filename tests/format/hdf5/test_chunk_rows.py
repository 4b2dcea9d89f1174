"""Verbs read whole chunks at a time, since to read some rows of a chunk decodes all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quire
from quire.io.table import Table


def test_blocks_of_verbs_have_whole_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    blocks = Table.blocks

    def noted(self: Table, names: Any, size: int, *rest: Any) -> Any:
        sizes.append(size)
        return blocks(self, names, size, *rest)

    values = np.arange(500.0)
    for chunk in (0, 100):
        with quire.create(tmp_path / f"{chunk}.h5", chunk=chunk) as out, out.step(0) as step:
            step.put("x", values)
    monkeypatch.setattr("quire.verbs.steplike.EVEN_ROWS", 30)
    monkeypatch.setattr(Table, "rows_per_block", lambda self, names: 120)
    monkeypatch.setattr(Table, "blocks", noted)
    with quire.chain(tmp_path / "0.h5") as plain, quire.chain(tmp_path / "100.h5") as chunked:
        for chain in (plain, chunked):
            (given,) = chain
            rows = given.table.chunk_rows(["x"])
            assert rows == (100 if chain is chunked else 1)
            found = chain.filter("x >= 100").stats("mean(x)", "count(x)").read()
            assert (found["x_mean"].tolist(), found["x_count"].tolist()) == ([299.5], [400])
            chain.stats("std(x)").read()
    assert sizes == [30, 30, 120, 120]
