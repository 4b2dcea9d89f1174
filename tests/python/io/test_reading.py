"""Reading: slices as NumPy cuts them, several columns in one pass, into given memory, block by block."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for, same, sample_columns, step_formats, write_table

import quire
from quire.io.types import Array
from quire.lab.query.run import bytes_read

ROWS = 41
bounds = st.none() | st.integers(-ROWS - 9, ROWS + 9)
steps = st.none() | st.integers(-ROWS - 2, ROWS + 2).filter(bool)

MOST_BYTES_TO_OPEN = 88 << 10
"""Of a file whose head says what it contains."""


@pytest.fixture
def columns(path: Path, format_name: str) -> dict[str, Array]:
    """Columns that stand in the file at `path`."""
    made = sample_columns(ROWS)
    write_table(path, format_name, made)
    return made


@pytest.mark.parametrize("name", step_formats())
def test_opening_reads_little_of_a_large_file(tmp_path: Path, name: str) -> None:
    path = path_for(tmp_path, name)
    write_table(path, name, {"x": np.arange(100_000.0)})
    quire.open(path).close()  # with what is imported by the first call
    before = bytes_read()
    with quire.open(path) as file:
        assert len(file[0].table) == 100_000
    assert bytes_read() - before < MOST_BYTES_TO_OPEN


@pytest.mark.parametrize("name", step_formats())
def test_slices_are_those_of_numpy(tmp_path: Path, name: str) -> None:
    path = path_for(tmp_path, name)
    columns = sample_columns(ROWS)
    write_table(path, name, columns)
    with quire.open(path) as file:
        table = file[0].table

        @settings(max_examples=60)
        @given(bounds, bounds, steps, st.sampled_from(list(columns)))
        def check(start: int | None, stop: int | None, step: int | None, column: str) -> None:
            rows = slice(start, stop, step)
            assert same(table[column][rows], columns[column][rows])

        check()


def test_single_rows(path: Path, columns: dict[str, Array]) -> None:
    with quire.open(path) as file:
        column = file[0]["id"]
        assert [column[row] for row in (0, 5, -1, -ROWS)] == [0, 15, 120, 0]
        assert list(column) == columns["id"].tolist()
        for row in (ROWS, -ROWS - 1):
            with pytest.raises(IndexError, match=f"no row {row}"):
                column[row]
        with pytest.raises(TypeError):
            column["x"]


def test_numpy_takes_columns(path: Path, columns: dict[str, Array]) -> None:
    with quire.open(path) as file:
        assert same(np.asarray(file[0]["x"]), columns["x"])
        assert same(np.asarray(file[0]["q"], dtype=np.float64), columns["q"].astype(np.float64))
        assert float(np.sum(file[0]["id"])) == float(columns["id"].sum())
        with pytest.raises(ValueError, match="copy"):
            np.array(file[0]["x"], copy=False)


def test_several_columns_in_one_pass(path: Path, columns: dict[str, Array]) -> None:
    with quire.open(path) as file:
        table = file[0].table
        everything = table.read()
        assert list(everything) == list(table.columns)
        assert sorted(everything) == sorted(columns), "a format may have an order of its own"
        assert all(same(everything[name], columns[name]) for name in columns)
        some = table.read(["id", "x"], rows=(3, 5))
        assert list(some) == ["id", "x"]
        assert same(some["x"], columns["x"][3:8])
        assert same(table.read("q", slice(None, None, -2))["q"], columns["q"][::-2])
        assert table.read([]) == {}


def test_only_what_is_needed_is_read(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    rows = 20_000
    write_table(path, format_name, {f"c{i}": np.arange(rows) + i for i in range(8)})
    size = path.stat().st_size
    assert size > rows * 8 * 8
    with quire.open(path) as file:
        step = file[0]
        repr(step), list(step.table.columns), len(step.table)
        header = file.counters.bytes_read
        assert header < size // 4, "opening and looking must not read values"
        step.table.read(["c2"], rows=(100, 10))
        assert file.counters.bytes_read - header <= 10 * 8 * 8
        before = file.counters.bytes_read
        extents = step.table.plan(["c1", "c5"])
        assert file.counters.bytes_read == before, "planning reads nothing"
        step.table.read(["c1", "c5"])
        assert file.counters.bytes_read - before == sum(length for _, length in extents)
        assert sum(length for _, length in extents) <= 8 * 8 * rows


def test_reading_into_memory_of_the_caller(path: Path, columns: dict[str, Array]) -> None:
    with quire.open(path) as file:
        table = file[0].table
        matrix = np.zeros((ROWS, 2))
        read = table.read(out={"x": matrix[:, 0], "px": matrix[::-1, 1]})
        assert list(read) == ["x", "px"]
        assert np.shares_memory(read["x"], matrix)
        assert np.array_equal(matrix[:, 0], columns["x"])
        assert np.array_equal(matrix[::-1, 1], columns["px"])
        wide = np.empty(4, np.longdouble)
        assert table["q"].read((2, 4), out=wide) is wide
        assert np.array_equal(wide, columns["q"][2:6])
        stepped = np.empty(len(range(0, ROWS, 7)), np.int64)
        table["id"].read(slice(None, None, 7), out=stepped)
        assert np.array_equal(stepped, columns["id"][::7])


@pytest.mark.parametrize(
    ("out", "error"),
    [
        (np.empty(3), quire.UsageError),
        (np.empty((41, 1)), quire.UsageError),
        (np.empty(41, np.float16), quire.TypeMismatchError),
        (np.empty(41, bool), quire.TypeMismatchError),
        ([0.0] * 41, quire.TypeMismatchError),
        (np.broadcast_to(np.float64(0), 41), quire.UsageError),
        (np.empty(41, np.int32), quire.TypeMismatchError),
    ],
    ids=["short", "2-d", "half", "bool", "list", "read-only", "lossy"],
)
def test_wrong_memory_of_the_caller(
    path: Path, columns: dict[str, Array], out: Any, error: type[quire.Error]
) -> None:
    with quire.open(path) as file, pytest.raises(error):
        file[0]["x"].read(out=out)


def test_lossy_reading_names_column_and_row(path: Path, columns: dict[str, Array]) -> None:
    with quire.open(path) as file:
        narrow = {name: np.empty(ROWS, np.float32) for name in ("q", "x")}
        with pytest.raises(quire.TypeMismatchError, match="row 0 ") as caught:
            file[0].table.read(out=narrow)
        assert caught.value.object == "x"


def test_lossy_reading_must_be_asked_for(path: Path, columns: dict[str, Array]) -> None:
    with quire.open(path, lossy=True) as file:
        narrow = np.empty(ROWS, np.float32)
        file[0]["x"].read(out=narrow)
        assert np.array_equal(narrow, columns["x"].astype(np.float32))


def test_blocks_cover_all_rows_and_reuse_memory(path: Path, columns: dict[str, Array]) -> None:
    with quire.open(path) as file:
        progress = []
        seen: dict[str, list[Array]] = {"id": [], "q": []}
        places = []
        for first, block in file[0].table.blocks(
            ["id", "q"], rows_per_block=10, progress=lambda done, total: progress.append((done, total))
        ):
            places.append((first, block["q"].ctypes.data))
            for name, values in block.items():
                seen[name].append(values.copy())
        assert [first for first, _ in places] == [0, 10, 20, 30, 40]
        assert len({address for _, address in places}) == 1
        assert progress == [(10, 41), (20, 41), (30, 41), (40, 41), (41, 41)]
        assert all(same(np.concatenate(parts), columns[name]) for name, parts in seen.items())
        shares = [file[0].table.share(rank, 3) for rank in range(3)]
        parts = [first for share in shares for first, _ in file[0].table.blocks("x", 100, rows=share)]
        assert parts == [0, 14, 28]
        with pytest.raises(quire.UsageError):
            next(file[0].table.blocks(rows=slice(None, None, 2)))
        with pytest.raises(quire.UsageError):
            next(file[0].table.blocks(rows_per_block=0))


@pytest.mark.usefixtures("columns")
def test_a_loop_that_ends_early_reads_no_further(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch = quire.Table._fetch
    fetched: list[int] = []

    def count(table: quire.Table, block: dict[str, Array], first: int, rows: int) -> None:
        fetched.append(rows)
        fetch(table, block, first, rows)

    monkeypatch.setattr(quire.Table, "_fetch", count)
    with quire.open(path) as file:
        for _ in file[0].table.blocks(["x"], rows_per_block=1):
            break
    assert fetched == [1]


def test_numbers_that_no_step_has_are_refused_by_name(path: Path, columns: dict[str, Array]) -> None:
    with quire.open(path) as file:
        with pytest.raises(quire.MissingError, match=f"there is no step {2**40}; the nearest are"):
            file.step(2**40)
        with pytest.raises(quire.UsageError, match=f"{2**63} is not a number of a step"):
            file.step(2**63)
        with pytest.raises(quire.TypeMismatchError, match="must be an integer, not a float"):
            file.step(cast(Any, 0.5))
        with pytest.raises(quire.MissingError, match=f"no step at index {2**63}"):
            file[2**63]
    with quire.create(path.with_name("new" + path.suffix)) as out:
        with pytest.raises(quire.UsageError, match=f"{-(2**63) - 1} is not a number of a step"):
            out.step(-(2**63) - 1)
        with pytest.raises(quire.TypeMismatchError, match="must be an integer, not a str"):
            out.step(cast(Any, "1"))


def test_missing_things_name_the_nearest(path: Path, columns: dict[str, Array]) -> None:
    with quire.open(path) as file:
        for wrong in (lambda: file[0]["pxx"], lambda: file[0].table.read(["x", "pxx"])):
            with pytest.raises(quire.MissingError, match="px") as caught:
                wrong()
            assert caught.value.object == "pxx"
            assert caught.value.file == str(path)
        with pytest.raises(KeyError, match="no attribute"):
            file[0].attrs["nothing"]
        assert file[0].attrs.get("nothing") is None
        assert "x" in file[0]
        assert "y" not in file[0]


def test_the_kind_of_a_name_that_is_not_a_column_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "some.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.set("Sx", 0.5).put("x", np.zeros(2)).put_field("rho", np.zeros((2, 2, 2)))
    with quire.open(path) as file:
        for name, kind, place in (("Sx", "attribute", "attrs"), ("rho", "field", "fields")):
            with pytest.raises(quire.MissingError, match="no column") as caught:
                file[0][name]
            assert caught.value.object == name
            assert f'{kind} of this name: .{place}["{name}"]' in caught.value.advice
        with pytest.raises(quire.MissingError, match="there are: one without a name"):
            file[0].tables["t"]


def test_closed_files_say_so(path: Path, columns: dict[str, Array]) -> None:
    with quire.open(path) as file:
        step = file[0]
    assert "closed" in repr(file)
    for late in (lambda: file[0], lambda: step["x"][:], lambda: len(file), file.check):
        with pytest.raises(quire.UsageError, match="closed"):
            late()
    file.close()


def test_representations(path: Path, format_name: str, columns: dict[str, Array]) -> None:
    with quire.open(path) as file:
        assert repr(file) == f"<File {str(path)!r}: {format_name}>"
        names = ", ".join(file[0].table)
        assert repr(file[0].table) == f"<Table of step 0: 41 rows of {names}>"
        assert repr(file[0]["q"]) == "<Column q: 41 x float32>"
        assert "41 rows x 4 columns" in repr(file[0])
        assert repr(file[0].table.columns) == f"<columns of step 0: {names}>"


def test_errors_of_opening(tmp_path: Path, format_name: str) -> None:
    with pytest.raises(quire.MissingError, match="No such file") as caught:
        quire.open(path_for(tmp_path, format_name, "absent"))
    assert caught.value.file.endswith(path_for(tmp_path, format_name, "absent").name)
    strange = tmp_path / "strange"
    strange.write_bytes(b"an unknown format" * 10)
    with pytest.raises(quire.BadFileError) as bad:
        quire.open(strange)
    assert (bad.value.offset, bad.value.advice) == (0, f"known are {', '.join(quire.formats())}")
    strange.write_bytes(b"")
    with pytest.raises(quire.BadFileError, match="the file is empty") as bad:
        quire.open(strange)
    assert bad.value.advice == ""
    with pytest.raises(quire.UsageError, match=format_name):
        quire.open(strange, format="unheard-of")
    with pytest.raises(quire.UsageError, match="no option"):
        quire.create(path_for(tmp_path, format_name), format=format_name, unheard_of=1)
    with pytest.raises(quire.UsageError, match="suffix") as refused:
        quire.create(tmp_path / "no-suffix")
    assert refused.value.advice == f"name the format: {', '.join(quire.formats())}"


def test_check_of_a_whole_file(path: Path, columns: dict[str, Array]) -> None:
    with quire.open(path) as file:
        report = file.check()
        assert report.is_whole
        assert (report.whole_steps, report.numbers, report.damage) == (1, [0], None)
    assert quire.repair(path) is False


def test_check_of_a_cut_file(path: Path, columns: dict[str, Array]) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 100)
    damage: quire.Error | None
    try:
        with quire.open(path) as opened:
            report = opened.check()
            assert report.whole_steps == 0
            damage = report.damage
            saved = opened.salvage(0)
            assert (saved is not None) is report.salvageable
            if saved is not None:
                rows = len(saved.table)
                assert 0 < rows < ROWS
                assert all(same(saved[name][:], columns[name][:rows]) for name in columns)
    except quire.BadFileError as error:
        damage = error
    assert isinstance(damage, quire.BadFileError)
    assert damage.file == str(path)


OPEN_WITH_ANOTHER_MPI = """
import sys, quire

