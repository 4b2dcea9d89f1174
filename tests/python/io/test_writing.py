"""Writing: put, then commit; a step is whole or absent."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for, refusal, same, sample_columns, step_formats, write_table

import quire
from quire.io.formats import FormatInfo, format_infos


def test_an_exception_leaves_earlier_steps_whole(path: Path, format_name: str) -> None:
    values = np.arange(5.0)

    def fails() -> None:
        with quire.create(path, format=format_name) as out:
            with out.step(1) as step:
                step.put("x", values)
            with out.step(2) as step:
                step.put("x", values * 2)
                raise ZeroDivisionError("the simulation blew up")

    with pytest.raises(ZeroDivisionError, match="blew up"):
        fails()
    with quire.open(path) as file:
        assert file.check().is_whole
        assert file.numbers == [1]
        assert same(file[0]["x"][:], values)


def test_writing_goes_on_after_an_aborted_step(path: Path, format_name: str) -> None:
    with quire.create(path, format=format_name) as out:
        for number in range(4):
            step = out.step(number)
            step.put("x", np.full(3, float(number)))
            if number == 2:
                step.abort("not wanted")
                assert step.is_finished
            else:
                step.commit()
    with quire.open(path) as file:
        assert file.numbers == [0, 1, 3]
        assert [float(step["x"][0]) for step in file] == [0, 1, 3]


def test_keyboard_interrupt_aborts_too(path: Path, format_name: str) -> None:
    def interrupted() -> None:
        with quire.create(path, format=format_name) as out, out.step(0) as step:
            step.put("x", np.zeros(2))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with quire.open(path) as file:
        assert len(file) == 0


def test_references_live_until_the_commit_and_no_longer(path: Path, format_name: str) -> None:
    values = np.arange(1000.0)
    before = sys.getrefcount(values)
    with quire.create(path, format=format_name) as out:
        step = out.step(0)
        step.put("x", values).put("y", np.arange(1000.0) * 2).put("z", list(range(1000)))
        gc.collect()
        noise = [np.full(1000, 7.0) for _ in range(50)]
        assert sys.getrefcount(values) > before
        values[3] = -1.0  # an array is only looked at by the commit
        step.commit()
        assert sys.getrefcount(values) == before
        del noise
    with quire.open(path) as file:
        assert file[0]["x"][3] == -1.0
        assert file[0]["y"][:].tolist() == (np.arange(1000.0) * 2).tolist()


def test_abort_lets_go_of_arrays(path: Path, format_name: str) -> None:
    values = np.arange(10.0)
    before = sys.getrefcount(values)
    with quire.create(path, format=format_name) as out:
        step = out.step(0).put("x", values)
        step.abort("no")
        assert sys.getrefcount(values) == before


def test_a_forgotten_commit_raises_an_error(path: Path, format_name: str) -> None:
    out = quire.create(path, format=format_name)
    out.step(3).put("x", np.zeros(2))
    with pytest.raises(quire.UsageError, match="step 3 is still open"):
        out.step(4)
    with pytest.raises(quire.UsageError, match="step 3 was left without commit"):
        out.close()
    with quire.open(path) as file:
        assert len(file) == 0


def test_calls_in_the_wrong_order(path: Path, format_name: str) -> None:
    with quire.create(path, format=format_name) as out:
        with out.step(0) as step:
            step.put("x", np.zeros(2))
            with pytest.raises(quire.UsageError, match="put twice"):
                step.put("x", np.zeros(2))
            with pytest.raises(quire.UsageError, match="2 dimensions"):
                step.put("y", np.zeros((2, 2)))
            with pytest.raises(quire.UsageError, match="no type"):
                step.put("y", np.zeros(2), type="double")
            with pytest.raises(quire.UsageError, match="before open"):
                step.write(0, {"x": np.zeros(2)})
        for late in (lambda: step.put("z", [1]), step.commit, lambda: step.set("a", 1), step.open):
            with pytest.raises(quire.UsageError, match=r"finished|late"):
                late()
        step.abort("does nothing")
    with pytest.raises(quire.UsageError, match="closed"):
        out.step(1)
    assert "closed" in repr(out)


def test_steps_without_columns(path: Path, format_name: str) -> None:
    with quire.create(path, format=format_name) as out:
        out.step(0).commit()
        out.step(1).rows(3).commit()
        out.step(2).rows(0).commit()
    with quire.open(path) as file:
        assert file.numbers == [0, 1, 2]
        for step in file:
            assert all(len(table.columns) == 0 for table in step.tables.values())
            with pytest.raises(quire.MissingError):
                step["x"]


def test_columns_of_unequal_length(path: Path, format_name: str) -> None:
    with pytest.raises(quire.UsageError, match="3 values where the table has 2"):
        write_table(path, format_name, {"x": np.zeros(2), "y": np.zeros(3)})


def test_a_failing_conversion_leaves_the_file_usable(path: Path, format_name: str) -> None:
    with quire.create(path, format=format_name) as out:
        step = out.step(0).put("x", np.array([1.0, 0.1]), type="float32")
        with pytest.raises(quire.TypeMismatchError, match="row 1"):
            step.commit()
        assert step.is_finished
        with out.step(0) as again:
            again.put("x", np.array([1.0, 0.5]), type="float32")
    with quire.open(path) as file:
        assert file[0]["x"][:].tolist() == [1.0, 0.5]


class DeviceArray:
    """Looks like an array of a device."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


