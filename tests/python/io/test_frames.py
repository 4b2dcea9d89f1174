"""Tables of pandas, pyarrow, polars and structured NumPy arrays, in both directions and in every format."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import refusal, same, sample_columns, step_formats
from tests.python.support.mpi import ROOT

import quire
from quire.io.foreign import EXTRAS, installing
from quire.io.table import Table

ROWS = 1000
UNITS = {"x": "m", "px": "m$be$nc"}


def write(path: Path, format_name: str, data: Any, **words: Any) -> None:
    with quire.create(path, format=format_name) as out, out.step(3) as step:
        step.put_table(data, **words)


@pytest.fixture
def table(path: Path, format_name: str) -> Any:
    write(path, format_name, sample_columns(ROWS), units=UNITS)
    with quire.open(path) as file:
        yield file[0].table


@pytest.fixture
def texts(tmp_path: Path) -> Any:
    """A file with a table of texts, in the first format that holds them."""
    columns = {"name": ["a", "μ-π", "", "a text of more than twelve bytes"], "n": np.arange(4)}
    for format_name in step_formats():
        path = tmp_path / f"texts-{format_name}"
        if refusal(partial(write, path, format_name, columns)) is None:
            with quire.open(path) as file:
                yield file
            return
    raise AssertionError("no format holds texts")


def rewritten(path: Path, format_name: str, data: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The values and units of a table that was written from `data`."""
    other = path.with_name(f"other{path.suffix}")
    write(other, format_name, data)
    with quire.open(other) as file:
        table = file[0].table
        return table.read(), {name: table[name].unit for name in table if table[name].unit}


def assert_same(values: dict[str, Any]) -> None:
    expected = sample_columns(ROWS)
    assert set(values) == set(expected)
    assert all(same(values[name], expected[name]) for name in expected)


def test_pandas_there_and_back(table: Table, path: Path, format_name: str) -> None:
    pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert frame.attrs["units"] == UNITS
    assert_same({name: frame[name].to_numpy() for name in frame})
    values, units = rewritten(path, format_name, frame)
    assert_same(values)
    assert units == UNITS


def test_pandas_keeps_the_numbers_of_the_rows(table: Table) -> None:
    pytest.importorskip("pandas")
    frame = table.to_pandas(["id"], rows=slice(900, 100, -300))
    assert frame.index.tolist() == [900, 600, 300]
    assert frame["id"].tolist() == [2700, 1800, 900]


def test_arrow_there_and_back(table: Table, path: Path, format_name: str) -> None:
    pytest.importorskip("pyarrow")
    arrow = table.to_arrow()
    assert {f.name: f.metadata[b"unit"].decode() for f in arrow.schema if f.metadata} == UNITS
    assert_same({name: arrow.column(name).to_numpy() for name in arrow.column_names})
    values, units = rewritten(path, format_name, arrow)
    assert_same(values)
    assert units == UNITS


