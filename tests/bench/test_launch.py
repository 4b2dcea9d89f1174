"""Plans run to their end, also after interruptions, and nothing is lost or removed by mistake."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.bench.studies import launcher, run_trial, trial

import quire
from quire.io.formats import format_infos
from quire.lab.bench.cells import Cell, Method
from quire.lab.bench.files import files_of
from quire.lab.bench.launch import (
    MARKER,
    PREFIX,
    Launcher,
    Setting,
    alone_with,
    find_driver,
    mark_of,
    said_by,
)
from quire.lab.bench.records import read_results
from quire.lab.workloads import make_workload


def measured(folder: Path) -> Counter[tuple[int, str]]:
    """Return how often the results contain each cell of each pass."""
    found = read_results([folder / "results.jsonl"])
    return Counter((one.number, one.id) for one in found.repetitions)


@pytest.mark.parametrize("mode", ["in-process", "launch", "repeated"])
def test_every_cell_once_in_every_pass(tmp_path: Path, mode: str) -> None:
    """A plan is measured completely; the data of the driver are removed afterwards."""
    plan = trial(passes=2, mode=mode, ranks=[2], operations=["write"])
    outcome = run_trial(tmp_path, plan)
    wanted = {(number, cell.id): 1 for number in (1, 2) for cell in plan.cells}
    assert measured(tmp_path) == wanted
    assert outcome.cells == len(wanted)
    assert [path.name for path in tmp_path.iterdir()] == ["results.jsonl"]
    launches = read_results([tmp_path / "results.jsonl"]).environments
    assert len(launches) == {"in-process": 2, "launch": len(wanted), "repeated": 1}[mode]


def test_interrupted_plan_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Resumed: the same cells, each once, in the order of the plan; a partial line is dropped."""
    plan = trial(passes=3)
    monkeypatch.setenv("FAKE_DRIVER_STOP", "7")
    with pytest.raises(quire.InputOutputError, match="exit code 4: the system took memory back"):
        run_trial(tmp_path, plan)
    assert sum(measured(tmp_path).values()) == 7
    results = tmp_path / "results.jsonl"
    with results.open("a") as out:
        out.write('{"kind": "repetition", "id": "cut')
    monkeypatch.delenv("FAKE_DRIVER_STOP")
    with pytest.raises(quire.UsageError, match="exists already"):
        run_trial(tmp_path, plan)
    run_trial(tmp_path, plan, resume=True)
    assert measured(tmp_path) == {(n, cell.id): 1 for n in (1, 2, 3) for cell in plan.cells}
    found = [(one.number, one.id) for one in read_results([results]).repetitions]
    assert found == [(number, cell.id) for number in (1, 2, 3) for cell in plan.order(number)]


def test_message_of_a_refusing_launcher_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 1 without an end line is a failure with the launcher's own message; no --resume is needed."""
    monkeypatch.setenv("FAKE_DRIVER_REFUSAL", "not as root")
    with pytest.raises(quire.InputOutputError, match="exit code 1: not as root"):
        run_trial(tmp_path, trial(passes=1))
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("FAKE_DRIVER_REFUSAL", "quire-bench: too few ranks" + "\na rank has ended" * 10)
    with pytest.raises(quire.InputOutputError, match=r"exit code 1: quire-bench: too few ranks$"):
        run_trial(tmp_path, trial(passes=1))
    monkeypatch.delenv("FAKE_DRIVER_REFUSAL")
    assert run_trial(tmp_path, trial(passes=1, seed=9)).cells > 0
    monkeypatch.setenv("FAKE_DRIVER_REFUSAL", "not as root")
    with pytest.raises(quire.InputOutputError, match="not as root"):
        run_trial(tmp_path, trial(passes=2, seed=9), resume=True)
    assert measured(tmp_path)


def test_results_of_another_plan_are_kept(tmp_path: Path) -> None:
    """Resuming with other cells or another seed is refused; more passes of the same cells are not."""
    run_trial(tmp_path, trial(passes=1))
    with pytest.raises(quire.ConflictError, match="another plan"):
        run_trial(tmp_path, trial(passes=1, seed=9), resume=True)
    run_trial(tmp_path, trial(passes=2), resume=True)
    assert set(Counter(number for number, _ in measured(tmp_path))) == {1, 2}


