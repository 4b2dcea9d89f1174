"""The real driver runs every preset to a report, on two ranks and with tiny sizes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests.bench.page import Page
from tests.python.support.cases import first_daily
from tests.python.support.mpi import mpi_program, mpiexec
from typer.testing import CliRunner

from quire.cli.main import app
from quire.lab.bench.plan import Changes, Plan, make_plan, presets, read_preset
from quire.lab.bench.records import read_results


def number_of_cells(name: str) -> int:
    """Return how many cells a preset has."""
    return len(make_plan(read_preset(name)).cells)


def impossible(plan: Plan, driver: str) -> set[str]:
    """Return the methods with engines that this build does not have."""
    listed = subprocess.run([driver, "list"], capture_output=True, check=True, timeout=60).stdout
    engines = json.loads(listed)["engines"]
    return {cell.method.name for cell in plan.cells if cell.method.engine not in engines}


@pytest.mark.mpi
@pytest.mark.parametrize("name", first_daily(sorted(presets(), key=number_of_cells), 4))
def test_preset_writes_its_report(name: str, tmp_path: Path) -> None:
    """All cells are measured and verified, phases are recorded, and the page shows them."""
    driver = mpi_program("bench", "driver", "quire-bench")
    words = ["--directory", str(tmp_path / "there"), "--launcher", mpiexec(), "--driver", driver]
    words += ["--ranks", "2", "--passes", "1", "--scale", "1e-6", "--operations", "write"]
    plan = make_plan(read_preset(name), Changes(scale=1e-6, ranks=[2], passes=1, operations=["write"]))
    left_out = impossible(plan, driver)
    done = CliRunner().invoke(app, ["bench", "run", "--preset", name, *words])
    assert done.exit_code in ((0, 1) if plan.targets else (1 if left_out else 0,)), done.output
    found = read_results([tmp_path / "there" / "results.jsonl"])
    assert sorted(one.id for one in found.repetitions) == sorted(cell.id for cell in plan.cells)
    good = [one for one in found.repetitions if one.cell["method"]["name"] not in left_out]
    for one in good:
        assert one.good
        assert len(one.phase("total")) == 2
        returned, durable = one.seconds("returned"), one.seconds("durable")
        assert returned is not None
        assert (durable is None) == (plan.mode == "repeated")
        assert max(one.work()) <= returned <= (durable or returned)
    page = Page(tmp_path / "there" / "results.html")
    assert len(page.rows("returned")) == len(good)
    assert page.references() == []
