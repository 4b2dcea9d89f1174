"""Processes that are forked while threads read, as multiprocessing does."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from tests.python.support.files import path_for, table_formats, write_table

import quire

ROWS = 1000
TIME_LIMIT = 60.0
CHILDREN = 6


def sum_of(file: quire.File) -> float:
    return float(file[0]["x"][:].sum())


def read(path: Path) -> None:
    with quire.open(path) as file:
        assert sum_of(file) == ROWS


def read_open(file: quire.File) -> None:
    try:
        found: object = sum_of(file)
    except quire.UsageError as error:
        found = error.message
    assert found in (ROWS, "another thread was using the file when this process was forked")


@contextmanager
def in_other_threads(action: Callable[[], object]) -> Iterator[None]:
    """Two threads that do this again and again."""
    is_over = threading.Event()

    def repeat() -> None:
        while not is_over.is_set():
            action()

    # Python itself leaves a child waiting for a module that another thread was importing.
    action()
    threads = [threading.Thread(target=repeat) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def run_in_children(action: Callable[..., None], *arguments: object) -> None:
    for _ in range(CHILDREN):
        child = multiprocessing.get_context("fork").Process(target=action, args=arguments)
        child.start()
        child.join(TIME_LIMIT)
        hangs = child.is_alive()
        if hangs:
            child.kill()
            child.join()
        assert not hangs, "the child waits for a thread that it does not have"
        assert child.exitcode == 0


@pytest.fixture(params=table_formats())
def file_of_ones(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = path_for(tmp_path, request.param)
    write_table(path, request.param, {"x": np.ones(ROWS)})
    return path


def test_a_child_opens_what_threads_of_its_parent_read(file_of_ones: Path) -> None:
    with in_other_threads(lambda: read(file_of_ones)):
        run_in_children(read, file_of_ones)


def test_a_child_reads_an_open_file_or_is_refused(file_of_ones: Path) -> None:
    with quire.open(file_of_ones) as file, in_other_threads(lambda: sum_of(file)):
        run_in_children(read_open, file)


def test_a_child_reads_an_open_file_that_no_thread_uses(file_of_ones: Path) -> None:
    def read_alone(file: quire.File) -> None:
        assert sum_of(file) == ROWS

    with quire.open(file_of_ones) as file:
        run_in_children(read_alone, file)
