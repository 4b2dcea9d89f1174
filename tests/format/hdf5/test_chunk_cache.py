"""Chunks that stay decoded between requests, counted by the bytes that are read for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import BadFileError, UsageError
from quire.io.formats import format_info, formats
from quire.io.types import Array

ROWS, CHUNK, BLOCK = 20_000, 5_000, 700
CHUNK_BYTES = CHUNK * 8


def values_of(count: int, seed: int = 3) -> Array:
    """Return values that hardly compress: the bytes read show the number of chunks."""
    return np.random.default_rng(seed).normal(size=count)


def write_column(path: Path, values: Array, **how: Any) -> int:
    """Write an HDF5 file with one chunked column; return the size of its chunks."""
    with h5py.File(path, "w") as file:
        column = file.create_group("Step#0").create_dataset("x", data=values, chunks=(CHUNK,), **how)
        return int(column.id.get_storage_size())


def read_in_blocks(path: Path | str, comm: Any = None, **options: Any) -> tuple[Array, int]:
    """Return the values, read block by block, and the number of bytes read for them."""
    with quire.open(path, comm, **options) as file:
        column = file[0]["x"]
        begin = file.counters.bytes_read
        blocks = [column[first : first + BLOCK] for first in range(0, ROWS, BLOCK)]
        return np.concatenate(blocks), file.counters.bytes_read - begin


@pytest.mark.parametrize("format", ["h5part", "hdf5"])
def test_rows_in_blocks_decode_each_chunk_once(tmp_path: Path, format: str) -> None:
    path = tmp_path / "column.h5"
    values = values_of(ROWS)
    stored = write_column(path, values, compression="gzip", shuffle=True)
    for options, times in [({}, 1), ({"chunk_cache": CHUNK_BYTES}, 1), ({"chunk_cache": 0}, 7)]:
        found, bytes_read = read_in_blocks(path, format=format, **options)
        np.testing.assert_array_equal(found, values)
        assert bytes_read == stored if times == 1 else bytes_read > times * stored


def test_a_cache_smaller_than_a_chunk_keeps_nothing(tmp_path: Path) -> None:
    path = tmp_path / "column.h5"
    stored = write_column(path, values_of(ROWS), compression="gzip")
    _, bytes_read = read_in_blocks(path, chunk_cache=CHUNK_BYTES - 1)
    assert bytes_read > 7 * stored


def test_a_repeated_request_finds_cached_chunks(tmp_path: Path) -> None:
    path = tmp_path / "column.h5"
    values = values_of(ROWS)
    stored = write_column(path, values, compression="gzip")
    with quire.open(path) as file:
        begin = file.counters.bytes_read
        for first in range(0, ROWS, BLOCK):
            block = file[0]["x"][first : first + BLOCK]
            np.testing.assert_array_equal(block, values[first : first + BLOCK])
        # The step is described once, and accessed again without reading.
        assert file.counters.bytes_read - begin < 1.2 * stored


@pytest.mark.parametrize("shape", [(8, 8, 8), (5, 7, 3)])
def test_a_field_plane_by_plane_decodes_each_chunk_once(tmp_path: Path, shape: tuple[int, ...]) -> None:
    path = tmp_path / "field.h5"
    values = values_of(20 * 21 * 22).reshape(20, 21, 22)
    with h5py.File(path, "w") as file:
        data = file.create_dataset("grid/phi", data=values, chunks=shape, compression="gzip")
        stored = int(data.id.get_storage_size())
    counts = []
    ways: list[dict[str, Any]] = [{}, {"chunk_cache": 0}]
    for options in ways:
        with quire.open(path, **options) as source:
            field = source[0].fields["grid/phi"]
            begin = source.counters.bytes_read
            for plane in range(values.shape[0]):
                np.testing.assert_array_equal(field[plane], values[plane])
            counts.append(source.counters.bytes_read - begin)
    # Adjacent chunks are read together, with the few bytes between them.
    assert stored <= counts[0] < 1.2 * stored
    assert counts[1] > (shape[0] - 1) * stored


def test_lists_of_rows_find_their_chunks(tmp_path: Path) -> None:
    path = tmp_path / "column.h5"
    values = values_of(ROWS)
    stored = write_column(path, values, compression="gzip")
    random = np.random.default_rng(8)
    with quire.open(path) as file:
        column = file[0]["x"]
        begin = file.counters.bytes_read
        for _ in range(20):
            rows = random.integers(0, ROWS, size=50)
            np.testing.assert_array_equal(column[rows], values[rows])
        assert file.counters.bytes_read - begin == stored


def test_a_damaged_chunk_stays_an_error(tmp_path: Path) -> None:
    path = tmp_path / "column.h5"
    values = values_of(ROWS)
    with h5py.File(path, "w") as file:
        column = file.create_group("Step#0").create_dataset(
            "x", data=values, chunks=(CHUNK,), fletcher32=True
        )
        place = column.id.get_chunk_info(1).byte_offset
    with path.open("r+b") as raw:
        raw.seek(place + 80)
        raw.write(b"damage")
    with quire.open(path) as file:
        column = file[0]["x"]
        np.testing.assert_array_equal(column[:10], values[:10])
        for _ in range(2):
            with pytest.raises(BadFileError, match=r"the chunk at \[5000\]"):
                column[CHUNK + 5 : CHUNK + 20]
        np.testing.assert_array_equal(column[20:30], values[20:30])


def words_of(rows: int) -> Array:
    """Return texts that hardly compress."""
    return np.array([f"{number} {value:.12f}" for number, value in enumerate(values_of(rows))])


def numbers_of(rows: int) -> Array:
    return np.random.default_rng(4).integers(0, 1 << 60, rows)


def store_words(group: Any) -> None:
    group.create_dataset("x", data=words_of(ROWS).astype("S24"), chunks=(CHUNK,), compression="gzip")


def store_scaled(group: Any) -> None:
    group.create_dataset("x", data=numbers_of(ROWS), chunks=(CHUNK,), scaleoffset=0)


READ_BY_THE_LIBRARY: dict[str, tuple[Callable[[Any], None], Callable[[int], Array]]] = {
    "texts": (store_words, words_of),
    "a filter of its own": (store_scaled, numbers_of),
}


@pytest.mark.parametrize("kind", READ_BY_THE_LIBRARY)
@pytest.mark.parametrize("format", ["h5part", "hdf5"])
def test_the_library_keeps_chunks(tmp_path: Path, kind: str, format: str) -> None:
    path = tmp_path / "library.h5"
    store, expected = READ_BY_THE_LIBRARY[kind]
    with h5py.File(path, "w") as file:
        store(file.create_group("Step#0"))
        stored = int(file["Step#0/x"].id.get_storage_size())
    counts = []
    for cache in (2 * CHUNK * 24, 0):
        found, bytes_read = read_in_blocks(path, format=format, chunk_cache=cache)
        np.testing.assert_array_equal(found, expected(ROWS))
        counts.append(bytes_read)
    # The description of the data is read, too; objects next to it were read before.
    assert 0.8 * stored < counts[0] < 1.2 * stored
    assert counts[1] > 4 * stored


@pytest.mark.parametrize("format", ["h5part", "hdf5"])
def test_the_library_keeps_columns_that_are_read_in_turn(tmp_path: Path, format: str) -> None:
    path = tmp_path / "library.h5"
    with h5py.File(path, "w") as file:
        for name in "xy":
            how = {"chunks": (CHUNK,), "scaleoffset": 0}
            data = file.create_dataset(f"Step#0/{name}", data=numbers_of(ROWS), **how)
        stored = 2 * int(data.id.get_storage_size())
    counts = []
    # Half of the cache is for the library: room for a chunk of each column, and for one chunk only.
    for cache in (4 * CHUNK_BYTES, 2 * CHUNK_BYTES):
        with quire.open(path, format=format, chunk_cache=cache) as source:
            begin = source.counters.bytes_read
            for first in range(0, ROWS, BLOCK):
                for name in "xy":
                    found = source[0][name][first : first + BLOCK]
                    np.testing.assert_array_equal(found, numbers_of(ROWS)[first : first + BLOCK])
            counts.append(source.counters.bytes_read - begin)
    # The first chunk is read twice: it had the whole cache before the other column was read.
    assert counts[0] < 1.3 * stored
    assert counts[1] > 4 * stored


def test_the_library_shares_the_cache(tmp_path: Path) -> None:
    path = tmp_path / "both.h5"
    values = values_of(ROWS)
    write_column(path, values, compression="gzip")
    with h5py.File(path, "r+") as file:
        store = file["Step#0"].create_dataset
        store("words", data=numbers_of(ROWS), chunks=(CHUNK,), scaleoffset=0)
    with quire.open(path, chunk_cache=2 * CHUNK_BYTES) as source:
        column, words = source[0]["x"], source[0]["words"]

        def bytes_for_two_chunks() -> int:
            begin = source.counters.bytes_read
            for first in (0, CHUNK):
                np.testing.assert_array_equal(column[first : first + 9], values[first : first + 9])
            return int(source.counters.bytes_read - begin)

        assert bytes_for_two_chunks() > 0
        assert bytes_for_two_chunks() == 0, "both are kept"
        assert words[:3].tolist() == numbers_of(ROWS)[:3].tolist()
        assert bytes_for_two_chunks() > 0
        assert bytes_for_two_chunks() > 0, "only one of them fits next to the cache of the library"


def test_damage_in_chunks_of_the_library_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "library.h5"
    with h5py.File(path, "w") as file:
        store_words(file.create_group("Step#0"))
        place = file["Step#0/x"].id.get_chunk_info(1)
    with path.open("r+b") as raw:
        raw.seek(place.byte_offset)
        raw.write(b"\x55" * place.size)
    with quire.open(path) as file:
        column = file[0]["x"]
        for _ in range(2):
            assert column[7:9].tolist() == words_of(9)[7:].tolist()
            with pytest.raises(BadFileError):
                column[CHUNK + 5 : CHUNK + 20]


def blocks_on_ranks(comm: Any, path: str, transport: str) -> list[int]:
    """Every rank reads all rows in blocks; returns the number of bytes that it has read for them."""
    values, bytes_read = read_in_blocks(path, comm, transport=transport, deadline=30)
    np.testing.assert_array_equal(values, values_of(ROWS))
    return [bytes_read]


@pytest.mark.mpi
@pytest.mark.parametrize("transport", ["posix", "mpi_collective"])
def test_each_rank_keeps_its_own(tmp_path: Path, transport: str) -> None:
    path = tmp_path / "column.h5"
    stored = write_column(path, values_of(ROWS), compression="gzip")
    for (bytes_read,) in run_ranks(blocks_on_ranks, 3, str(path), transport):
        assert bytes_read == stored


def test_formats_without_chunks_refuse_the_option(tmp_path: Path) -> None:
    with_chunks = {
        name for name in formats() if "chunk_cache" in {o.name for o in format_info(name).read_options}
    }
    assert with_chunks == {"h5part", "hdf5", "nektar", "openpmd"}
    path = tmp_path / "rows.sdds"
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.arange(3.0))
    with pytest.raises(UsageError, match='no option "chunk_cache"'):
        quire.open(path, chunk_cache=1 << 20)


def test_a_negative_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "column.h5"
    write_column(path, values_of(ROWS))
    for format in ("h5part", "hdf5"):
        with pytest.raises(UsageError, match="give 0 for none"):
            quire.open(path, format=format, chunk_cache=-1)
