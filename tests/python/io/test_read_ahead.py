"""Blocks that a thread reads while the caller works on those before."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest

import quire
from quire.io.read_ahead import FEWEST, read_ahead

SIZE = 1 << 15
"""Rows of a block: those of one column have 256 KiB."""
ROWS = 8 * SIZE


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    path = tmp_path / "beam.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.arange(ROWS, dtype=np.float64))
        step.put("id", np.arange(ROWS, dtype=np.int64))
    return path


def readers() -> list[str]:
    """Return the names of the threads that read ahead now."""
    return [one.name for one in threading.enumerate() if one.name.startswith("quire-read-ahead")]


def test_calls_are_yielded_in_their_order() -> None:
    assert list(read_ahead(lambda number: number * number, 50)) == [number * number for number in range(50)]


def test_at_most_one_call_is_ahead_of_the_caller() -> None:
    called: list[int] = []

    def read(number: int) -> int:
        called.append(number)
        return number

    for number in read_ahead(read, 20):
        assert max(called) <= number + 1


def test_an_error_is_raised_after_the_blocks_before_it() -> None:
    def read(number: int) -> int:
        if number == 3:
            raise OSError("the disk is gone")
        return number

    numbers = read_ahead(read, 10)
    assert [next(numbers) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(OSError, match="the disk is gone"):
        next(numbers)
    assert not readers()


def test_blocks_have_the_values_of_the_whole(path: Path) -> None:
    for rows in (None, slice(7, ROWS - 13), (SIZE, 6 * SIZE + 1)):
        with quire.open(path) as file:
            table = file[0].table
            whole = table.read(rows=rows)
            first = 0 if rows is None else rows.start if isinstance(rows, slice) else rows[0]
            done = 0
            for start, block in table.blocks(rows_per_block=SIZE, rows=rows):
                assert start == first + done
                for name, values in block.items():
                    np.testing.assert_array_equal(values, whole[name][done : done + len(values)])
                done += len(block["x"])
            assert done == len(whole["x"])


def test_a_thread_reads_many_blocks_and_ends_with_the_loop(path: Path) -> None:
    with quire.open(path) as file:
        for _ in file[0].table.blocks(rows_per_block=SIZE):
            assert readers()
        assert not readers()


def test_no_thread_reads_a_few_blocks(path: Path) -> None:
    with quire.open(path) as file:
        for _ in file[0].table.blocks(rows_per_block=ROWS // (FEWEST - 1)):
            assert not readers()


def test_no_thread_reads_small_blocks(path: Path) -> None:
    with quire.open(path) as file:
        for _ in file[0].table.blocks(rows_per_block=SIZE // 16):
            assert not readers()


def test_no_thread_reads_for_a_communicator(path: Path) -> None:
    with quire.open(path, quire.SELF) as file:
        for _ in file[0].table.blocks(rows_per_block=SIZE):
            assert not readers()


def test_a_block_stays_while_the_next_one_is_read(path: Path) -> None:
    with quire.open(path) as file:
        for first, block in file[0].table.blocks("x", SIZE):
            expected = np.arange(first, first + len(block["x"]), dtype=np.float64)
            for _ in range(3):
                file[0]["id"].read()  # waits until the next block has been read
                np.testing.assert_array_equal(block["x"], expected)


def test_nothing_is_pending_after_the_caller_has_left(path: Path) -> None:
    with quire.open(path) as file:
        blocks = file[0].table.blocks(rows_per_block=SIZE)
        next(blocks)
        del blocks
        assert not readers()
    with quire.open(path) as file:
        blocks = file[0].table.blocks(rows_per_block=SIZE)
        next(blocks)
    # The file is closed in the middle of the loop.
    with pytest.raises(quire.UsageError):
        list(blocks)
    assert not readers()


def test_progress_counts_the_rows_of_the_blocks_done(path: Path) -> None:
    seen: list[tuple[int, int]] = []
    size = 2 * SIZE - 100
    with quire.open(path) as file:
        for _ in file[0].table.blocks("x", size, progress=lambda done, total: seen.append((done, total))):
            pass
    assert seen == [(size, ROWS), (2 * size, ROWS), (3 * size, ROWS), (4 * size, ROWS), (ROWS, ROWS)]


def test_a_child_that_is_forked_in_the_loop_can_use_the_file(path: Path) -> None:
    with quire.open(path) as file:
        table = file[0].table
        for _ in range(5):
            blocks = table.blocks("x", SIZE)
            next(blocks)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
            if child == 0:
                total = sum(float(block["x"].sum()) for _, block in blocks) + float(table["x"][0])
                os._exit(int(total != float(np.arange(SIZE, ROWS).sum())))
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert len(list(blocks)) == ROWS // SIZE - 1


def test_a_fork_waits_for_the_block_ahead() -> None:
    times: list[str] = []

    def read(number: int) -> int:
        if number == 1:
            time.sleep(0.2)
            times.append("read")
        return number

    numbers = read_ahead(read, 3)
    next(numbers)
    child = os.fork()
    if child == 0:
        os._exit(0)
    times.append("fork")
    os.waitpid(child, 0)
    assert times == ["read", "fork"]


def test_all_blocks_are_read_where_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    assert list(read_ahead(lambda number: number, 9)) == list(range(9))


AT_THE_END = """
import atexit, sys, quire
def last(path):
    with quire.open(path) as file:
        print(sum(len(block["x"]) for _, block in file[0].table.blocks("x", int(sys.argv[2]))))
atexit.register(last, sys.argv[1])
"""


def test_a_program_that_ends_reads_blocks(path: Path) -> None:
    words = [sys.executable, "-c", AT_THE_END, str(path), str(SIZE)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == (f"{ROWS}\n", "")


def test_no_thread_reads_texts(tmp_path: Path) -> None:
    path = tmp_path / "texts"
    with quire.create(path, format=quire.formats()[0]) as out, out.step(0) as step:
        step.put("name", ["D"] * ROWS)
    with quire.open(path) as file:
        for _ in file[0].table.blocks("name", SIZE):
            assert not readers()


def test_a_failed_loop_keeps_no_memory() -> None:
    class Block:
        pass

    alive: list[weakref.ref[Block]] = []

    def read(number: int) -> Block:
        if number == 2:
            raise OSError("the disk is gone")
        block = Block()
        alive.append(weakref.ref(block))
        return block

    gc.disable()
    try:
        with pytest.raises(OSError, match="gone"):
            list(read_ahead(read, 5))
        assert [one() for one in alive] == [None, None]
    finally:
        gc.enable()
