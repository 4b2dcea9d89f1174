"""Targets choose the cells of a plan and are judged by the results. No number is judged here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from tests.bench.page import Page
from tests.bench.studies import CONTENT, run_trial, trial
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.lab.bench.findings import Finding, Times, findings_of, judged
from quire.lab.bench.launch import PASSES_OF_LAUNCH, launches
from quire.lab.bench.plan import Changes, make_plan, read_preset
from quire.lab.bench.records import Results, read_results
from quire.lab.bench.report import write_page
from quire.lab.bench.summary import Study
from quire.lab.bench.targets import place_of_directory

NAME = CONTENT["case"][0]["name"]
FASTER = {
    "id": "F",
    "what": "a write",
    "workload": NAME,
    "methods": ["one"],
    "reference": "raw shared",
    "ranks": [1, 3],
    "must": 0.001,
    "aim": "1",
}
SUBSET = {**FASTER, "id": "R", "operation": "read-subset", "reference": "one", "reference_operation": "read"}
COUNTED = {
    "id": "C",
    "what": "collectives",
    "workload": NAME,
    "methods": ["one", "other & more"],
    "ranks": [3],
    "must": 2,
    "count": "collectives_of_first_step",
}
MEMORY = {**COUNTED, "id": "M", "what": "memory", "must": 2, "count": "peak"}
BARE = Finding("X", "x", 1, "disk", 0.9, "1", 0.0)


def times(ratio: float, *, busy: bool = False) -> Times:
    """Return times whose ratios are all the same."""
    return Times([1.0, 2.0, 3.0], [ratio, 2 * ratio, 3 * ratio], busy)


def test_only_paired_ratios_count_on_a_busy_machine() -> None:
    """Ratios of medians are meaningless if other programs start and end meanwhile."""
    idle = judged(BARE, [Times([1.0, 2.0, 4.0], [1.0, 1.0, 4.0])])
    assert (idle.measured, idle.paired, idle.verdict) == (0.5, 1.0, "MISSED, disturbed")
    busy = judged(BARE, [Times([1.0, 2.0, 4.0], [1.0, 1.0, 4.0], True)])
    assert (busy.measured, busy.verdict) == (1.0, "passed, busy, disturbed")
    assert judged(BARE, [times(0.95)]).verdict == "passed"


def test_the_middle_launch_counts() -> None:
    """The lower one of an even number; the range is kept, and one busy launch makes the verdict busy."""
    middle = judged(BARE, [times(1.1), times(0.8), times(0.95)])
    assert [middle.measured, middle.least, middle.most] == pytest.approx([0.95, 0.8, 1.1])
    assert middle.verdict == "passed"
    busy = judged(BARE, [times(1.1), times(0.8, busy=True)])
    assert (busy.verdict, busy.missed) == ("MISSED, busy", False)
    assert judged(BARE, [times(0.8)]).missed
    assert judged(BARE, [times(1.1)]).most is None


def results_of(folder: Path, **changed: Any) -> Results:
    """Return the results of a trial whose cells are repeated, without what other programs did meanwhile."""
    run_trial(folder, trial(mode="repeated", **changed))
    path = folder / "results.jsonl"
    lines = [line for line in path.read_text().splitlines() if '"activity"' not in line]
    path.write_text("\n".join(lines) + "\n")
    return read_results([path])


def test_targets_are_judged_by_the_results(tmp_path: Path) -> None:
    """The ratio of medians of the middle launch, and the most that is counted, each of all its ranks."""
    results = results_of(tmp_path, target=[FASTER, COUNTED, MEMORY], passes=6)
    found = {(one.target, one.ranks): one for one in findings_of(results)}
    assert list(found) == [("F", 1), ("F", 3), ("C", 3), ("M", 3)]
    for ranks in (1, 3):
        ratios = []
        for numbers in (range(1, PASSES_OF_LAUNCH + 1), [6]):
            medians = {
                method: median(
                    one.line["times"]["returned"]
                    for one in results.repetitions
                    if one.number in numbers and one.id == f"{NAME}/{method}/write/{ranks}"
                )
                for method in ("one", "raw shared")
            }
            ratios.append(medians["raw shared"] / medians["one"])
        assert (found["F", ranks].least, found["F", ranks].most) == (min(ratios), max(ratios))
        assert found["F", ranks].measured == min(ratios)
        assert found["F", ranks].processor is not None
    assert (found["C", 3].measured, found["C", 3].good) == (3, False)
    assert (found["M", 3].measured, found["M", 3].unit, found["M", 3].good) == (2, "MiB", True)


def test_operations_are_compared(tmp_path: Path) -> None:
    """The reference of a read may be another kind of read of the same passes."""
    reads = ["read", "read-subset"]
    results = results_of(tmp_path, target=[SUBSET], passes=2, operations=reads)
    assert {one.cell["operation"] for one in results.repetitions} == set(reads)
    assert {one.cell["method"]["name"] for one in results.repetitions} == {"one"}
    assert [one.ranks for one in findings_of(results)] == [1, 3]


@pytest.mark.parametrize("name", ["W1", "S3"])
def test_plans_of_targets_have_no_other_cells(name: str) -> None:
    """Only methods that a target compares are measured, on its ranks, and where it applies."""
    plan = make_plan(read_preset("targets"), Changes(targets=[name], place="disk"))
    assert {target.id for target in plan.targets} == {name}
    assert all(any(target.needs(cell) for target in plan.targets) for cell in plan.cells)
    every = make_plan(read_preset("targets"))
    assert len(plan.cells) < len(every.cells)
    with pytest.raises(quire.UsageError, match="no such target for files on memory"):
        make_plan(read_preset("targets"), Changes(targets=[name], place="memory"))


def test_every_target_has_its_cells() -> None:
    """All methods and references of the targets are measured on all their ranks."""
    plan = make_plan(read_preset("targets"), Changes(ranks=[1, 2, 4, 8]))
    cells = {
        (str(cell.workload["name"]), cell.operation, cell.method.name, cell.ranks) for cell in plan.cells
    }
    for target in plan.targets:
        wanted = [(target.operation, method) for method in target.methods]
        wanted += [target.compared] if target.reference else []
        for operation, method in wanted:
            for ranks in target.ranks:
                assert (target.workload, operation, method, ranks) in cells, target
        assert not target.count.endswith("peak") or all(
            cell.peak for cell in plan.cells if cell.workload["name"] == target.workload
        )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"speed": 1}, "no 'speed'"),
        ({"must": "fast"}, "'must' of a target is a number"),
        ({"reference": ""}, "either a reference or a count"),
        ({"count": "peak"}, "either a reference or a count"),
        ({"reference": "", "count": "grains"}, "no count 'grains'"),
        ({"places": ["moon"]}, "no place 'moon'"),
    ],
)
def test_wrong_targets_are_refused(changed: Mapping[str, Any], words: str) -> None:
    """The error names the wrong entry."""
    with pytest.raises(quire.UsageError, match=words):
        trial(target=[{**FASTER, **changed}])
    with pytest.raises(quire.UsageError, match="needs 'must'"):
        trial(target=[{key: value for key, value in FASTER.items() if key != "must"}])


def test_launches_repeat_the_cells_of_a_case() -> None:
    """At most five passes, one number of ranks, and writes and reads apart; what is done is left out."""
    plan = trial(mode="repeated", passes=7, operations=["write", "read"])
    found = list(launches(plan, set()))
    assert len(found) == 2 * 2 * 2  # blocks of passes, ranks, operations
    for passes in found:
        cells = [cell for one in passes for cell in one.cells]
        assert len({(cell.ranks, cell.operation) for cell in cells}) == 1
        assert [one.number for one in passes] in ([1, 2, 3, 4, 5], [6, 7])
    done = {(number, cell.id) for number in range(1, 7) for cell in plan.cells}
    left = [one for passes in launches(plan, done) for one in passes]
    assert {one.number for one in left} == {7}
    assert sum(len(one.cells) for one in left) == len(plan.cells)


def test_findings_are_printed(tmp_path: Path) -> None:
    """A table of targets follows the times, and JSON has the same."""
    run_trial(tmp_path, trial(target=[FASTER, COUNTED], mode="repeated", passes=2))
    results = str(tmp_path / "results.jsonl")
    done = CliRunner().invoke(app, ["bench", "report", results])
    assert "2 of 3 targets passed" in done.output
    write_page(Study(read_results([results])), tmp_path / "page.html")
    assert [row.numbers["measured"] for row in Page(tmp_path / "page.html").rows("finding")][-1] == 3
    assert '"verdict": "MISSED' in CliRunner().invoke(app, ["bench", "report", results, "--json"]).output


def test_the_place_of_a_new_directory_is_known(tmp_path: Path) -> None:
    """It is that of the first directory above it that exists."""
    assert place_of_directory(tmp_path / "a" / "b") == place_of_directory(tmp_path)
    assert place_of_directory("/dev/shm/none/at/all") == "memory"
