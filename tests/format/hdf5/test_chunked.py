"""Chunked and filtered datasets as h5py writes them: read by their chunks, on any number of ranks."""

from __future__ import annotations

import itertools
import struct
import zlib
from pathlib import Path
from typing import Any

import h5py
import hdf5plugin
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.python.support.mpi import run_ranks

import quire
from quire.io.types import Array

ROWS = 10_007

PIPELINES: dict[str, dict[str, Any]] = {
    "plain": {},
    "deflate": {"compression": "gzip", "compression_opts": 6},
    "shuffle": {"compression": "gzip", "compression_opts": 1, "shuffle": True},
    "checked": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    "sums": {"fletcher32": True},
    "lzf": {"compression": "lzf", "shuffle": True},
    "zstandard": dict(hdf5plugin.Zstd(clevel=5)),
    "lz4": dict(hdf5plugin.LZ4()),
    "small blocks": dict(hdf5plugin.LZ4(nbytes=1024)),
}
TYPES = ["<f8", ">f8", "<f4", ">f4", "<i8", ">i4", "<i2", ">u2", "i1", "u1", "<u8"]


def values_of(count: int, dtype: str, seed: int = 5) -> Array:
    """Return values that compress a little and are different everywhere."""
    walk = np.cumsum(np.random.default_rng(seed).normal(size=count))
    return (walk * 100).astype("f8").astype("i8").astype(dtype) if dtype[-2] in "iu" else walk.astype(dtype)


def write_columns(path: Path, columns: dict[str, Array], chunk: int, **how: Any) -> None:
    with h5py.File(path, "w") as file:
        group = file.create_group("Step#0")
        for name, values in columns.items():
            group.create_dataset(name, data=values, chunks=(chunk,), maxshape=(None,), **how)


