"""`quire bench` from the command line: its files, its errors and its exit codes."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.bench.studies import FAKE_DRIVER
from typer.testing import CliRunner, Result

from quire.cli.main import app
from quire.lab.bench.plan import presets

PLAN = """
title = "a trial"
passes = 2
ranks = [2]
operations = ["write", "read"]
[[method]]
name = "one"
engine = "mpiio"
[[case]]
workload = "particles"
scale_of_this = 1
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plan in a file, and the fake driver instead of the driver."""
    monkeypatch.setenv("QUIRE_MPIEXEC", f"{sys.executable} {FAKE_DRIVER} {{ranks}}")
    monkeypatch.setenv("QUIRE_BENCH_DRIVER", "quire-bench")
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.replace("scale_of_this = 1\n", "rows = 100\n"))
    return path


def bench(*words: str | Path) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(app, ["bench", *map(str, words)])


def test_presets_are_listed() -> None:
    """Without a command, the presets are listed."""
    done = bench()
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == [*presets(), "query"]


def test_run_leaves_results_and_a_page(plan: Path, tmp_path: Path) -> None:
    """A run ends with results, a page and a table, and nothing else in its directory."""
    folder = tmp_path / "there"
    done = bench("run", plan, "--directory", folder, "--day", "monday")
    assert done.exit_code == 0, done.output
    assert {path.name for path in folder.iterdir()} == {"results.jsonl", "results.html"}
    for word in ("a trial, 2 passes", "raw own", "write, 2 ranks", "to raw shared"):
        assert word in done.stdout
    again = bench("run", plan, "--directory", folder)
    assert again.exit_code == 2
    assert "--resume continues it" in again.stderr
    more = bench("run", plan, "--directory", folder, "--passes", "3", "--resume")
    assert more.exit_code == 0
    assert "6 cells measured, 12 before" in more.stderr


def test_changes_reach_the_plan(plan: Path) -> None:
    """Options change ranks, passes, operations and methods; a dry run lists the cells in their order."""
    words = ("--ranks", "1,4", "--passes", "3", "--operations", "write", "--method", "one")
    done = bench("run", plan, "--dry-run", *words)
    lines = done.stdout.splitlines()
    assert len(lines) == 3 * 2 * 3
    assert len({line.partition(" ")[2] for line in lines}) == 6
    assert done.stdout == bench("run", plan, "--dry-run", *words).stdout
    assert done.stdout != bench("run", plan, "--dry-run", *words, "--seed", "5").stdout


def test_wrong_values_change_the_exit_code(
    plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A method with wrong values is named, and the exit code is 1."""
    monkeypatch.setenv("FAKE_DRIVER_WRONG", "/one/read/")
    done = bench("run", plan, "--directory", tmp_path / "there")
    assert done.exit_code == 1
    assert "quire: wrong: particles/one/read/2/warm" in done.stderr
    assert "wrong: particles/one/read/2/warm, pass 1: values differ" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run",), "nothing to measure"),
        (("run", "PLAN"), "no directory to measure in"),
        (("run", "PLAN", "--preset", "none"), "nothing to measure"),
        (("run", "--preset", "none", "-d", "x"), "no preset 'none'"),
        (("run", "PLAN", "--ranks", "two", "-d", "x"), "not a list of numbers of ranks"),
        (("script", "PLAN", "-d", "x"), "--slurm or --pbs"),
    ],
)
def test_usage_is_explained(plan: Path, words: tuple[str, ...], message: str) -> None:
    """Missing or contradictory options are reported with exit code 2."""
    done = bench(*(str(plan) if word == "PLAN" else word for word in words))
    assert done.exit_code == 2
    assert message in done.stderr


def test_missing_results_are_reported(tmp_path: Path) -> None:
    """Neither a missing file nor another kind of file is accepted as results."""
    assert bench("report", tmp_path / "none.jsonl").exit_code == 4
    (tmp_path / "other.jsonl").write_text('{"kind": "letter"}\n')
    done = bench("report", tmp_path / "other.jsonl")
    assert done.exit_code == 3
    assert "no results of a benchmark" in done.stderr
    (tmp_path / "broken.jsonl").write_text('{"kind": "repetition"}\n{}\n')
    done = bench("report", tmp_path / "broken.jsonl")
    assert done.exit_code == 3
    assert "line 1 is no result: it lacks 'id'" in done.stderr
    assert bench("report", tmp_path / "none.jsonl", "--quantity", "speed").exit_code == 2


@pytest.mark.parametrize(
    ("system", "words"),
    [
        (
            "--slurm",
            [
                "#SBATCH --nodes=4",
                "#SBATCH --ntasks=48",
                "#SBATCH --time=01:30:00",
                "'srun -n {ranks} -N {nodes}' --ranks-per-node 12",
            ],
        ),
        (
            "--pbs",
            ["#PBS -l select=4:ncpus=12:mpiprocs=12", "#PBS -l walltime=01:30:00", "mpiexec -n {ranks}"],
        ),
    ],
)
def test_scripts_are_printed(plan: Path, system: str, words: list[str]) -> None:
    """A script requests the largest number of ranks of the plan, and its command resumes an earlier job."""
    given = ("--ranks", "24,48", "--ranks-per-node", "12", "--hours", "1.5", "-d", "/scratch/a b")
    done = bench("script", plan, system, *given)
    assert done.exit_code == 0
    for word in [
        *words,
        "--resume",
        "--directory '/scratch/a b'",
        "--ranks 24,48",
        f"quire bench run {plan}",
    ]:
        assert word in done.stdout
    assert subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=False).returncode == 0


def test_scripts_contain_all_options(plan: Path) -> None:
    """Every option of a run is in the script as it was given."""
    more = {
        "--scale": "1e-05", "--passes": "7", "--seed": "9", "--operations": "write,read", "--method": "one",
        "--mode": "launch", "--most-bytes": "1e9", "--most-files": "100000", "--most-seconds": "600",
        "--results": "lines.jsonl", "--day": "a day", "--driver": "/opt/quire-bench",
    }  # fmt: skip
    words = [word for pair in more.items() for word in pair]
    done = bench("script", plan, "--slurm", "-d", "there", "--launcher", "mpirun -n {ranks}", *words)
    assert done.exit_code == 0, done.stderr
    words_of_script = shlex.split(done.stdout.splitlines()[-1])
    for name, value in more.items():
        given = words_of_script[words_of_script.index(name) + 1]
        assert given == value or float(given) == float(value), name
    assert words_of_script[words_of_script.index("--launcher") + 1] == "mpirun -n {ranks}"
    dry = bench(*(word for word in words_of_script[2:]), "--dry-run")
    assert dry.exit_code == 0, dry.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_clean_up(plan: Path, tmp_path: Path, number: signal.Signals) -> None:
    """A terminated run prints how to resume, ends its driver and removes its data; the results stay."""
    folder = tmp_path / "there"
    command = [sys.executable, "-m", "quire", "bench", "run", str(plan), "--directory", str(folder)]
    environment = os.environ | {"FAKE_DRIVER_SILENT": "1"}

    def restore_default() -> None:
        """Restore the default handler: shells ignore the signal in background processes."""
        signal.signal(number, signal.SIG_DFL)

    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, preexec_fn=restore_default
    ) as process:
        last = time.monotonic() + 30
        while not list(folder.glob("quire-bench-*")) and time.monotonic() < last:
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert b"interrupted; --resume continues" in errors
    assert [path.name for path in folder.iterdir()] == ["results.jsonl"]
    assert json.loads((folder / "results.jsonl").read_text())["title"] == "a trial"
