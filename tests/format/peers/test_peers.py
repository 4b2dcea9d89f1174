"""Programs of the field read our files, and we read theirs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pysdds
import pytest
from tests.python.support.cases import first_daily

import quire

pytestmark = pytest.mark.peer

HERE = Path(__file__).resolve().parent
PEERS = Path(sys.prefix) / "peers"
TYPES = ["int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
REFERENCE_TYPES = {
    "int16": "SDDS_SHORT",
    "uint16": "SDDS_USHORT",
    "int32": "SDDS_LONG",
    "uint32": "SDDS_ULONG",
    "int64": "SDDS_LONG64",
    "uint64": "SDDS_ULONG64",
    "float32": "SDDS_FLOAT",
    "float64": "SDDS_DOUBLE",
}
TEXTS = ["", "a b", 'say "no"', "-", "Größe", "ends in \\\\", "back\\slash", "bang! bang!", "  tab\t", "&end"]
ROWS = (7, 0, 4)
LAYOUTS = [
    {"major_order": major, "byte_order": order} for major in ("row", "column") for order in ("little", "big")
]
TEXT_LAYOUTS = [
    {"mode": "ascii"},
    {"mode": "ascii", "lines_per_row": "3"},
    {"mode": "ascii", "lines_per_row": "0"},
    {"mode": "ascii", "no_row_counts": "true"},
    {"mode": "ascii", "version": "5"},
]


def layout_name(layout: dict[str, str]) -> str:
    """The name of a layout in test identifiers."""
    return "_".join(f"{name}-{value}" for name, value in layout.items())


def numbers(type_name: str, rows: int, step: int) -> np.ndarray[Any, Any]:
    """Values at both ends of a type, and some between."""
    dtype = np.dtype(type_name)
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    values = [limits.max, limits.min, 0, 1, 2 + step]
    return np.resize(np.array(values, dtype=dtype), rows)


def columns(rows: int, step: int) -> dict[str, Any]:
    """One column of each type, and one of texts."""
    made: dict[str, Any] = {f"c_{name}": numbers(name, rows, step) for name in TYPES}
    return {**made, "texts": [TEXTS[(row + 3 * step) % len(TEXTS)] for row in range(rows)]}


def write_steps(path: Path, texts: bool, **options: Any) -> None:
    """Write steps of 5, 0 and 3 rows."""
    with quire.create(path, **options) as out:
        for number, rows in enumerate(ROWS):
            with out.step(number) as step:
                step.set("s", 0.1 * number, unit="m")
                step.set("label", f"step {number}")
                for name, values in columns(rows, number).items():
                    if texts or name != "texts":
                        unit = "m" if name == "c_float64" else ""
                        step.put(name, values, unit=unit, type="string" if name == "texts" else None)


def worker(script: str, *arguments: str, peer: str = "") -> str:
    """Run a worker with its peer's folder in the path; return its output."""
    environment = {**os.environ, "PYTHONPATH": str(PEERS / peer)} if peer else dict(os.environ)
    command = [sys.executable, str(HERE / script), *arguments]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize("layout", LAYOUTS + TEXT_LAYOUTS, ids=layout_name)
def test_the_reference_reads_our_pages(tmp_path: Path, layout: dict[str, str]) -> None:
    path = tmp_path / "ours.sdds"
    write_steps(path, texts=True, **layout)
    found = json.loads(worker("soliday_worker.py", "read", str(path), peer="soliday"))
    assert found["parameters"]["Step"] == [0, 1, 2]
    assert found["parameters"]["s"] == [0.0, 0.1, 0.2]
    assert found["parameters"]["label"] == ["step 0", "step 1", "step 2"]
    assert found["units"]["c_float64"] == "m"
    for page, rows in enumerate(ROWS):
        for name, values in columns(rows, page).items():
            theirs = found["columns"][name][page]
            if name == "texts":
                assert theirs == values
            else:
                # Its Python layer returns float32 with seven digits.
                tolerance = 1e-6 if name == "c_float32" else 0
                np.testing.assert_allclose(
                    np.array(theirs, values.dtype), values, rtol=tolerance, err_msg=name
                )