def test_full_directory_is_refused(tmp_path: Path) -> None:
    """Foreign files in the directory stop a run before it begins."""
    (tmp_path / "precious").write_text("mine")
    with pytest.raises(quire.UsageError, match="is not empty"):
        run_trial(tmp_path, trial())
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]


def test_limits_stop_a_run(tmp_path: Path) -> None:
    """Cells larger than the limit are refused; when the time is over, the rest waits for --resume."""
    with pytest.raises(quire.UsageError, match="more than the limit of 10"):
        run_trial(tmp_path / "a", trial(limits={"bytes": 10}))
    outcome = run_trial(tmp_path / "b", trial(limits={"seconds": 0}))
    assert "is over" in outcome.stopped
    assert outcome.cells == 0


def test_wrong_values_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells with wrong values do not end the run, and are not data points."""
    monkeypatch.setenv("FAKE_DRIVER_WRONG", "/one/write/3")
    plan = trial(passes=2)
    outcome = run_trial(tmp_path, plan)
    assert outcome.wrong == ["some <particles>/one/write/3"] * 2
    assert outcome.cells == 2 * len(plan.cells)


def test_refused_cells_are_reported_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells beyond a limit are neither points nor errors of methods; resuming tries them again."""
    monkeypatch.setenv("FAKE_DRIVER_REFUSE", "/one/write/3")
    plan = trial(passes=1)
    outcome = run_trial(tmp_path, plan)
    assert outcome.refused == ["some <particles>/one/write/3: it is full"]
    assert outcome.wrong == []
    assert sum(measured(tmp_path).values()) == len(plan.cells) - 1
    monkeypatch.delenv("FAKE_DRIVER_REFUSE")
    run_trial(tmp_path, plan, resume=True)
    assert measured(tmp_path) == {(1, cell.id): 1 for cell in plan.cells}


def test_silent_driver_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that hangs is ended after a time limit."""
    monkeypatch.setenv("FAKE_DRIVER_SILENT", "1")
    plan = tmp_path / "plan.json"
    cell = trial().cells[0].as_json()
    plan.write_text(json.dumps({"cells": [cell]}))
    starter = launcher().arguments(1)
    with pytest.raises(quire.InputOutputError, match=r"said nothing for 0\.3 s"):
        list(said_by([*starter, "cells", "--directory", str(tmp_path), "--plan", str(plan)], 0.3))


def test_driver_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver is that of the environment, else of the build, else on the path; none is an error."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("QUIRE_BENCH_DRIVER", raising=False)
    with pytest.raises(quire.UsageError, match="quire-bench is not found"):
        find_driver()
    program = tmp_path / "quire-bench"
    program.touch(0o755)
    assert find_driver() == str(program)
    build = tmp_path / "build" / "bench" / "driver" / "quire-bench"
    build.parent.mkdir(parents=True)
    build.touch(0o755)
    module = SimpleNamespace(origin=str(tmp_path / "build" / "python" / "_core.so"))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: module)
    assert find_driver() == str(build)
    monkeypatch.setenv("QUIRE_BENCH_DRIVER", "elsewhere")
    assert find_driver() == "elsewhere"


def test_missing_driver_is_named(tmp_path: Path) -> None:
    """The error for a missing program contains its name."""
    with pytest.raises(quire.InputOutputError, match="no-such-starter"):
        list(said_by(Launcher("no-such-starter -n {ranks}", "driver").arguments(2), 1.0))


def test_data_of_a_killed_run_are_removed_and_no_others(tmp_path: Path) -> None:
    """Resuming removes the data that a killed run of this plan left, and no other files."""
    run_trial(tmp_path, trial(passes=1))
    plan = trial(passes=2)
    mark = mark_of(Setting(plan, tmp_path, tmp_path / "results.jsonl", launcher(), "monday"))
    for name, text in (("killed", mark), ("other", mark.replace("results", "others")), ("none", None)):
        left = tmp_path / f"{PREFIX}{name}"
        (left / "quire-bench-ranks").mkdir(parents=True)
        (left / "quire-bench-ranks" / "data").write_bytes(b"many bytes")
        if text is not None:
            (left / MARKER).write_text(text)
    run_trial(tmp_path, plan, resume=True)
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {"results.jsonl", f"{PREFIX}other", f"{PREFIX}none"}


def test_launchers_of_another_mpi_are_skipped_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first launcher that starts one world is used; without one, the error lists all."""
    driver = tmp_path / "driver"
    driver.write_text('#!/bin/sh\necho "{\\"ranks\\": ${WORLD:-1}}"\n')
    foreign, own = tmp_path / "mpiexec.mpich", tmp_path / "mpirun"
    foreign.write_text('#!/bin/sh\nshift 2\n"$@"; "$@"; "$@"\n')
    own.write_text('#!/bin/sh\nexport WORLD=$2; shift 2; exec "$@"\n')
    for program in (driver, foreign, own):
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("QUIRE_MPIEXEC", raising=False)
    assert Launcher(driver=str(driver)).arguments(3) == ["mpirun", "-n", "3", str(driver)]
    own.unlink()
    with pytest.raises(quire.UsageError, match=r"mpiexec\.mpich: 3 worlds of 1 start instead of one of 3"):
        Launcher(driver=str(driver)).arguments(3)


