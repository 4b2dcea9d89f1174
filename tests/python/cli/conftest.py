"""Small files in every format, and ways to run the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import holds_texts, step_formats
from tests.python.support.mpi import mpiexec
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.io.formats import format_infos

ROWS = 100
NUMBERS = (1, 4, 9)

Run = Callable[..., "Outcome"]
Make = Callable[..., Path]
Start = Callable[..., subprocess.CompletedProcess[bytes]]
Cut = Callable[[Path, int], Path]
Values = Callable[..., dict[str, np.ndarray[Any, Any]]]


@dataclass(frozen=True)
class Outcome:
    """The result of a run of the command line."""

    code: int
    output: str
    errors: str


def columns(number: int, rows: int = ROWS) -> dict[str, np.ndarray[Any, Any]]:
    """The columns of a step: the same values for the same number."""
    random = np.random.default_rng(number)
    return {
        "x": random.normal(0.0, 1e-3, rows),
        "px": random.normal(0.0, 2.0, rows),
        "id": np.arange(1, rows + 1, dtype=np.int32),
    }


UNITS = {"x": "m", "px": "m$be$nc", "id": ""}


def write_beam(
    path: Path, format: str, numbers: Sequence[int] = NUMBERS, rows: int = ROWS, **changes: Any
) -> Path:
    """A file with attributes and a table; `changes` replace columns of the last step."""
    with quire.create(path, format=format) as out:
        out.set("code", "tracker")
        for number in numbers:
            with out.step(number) as step:
                step.set("s", 0.5 * number, unit="m")
                step.set("turn", number)
                for name, values in columns(number, rows).items():
                    values = changes.get(name, values) if number == numbers[-1] else values
                    step.put(name, values, unit=UNITS[name])
    return path


@pytest.fixture(params=step_formats())
def format(request: pytest.FixtureRequest) -> str:
    """The name of each format in turn."""
    return str(request.param)


@pytest.fixture(params=step_formats())
def other_format(request: pytest.FixtureRequest) -> str:
    """Every format again, for all pairs."""
    return str(request.param)


def suffix_of(format: str) -> str:
    """The first suffix of a format."""
    return next(info.suffixes[0] for info in format_infos() if info.name == format)


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a beam of a format under a name."""

    def make_one(format: str, name: str = "beam", **options: Any) -> Path:
        return write_beam(tmp_path / f"{name}{suffix_of(format)}", format, **options)

    return make_one


@pytest.fixture
def beam(make: Make, format: str) -> Path:
    """A beam of 3 steps in each format in turn."""
    return make(format)


@pytest.fixture
def one_beam(make: Make) -> Path:
    """The same in the first format only, for tests that do not depend on the format."""
    return make(quire.formats()[0])


@pytest.fixture
def text_format() -> str:
    """The first format that holds columns of texts."""
    return next(filter(holds_texts, step_formats()))


@pytest.fixture
def run() -> Run:
    """Run a command inside this process."""

    def run_one(*arguments: str | Path) -> Outcome:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return run_one


@pytest.fixture
def start() -> Start:
    """Run the command line as a separate process; with ranks, under mpiexec."""

    def start_one(
        *arguments: str | Path, ranks: int = 0, stdin: bytes | None = None, **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "quire", *map(str, arguments)]
        if ranks:
            command = [mpiexec(), "-n", str(ranks), *command]
        folder = str(Path(quire.__file__).parent.parent)
        variables = {**os.environ, "PYTHONPATH": folder, "MPIEXEC_TIMEOUT": "60", **environment}
        return subprocess.run(
            command, input=stdin, capture_output=True, timeout=90, check=False, env=variables
        )

    return start_one


@pytest.fixture
def cut() -> Cut:
    """Remove the last bytes of a file."""

    def cut_one(path: Path, bytes: int) -> Path:
        content = path.read_bytes()
        assert len(content) > bytes
        path.write_bytes(content[: len(content) - bytes])
        return path

    return cut_one


@pytest.fixture
def values() -> Values:
    """The columns of a step of a generated file."""
    return columns