def test_device_arrays_and_truth_values_are_refused(path: Path, format_name: str) -> None:
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        refused: list[Any] = [DeviceArray()]
        for wrong in (*refused, np.array([True]), np.array([1j]), [None], [{}]):
            with pytest.raises(quire.TypeMismatchError) as caught:
                step.put("x", wrong)
            assert caught.value.object == "x"
        step.put("x", np.zeros(1))


def test_columns_are_copied_with_their_texts(tmp_path: Path, format_name: str) -> None:
    source, target = path_for(tmp_path, format_name, "a"), path_for(tmp_path, format_name, "b")
    with quire.create(source, format=format_name) as out, out.step(0) as step:
        step.put("x", np.arange(3, dtype=np.int32), unit="m")
    with quire.open(source) as file, quire.create(target, format=format_name) as out, out.step(0) as step:
        for column in file[0].table.columns.values():
            step.put(column.name, column[:].astype(np.int64), like=column)
        step.put("y", np.zeros(3), like=file[0]["x"], type="float64", unit="s")
    with quire.open(target) as file:
        assert (file[0]["x"].type, file[0]["x"].unit) == ("int32", "m")
        assert (file[0]["y"].type, file[0]["y"].unit) == ("float64", "s")


def test_steps_in_pieces(path: Path, format_name: str) -> None:
    columns = sample_columns(103)
    with quire.create(path, format=format_name) as out, out.step(5) as step:
        step.rows(103)
        for name, values in columns.items():
            step.declare(name, str(values.dtype), unit="m")
        step.open()
        for first in range(0, 103, 40):
            block = {name: values[first : first + 40] for name, values in columns.items()}
            step.write(first, dict(reversed(block.items())))
    with quire.open(path) as file:
        read = file[0].table.read()
        assert all(same(read[name], columns[name]) for name in columns)


def test_pieces_of_strings(path: Path, format_name: str) -> None:
    texts = ["", "δ", "three", "x" * 50, "five"]
    sizes = sum(len(text.encode()) for text in texts)

    def write() -> None:
        with quire.create(path, format=format_name) as out, out.step(0) as step:
            step.rows(5).declare("name", "string", string_bytes=sizes, longest_string=50)
            step.declare("x", "float64")
            step.open()
            step.write(0, {"name": texts[:2], "x": np.zeros(2)})
            step.write(2, {"name": texts[2:], "x": np.ones(3)})

    if (error := refusal(write)) is not None:
        assert error.object == "name"
        return
    with quire.open(path) as file:
        assert file[0]["name"][:].tolist() == texts
        assert file[0]["x"][:].tolist() == [0, 0, 1, 1, 1]


def test_wrong_pieces(path: Path, format_name: str) -> None:
    def write(block: dict[str, Any]) -> None:
        with quire.create(path, format=format_name) as out, out.step(0) as step:
            step.rows(3).declare("x", "float64").declare("y", "int32")
            step.open().write(0, block)

    with pytest.raises(quire.UsageError, match="exactly the columns x, y"):
        write({"x": np.zeros(3)})
    with pytest.raises(quire.TypeMismatchError, match="row 0") as caught:
        write({"x": np.zeros(3), "y": np.array([0.5, 1, 2])})
    assert caught.value.object == "y"
    with pytest.raises(quire.UsageError, match="beyond"):
        write({"x": np.zeros(4), "y": np.zeros(4, np.int32)})


def test_appending(path: Path, format_name: str) -> None:
    with quire.create(path, format=format_name) as out:
        for number in range(4):
            out.step(number).put("x", np.full(2, number)).commit()
    with quire.append(path) as out:
        out.step(9).put("x", np.full(2, 9)).commit()
    with quire.open(path) as file:
        assert file.numbers == [0, 1, 2, 3, 9]
    with pytest.raises(quire.ConflictError):
        quire.append(path, after=2)
    with quire.append(path, after=quire.After(2, later="drop")) as out:
        out.step(5).put("x", np.full(3, 5)).commit()
    with quire.open(path) as file:
        assert file.numbers == [0, 1, 2, 5]
        assert file[-1]["x"][:].tolist() == [5, 5, 5]
    with pytest.raises(quire.MissingError, match=r"no step 3 to append after.*last step is 5"):
        quire.append(path, after=quire.After(3, later="drop"))
    with pytest.raises(quire.UsageError, match="later"):
        quire.append(path, after=quire.After(2, later="maybe"))  # type: ignore[arg-type]


def test_a_number_appears_once(path: Path, format_name: str) -> None:
    with quire.create(path, format=format_name) as out:
        out.step(1).put("x", np.zeros(1)).commit()
        with pytest.raises(quire.ConflictError):
            out.step(1).put("x", np.zeros(1)).commit()