@pytest.mark.parametrize("how", PIPELINES)
@pytest.mark.parametrize("chunk", [1, 999, 4096, 3 * ROWS])
def test_columns_of_every_type_and_filter(tmp_path: Path, how: str, chunk: int) -> None:
    rows = ROWS if chunk > 1 else 50
    path = tmp_path / "columns.h5part"
    columns = {f"c{i}": values_of(rows, dtype) for i, dtype in enumerate(TYPES)}
    write_columns(path, columns, chunk, **PIPELINES[how])
    with quire.open(path) as file:
        table = file[0].table
        for name, values in columns.items():
            assert np.array_equal(table[name][:], values), name
            assert np.array_equal(table[name][rows // 3 : rows - 7], values[rows // 3 : rows - 7]), name
            assert np.array_equal(table[name][:: rows // 20], values[:: rows // 20]), name
        records = table.to_structured(rows=slice(11, 40))
        assert all(np.array_equal(records[name], values[11:40]) for name, values in columns.items())
        wide = np.full(2 * rows, -1.0)
        table["c2"].read(out=wide[::2])
        assert np.array_equal(wide[::2], columns["c2"].astype("f8"))
        assert np.all(wide[1::2] == -1.0)
        assert not any("library" in warning for warning in [*file.warnings, *file[0].warnings])


def test_chunks_that_were_never_written_have_the_fill_value(tmp_path: Path) -> None:
    path = tmp_path / "sparse.h5part"
    with h5py.File(path, "w") as file:
        group = file.create_group("Step#0")
        for name, fill, how in (("f", 7.5, {}), ("none", None, {}), ("z", -1.0, PIPELINES["checked"])):
            data = group.create_dataset(name, (ROWS,), ">f8", chunks=(500,), fillvalue=fill, **how)
            data[3210:3220] = np.arange(10)
        group.create_dataset("empty", (ROWS,), "i4", chunks=(500,), fillvalue=-3, compression="gzip")
        group.create_dataset("grown", (10,), "f8", chunks=(500,), maxshape=(None,), fillvalue=2.0)
        group["grown"][:] = 1.0
        group["grown"].resize((ROWS,))
    with h5py.File(path) as truth, quire.open(path) as file:
        for name, data in truth["Step#0"].items():
            assert np.array_equal(file[0].table[name][:], data[()]), name
            assert np.array_equal(file[0].table[name][3100:4003], data[3100:4003]), name


def test_filters_skipped_for_a_chunk(tmp_path: Path) -> None:
    path = tmp_path / "masks.h5part"
    chunk = 100
    values = values_of(4 * chunk, "<f8")
    shuffled = values.view("u1").reshape(4, chunk, 8).transpose(0, 2, 1)
    with h5py.File(path, "w") as file:
        group = file.create_group("Step#0")
        how = PIPELINES["shuffle"]
        data = group.create_dataset("x", (4 * chunk,), "f8", chunks=(chunk,), **how)
        plain = [values[i * chunk : (i + 1) * chunk].tobytes() for i in range(4)]
        stored = [
            zlib.compress(shuffled[0].tobytes()),
            zlib.compress(plain[1]),
            shuffled[2].tobytes(),
            plain[3],
        ]
        for i, content in enumerate(stored):
            data.id.write_direct_chunk((i * chunk,), content, filter_mask=i)
    with quire.open(path) as file:
        assert np.array_equal(file[0].table["x"][:], values)
        assert np.array_equal(file[0].table["x"][150:390], values[150:390])


@st.composite
def arrays(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...], tuple[slice, ...], str, str]:
    """Draw extents, the shape of chunks, a box, a pipeline and a type."""
    extents = tuple(draw(st.lists(st.integers(1, 13), min_size=3, max_size=3)))
    shape = tuple(draw(st.integers(1, extent)) for extent in extents)
    starts = [draw(st.integers(0, extent - 1)) for extent in extents]
    box = tuple(
        slice(start, draw(st.integers(start + 1, extent)))
        for start, extent in zip(starts, extents, strict=True)
    )
    return extents, shape, box, draw(st.sampled_from(sorted(PIPELINES))), draw(st.sampled_from(TYPES))


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arrays(), st.booleans())
def test_any_box_of_any_field(tmp_path: Path, drawn: Any, sparse: bool) -> None:
    extents, shape, box, how, dtype = drawn
    path = tmp_path / "fields.h5"
    values = values_of(int(np.prod(extents)), dtype).reshape(extents)
    with h5py.File(path, "w") as file:
        group = file.create_group("Step#0/Block/E")
        for component in range(2):
            data = group.create_dataset(
                str(component), extents, dtype, chunks=shape, fillvalue=3, **PIPELINES[how]
            )
            data[box if sparse else ...] = (values + component)[box if sparse else ...]
    with h5py.File(path) as truth, quire.open(path) as file:
        field = file[0].fields["E"]
        expected = np.stack([truth[f"Step#0/Block/E/{component}"][()] for component in range(2)], axis=-1)
        assert np.array_equal(field[...], expected)
        assert np.array_equal(field[box], expected[box])


def reads_shares(comm: Any, path: str) -> list[list[int]]:
    """Read this rank's rows and box, compare with h5py, and return the extents of the column."""
    with quire.open(path, comm) as file, h5py.File(path) as truth:
        table = file[0].table
        rows = table.share(comm.rank, comm.size)
        read = table.read(rows=rows)
        assert all(np.array_equal(read[name], truth["Step#0"][name][rows]) for name in table)
        field = file[0].fields["E"]
        planes = slice(comm.rank * 12 // comm.size, (comm.rank + 1) * 12 // comm.size)
        assert np.array_equal(field[planes, 1:, :5], truth["Step#0/Block/E/0"][planes, 1:, :5])
        return [list(extent) for extent in table.plan(names=["x"], rows=rows)]


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_ranks_read_their_parts(tmp_path: Path, ranks: int) -> None:
    path = tmp_path / "parts.h5part"
    columns = {"x": values_of(8000, "<f8"), "y": values_of(8000, ">f4"), "id": values_of(8000, "<i8")}
    write_columns(path, columns, 250, **PIPELINES["checked"])
    with h5py.File(path, "a") as file:
        data = values_of(12 * 7 * 11, "f8").reshape(12, 7, 11)
        file.create_dataset("Step#0/Block/E/0", data=data, chunks=(5, 3, 4), **PIPELINES["zstandard"])
        index = file["Step#0/x"].id
        chunks = [index.get_chunk_info(i) for i in range(index.get_num_chunks())]
    extents = run_ranks(reads_shares, ranks, str(path))
    if 8000 % (250 * ranks) == 0:
        stored = sorted((chunk.byte_offset, chunk.size) for chunk in chunks)
        assert sorted((offset, size) for offset, size in itertools.chain(*extents)) == stored, (
            "the ranks together read each chunk once"
        )


def test_only_the_rows_of_plain_chunks_are_read(tmp_path: Path) -> None:
    path = tmp_path / "plain.h5part"
    write_columns(path, {"x": values_of(1000, "<f8")}, 100)
    with quire.open(path) as file:
        assert sum(length for _, length in file[0].table.plan(rows=slice(250, 410))) == 160 * 8


@pytest.mark.parametrize("how", ["deflate", "checked", "zstandard", "lzf"])
def test_a_damaged_chunk_is_reported_and_the_others_are_read(tmp_path: Path, how: str) -> None:
    path = tmp_path / "damaged.h5part"
    values = {"x": values_of(5000, "<f8"), "y": values_of(5000, "<f8", 6)}
    write_columns(path, values, 1000, **PIPELINES[how])
    with h5py.File(path) as file:
        info = file["Step#0/y"].id.get_chunk_info(3)
    content = bytearray(path.read_bytes())
    for flip in range(40):
        content[info.byte_offset + 20 + flip] ^= 0xFF
    path.write_bytes(content)
    with quire.open(path) as file:
        table = file[0].table
        assert np.array_equal(table["x"][:], values["x"])
        assert np.array_equal(table["y"][:3000], values["y"][:3000])
        with pytest.raises(quire.BadFileError, match=r"the chunk at \[3000\]") as caught:
            table["y"].read()
        assert f"byte {info.byte_offset}" in str(caught.value)
        assert ": y: " in str(caught.value)


def test_a_chunk_that_inflates_to_more_than_it_holds_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.h5part"
    with h5py.File(path, "w") as file:
        data = file.create_dataset("Step#0/x", (1000,), "f8", chunks=(1000,), compression="gzip")
        data.id.write_direct_chunk((0,), zlib.compress(bytes(8_000_000)))
    with quire.open(path) as file, pytest.raises(quire.BadFileError, match="more than the chunk"):
        file[0].table["x"].read()


def test_a_chunk_beyond_the_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "beyond.h5part"
    write_columns(path, {"x": values_of(1000, "<f8")}, 1000, **PIPELINES["deflate"])
    with h5py.File(path) as file:
        info = file["Step#0/x"].id.get_chunk_info(0)
    content = bytearray(path.read_bytes())
    place = content.index(struct.pack("<Q", info.byte_offset))
    content[place : place + 8] = struct.pack("<Q", len(content) - 10)
    path.write_bytes(content)
    with quire.open(path) as file, pytest.raises(quire.BadFileError):
        file[0].table["x"].read()


@pytest.mark.parametrize("sides", [(0, 8), (250, 0), (250, 16)])
def test_chunks_that_would_crash_the_library_are_refused(tmp_path: Path, sides: tuple[int, int]) -> None:
    path = tmp_path / "sides.h5part"
    write_columns(path, {"x": values_of(1000, "<f8")}, 250)
    content = bytearray(path.read_bytes())
    place = content.index(struct.pack("<II", 250, 8))
    assert content[place - 11 : place - 8] == b"\3\2\2", "a layout of version 3, of chunks, of one axis"
    content[place : place + 8] = struct.pack("<II", *sides)
    path.write_bytes(content)
    with quire.open(path) as file, pytest.raises(quire.BadFileError, match="chunks"):
        file[0].table["x"].read()


def test_unusual_filters_are_read_through_the_library(tmp_path: Path) -> None:
    path = tmp_path / "opaque.h5part"
    values = values_of(ROWS, "<i4")
    with h5py.File(path, "w") as file:
        group = file.create_group("Step#0")
        group.create_dataset("scaled", data=values, chunks=(1000,), scaleoffset=0)
        group.create_dataset("half", data=values.astype("f2"), chunks=(1000,), compression="gzip")
        group.create_dataset("x", data=values, chunks=(1000,), compression="gzip")
    with quire.open(path) as file:
        for name in ("scaled", "x"):
            assert np.array_equal(file[0].table[name][100:9000], values[100:9000])
        assert np.array_equal(file[0].table["half"][:], values.astype("f2").astype("f4"))


def test_too_large_chunks_are_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "large.h5part"
    with h5py.File(path, "w") as file:
        # 80 MB of zeros, which compress to a few kilobytes.
        file.create_dataset("Step#0/x", (10**7,), "f8", chunks=(10**7,), compression="gzip")[0] = 1.0
    with quire.open(path) as file, pytest.raises(quire.Error, match="smaller chunks"):
        file[0].table["x"].read(rows=slice(0, 10))


def test_many_chunks_are_described_and_too_many_reported(tmp_path: Path) -> None:
    path = tmp_path / "many.h5part"
    values = np.arange(20_000.0)
    with h5py.File(path, "w") as file:
        group = file.create_group("Step#0")
        group.create_dataset("x", data=values, chunks=(2,), compression="gzip", compression_opts=1)
        sparse = group.create_dataset("huge", (20_000, 1000), "f8", chunks=(1, 1), fillvalue=4.0)
        sparse[7, 7] = 1.0
    with quire.open(path) as file:
        assert np.array_equal(file[0].table["x"][:], values)
        assert any("huge has 20000000 chunks" in warning for warning in file[0].warnings)


@pytest.mark.parametrize("chunk", [(500, 10), (100, 37), (999, 1)])
def test_columns_of_a_matrix_share_its_chunks(tmp_path: Path, chunk: tuple[int, int]) -> None:
    path = tmp_path / "matrix.h5"
    values = np.random.default_rng(3).normal(size=(1003, 37))
    with h5py.File(path, "w") as file:
        file.create_dataset("m", data=values, chunks=chunk, **PIPELINES["shuffle"])
        index = file["m"].id
        stored = sorted(index.get_chunk_info(i).byte_offset for i in range(index.get_num_chunks()))
    with quire.open(path, matrices="columns") as file:
        table = file[0].table
        columns = table.read()
        assert all(np.array_equal(columns[name], values[:, i]) for i, name in enumerate(table))
        assert sorted(offset for offset, _ in table.plan()) == stored, (
            "each chunk is read once for all columns"
        )
        some = list(table)[5:17]
        columns = table.read(some, rows=slice(333, 944))
        assert all(np.array_equal(columns[name], values[333:944, 5 + i]) for i, name in enumerate(some))