class Communicator:
    def py2f(self):
        return 0

try:
    quire.open(sys.argv[1], Communicator())
except quire.UnsupportedError as error:
    print(error.advice)
"""
"""The communicator looks like one of mpi4py. In a new process MPI of the library was never initialised."""


def test_communicators_without_our_mpi_are_refused(
    path: Path, format_name: str, columns: dict[str, Array]
) -> None:
    command = [sys.executable, "-c", OPEN_WITH_ANOTHER_MPI, str(path)]
    assert "build" in subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    with pytest.raises(quire.TypeMismatchError, match="not a communicator"):
        quire.create(path, "world", format_name)
    with pytest.raises(quire.UsageError, match="deadline"):
        quire.open(path, deadline=0)


def test_threads_read_two_files_and_one(format_name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [path_for(Path(folder), format_name, stem) for stem in ("a", "b")]
        columns = [sample_columns(3000 + 17 * i) for i in range(2)]
        for path, values in zip(paths, columns, strict=True):
            write_table(path, format_name, values)
        failures: list[str] = []

        def read(file: quire.File, expected: dict[str, Array]) -> None:
            for first in range(0, 2000, 100):
                values = file[0].table.read(rows=(first, 500))
                if not all(same(values[name], expected[name][first : first + 500]) for name in expected):
                    failures.append(f"{file.path} at {first}")

        with quire.open(paths[0]) as left, quire.open(paths[1]) as right:
            work = [(left, columns[0]), (right, columns[1]), (left, columns[0])]
            threads = [threading.Thread(target=read, args=item) for item in work]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert failures == []
