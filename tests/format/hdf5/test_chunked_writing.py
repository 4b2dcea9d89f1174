"""Chunked columns, compressed by the ranks that begin them: the same bytes on any ranks, read by h5py."""

from __future__ import annotations

import ctypes
import ctypes.util
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.cases import first_daily
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import UsageError
from quire.toolkit import convert

ROWS = 61
KINDS: dict[str, dict[str, Any]] = {
    "plain": {"chunk": 8},
    "deflate": {"chunk": 5, "filter": "deflate"},
    "one": {"chunk": 1, "filter": "deflate", "level": 1, "shuffle": False},
    "whole": {"chunk": 1000, "filter": "deflate", "level": 9},
    "zstd": {"chunk": 16, "filter": "zstd"},
    "usual": {"filter": "zstd", "level": 1},
}


def columns(number: int, rows: int = ROWS) -> dict[str, np.ndarray]:
    """Return all rows of a step in file order."""
    line = np.arange(rows)
    return {
        "x": np.sin(line * 0.1) + number,
        "id": line.astype(np.int64) * 3 - number,
        "flag": (line % 3).astype(np.int8),
        "w": (line / 7).astype(np.float32),
    }


def spreads(size: int, rows: int) -> dict[str, list[int]]:
    """Return the number of rows of each rank."""
    even = [rows // size + (rank < rows % size) for rank in range(size)]
    result = {"even": even, "last": [0] * (size - 1) + [rows], "first": [rows] + [0] * (size - 1)}
    if size > 2:
        result["middle"] = [0, *([1] * (size - 2)), rows - size + 2]
        result["hole"] = [3, *([0] * (size - 2)), rows - 3]
    return result


def write(path: Path | str, counts: list[int], comm: Any, streamed: bool, **options: Any) -> None:
    """Write two steps, with this rank's rows; from strided memory unless streamed."""
    rank = 0 if comm is None else comm.rank
    rows = sum(counts)
    first = sum(counts[:rank])
    with quire.create(path, comm, deadline=30, **options) as out:
        for number in range(2):
            mine = {
                name: values[first : first + counts[rank]] for name, values in columns(number, rows).items()
            }
            with out.step(number) as step:
                step.set("time", 0.5 * number)
                if not streamed:
                    for name, values in mine.items():
                        step.put(name, np.repeat(values, 2)[::2])
                    continue
                for name, values in mine.items():
                    step.declare(name, str(values.dtype))
                step.rows(counts[rank])
                step.agree_on_rows()
                blocks = [
                    (at, {n: v[at : at + 7] for n, v in mine.items()}) for at in range(0, counts[rank], 7)
                ]
                for _, block in blocks:
                    step.weigh(block)
                step.open()
                for at, block in blocks:
                    step.write(at, block)


def unzstd(data: bytes, size: int) -> bytes:
    """Return the contents of a Zstandard frame: h5py has no such filter."""
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(size)
    got = library.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
    assert got == size
    return out.raw


def stored(dataset: Any) -> np.ndarray:
    """Return the values as h5py reads them, by chunks if it cannot decode them."""
    pipeline = [
        dataset.id.get_create_plist().get_filter(i)[0]
        for i in range(dataset.id.get_create_plist().get_nfilters())
    ]
    if 32015 not in pipeline:
        return np.asarray(dataset[:])
    rows = dataset.chunks[0]
    width = dataset.dtype.itemsize
    values = []
    for at in range(0, dataset.shape[0], rows):
        mask, data = dataset.id.read_direct_chunk((at,))
        assert mask == 0
        raw = unzstd(data, rows * width)
        if 2 in pipeline and width > 1:
            raw = np.frombuffer(raw, np.uint8).reshape(width, rows).T.tobytes()
        values.append(np.frombuffer(raw, dataset.dtype))
    return np.concatenate(values)[: dataset.shape[0]] if values else np.empty(0, dataset.dtype)


def check(path: Path | str, rows: int, options: dict[str, Any]) -> None:
    """Compare a file with the written values, by h5py and by our own reader."""
    with h5py.File(path) as file:
        assert sorted(file) == ["Step#0", "Step#1"]
        if options.get("filter") == "zstd":
            # Independent of the plugins of this machine.
            assert file["Step#0/flag"].id.get_create_plist().get_filter(0)[3] == b"zstd"
        for number in range(2):
            group = file[f"Step#{number}"]
            assert group.attrs["time"][0] == 0.5 * number
            for name, values in columns(number, rows).items():
                dataset = group[name]
                assert dataset.shape == (rows,)
                assert dataset.maxshape == (None,)
                assert dataset.chunks == (options.get("chunk", 65536),)
                assert dataset.dtype == values.dtype
                np.testing.assert_array_equal(stored(dataset), values)
                if "filter" not in options:
                    assert dataset.id.get_create_plist().get_nfilters() == 0
    with quire.open(path) as file:
        for number in range(2):
            for name, values in columns(number, rows).items():
                np.testing.assert_array_equal(file[number][name][:], values)


def write_all(comm: Any, folder: str, rows: int) -> list[str]:
    """Write every kind of file from every distribution of rows; return their names."""
    names = []
    for spread, counts in spreads(comm.size, rows).items():
        for kind, options in KINDS.items():
            for streamed in (False, True):
                name = f"{kind}_{spread}_{streamed}.h5"
                write(Path(folder, name), counts, comm, streamed, **options)
                names.append(name)
    return names


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [0, 1, 5, ROWS])
def test_one_process(tmp_path: Path, kind: str, rows: int) -> None:
    write(tmp_path / "at_once.h5", [rows], None, False, **KINDS[kind])
    write(tmp_path / "streamed.h5", [rows], None, True, **KINDS[kind])
    check(tmp_path / "at_once.h5", rows, KINDS[kind])
    assert (tmp_path / "at_once.h5").read_bytes() == (tmp_path / "streamed.h5").read_bytes()


