"""What people try first in a notebook: a step is a mapping of columns, and shows itself."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quire
from quire.io import html
from quire.io.html import histogram
from quire.toolkit.examples import EXAMPLES


@pytest.fixture(scope="module", params=sorted(EXAMPLES))
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    one = EXAMPLES[request.param]
    path = tmp_path_factory.mktemp("examples") / one.name
    one.write(path)
    return path


def test_a_step_is_a_mapping_of_columns(example: Path) -> None:
    with quire.open(example) as file:
        step = file[0]
        names = list(step.table.columns)
        assert list(step) == list(step.keys()) == list(step.columns) == list(step.table.keys()) == names
        assert len(step) == len(names)
        assert names[0] in step
        assert "nothing" not in step
        column = step[names[-1]]
        for values in (column[:], column[...], column[()], column.read()):
            np.testing.assert_array_equal(values, np.asarray(column))
        assert dict(step).keys() == dict(step.columns).keys()


def test_a_step_is_a_frame_of_pandas(example: Path) -> None:
    pandas = pytest.importorskip("pandas")
    with quire.open(example) as file:
        frame = file[0].to_pandas()
        pandas.testing.assert_frame_equal(frame, file[0].table.to_pandas())
        assert list(file[0].to_pandas("s" if "s" in file[0] else "x", slice(0, 3)).index) == [0, 1, 2]


def test_a_step_without_a_table_has_no_columns(tmp_path: Path) -> None:
    path = tmp_path / "field.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.put_field("phi", np.zeros((2, 3)))
    with quire.open(path) as file:
        assert list(file[0]) == []
        assert len(file[0]) == 0
        assert file[0]


def test_files_steps_and_tables_show_themselves_in_notebooks(example: Path) -> None:
    with quire.open(example) as file:
        for shown in (file, file[0], file[0].table):
            text = str(shown._repr_html_())
            ET.fromstring(f"<div>{text}</div>")  # well formed
            assert "<table>" in text
        text = file[0]._repr_html_()
        for name, column in file[0].columns.items():
            assert f">{name}<" in text
            assert f">{html.unit_html(column.unit)}<" in text
        assert text.count("<svg") >= 3


def test_columns_attributes_and_beams_show_themselves(example: Path) -> None:
    with quire.open(example) as file:
        step = file[0]
        shown: list[Any] = [step["s" if "s" in step else "x"], step.attrs]
        if "px" in step:
            shown.append(step.beam(species="electron"))
        for one in shown:
            text = str(one._repr_html_())
            ET.fromstring(f"<div>{text}</div>")
            assert "<table>" in text
        assert f">{shown[0].unit}<" in str(shown[0]._repr_html_())


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        ("m$be$nc", "m<sub>e</sub>c"),
        ("1/m$a2$n", "1/m<sup>2</sup>"),
        ("m$a2", "m<sup>2</sup>"),
        ("$gp$r mm", "p mm"),
        ("<m>", "&lt;m&gt;"),
        ("", ""),
    ],
)
def test_units_have_no_dollars_in_a_notebook(unit: str, text: str) -> None:
    assert html.unit_html(unit) == text


def test_columns_and_fields_have_the_shape_of_their_arrays(example: Path) -> None:
    with quire.open(example) as file:
        shown: list[Any] = [*file[0].columns.values(), *file[0].fields.values()]
        for one in shown:
            assert (one.ndim, one.size, one.shape) == (one[:].ndim, one[:].size, one[:].shape)


def test_a_step_counts_in_its_repr(tmp_path: Path) -> None:
    with quire.create(tmp_path / "one.h5") as out, out.step(0) as step:
        step.put("x", [1.0]).set("s", 1.0)
    with quire.open(tmp_path / "one.h5") as file:
        assert repr(file[0]) == "<Step 0: 1 attribute, table of 1 row x 1 column>"


@pytest.mark.parametrize("condition", ["x > 2.5", "x > 100", "x >= 0"])
def test_columns_of_a_condition_have_its_rows_only(path: Path, condition: str) -> None:
    x = np.arange(8.0)
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", x, unit="m").put("id", np.arange(8))
    with quire.open(path) as file:
        found = file[0].table.where(condition)
        expected = x[eval(condition)]  # of this test alone
        column = found["x"]
        for values in (column[:], column.read(), np.asarray(column), found.columns["x"][...]):
            np.testing.assert_array_equal(values, expected)
        assert (len(column), column.shape, column.unit) == (len(expected), expected.shape, "m")
        assert (column.dtype, column.name) == (x.dtype, "x")
        assert condition in repr(column)


def test_the_rows_of_a_condition_are_a_frame_of_pandas(path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.arange(8.0), unit="m").put("id", np.arange(8))
    with quire.open(path) as file:
        table = file[0].table
        for condition, query in (("x > 4.5", "x > 4.5"), ("x > 100", "x > 100")):
            found = table.where(condition).to_pandas(["x", "id"])
            pandas.testing.assert_frame_equal(
                found, table.to_pandas(["x", "id"]).query(query), check_index_type=False
            )
            assert found.attrs["units"]["x"] == "m"


def test_a_closed_file_shows_its_name_only(example: Path) -> None:
    with quire.open(example) as file:
        pass
    assert file._repr_html_() is None
    assert "closed" in repr(file)


def test_texts_of_files_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "strange.h5"
    with quire.create(path) as out:
        out.attrs["note"] = "<script>"
        with out.step(0) as step:
            step.put("x", np.arange(5.0), unit="<m>")
            step.attrs["why"] = "a < b"
    with quire.open(path) as file:
        text = f"{file._repr_html_()}{file[0]._repr_html_()}"
    assert "<script>" not in text
    assert "<m>" not in text
    ET.fromstring(f"<div>{text}</div>")


@pytest.mark.parametrize(
    "values",
    [[], [np.nan, np.inf], [2.0, 2.0], ["a", "b"], [-1e308, 1e308], [1.0, 1.0 + 4e-16], [10**17, 10**17 + 1]],
    ids=lambda values: str(values),
)
def test_what_has_no_distribution_has_no_picture(values: list[object]) -> None:
    assert histogram(np.array(values)) == ""


def test_histograms_read_the_first_rows_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.arange(1000.0))
    monkeypatch.setattr(html, "MOST_ROWS", 100)
    with quire.open(path) as file:
        text = file[0]._repr_html_()
        assert ">99<" in text
        assert ">999<" not in text
        assert "of the first 100" in text
