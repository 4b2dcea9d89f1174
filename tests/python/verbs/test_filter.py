"""Rows that satisfy a condition are found in the same pass that reads their columns, and only once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.tables import Columns, tables, write

import quire
from quire.io.table import Table


@settings(max_examples=40)
@given(
    tables(),
    st.sampled_from(
        ["x > 0", "k == 1", 'name == "Q2"', "x > 0 and k < 1", "1 == 1", "1 == 2", "row % 3 == 1"]
    ),
    st.booleans(),
)
def test_matching_rows_are_those_of_the_condition(columns: Columns, condition: str, is_counted: bool) -> None:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as name:
        patch.setattr("quire.verbs.steplike.EVEN_ROWS", 5)
        with quire.chain(write(Path(name), "given", columns)) as chain:
            (step,) = chain.filter(condition)
            wanted = quire.expression(condition)({**columns, "row": np.arange(len(columns["x"]))})
            kept = np.broadcast_to(np.asarray(wanted, bool), len(columns["x"]))
            if is_counted:
                assert len(step.table) == kept.sum()
            for _ in range(2):
                found = step.table.read()
                for key, values in columns.items():
                    np.testing.assert_array_equal(found[key], values[kept])
                    assert found[key].dtype == values.dtype
            assert len(step.table) == kept.sum()
            blocks = [block["id"].copy() for _, block in step.table.blocks(["id"], 4)]
            assert np.concatenate([np.empty(0, int), *blocks]).tolist() == columns["id"][kept].tolist()


def test_columns_are_read_once_with_the_condition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passes: Counter[str] = Counter()
    blocks = Table.blocks

    def noted(self: Table, names: Any, *rest: Any, **more: Any) -> Any:
        passes.update(names)
        return blocks(self, names, *rest, **more)

    monkeypatch.setattr(Table, "blocks", noted)
    columns = {"x": np.arange(100.0), "y": np.arange(100.0), "id": np.arange(100)}
    with quire.chain(write(tmp_path, "given", columns)) as chain:
        kept = chain.filter("x > 50")
        assert len(kept.read(["x", "y"])["y"]) == 49
        assert passes == {"x": 1, "y": 1}
        passes.clear()
        assert kept.stats("mean(y)").read()["y_mean"].tolist() == [75.0]
        assert passes == {"x": 1, "y": 1}
        passes.clear()
        (step,) = kept
        assert len(step.table) == 49
        assert passes == {"x": 1}
        step.table.read(["y"])
        assert passes == {"x": 1, "y": 1}
