"""quire.sdds: whole files in memory, with the interface of other libraries of the format."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quire
from quire import sdds as face
from quire.sdds import TYPES, DataSet, load, read, save, write

DATA = Path(__file__).parents[2] / "data"
FILES = sorted([*DATA.glob("sdds/*.sdds"), *DATA.glob("codes/*.sdds"), *DATA.glob("codes/*.w1")])
WORKER = Path(__file__).parents[1] / "peers" / "soliday_worker.py"


def sample() -> DataSet:
    """Two pages with one element of every kind."""
    return (
        DataSet("a bunch", "phase space")
        .parameter("s", [0.0, 0.5], unit="m", description="position")
        .parameter("turn", [1, 2])
        .parameter("code", ["tracker", "tracker"], fixed=True)
        .array("matrix", [np.eye(2), 2 * np.eye(2)], unit="1/m", group="optics")
        .column("x", [np.arange(3.0), np.arange(2.0)], unit="m", symbol="$gx$r", display="%10.3e")
        .column("id", [[1, 2, 3], [4, 5]], type="long")
        .column("name", [["a", "b b", "ü"], ["", "d"]])
    )


def assert_same(left: DataSet, right: DataSet) -> None:
    assert (left.title, left.contents, len(left)) == (right.title, right.contents, len(right))
    for kind in ("parameters", "arrays", "columns"):
        mine, theirs = getattr(left, kind), getattr(right, kind)
        assert sorted(mine) == sorted(theirs)
        for name, element in mine.items():
            other = theirs[name]
            for text, words in asdict(element.texts()).items():
                # Quotes are escaped, and a display format that does not fit the type is left out.
                allowed = {words, words.replace('"', '\\"')} | ({""} if text == "display" else set())
                assert getattr(other, text) in allowed
            assert (element.fixed, element.group) == (other.fixed, other.group)
            for value, same in zip(element.pages, other.pages, strict=True):
                np.testing.assert_array_equal(value, same)


def test_saved_values_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "sample.sdds"
    save(sample(), path)
    loaded = load(path)
    assert_same(sample(), loaded)
    assert {name: element.type for name, element in loaded.columns.items()} == {
        "x": "float64",
        "id": "int32",
        "name": "string",
    }
    assert loaded.parameters["turn"].type == "int32"
    assert loaded.columns["x"][1].tolist() == [0.0, 1.0]
    assert loaded.page(1)["parameters"] == {"s": 0.5, "turn": 2, "code": "tracker"}
    assert repr(loaded) == "<DataSet 'a bunch': 2 pages, 3 parameters, 1 arrays, 3 columns>"


def test_options_reach_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "big.sdds"
    save(sample(), path, byte_order="big", major_order="column")
    with quire.open(path) as file:
        assert (file.layout["byte order"], file.layout["major order"]) == ("big", "column")
    assert_same(sample(), load(path))


@pytest.mark.parametrize("name", ["text.sdds", "text.sdds.gz", "binary.sdds.xz"])
def test_text_and_compressed_files_have_the_same_content(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    save(sample(), path, mode="ascii" if name.startswith("text") else "binary")
    with quire.open(path) as file:
        assert file.layout["mode"] == ("ascii" if name.startswith("text") else "binary")
    assert path.read_bytes().startswith(b"SDDS") == (name == "text.sdds")
    assert_same(sample(), load(path))


def test_round_trip_through_dictionaries(tmp_path: Path) -> None:
    path, other = tmp_path / "one.sdds", tmp_path / "other.sdds"
    write(path, {"pages": {"parameters": {"s": 1.5}, "columns": {"x": [1.0, 2.0]}}, "units": {"x": "m"}})
    content = read(path)
    assert content["units"] == {"x": "m"}
    assert content["pages"][0]["parameters"] == {"s": 1.5}
    assert content["pages"][0]["columns"]["x"].tolist() == [1.0, 2.0]
    write(other, content)
    assert_same(load(path), load(other))
    with pytest.raises(quire.UsageError, match="colums"):
        write(other, {"colums": {}})


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_readable_file_is_saved_unchanged(path: Path, tmp_path: Path) -> None:
    try:
        loaded = load(path)
    except (quire.BadFileError, quire.UnsupportedError):
        return  # damaged on purpose, or of a kind that is tested elsewhere
    copy = tmp_path / "copy.sdds"
    try:
        save(loaded, copy)
    except quire.UnsupportedError:
        return  # for example texts that a header cannot contain
    assert_same(loaded, load(copy))


def test_some_of_these_files_are_readable() -> None:
    readable = 0
    for path in FILES:
        try:
            readable += len(load(path)) > 0
        except (quire.BadFileError, quire.UnsupportedError):
            continue
    assert readable >= 20


def test_page_numbers_of_the_file_are_a_parameter(tmp_path: Path) -> None:
    path = tmp_path / "steps.sdds"
    with quire.create(path) as out:
        for number in (3, 7):
            with out.step(number) as step:
                step.put("x", np.arange(2.0))
    loaded = load(path)
    assert loaded.parameters["Step"].pages == [3, 7]
    save(loaded, path)
    with quire.open(path) as file:
        assert file.numbers == [3, 7]


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "kept.sdds"
    save(sample(), path)
    broken = sample().column("late", [[1.0]])
    with pytest.raises(quire.UsageError, match="late has 1, and 6 have 2"):
        save(broken, path)
    with pytest.raises(quire.TypeMismatchError):
        save(sample().column("id", [[1, 2, 3], [1j, 2j]]), path)
    assert_same(sample(), load(path))
    assert list(tmp_path.iterdir()) == [path]


def test_types_have_the_names_of_the_format() -> None:
    assert DataSet().column("x", [], type="ulong64").columns["x"].type == "uint64"
    assert set(TYPES.values()) <= set(quire.io.types.type_names())
    with pytest.raises(quire.UsageError, match="longdouble"):
        DataSet().column("x", [], type="int")


def test_a_page_becomes_a_data_frame() -> None:
    pytest.importorskip("pandas")
    frame = sample().to_pandas(1)
    assert frame["id"].tolist() == [4, 5]
    assert frame.attrs["units"] == {"x": "m"}


@pytest.mark.peer
def test_the_reference_reads_saved_files(tmp_path: Path) -> None:
    path = tmp_path / "sample.sdds"
    save(sample(), path)
    environment = {**os.environ, "PYTHONPATH": str(Path(sys.prefix) / "peers" / "soliday")}
    command = [sys.executable, str(WORKER), "read", str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    theirs: dict[str, Any] = json.loads(done.stdout)
    ours = load(path)
    assert theirs["parameters"] == {name: element.pages for name, element in ours.parameters.items()}
    assert theirs["columns"] == {
        name: [np.asarray(values).tolist() for values in element.pages]
        for name, element in ours.columns.items()
    }


@pytest.mark.parametrize("block_bytes", [1, 4000, 1 << 20])
def test_small_pages_are_read_together_as_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    monkeypatch.setattr(face, "BLOCK_BYTES", block_bytes)
    path = tmp_path / "pages.sdds"
    with quire.create(path, step_parameter=False) as out:
        for page in range(30):
            step = out.step(page).set("s", 0.5 * page).set("big", np.uint64(2**64 - 1 - page))
            step.set("name", f"page {page}").set("letter", np.array(b"x"), type="character")
            rows = page % 4 if page != 17 else 1000
            step.put("x", np.arange(rows) + 1000.0 * page, unit="m").put("n", np.arange(rows, dtype=np.int16))
            step.put("text", [f"{page}/{row}" for row in range(rows)], type="string")
            step.put("long", np.arange(rows, dtype=np.longdouble)).commit()
    data = quire.sdds.load(path)
    assert len(data) == 30
    with quire.open(path) as file:
        for page, read_step in enumerate(file):
            for name, attribute in read_step.attrs.info.items():
                found = data.parameters[name].pages[page]
                assert (found, type(found)) == (attribute.value, type(attribute.value))
            for name, column in read_step.table.columns.items():
                pages = data.columns[name].pages
                assert pages[page].dtype == column[:].dtype
                np.testing.assert_array_equal(pages[page], column[:])
    data.columns["x"].pages[3][0] = -1.0
    assert data.columns["x"].unit == "m"


def test_pages_with_fields_and_numbers_of_80_bits_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "pages.sdds"
    with quire.create(path) as out:
        for page in (3, 4):
            step = out.step(page).set("e", np.longdouble(page) / 3)
            step.put("x", [1.0 * page]).put_field("f", np.arange(4.0).reshape(2, 2) + page).commit()
    data = quire.sdds.load(path)
    assert data.parameters["Step"].pages == [3, 4]
    assert data.parameters["e"].pages == [np.longdouble(3) / 3, np.longdouble(4) / 3]
    assert [pages.tolist() for pages in data.columns["x"].pages] == [[3.0], [4.0]]
    assert data.arrays["f"].pages[1].tolist() == [[4.0, 5.0], [6.0, 7.0]]