def test_numbers_are_not_copied_for_arrow(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    addresses: dict[str, int] = {}
    read = Table.read

    def watched(self: Table, *arguments: Any, **words: Any) -> Any:
        values = read(self, *arguments, **words)
        addresses.update({name: array.ctypes.data for name, array in values.items()})
        return values

    monkeypatch.setattr(Table, "read", watched)
    arrow = table.to_arrow()
    gc.collect()
    found = {name: arrow.column(name).chunk(0).buffers()[1].address for name in arrow.column_names}
    assert found == addresses
    assert_same({name: arrow.column(name).to_numpy() for name in arrow.column_names})


def test_numbers_are_not_copied_from_arrow(table: Table) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from quire.io.frames import columns_of

    source = pyarrow.table({"x": np.arange(100.0)}).slice(10, 50)
    (column,) = columns_of(source)
    values = column.values
    assert values.ctypes.data == source.column("x").chunk(0).buffers()[1].address + 10 * 8
    del source, column
    gc.collect()
    assert values.tolist() == list(np.arange(10.0, 60.0))


def test_a_record_batch_takes_the_table(table: Table, path: Path, format_name: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    batch = pyarrow.record_batch(table)
    assert batch.num_rows == ROWS
    values, units = rewritten(path, format_name, batch)
    assert_same(values)
    assert units == UNITS


def test_batches_are_read_one_after_another(table: Table, path: Path, format_name: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.RecordBatchReader.from_stream(table.batches(["id", "x"], slice(100, 800), 300))
    assert reader.schema.names == ["id", "x"]
    batches = list(reader)
    assert [batch.num_rows for batch in batches] == [300, 300, 100]
    assert pyarrow.Table.from_batches(batches).column("id").to_pylist() == list(range(300, 2400, 3))
    values, _ = rewritten(path, format_name, table.batches(rows_per_batch=300))
    assert_same(values)


def test_an_error_while_a_stream_is_read_arrives(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.RecordBatchReader.from_stream(table.batches(rows_per_batch=400))
    reader.read_next_batch()

    def broken(*arguments: Any, **words: Any) -> Any:
        raise quire.InputOutputError("the disk is gone")

    monkeypatch.setattr(Table, "read", broken)
    with pytest.raises(OSError, match="the disk is gone"):
        reader.read_next_batch()


def test_polars_there_and_back(table: Table, path: Path, format_name: str) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(table)
    assert_same({name: frame[name].to_numpy() for name in frame.columns})
    values, _ = rewritten(path, format_name, frame)
    assert_same(values)


@pytest.mark.parametrize("library", ["pandas", "pyarrow", "polars"])
def test_texts_there_and_back(texts: quire.File, tmp_path: Path, library: str) -> None:
    module = pytest.importorskip(library)
    makers = {"pandas": Table.to_pandas, "pyarrow": Table.to_arrow, "polars": lambda t: module.DataFrame(t)}
    frame = makers[library](texts[0].table)
    other = tmp_path / "other"
    write(other, texts.format, frame)
    with quire.open(other) as file:
        assert file[0]["name"].type == "string"
        assert file[0]["name"][:].tolist() == texts[0]["name"][:].tolist()
        assert file[0]["n"][:].tolist() == [0, 1, 2, 3]


def test_texts_are_had_packed(texts: quire.File) -> None:
    table = texts[0].table
    offsets, data = table.read_packed("name", rows=slice(1, 3))["name"]
    assert offsets.tolist() == [0, 5, 5]
    assert data.tobytes().decode() == "μ-π"
    with pytest.raises(quire.TypeMismatchError, match="not strings"):
        table.read_packed(["n"])


def test_text_that_is_no_utf8_is_binary(texts: quire.File, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "bytes"
    write(path, texts.format, {"name": ["a", b"\xff\xfe", "b"]})
    with quire.open(path) as file:
        table = file[0].table
        assert table.to_arrow().column("name").to_pylist() == [b"a", b"\xff\xfe", b"b"]
        with pytest.raises(OSError, match="not UTF-8"):
            pyarrow.RecordBatchReader.from_stream(table.batches()).read_all()


@pytest.mark.parametrize("align", [False, True])
def test_structured_arrays_there_and_back(table: Table, path: Path, format_name: str, align: bool) -> None:
    expected = sample_columns(ROWS)
    array = np.empty(ROWS, np.dtype([(name, values.dtype) for name, values in expected.items()], align=align))
    for name in expected:
        array[name] = expected[name]
    values, _ = rewritten(path, format_name, array)
    assert_same(values)
    back = table.to_structured()
    assert back.dtype.isalignedstruct
    assert_same({name: back[name] for name in expected})
    # Right into memory without alignment.
    other = np.zeros_like(array)
    table.read(out={name: other[name] for name in expected})
    assert_same({name: other[name].copy() for name in expected})


def test_structured_arrays_have_chosen_rows_and_names(table: Table) -> None:
    array = table.to_structured(["id", "x"], rows=slice(10, 20, 5))
    assert array.dtype.names == ("id", "x")
    assert array["id"].tolist() == [30, 45]


def test_structured_arrays_hold_texts(texts: quire.File) -> None:
    assert texts[0].table.to_structured()["name"].tolist() == texts[0]["name"][:].tolist()


def test_a_table_of_another_file_is_put(table: Table, path: Path, format_name: str) -> None:
    values, units = rewritten(path, format_name, table)
    assert_same(values)
    assert units == UNITS


def test_units_can_be_given_and_must_fit(tmp_path: Path) -> None:
    path = tmp_path / "units"
    write(path, quire.formats()[0], {"x": np.arange(3.0)}, units={"x": "mm"})
    with quire.open(path) as file:
        assert file[0]["x"].unit == "mm"
    with pytest.raises(quire.UsageError, match="missing column"):
        write(path, quire.formats()[0], {"x": np.arange(3.0)}, units={"y": "mm"})


def refused(tmp_path: Path, data: Any) -> quire.Error:
    with pytest.raises(quire.Error) as caught:
        write(tmp_path / "refused", quire.formats()[0], data)
    return caught.value


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    for data in (3, "x", np.arange(3), [1, 2]):
        assert refused(tmp_path, data).kind == "type"


def dictionary_with_gap(pyarrow: Any, rows: Sequence[int | None]) -> Any:
    """A table whose column b points to the entries "x", None and "y"."""
    entries = pyarrow.array(["x", None, "y"])
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array(rows, pyarrow.int8()), entries)
    return pyarrow.table({"a": [float(row or 0) for row in rows], "b": column})


def test_missing_entries_that_no_row_uses_do_no_harm(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "taken"
    for first, rows in ((0, [2, 0]), (1, [1, 2, 0])):
        write(path, quire.formats()[0], dictionary_with_gap(pyarrow, rows).slice(first))
        with quire.open(path) as file:
            assert file[0]["b"][:].tolist() == ["y", "x"]
    assert refused(tmp_path, dictionary_with_gap(pyarrow, [0, None])).object == "b"


def test_missing_values_are_refused_by_name(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    frames = [
        pandas.DataFrame({"a": [1.0, 2.0], "b": pandas.array([1, None], dtype="Int64")}),
        pandas.DataFrame({"a": [1.0, 2.0], "b": ["x", None]}),
        pyarrow.table({"a": [1.0, 2.0], "b": [1, None]}),
        pyarrow.table({"a": [1.0, 2.0], "b": ["x", None]}).slice(1),
        dictionary_with_gap(pyarrow, [0, 1]),
    ]
    for frame in frames:
        error = refused(tmp_path, frame)
        assert (error.kind, error.object) == ("type", "b")
        assert "missing" in error.message


def test_what_no_file_holds_is_refused_by_name(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    times = np.array(["2026-01-01"], "datetime64[ns]")
    for frame in (
        pandas.DataFrame({"b": [True]}),
        pandas.DataFrame({"b": times}),
        pyarrow.table({"b": [True]}),
        pyarrow.table({"b": times}),
        pyarrow.table({"b": [[1, 2]]}),
    ):
        error = refused(tmp_path, frame)
        assert (error.kind, error.object) == ("type", "b")
    assert refused(tmp_path, pandas.DataFrame({1: [2.0]})).kind == "usage"


def test_nullable_and_categorical_columns_without_gaps_are_taken(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "taken"
    sources = [
        pandas.DataFrame({"n": pandas.array([1, 2], dtype="Int32"), "s": pandas.Categorical(["u", "v"])}),
        pyarrow.table(
            {"n": pyarrow.array([1, 2], pyarrow.int32()), "s": pyarrow.array(["u", "v"]).dictionary_encode()}
        ),
    ]
    for source in sources:
        write(path, quire.formats()[0], source)
        with quire.open(path) as file:
            assert file[0]["n"].type == "int32"
            assert file[0]["n"][:].tolist() == [1, 2]
            assert file[0]["s"][:].tolist() == ["u", "v"]


def test_a_library_that_is_missing_is_named(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    for library, extra, convert in (
        ("pandas", "frames", table.to_pandas),
        ("pyarrow", "toolkit", table.to_arrow),
    ):
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(quire.UnsupportedError, match=rf"{library}, .* pip install 'quire\[{extra}\]'"):
            convert()


def test_packages_are_in_the_extras_that_messages_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {
        name: {re.split(r"[^\w-]", one)[0] for one in needed}
        for name, needed in project["optional-dependencies"].items()
    }
    extras["plot"].add("contourpy")  # of matplotlib
    assert all(package in extras[extra] for package, extra in EXTRAS.items())
    assert installing("polars.io") == "pip install polars"


def test_no_library_is_imported_before_it_is_needed() -> None:
    program = (
        "import sys, quire, numpy; quire.open, quire.Table.to_pandas;"
        "print([m for m in ('pandas', 'pyarrow', 'polars') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_an_empty_table_crosses(tmp_path: Path, path: Path, format_name: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    write(path, format_name, {"x": np.empty(0), "n": np.empty(0, np.int32)})
    with quire.open(path) as file:
        table = file[0].table
        assert table.to_arrow().num_rows == 0
        assert len(table.to_structured()) == 0
        values, _ = rewritten(path, format_name, pyarrow.table(table))
        assert {name: str(array.dtype) for name, array in values.items()} == {"x": "float64", "n": "int32"}


@pytest.mark.parametrize("order", ["<", ">"])
def test_out_may_have_any_byte_order(table: Table, order: str) -> None:
    expected = sample_columns(ROWS)
    out = np.empty((ROWS, 2), f"{order}f8")
    table.read(out={"x": out[:, 1]})
    assert out[:, 1].tolist() == expected["x"].tolist()
    table.read(rows=slice(None, None, 2), out={"x": out[: ROWS // 2, 0]})
    assert out[: ROWS // 2, 0].tolist() == expected["x"][::2].tolist()


def test_memory_goes_back_when_the_frames_go(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from quire.io.memory import pool_bytes, release_pool

    path = tmp_path / "large"
    write(path, quire.formats()[0], {"x": np.arange(1 << 18, dtype=np.float64)})
    with quire.open(path) as file:
        for convert in (Table.to_arrow, pyarrow.table, pyarrow.record_batch):
            release_pool()
            gc.collect()
            gc.disable()  # nothing may wait for the search for cycles
            try:
                convert(file[0].table)
                held = pool_bytes()
            finally:
                gc.enable()
            assert held >= 1 << 21


def test_pandas_gets_texts_that_are_not_utf8(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    words = ["plain", "caf\udce9", ""]
    for format_name in step_formats():
        path = tmp_path / f"latin-{format_name}"
        if refusal(partial(write, path, format_name, {"name": words, "n": np.arange(3)})) is not None:
            continue
        with quire.open(path) as file:
            frame = file[0].table.to_pandas(rows=slice(1, 3))
            assert frame["name"].dtype == object
            assert list(frame["name"]) == words[1:]
            assert list(frame.index) == [1, 2]
            assert list(frame["n"]) == [1, 2]
        values, _ = rewritten(path, format_name, frame)
        assert list(values["name"]) == words[1:]
