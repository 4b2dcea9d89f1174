"""`make bench` measures every target and detects wrong bytes. No number is judged here."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.bench.driver import cell
from tests.bench.driver import run as run_cells
from tests.python.support.mpi import mpiexec
from typer.testing import CliRunner

from bench import run
from quire.cli.main import app
from quire.lab.bench.plan import Changes, make_plan, read_plan, read_preset
from quire.lab.bench.records import read_results
from quire.lab.bench.targets import place_of_directory

ROOT = Path(__file__).parents[2]
TARGETS = make_plan(read_preset("targets"), Changes(scale=1e-4))
WORKLOADS = sorted({str(one.workload["name"]) for one in TARGETS.cells if one.operation == "write"})


@pytest.mark.mpi
@pytest.mark.timeout(400)
@pytest.mark.usefixtures("program")
@pytest.mark.parametrize(
    "only",
    [
        pytest.param([], id="all", marks=pytest.mark.nightly),
        ["W1", "W8", "R1", "K1", "P1", "S3", "M1", "4GB"],
    ],
    ids=" ".join,
)
def test_every_target_is_measured(tmp_path: Path, folder: Path, only: list[str]) -> None:
    """A tiny run writes a verdict on each target that is asked for, and no file except its results."""
    environment = dict(os.environ, QUIRE_BENCH_DISK=str(tmp_path), QUIRE_BENCH_TMPFS=str(folder))
    command = [sys.executable, str(ROOT / "bench" / "run.py"), "--scale", "0.002", "--passes", "1"]
    command += ["--large", "4", *(["--only", *only] if only else [])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["failures"] == []
    places = {place_of_directory(tmp_path), place_of_directory(folder)}
    wanted = {target.id for target in TARGETS.targets if places & {*target.places}}
    wanted |= {one["id"] for one in run.TABLE["target"]} | {*run.KERNELS, "4GB"}
    assert {one["target"] for one in results["findings"]} == (wanted & {*only} if only else wanted)
    assert all(one["measured"] > 0 for one in results["findings"] if one["target"] not in ("M1", "4GB"))
    collectives = [one for one in results["findings"] if one["target"] == "S3"]
    assert all(one["verdict"] == "passed" for one in collectives)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["results.json", "targets-disk.jsonl", "targets-tmpfs.jsonl"]
    assert list(folder.iterdir()) == []


@pytest.mark.mpi
@pytest.mark.nightly
def test_settings_are_compared(tmp_path: Path, program: str) -> None:
    """A tiny run of the plan of settings measures each of them, with verified values."""
    plan = str(ROOT / "bench" / "knobs.toml")
    words = ["--directory", str(tmp_path / "there"), "--launcher", mpiexec(), "--driver", program]
    done = CliRunner().invoke(app, ["bench", "run", plan, *words, "--passes", "1", "--scale", "0.001"])
    assert done.exit_code == 0, done.output
    found = read_results([tmp_path / "there" / "results.jsonl"])
    wanted = make_plan(read_plan(plan)).cells
    assert sorted(one.id for one in found.repetitions) == sorted(one.id for one in wanted)


@pytest.mark.mpi
@pytest.mark.parametrize("workload", WORKLOADS)
def test_wrong_bytes_are_detected(folder: Path, program: str, workload: str) -> None:
    """One wrong byte in the output of any method of a target is an error."""
    methods = {
        one.method.name: one
        for one in TARGETS.cells
        if (one.workload["name"], one.operation) == (workload, "write")
    }
    spoilt = []
    for one in methods.values():
        table = {**one.workload, "steps": 1}
        if table["kind"] == "table":
            table["rows"] = 5000
        fault = {"kind": "spoil"}
        spoilt.append(cell(one.method.as_json(), table, "write", fault=fault, ranks=2))
    lines = run_cells(program, folder, spoilt, ranks=2, code=1)
    assert lines
    for line in lines:
        assert "hold" in line["error"] or "others than were written" in line["error"]


def test_options_have_presets() -> None:
    """A quick run is smaller; options of the command line count."""
    assert vars(run.parse([]))["scale"] == 1
    quick = run.parse(["--quick", "--passes", "2", "--only", "W1"])
    assert (quick.scale, quick.passes, quick.only) == (0.125, 2, ["W1"])


def test_parts_that_fail_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """The other parts are measured nevertheless; the exit code is 2."""
    bench = run.Bench(argparse.Namespace(only=["none"], scale=1.0, passes=1, seed=1))

    def fail() -> None:
        raise RuntimeError("no disk")

    bench.attempt("a part", fail)
    assert bench.failures == ["a part: no disk"]
    assert "bench: a part" in capsys.readouterr().err


def test_every_target_names_methods_of_its_run() -> None:
    """The table of Python libraries is consistent."""
    for target in run.TABLE["target"]:
        (found,) = [one for one in run.TABLE["run"] if one["name"] == target["run"]]
        assert {target["method"], target["reference"]} <= set(found["methods"])
