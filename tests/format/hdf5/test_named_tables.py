"""The named table of a conversion: the only one copied, the one of a condition, or that of a program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.toolkit.convert import copy
from quire.toolkit.request import Observer

LEFT_OUT = [
    "table b: left out: of the tables only a is copied",
    "field rho: left out: of the tables only a is copied",
]

Contents = tuple[dict[str, int], list[str]]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two tables of points, and a field."""
    path = tmp_path / "two.hdf5"
    with quire.create(path) as out, out.step(0) as step:
        for table in "ab":
            for name in "xyz":
                step.put(name, np.arange(4.0), table=table)
        step.put_field("rho", np.ones((2, 2)))
    return path


def contents(path: Path) -> Contents:
    with quire.open(path) as file:
        tables = file[0].tables.values()
        return {table.name: len(table) for table in tables}, list(file[0].fields)


def converted(source: Path, target: Path, *options: str) -> tuple[int, list[str]]:
    """Return the exit code and the reported losses."""
    done = CliRunner().invoke(app, ["convert", str(source), str(target), "--overwrite", *options])
    marks = [line for line in done.stderr.splitlines() if line.startswith("lost: ")]
    return done.exit_code, [line.removeprefix("lost: ") for line in marks]


def test_losses_of_a_single_table_are_reported(source: Path) -> None:
    target = source.with_name("one.hdf5")
    assert converted(source, target, "--table", "a", "--dry-run") == (1, LEFT_OUT)
    assert not target.exists()
    assert converted(source, target, "--table", "a") == (0, LEFT_OUT)
    assert contents(target) == ({"a": 4}, [])
    reported: list[tuple[str, str]] = []
    observer = Observer(change=lambda kind, sentence: reported.append((kind, sentence)))
    report = copy(source, target, table="a", overwrite=True, observer=observer)
    assert report.losses == LEFT_OUT
    assert reported == [("lost", sentence) for sentence in LEFT_OUT]
    assert contents(target) == ({"a": 4}, [])


@pytest.mark.parametrize(
    "beside", [(), ("--rows", "0:1"), ("--where", "x>1")], ids=["alone", "rows", "where"]
)
def test_a_missing_table_causes_no_losses(source: Path, beside: tuple[str, ...]) -> None:
    assert converted(source, source.with_name("none.hdf5"), "--table", "c", *beside) == (1, [])


@pytest.mark.parametrize(
    ("options", "asked", "rows"),
    [
        (["--where", "x>1"], {"where": "x>1"}, {"a": 2, "b": 4}),
        (["--rows", ":3"], {"rows": slice(None, 3)}, {"a": 3, "b": 3}),
        (["--where", "x>1", "--rows", ":3"], {"where": "x>1", "rows": slice(None, 3)}, {"a": 1, "b": 3}),
    ],
    ids=["where", "rows", "both"],
)
def test_all_tables_are_copied_with_a_condition_on_one(
    source: Path, options: list[str], asked: dict[str, Any], rows: dict[str, int]
) -> None:
    target = source.with_name("some.hdf5")
    assert converted(source, target, "--table", "a", *options, "--dry-run") == (0, [])
    assert converted(source, target, "--table", "a", *options) == (0, [])
    assert contents(target) == (rows, ["rho"])
    copy(source, target, table="a", overwrite=True, **asked)
    assert contents(target) == (rows, ["rho"])


def by_command(source: Path, target: Path) -> list[str]:
    code, losses = converted(source, target, "--for", "viewers", "--table", "b")
    assert code == 0
    assert converted(source, target, "--for", "viewers", "--table", "b", "--dry-run") == (1, losses)
    return losses


def by_call(source: Path, target: Path) -> list[str]:
    return copy(source, target, program="viewers", table="b", overwrite=True).losses


@pytest.mark.parametrize("way", [by_command, by_call])
def test_a_program_reads_fields_next_to_its_table(
    source: Path, way: Callable[[Path, Path], list[str]]
) -> None:
    with quire.create(source) as out, out.step(0) as step:
        for table, first in (("a", 0.0), ("b", 10.0)):
            for name in "xyz":
                step.put(name, np.arange(4.0) + first, table=table)
        step.put_field("rho", np.ones((2, 2)))
    target = source.with_name("view.h5")
    losses = way(source, target)
    assert "table a: left out: of the tables only b is copied" in losses
    assert not any("field rho: left out" in sentence for sentence in losses)
    with quire.open(target) as file:
        [found] = file[0].tables.values()
        assert found["x"][:].tolist() == [10.0, 11.0, 12.0, 13.0]
        assert list(file[0].fields) == ["rho"]
        assert file[0].fields["rho"].origin is not None
