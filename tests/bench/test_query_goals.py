"""The benchmark of queries: a table of all goals, with other libraries or the names of missing ones."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.lab.query.goals import FULL_ROWS, Line, goals, line_of
from quire.lab.query.timing import best_times


def bench(folder: Path, *words: str) -> Any:
    """Run the benchmark with few rows."""
    sizes = ["--preset", "query", "--scale", "0.002", "--passes", "1"]
    return CliRunner().invoke(app, ["bench", *sizes, "--directory", str(folder), *words])


def test_the_table_has_every_goal(tmp_path: Path) -> None:
    done = bench(tmp_path / "there")
    assert done.exit_code in (0, 1), done.output
    lines = [json.loads(text) for text in (tmp_path / "there" / "query.jsonl").read_text().splitlines()]
    assert {line["goal"] for line in lines} == {*goals(), ""}
    assert "wrong rows" not in done.stderr
    assert next(line for line in lines if line["goal"] == "G12")["value"] == 0
    for line in lines:
        assert line["value"] is not None or line["note"]
        assert f"{line['goal']:4}  {line['what']}" in done.stdout


def test_missing_libraries_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def import_module(name: str, package: str | None = None) -> Any:
        if name in ("duckdb", "h5py", "polars"):
            raise ImportError(f"no module {name}")
        return known(name, package)

    known = importlib.import_module
    monkeypatch.setattr(importlib, "import_module", import_module)
    done = bench(tmp_path / "there")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["DuckDB", "on", "Parquet", "-", "not", "installed:", "no", "module", "duckdb"] in lines
    assert ["G9"] not in [line[:1] for line in lines]
    assert done.exit_code in (0, 1), done.output


def test_wrong_rows_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = quire.Matches.numbers

    def wrong(self: quire.Matches) -> Any:
        found = numbers(self)
        return found[1:] if "energy" in self.condition.names else found

    monkeypatch.setattr(quire.Matches, "numbers", wrong)
    done = bench(tmp_path / "there")
    assert done.exit_code == 1
    assert "wrong rows: lists, random, box" in done.stderr


def test_options_of_other_presets_are_refused(tmp_path: Path) -> None:
    done = bench(tmp_path / "there", "--ranks", "2")
    assert done.exit_code == 2
    assert "leave out --ranks" in done.stderr


def test_fewer_rows_are_allowed_half_of_a_ratio() -> None:
    assert line_of("G2", "1e-4", 60, FULL_ROWS).is_reached is False
    assert line_of("G2", "1e-4", 60, FULL_ROWS // 10).is_reached is True
    assert line_of("G5", "", 2, FULL_ROWS).is_reached is False
    assert line_of("G5", "", 2, FULL_ROWS // 10).is_reached is True
    assert line_of("G6", "zones", 0.2, FULL_ROWS // 10).is_reached is False
    assert Line("", "", 3).is_reached is None


def test_each_pass_does_all_work() -> None:
    done: list[str] = []
    work = {name: lambda name=name: done.append(name) for name in "ab"}
    passes: list[int] = []
    times = best_times(work, 3, 1, passes.append)
    assert passes == [1, 2, 3]
    assert set(times) == set(done) == {"a", "b"}
    assert all(seconds > 0 for seconds in times.values())