def test_durable_files_are_synced(path: Path, format_name: str) -> None:
    for durable in (False, True):
        with quire.create(path, format=format_name, durable=durable) as out:
            out.step(0).put("x", np.zeros(10)).commit()
            assert (out.counters.syncs > 0) is durable
            assert out.counters.bytes_written >= 80
            assert out.timing.transfer >= 0


names = st.text("abcxyz", min_size=1, max_size=4)
types = st.sampled_from(["int32", "int64", "float32", "float64"])
schemas = st.dictionaries(names, types, min_size=1, max_size=6)


@pytest.mark.parametrize("name", step_formats())
def test_any_schema_comes_back(tmp_path: Path, name: str) -> None:
    path = path_for(tmp_path, name)

    @settings(max_examples=40)
    @given(schemas, st.lists(st.integers(0, 300), min_size=1, max_size=3), st.integers(0, 2**32))
    def check(schema: dict[str, str], rows: list[int], seed: int) -> None:
        rng = np.random.default_rng(seed)
        steps = [
            {column: rng.bytes(count * np.dtype(kind).itemsize) for column, kind in schema.items()}
            for count in rows
        ]
        with quire.create(path, format=name) as out:
            for number, step in enumerate(steps):
                with out.step(number) as target:
                    for column, kind in schema.items():
                        target.put(column, np.frombuffer(step[column], kind))
        with quire.open(path) as file:
            assert len(file) == len(steps)
            for opened, written in zip(file, steps, strict=True):
                read = opened.table.read()
                assert {column: values.tobytes() for column, values in read.items()} == written

    check()


def test_sizes_of_the_data_path_change_no_bytes(path: Path) -> None:
    columns = sample_columns(3000)
    other = path.with_stem("small_pieces")
    write_table(path, format_name := quire.io.formats.format_for_path(path) or "", columns)
    with quire.create(other, format=format_name, piece=4096, staging=4096) as out, out.step(0) as step:
        for name, values in columns.items():
            step.put(name, values)
    assert other.read_bytes() == path.read_bytes()
    with quire.append(other, staging=8192) as out, out.step(1) as step:
        for name, values in columns.items():
            step.put(name, values)
    with quire.open(other) as file:
        assert same(file[1]["x"].read(), columns["x"])
    refused: list[dict[str, Any]] = [{"piece": 100}, {"staging": 1 << 40}, {"peice": 4096}]
    for wrong in refused:
        with pytest.raises(quire.UsageError):
            quire.create(other, format=format_name, **wrong)
        with pytest.raises(quire.UsageError):
            quire.append(other, **wrong)


def test_requests_that_cannot_be_satisfied_are_reported(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no tool of any file system
    format_name = quire.io.formats.format_for_path(path) or ""
    columns = sample_columns(3)
    path.unlink(missing_ok=True)
    with quire.create(path, format=format_name, stripe_count=4) as out, out.step(0) as step:
        assert len(out.remarks) == 1
        assert "striping was not applied" in out.remarks[0]
        for name, values in columns.items():
            step.put(name, values)
    plain = path.with_stem("plain")
    write_table(plain, format_name, columns)
    assert path.read_bytes() == plain.read_bytes()
    with pytest.raises(quire.UsageError):
        quire.append(path, stripe_count=4)


def test_a_step_in_pieces_finds_its_table_by_the_name_it_was_given(path: Path, format_name: str) -> None:
    # Formats with one table a step keep no name of it.
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        step.declare("x", "float64", table="beam")
        step.rows(3, table="beam")
        if step.weighs_values:
            step.weigh({"x": np.arange(3.0)}, table="beam")
        step.open()
        step.write(0, {"x": np.arange(3.0)}, table="beam")
    with quire.open(path) as file:
        assert list(file[0]["x"][:]) == [0, 1, 2]


@pytest.mark.parametrize(
    "info", [info for info in format_infos() if info.one_step], ids=lambda info: info.name
)
def test_a_number_that_is_not_kept_is_remarked(tmp_path: Path, info: FormatInfo) -> None:
    path = path_for(tmp_path, info.name)
    with quire.create(path, format=info.name) as out:
        with out.step(12) as step:
            if info.holds_streams:
                step.stream(rank=0, chunk_size=8)
        remarks = [remark for remark in out.remarks if remark.startswith("step 12: the number")]
    with quire.open(path, format=info.name) as file:
        assert len(remarks) == (0 if file.numbers == [12] else 1)


@pytest.mark.parametrize("info", [one for one in format_infos() if one.one_step], ids=lambda one: one.name)
def test_a_file_whose_only_step_failed_does_not_remain(tmp_path: Path, info: FormatInfo) -> None:
    path = tmp_path / f"new{info.suffixes[0]}"
    with pytest.raises(quire.Error), quire.create(path, format=info.name) as out, out.step(0) as step:
        step.put("x", np.zeros(3)).put("y", np.zeros(4))
    assert not path.exists()
