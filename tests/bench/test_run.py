"""The benchmark measures every target of its table and detects wrong bytes. No number is judged here."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.python.support.mpi import mpi_program

from bench import run

ROOT = Path(__file__).parents[2]
TABLE = tomllib.loads((ROOT / "bench" / "targets.toml").read_text())
METHODS = sorted(
    {(one["columns"], one.get("modes", 0), method) for one in TABLE["run"] for method in one["methods"]}
)


@pytest.fixture
def driver() -> str:
    """Return the driver program."""
    return mpi_program("bench", "driver", "quire-bench")


def options(**changed: Any) -> argparse.Namespace:
    """Return the options of a tiny run."""
    given = {"size": 1.0, "passes": 1, "groups": 1, "large": 4.0, "seed": 7, "only": None, "most_ranks": 4}
    return argparse.Namespace(**{**given, **changed})


@pytest.mark.mpi
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("driver")
def test_every_target_is_measured(tmp_path: Path) -> None:
    """A tiny run of everything writes a verdict on each target and no file except its results."""
    environment = dict(os.environ, QUIRE_BENCH_DISK=str(tmp_path), QUIRE_BENCH_TMPFS=str(tmp_path))
    command = [sys.executable, str(ROOT / "bench" / "run.py"), "--quick", "--size", "1", "--passes", "1"]
    command += ["--large", "4"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["failures"] == []
    wanted = {one["id"] for table in ("target", "python_target") for one in TABLE[table]}
    wanted |= {"K1", "K2", "K3", "T1", "T2", "S3", "M1", "4GB"}
    assert {one["target"] for one in results["findings"]} == wanted
    assert all(one["measured"] > 0 for one in results["findings"] if one["target"] not in ("M1", "4GB"))
    collectives = [one for one in results["findings"] if one["target"] == "S3"]
    assert all(one["verdict"] == "passed" for one in collectives)
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


@pytest.mark.mpi
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("driver")
@pytest.mark.parametrize("table", ["engines", "knobs"])
def test_tables_compare_all_methods(tmp_path: Path, table: str) -> None:
    """A tiny run of each table of methods writes a number for every one of them, with verified bytes."""
    environment = dict(os.environ, QUIRE_BENCH_DISK=str(tmp_path), QUIRE_BENCH_TMPFS=str(tmp_path))
    command = [sys.executable, str(ROOT / "bench" / f"{table}.py"), "--size", "0.5", "--passes", "1"]
    command += ["--ranks", "2", "--place", "disk"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((tmp_path / f"results-{table}.json").read_text())
    wanted = {one["name"]: [method.partition(":")[0] for method in one["methods"]] for one in TABLE[table]}
    assert {name: [row[2] for row in rows] for name, rows in results["tables"].items()} == wanted
    assert [path.name for path in tmp_path.iterdir()] == [f"results-{table}.json"]


@pytest.mark.mpi
@pytest.mark.parametrize(("columns", "modes", "method"), METHODS)
def test_wrong_bytes_are_detected(tmp_path: Path, driver: str, columns: str, modes: int, method: str) -> None:
    """One wrong byte in the output of any method ends the run."""
    bench = run.Bench(options())
    name = method.partition(":")[0]
    command = [bench.mpiexec, "-n", "2", driver, "methods", "--ranks", "2", "--path", str(tmp_path / "data")]
    command += ["--columns", columns, "--modes", str(modes), "--size", "1", "--passes", "1"]
    command += ["--method", method, "--spoil", name]
    with pytest.raises(RuntimeError, match=r"hold|other bytes"):
        bench.execute(command)


@pytest.mark.mpi
def test_wrong_world_is_refused(tmp_path: Path, driver: str) -> None:
    """A launcher that starts worlds of one rank is detected."""
    bench = run.Bench(options())
    command = [bench.mpiexec, "-n", "1", driver, "methods", "--ranks", "2", "--path", str(tmp_path / "data")]
    with pytest.raises(RuntimeError, match="instead of 2"):
        bench.execute([*command, "--method", "raw:engine=raw"])


def line(medians: float, paired: float) -> dict[str, Any]:
    """Return the numbers of a method as the driver prints them."""
    return {"ratio_of_medians": {"raw": medians}, "median_of_ratios": {"raw": paired}, "c": 0.2}


TARGET = {"id": "X", "what": "x", "method": "own", "reference": "raw", "must": 0.9, "aim": "1"}


def test_only_paired_ratios_count_on_a_busy_machine() -> None:
    """Ratios of medians are meaningless if other programs start and end meanwhile."""
    methods = {"own": line(0.5, 0.95), "raw": line(1, 1)}
    idle = run.finding_of(TARGET, 1, "disk", methods, busy=False)
    busy = run.finding_of(TARGET, 1, "disk", methods, busy=True)
    assert (idle.measured, idle.verdict()) == (0.5, "MISSED, disturbed")
    assert (busy.measured, busy.verdict()) == (0.95, "passed, busy, disturbed")


def test_the_middle_process_group_counts() -> None:
    """The lower one of an even number; the range is kept, and one busy group makes the verdict busy."""

    def found(ratio: float, *, busy: bool = False) -> run.Finding:
        return run.finding_of(TARGET, 1, "disk", {"own": line(ratio, ratio), "raw": line(1, 1)}, busy=busy)

    middle = run.middle_of([found(1.1), found(0.8), found(0.95)])
    assert (middle.measured, middle.least, middle.most, middle.verdict()) == (0.95, 0.8, 1.1, "passed")
    assert run.middle_of([found(1.1), found(0.8, busy=True)]).verdict() == "MISSED, busy"
    assert run.middle_of([found(1.1)]).most is None


def test_runs_contain_the_methods_of_their_targets() -> None:
    """Raw is measured if a run has it, a method with the one that writes its file; others are omitted."""
    table = {"methods": ["raw:engine=raw", "a:file=b", "b:engine=raw", "c:engine=raw"]}
    targets = [{**TARGET, "method": "a"}]
    assert run.methods_for(table, targets) == ["raw:engine=raw", "a:file=b", "b:engine=raw"]
    targets = [{**TARGET, "method": "a", "reference": "c"}]
    assert run.methods_for({"methods": table["methods"][1:]}, targets) == table["methods"][1:]


def test_every_target_names_methods_of_its_run() -> None:
    """The table is consistent."""
    for target in TABLE["target"]:
        (found,) = [one for one in TABLE["run"] if one["name"] == target["run"]]
        names = {method.partition(":")[0] for method in found["methods"]}
        assert {target["method"], target["reference"]} <= names
    for target in TABLE["python_target"]:
        (found,) = [one for one in TABLE["python"] if one["name"] == target["run"]]
        assert {target["method"], target["reference"]} <= set(found["methods"])
