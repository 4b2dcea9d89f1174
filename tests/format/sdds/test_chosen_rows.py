"""Chosen rows of a page: only binary numbers have fixed offsets for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quire

ROWS = np.random.default_rng(2).permutation(30)[:20]


@pytest.mark.parametrize("major", ["row", "column"])
@pytest.mark.parametrize("order", ["little", "big"])
def test_chosen_rows_are_stored_at_their_offsets(tmp_path: Path, major: str, order: str) -> None:
    path = tmp_path / "rows.sdds"
    options: dict[str, Any] = {"major_order": major, "byte_order": order}
    with quire.create(path, **options) as out:
        for number in range(2):
            with out.step(number) as step:
                step.rows_at(ROWS, total=30).put("x", ROWS + 0.5).put("id", ROWS.astype(np.int16))
    with quire.open(path) as file:
        for number in range(2):
            found = file[number].table.read()
            wanted = np.zeros(30)
            wanted[ROWS] = ROWS + 0.5
            np.testing.assert_array_equal(found["x"], wanted)
            np.testing.assert_array_equal(found["id"], np.floor(wanted).astype(np.int16))


@pytest.mark.parametrize(
    ("options", "values", "reason"),
    [
        ({"mode": "ascii"}, np.ones(2), r"row of text.*mode=binary"),
        ({}, ["a", "b"], "strings before it"),
    ],
    ids=["text", "strings"],
)
def test_rows_without_fixed_offsets_are_refused(
    tmp_path: Path, options: dict[str, Any], values: object, reason: str
) -> None:
    path = tmp_path / "rows.sdds"
    with quire.create(path, **options) as out:
        step = out.step(0)
        step.rows_at([1, 0]).put("x", values)
        with pytest.raises(quire.UnsupportedError, match=reason):
            step.commit()
        with out.step(0) as usual:
            usual.put("x", values)
    with quire.open(path) as file:
        assert len(file[0].table) == 2


def test_text_in_pieces_is_refused_as_text(tmp_path: Path) -> None:
    with quire.create(tmp_path / "rows.sdds", mode="ascii") as out:
        step = out.step(0)
        step.rows_at([0, 2]).declare("x", "float64").agree_on_rows()
        step.weigh({"x": np.ones(2)})
        with pytest.raises(quire.UnsupportedError, match=r"row of text.*mode=binary"):
            step.open()


def test_a_page_that_grows_requires_rows_in_order(tmp_path: Path) -> None:
    path = tmp_path / "rows.sdds"
    with quire.create(path, fixed_row_count=5) as out:
        with out.step(0) as step:
            step.rows_at([2, 0]).put("x", np.ones(2))
        more = out.step(0)
        more.rows_at([0]).put("x", np.ones(1))
        with pytest.raises(quire.UnsupportedError, match="grows"):
            more.commit()
        with out.step(0) as usual:
            usual.put("x", np.ones(1))
    with quire.open(path) as file:
        assert file[0].table.read()["x"].tolist() == [1, 0, 1, 1]