@pytest.mark.mpi
@pytest.mark.parametrize(("ranks", "rows"), first_daily([(3, ROWS), (4, 4), (2, ROWS), (4, ROWS)], 2))
def test_same_bytes_from_all_ranks(tmp_path: Path, ranks: int, rows: int) -> None:
    for kind, options in KINDS.items():
        write(tmp_path / f"{kind}.h5", [rows], None, False, **options)
    for name in run_ranks(write_all, ranks, str(tmp_path), rows)[0]:
        kind = name.split("_")[0]
        assert (tmp_path / name).read_bytes() == (tmp_path / f"{kind}.h5").read_bytes(), name
        check(tmp_path / name, rows, KINDS[kind])


@pytest.mark.parametrize("spelling", ["deflate", "zstd"])
def test_compressed_files_are_smaller(tmp_path: Path, spelling: str) -> None:
    values = np.zeros(100_000)
    kinds: dict[str, dict[str, Any]] = {"a": {}, "b": {"filter": spelling}}
    for name, options in kinds.items():
        with quire.create(tmp_path / f"{name}.h5", **options) as out, out.step(0) as step:
            step.put("x", values)
    assert (tmp_path / "b.h5").stat().st_size < (tmp_path / "a.h5").stat().st_size / 20


@settings(max_examples=40)
@given(
    rows=st.integers(0, 40),
    chunk=st.integers(1, 45),
    block=st.integers(1, 45),
    name=st.sampled_from(["none", "deflate", "zstd"]),
    shuffle=st.booleans(),
)
def test_any_chunk_and_block(
    tmp_path_factory: pytest.TempPathFactory, rows: int, chunk: int, block: int, name: str, shuffle: bool
) -> None:
    path = tmp_path_factory.mktemp("any") / "file.h5"
    values = columns(0, rows)
    options = {"chunk": chunk} if name == "none" else {"chunk": chunk, "filter": name, "shuffle": shuffle}
    with quire.create(path, **options) as out, out.step(3) as step:
        for column, data in values.items():
            step.declare(column, str(data.dtype))
        step.rows(rows).agree_on_rows()
        parts = [{c: v[at : at + block] for c, v in values.items()} for at in range(0, rows, block)]
        for part in parts:
            step.weigh(part)
        step.open()
        for i, part in enumerate(parts):
            step.write(i * block, part)
    with h5py.File(path) as file:
        for column, data in values.items():
            np.testing.assert_array_equal(stored(file["Step#3"][column]), data)