@pytest.mark.parametrize("line", ['{\\"name\\": \\"old\\"}', '{\\"ranks\\": ', "{}"])
def test_drivers_of_another_version_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """A driver that does not print its number of ranks is of another version, with any launcher."""
    driver, starter = tmp_path / "driver", tmp_path / "mpirun"
    driver.write_text(f'#!/bin/sh\necho "{line}"\n')
    starter.write_text('#!/bin/sh\nshift 2; exec "$@"\n')
    for program in (driver, starter):
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("QUIRE_MPIEXEC", raising=False)
    with pytest.raises(quire.UsageError, match=r"driver: does not say of how many ranks it is") as caught:
        Launcher(driver=str(driver)).arguments(2)
    assert "--driver" in caught.value.advice


def test_launchers_may_request_nodes() -> None:
    """The launcher gets as few nodes as hold the ranks, where the ranks per node are known."""
    words = "srun -n {ranks} -N {nodes}"
    assert Launcher(words, "driver", ranks_per_node=24).arguments(25) == [
        "srun",
        "-n",
        "25",
        "-N",
        "2",
        "driver",
    ]
    assert Launcher(words, "driver").arguments(25) == ["srun", "-n", "25", "-N", "1", "driver"]


def test_files_are_counted_before_they_are_created(tmp_path: Path) -> None:
    """Every file of directories, sets and series counts, twice if all is rewritten."""
    one = Cell(Method("own", "raw-own"), "write", make_workload({"workload": "particles"}), 7, 7)
    assert files_of(one) == 7
    assert files_of(replace(one, method=Method("shared", "raw-shared"))) == 1
    for info in format_infos():
        library = replace(one, method=Method("library", format=info.name, options={"durable": "true"}))
        if not info.tables and not info.holds_streams:
            library = replace(library, workload=make_workload({"workload": "checkpoint-small"}))
        steps = int(library.workload["steps"]) if info.one_step else 1
        assert files_of(library) == steps, info.name
        assert files_of(replace(library, operation="rewrite")) == 2 * steps
        assert files_of(replace(one, operation="convert", to=library.method, readers=3)) >= 8
    with pytest.raises(quire.UsageError, match=r"raw own/write/3 may make 3 files, more than the limit of 2"):
        run_trial(tmp_path, trial(limits={"files": 2}))


def test_two_runs_never_write_to_the_same_results(tmp_path: Path) -> None:
    """The second run is refused and keeps the results of the first."""
    plan = trial(passes=1, ranks=[1], operations=["write"])
    results = tmp_path / "results.jsonl"
    results.write_text("")
    with alone_with(results), pytest.raises(quire.ConflictError, match="another run"), alone_with(results):
        pass
    results.unlink()
    assert run_trial(tmp_path, plan).cells == len(plan.cells)
