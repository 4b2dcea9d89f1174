"""Blocks for results: placed as asked, recycled, bounded, and off when asked."""

from __future__ import annotations

import gc
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire import _core
from quire.io.memory import PAGE, SMALLEST_BLOCK, Growing, allocate
from quire.io.types import dtype_of, type_names

MIB = 1 << 20


@given(
    st.lists(st.sampled_from(type_names()), min_size=1, max_size=5),
    st.integers(0, 40_000),
    st.lists(st.integers(0, 1 << 40), min_size=5, max_size=5),
)
def test_arrays_lie_apart_and_aligned(names: list[str], count: int, offsets: list[int]) -> None:
    dtypes = [dtype_of(name) for name in names]
    arrays = allocate(dtypes, count, offsets[: len(names)])
    numbers = [array for array in arrays if not array.dtype.hasobject]
    assert [array.dtype for array in arrays] == dtypes
    assert all(len(array) == count and array.flags.aligned and array.flags.writeable for array in arrays)
    for index, array in enumerate(numbers):
        array.view(np.uint8)[...] = index + 1
    for index, array in enumerate(numbers):
        assert bool(np.all(array.view(np.uint8) == index + 1))


def test_interleaved_columns_are_kept_apart() -> None:
    count = SMALLEST_BLOCK // 8
    places = [array.ctypes.data % PAGE for array in allocate([np.dtype("f8")] * 8, count, [371] * 8)]
    assert len(set(places)) == 8


def test_large_results_agree_with_the_file_within_a_page() -> None:
    count = SMALLEST_BLOCK // 8
    for offset in (0, 64, 371, 4095, 1 << 33):
        (array,) = allocate([np.dtype(np.float64)], count, [offset])
        distance = (array.ctypes.data - offset) % PAGE
        assert distance == 0 or distance > PAGE - 64


def test_freed_blocks_are_used_again() -> None:
    pool = _core.BlockPool(16 * MIB)
    first = pool.take(5 * MIB)
    address = first.ctypes.data
    view = first[MIB : 2 * MIB].view(np.float64)
    del first
    gc.collect()
    assert pool.kept_bytes == 0, "a view is still there"
    del view
    gc.collect()
    assert pool.kept_bytes == 6 * MIB
    again = pool.take(4 * MIB)
    assert again.ctypes.data == address
    assert again.shape == (4 * MIB,)
    assert pool.kept_bytes == 0


def test_small_requests_do_not_get_huge_blocks() -> None:
    pool = _core.BlockPool(64 * MIB)
    block = pool.take(32 * MIB)
    del block
    gc.collect()
    assert pool.kept_bytes == 32 * MIB
    small = pool.take(2 * MIB)
    assert pool.kept_bytes == 32 * MIB
    del small


def test_the_pool_is_bounded() -> None:
    pool = _core.BlockPool(8 * MIB)
    blocks = [pool.take(4 * MIB) for _ in range(5)]
    while blocks:
        blocks.pop()
        assert pool.kept_bytes <= 8 * MIB
    assert pool.kept_bytes == 8 * MIB
    pool.take(10 * MIB)
    assert pool.kept_bytes == 8 * MIB
    pool.clear()
    assert pool.kept_bytes == 0


def test_blocks_outlive_the_pool() -> None:
    block = _core.BlockPool(8 * MIB).take(MIB)
    gc.collect()
    block[:] = 7
    assert int(block[-1]) == 7


def test_too_much_is_a_memory_error() -> None:
    with pytest.raises(MemoryError, match="bytes for the result"):
        _core.BlockPool(0).take(1 << 60)


@pytest.mark.parametrize(("setting", "kept"), [("0", 0), ("3", 2 * MIB), ("", None)])
def test_the_environment_sets_the_capacity(setting: str, kept: int | None) -> None:
    program = (
        "import numpy, quire.io.memory as m; a = m.allocate([numpy.dtype('u1')], 2 << 20); del a;"
        "print(m.pool_bytes())"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={"QUIRE_POOL": setting, "PYTHONPATH": ":".join(sys.path), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if kept is None:
        assert 'QUIRE_POOL is ""' in run.stderr
    else:
        assert run.stdout.strip() == str(kept), run.stderr


@pytest.mark.parametrize("dtype", ["float32", "int64", "object"])
def test_an_array_grows_at_its_end(dtype: str) -> None:
    grown = Growing(np.dtype(dtype))
    assert grown.values.tolist() == []
    parts = [
        np.arange(first, first + count).astype(dtype)
        for first, count in ((0, 3), (3, 0), (3, 400_000), (7, 1))
    ]
    for part in parts:
        grown.append(part)
    assert grown.values.dtype == dtype
    np.testing.assert_array_equal(grown.values, np.concatenate(parts))


def test_values_stay_while_their_array_grows() -> None:
    grown = Growing(np.dtype(np.int64))
    grown.append(np.arange(5))
    before = grown.values
    grown.append(np.arange(1000))
    assert before.tolist() == [0, 1, 2, 3, 4]