@pytest.mark.parametrize("options", [{"chunk": 6, "filter": "zstd"}, {"chunk": 9}])
def test_convert(tmp_path: Path, options: dict[str, Any]) -> None:
    write(tmp_path / "plain.h5", [ROWS], None, False)
    convert.copy(tmp_path / "plain.h5", tmp_path / "made.h5", options=options)
    check(tmp_path / "made.h5", ROWS, options)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"chunk": -1}, "1 to 268435456 rows"),
        ({"chunk": 0, "filter": "deflate"}, "only chunks can be compressed"),
        ({"chunk": 5, "filter": "deflate", "level": 10}, "must be from 0 to 9"),
        ({"chunk": 5, "filter": "zstd", "level": 0}, "must be from 1 to 22"),
        ({"chunk": 5, "level": 3}, "a level needs a filter"),
        ({"chunk": 5, "shuffle": True}, "shuffling alone saves nothing"),
        ({"chunk": 5, "filter": "lz4"}, "none or deflate or zstd"),
    ],
)
def test_refused_options(tmp_path: Path, options: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        quire.create(tmp_path / "file.h5", **options)


def test_a_streamed_step_reports_missing_parts(tmp_path: Path) -> None:
    rows = 40
    block = {"x": np.zeros(rows)}
    other = {"x": np.random.default_rng(1).normal(size=rows)}

    def declared(out: Any, number: int) -> Any:
        return out.step(number).rows(rows).declare("x", "float64")

    with quire.create(tmp_path / "file.h5", chunk=30, filter="deflate") as out:
        with pytest.raises(UsageError, match="have not agreed on their rows"):
            declared(out, 0).weigh(block).open()
        with pytest.raises(UsageError, match="not all rows were weighed"):
            declared(out, 1).agree_on_rows().open()
        with pytest.raises(UsageError, match="not all rows of the table were written"):
            declared(out, 2).agree_on_rows().weigh(block).open().commit()
        with pytest.raises(UsageError, match="not those that were weighed"):
            declared(out, 3).agree_on_rows().weigh(block).open().write(0, other).commit()
        declared(out, 4).agree_on_rows().weigh(block).open().write(0, block).commit()
    with quire.open(tmp_path / "file.h5") as file:
        assert file.numbers == [4]
        assert file[0]["x"][:].tolist() == [0.0] * rows


def fail_while_others_wait(comm: Any, path: str, where: str) -> str:
    """One rank fails before or after the ranks agree on their rows; all write the next step."""
    values = np.arange(10.0)
    caught = ""
    with quire.create(path, comm, deadline=30, chunk=4, filter="deflate") as out:
        try:
            with out.step(0) as step:
                step.rows(10).declare("x", "float64")
                if comm.rank == 1 and where == "before":
                    raise ValueError("given up")
                step.agree_on_rows()
                if comm.rank == 1 and where == "after":
                    raise ValueError("given up")
                step.weigh({"x": values[:5] if comm.rank == 1 and where == "weighing" else values})
                step.open()
                step.write(0, {"x": values})
        except (ValueError, quire.Error) as error:
            caught = str(error)
        with out.step(1) as step:
            step.put("x", values)
    return caught


@pytest.mark.mpi
@pytest.mark.parametrize("where", ["before", "after", "weighing"])
def test_a_failing_rank_does_not_block_the_others(tmp_path: Path, where: str) -> None:
    path = tmp_path / "file.h5"
    texts = run_ranks(fail_while_others_wait, 3, str(path), where)
    for text in texts:
        assert ("not all rows were weighed" if where == "weighing" else "given up") in text
    with h5py.File(path) as file:
        assert list(file) == ["Step#1"]
        np.testing.assert_array_equal(file["Step#1/x"][:], np.tile(np.arange(10.0), 3))


def choose_other_options(comm: Any, path: str) -> str:
    try:
        quire.create(path, comm, deadline=30, chunk=4 + comm.rank)
    except quire.Error as error:
        return str(error)
    return ""


@pytest.mark.mpi
def test_options_are_the_same_on_all_ranks(tmp_path: Path) -> None:
    for text in run_ranks(choose_other_options, 2, str(tmp_path / "file.h5")):
        assert 'rank 0 opens it with the options "chunk=4", this rank with "chunk=5"' in text
