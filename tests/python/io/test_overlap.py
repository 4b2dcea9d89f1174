"""Steps that are written in the background: `commit_async`, `wait`, `test`."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import quire
from quire.errors import UsageError
from quire.io.formats import FormatInfo, format_infos

ROWS = 5000


STEPS = [info for info in format_infos() if not info.holds_streams and not info.one_step]
STREAMS = [info for info in format_infos() if info.holds_streams]


@pytest.fixture(params=STEPS, ids=lambda info: info.name)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    info: FormatInfo = request.param
    return tmp_path / f"run{info.suffixes[0]}"


def values(number: int) -> np.ndarray:
    return np.arange(ROWS, dtype=np.float64) + number


def check(path: Path, numbers: list[int]) -> None:
    with quire.open(path) as file:
        assert file.numbers == numbers
        for number in numbers:
            np.testing.assert_array_equal(file.step(number)["x"].read(), values(number))


def test_copied_arrays_may_change_after_the_call(path: Path) -> None:
    x = np.empty(ROWS)
    with quire.create(path) as out:
        assert out.overlaps
        for number in range(3):
            x[:] = values(number)
            out.step(number).put("x", x).commit_async()
            x[:] = -1
    check(path, [0, 1, 2])


def test_the_block_of_a_step_commits_it_in_the_background(path: Path) -> None:
    with quire.create(path) as out:
        with out.step(0) as step:
            step.put("x", values(0))
        with out.step(1, overlap=True) as step:
            step.put("x", values(1))
        assert step.is_finished
        check(path, [0])
        out.wait()
        check(path, [0, 1])


def test_test_publishes_what_is_written(path: Path) -> None:
    with quire.create(path) as out:
        assert out.test()
        out.step(0).put("x", values(0)).commit_async()
        while not out.test():
            pass
        check(path, [0])


def test_borrowed_arrays_are_kept_until_wait_returns(path: Path) -> None:
    x = values(0)
    before = sys.getrefcount(x)
    with quire.create(path) as out:
        step = out.step(0).put("x", x)
        step.commit_async(borrow=True)
        del step
        gc.collect()
        assert sys.getrefcount(x) > before
        out.wait()
        assert sys.getrefcount(x) == before
        out.step(1).put("x", values(1)).commit_async(borrow=True)
        out.step(2).put("x", values(2)).commit_async(borrow=True)
    check(path, [0, 1, 2])


def test_a_writer_that_is_not_closed_drops_the_borrowed_step(path: Path) -> None:
    out = quire.create(path)
    with out.step(0) as step:
        step.put("x", values(0))
    out.step(1).put("x", values(1)).commit_async(borrow=True)
    del out, step
    gc.collect()
    check(path, [0])


def test_an_exception_drops_the_step_in_flight(path: Path) -> None:
    def lose() -> None:
        with quire.create(path) as out:
            out.step(0).put("x", values(0)).commit()
            out.step(1).put("x", values(1)).commit_async()
            raise RuntimeError("lost")

    with pytest.raises(RuntimeError, match="lost"):
        lose()
    check(path, [0])


def test_a_step_is_committed_once(path: Path) -> None:
    with quire.create(path) as out:
        step = out.step(0).put("x", values(0))
        step.commit_async()
        with pytest.raises(UsageError, match="finished"):
            step.commit()
        with pytest.raises(UsageError, match="in flight"):
            out.set("code", "late")
    check(path, [0])


def test_arguments_are_truths(path: Path) -> None:
    with quire.create(path) as out:
        with pytest.raises(UsageError, match="overlap"):
            out.step(0, overlap="yes")  # type: ignore[arg-type]
        step = out.step(0).put("x", values(0))
        with pytest.raises(UsageError, match="borrow"):
            step.commit_async(borrow=1)  # type: ignore[arg-type]
        step.commit()


@pytest.mark.parametrize("info", STREAMS, ids=lambda info: info.name)
def test_streams_are_committed_at_once(tmp_path: Path, info: FormatInfo) -> None:
    path = tmp_path / f"run{info.suffixes[0]}"
    with quire.create(path) as out:
        assert not out.overlaps
        step = out.step(0)
        step.stream(0).write(b"beam")
        step.commit_async()
        assert out.test()
    with quire.open(path) as file:
        assert len(file) == 1


FORKED = """
import os, sys, numpy as np, quire
out = quire.create(sys.argv[1])
step = out.step(0)
step.put("x", np.arange(10.0))
step.commit_async()
child = os.fork()
if child == 0:
    try:
        out.wait()
    except quire.UsageError as error:
        sys.exit(7 if "forked" in str(error) else 1)
    sys.exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
out.close()
"""


def test_a_forked_process_ends_and_leaves_the_step_to_its_parent(path: Path) -> None:
    subprocess.run([sys.executable, "-c", FORKED, str(path)], check=True, timeout=60)
    with quire.open(path) as file:
        assert list(file[0]["x"]) == list(range(10))
