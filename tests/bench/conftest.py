"""Fixtures of the tests of the benchmark."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.python.support.mpi import mpi_program


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return an empty folder, in memory if possible: durable times are not tested."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as path:
        yield Path(path)


@pytest.fixture
def program() -> str:
    """Return the driver program."""
    return mpi_program("bench", "driver", "quire-bench")