@pytest.mark.parametrize("mode", ["binary", "ascii"])
def test_the_reference_reads_a_page_that_grows(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "ours.sdds"
    with quire.create(path, mode=mode, fixed_row_count=2) as out:
        out.step(0).set("run", "A").put("x", [0.5]).put("text", ["a b"]).commit()
        for row in range(1, 6):
            out.step(0).put("x", [row + 0.5]).put("text", ["!"]).commit()
            found = json.loads(worker("soliday_worker.py", "read", str(path), peer="soliday"))
            assert found["columns"]["x"] == [[0.5 + past for past in range(row + 1)]]
            assert found["columns"]["text"] == [["a b"] + ["!"] * row]


def test_we_read_the_pages_of_the_reference(tmp_path: Path) -> None:
    path = tmp_path / "theirs.sdds"
    parameters = {"p": {"type": "SDDS_DOUBLE", "pages": [0.25, -1e300]}}
    content: dict[str, Any] = {"parameters": parameters, "columns": {}}
    for name in TYPES:
        pages = [numbers(name, 4, page).tolist() for page in (0, 1)]
        content["columns"][f"c_{name}"] = {"type": REFERENCE_TYPES[name], "pages": pages}
    content["columns"]["texts"] = {"type": "SDDS_STRING", "pages": [TEXTS[:4], TEXTS[1:5]]}
    worker("soliday_worker.py", "write", str(path), json.dumps(content), peer="soliday")
    with quire.open(path) as file:
        assert len(file) == 2
        for page, step in enumerate(file):
            assert step.attrs["p"] == content["parameters"]["p"]["pages"][page]
            for name in TYPES:
                np.testing.assert_array_equal(step[f"c_{name}"][:], numbers(name, 4, page))
            assert list(step["texts"][:]) == content["columns"]["texts"]["pages"][page]


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".lzma"])
@pytest.mark.parametrize("layout", first_daily(LAYOUTS[::3]), ids=lambda layout: "_".join(layout.values()))
def test_compressed_pages_are_exchanged(tmp_path: Path, suffix: str, layout: dict[str, Any]) -> None:
    ours = tmp_path / f"ours.sdds{suffix}"
    # More than one member or block.
    values = np.arange(300_000) * 0.5
    with quire.create(ours, **layout) as out:
        for number in (0, 1, 2):
            with out.step(number) as step:
                step.put("x", values + number, unit="m")
                step.put("texts", ["a", "b"] * 150_000)
    found = json.loads(worker("soliday_worker.py", "read", str(ours), peer="soliday"))
    for number in (0, 1, 2):
        np.testing.assert_array_equal(found["columns"]["x"][number], values + number)
        assert found["columns"]["texts"][number][-3:] == ["b", "a", "b"]

    theirs = tmp_path / f"theirs.sdds{suffix}"
    pages = [numbers("float64", 1000, page).tolist() for page in (0, 1)]
    content = {"parameters": {}, "columns": {"x": {"type": "SDDS_DOUBLE", "pages": pages}}}
    worker("soliday_worker.py", "write", str(theirs), json.dumps(content), peer="soliday")
    with quire.open(theirs) as file:
        assert file.layout["compression"] == ("gzip" if suffix == ".gz" else "xz")
        assert not file.warnings
        for page, found_step in enumerate(file):
            np.testing.assert_array_equal(found_step["x"][:], pages[page])


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)  # theirs
def test_pysdds_reads_our_pages_and_we_read_its(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.sdds", tmp_path / "theirs.sdds"
    with quire.create(ours) as out, out.step(0) as step:
        step.put("x", numbers("float64", 5, 0), unit="m")
        step.put("id", numbers("int32", 5, 0))
    read = pysdds.read(str(ours))
    np.testing.assert_array_equal(read.col("x").data[0], numbers("float64", 5, 0))
    np.testing.assert_array_equal(read.col("id").data[0], numbers("int32", 5, 0))
    pysdds.write(read, str(theirs))
    with quire.open(theirs) as file:
        np.testing.assert_array_equal(file[0]["x"][:], numbers("float64", 5, 0))
        np.testing.assert_array_equal(file[0]["id"][:], numbers("int32", 5, 0))


def test_h5py_reads_our_steps(tmp_path: Path) -> None:
    path = tmp_path / "ours.h5part"
    write_steps(path, texts=False)
    with h5py.File(path, "r") as file:
        for number, rows in enumerate(ROWS):
            group = file[f"Step#{number}"]
            assert group.attrs["s"].tolist() == [0.1 * number]
            assert group.attrs["label"] == f"step {number}".encode()
            for name, values in columns(rows, number).items():
                if name != "texts":
                    assert group[name].dtype == values.dtype
                    np.testing.assert_array_equal(group[name][:], values)


def test_we_read_the_steps_of_h5py(tmp_path: Path) -> None:
    path = tmp_path / "theirs.h5part"
    with h5py.File(path, "w") as file:
        for number in (0, 1):
            group = file.create_group(f"Step#{number}")
            group.attrs["s"] = 0.5 * number
            for name in TYPES:
                group.create_dataset(f"c_{name}", data=numbers(name, 40, number))
            chunked = {"chunks": (7,), "compression": "gzip", "shuffle": True}
            group.create_dataset("packed", data=np.arange(40) + number, **chunked)
            group.create_dataset("big", data=np.arange(40.0), dtype=">f8")
    with quire.open(path) as file:
        for number, step in enumerate(file):
            assert step.attrs["s"] == 0.5 * number
            for name in TYPES:
                np.testing.assert_array_equal(step[f"c_{name}"][:], numbers(name, 40, number))
            np.testing.assert_array_equal(step["packed"][5:30], np.arange(5, 30) + number)
            np.testing.assert_array_equal(step["big"][:], np.arange(40.0))


def test_the_reader_of_paraview_reads_our_steps(tmp_path: Path) -> None:
    path = tmp_path / "ours.h5part"
    places = {axis: np.arange(6.0) + 10 * index for index, axis in enumerate("xyz")}
    with quire.create(path) as out:
        for number in (0, 1):
            with out.step(number) as step:
                step.set("TimeValue", 0.5 * number, unit="s")
                for axis, values in places.items():
                    step.put(axis, values + number, unit="m")
                step.put("id", np.arange(6, dtype=np.int64))
    found = json.loads(worker("vtk_worker.py", str(path), "1"))
    expected = np.column_stack([values + 1 for values in places.values()])
    np.testing.assert_array_equal(found["points"], expected)
    assert found["arrays"]["id"] == [0, 1, 2, 3, 4, 5]
