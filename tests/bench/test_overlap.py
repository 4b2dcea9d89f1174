"""Programs that compute between steps, and what is hidden of their output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.bench.driver import RAW, TABLE, cell, holders, run

from quire.errors import UsageError
from quire.lab.bench.overlap import overlaps_of
from quire.lab.bench.plan import make_plan
from quire.lab.bench.records import Repetition, Results
from quire.lab.bench.summary import Study
from quire.lab.bench.terminal import as_json

COMPUTING = TABLE | {"compute": 3}


@pytest.mark.mpi
@pytest.mark.timeout(120)
def test_ranks_compute_before_each_step(folder: Path, program: str) -> None:
    """All ways to write compute the same; only copies for the background are counted as such."""
    (first, *_) = holders(program, COMPUTING)
    ways = {"": {}, "async": {"commit": "async"}, "borrow": {"commit": "borrow"}}
    methods = [first | {"name": f"one {name}", "options": options} for name, options in ways.items()]
    cells = [cell(method, COMPUTING, "write") for method in [*RAW, *methods]]
    cells.append(cell(first | {"name": "reads"}, COMPUTING, "read"))
    *written, read = run(program, folder, cells)
    for line in [*written, read]:
        assert line["verified"], line
    for line in written:
        assert min(line["phases"]["compute"]) > 0
        assert ("copy" in line["phases"]) == (line["id"] == cells[3]["id"])
    assert "compute" not in read["phases"]


@pytest.mark.mpi
def test_wrong_ways_to_commit_are_refused(folder: Path, program: str) -> None:
    """The driver names what it knows, and write_file commits by itself."""
    one_step = TABLE | {"steps": 1}
    (first, *_) = holders(program, one_step)
    given = [{"commit": "later"}, {"commit": "async", "call": "write_file"}]
    cells = [
        cell(first | {"options": options}, one_step, "write", id=str(place))
        for place, options in enumerate(given)
    ]
    unknown, both = run(program, folder, cells, code=1)
    assert 'there is no commit "later"' in unknown["error"]
    assert "say async or borrow" in unknown["error"]
    assert "commits its step itself" in both["error"]


def test_a_plan_names_the_ways_to_commit() -> None:
    """An unknown one, and computing less than once, are usage errors."""
    content: dict[str, Any] = {
        "method": [{"name": "one", "engine": "mpiio", "options": {"commit": "later"}}],
        "case": [{"workload": "particles"}],
    }
    with pytest.raises(UsageError, match=r"no commit of a method 'later'.*async, borrow"):
        make_plan(content)
    content["method"][0]["options"] = {}
    content["case"][0]["compute"] = 0
    with pytest.raises(UsageError, match="integers from 1"):
        make_plan(content)


def repetition(number: int, options: dict[str, str], returned: float, **phases: list[float]) -> Repetition:
    """A line of the driver, of a method with these options on two ranks."""
    method = {"name": " ".join(options.values()) or "plain", "engine": "library", "options": options}
    line = {
        "id": method["name"], "pass": number, "verified": True, "error": None,
        "cell": {"method": method, "operation": "write", "workload": {"name": "case"}, "ranks": 2},
        "times": {"returned": returned, "durable": None}, "phases": phases,
    }  # fmt: skip
    return Repetition(line, "results")


def test_hidden_is_what_a_method_saves_of_the_output_of_the_same_pass() -> None:
    """Beside the method without commits in the background and with the same other options."""
    lines = [
        repetition(1, {}, 10.0, compute=[6.0, 5.0]),
        repetition(1, {"commit": "async"}, 7.0, compute=[6.5, 5.5], copy=[0.5, 0.25]),
        repetition(2, {}, 11.0, compute=[6.0, 5.0]),
        repetition(2, {"commit": "async"}, 12.0, compute=[9.0, 5.0], copy=[0.5, 0.75]),
        repetition(1, {"durable": "true"}, 20.0, compute=[6.0, 6.0]),
        repetition(3, {"commit": "async"}, 1.0, compute=[0.5, 0.5]),
    ]
    study = Study(Results({}, lines, [], []))
    (found,) = overlaps_of(study, "case")
    assert (found.cell.method, found.other.method) == ("async", "plain")
    assert found.share.minimum == pytest.approx(-1 / 5)
    assert found.share.maximum == pytest.approx(3 / 4)
    assert (found.compute, found.output, found.left, found.copies) == (6.0, 4.5, 3.5, 0.625)
    (stored,) = as_json(study)["overlaps"]
    assert stored["hidden"]["count"] == 2
