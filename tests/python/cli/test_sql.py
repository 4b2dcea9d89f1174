"""The command sql prints results as the other commands do, and writes them in any format."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.python.cli.conftest import NUMBERS, ROWS, Run, write_beam
from tests.python.support.files import path_for, step_formats

import quire


@pytest.fixture(params=step_formats())
def beam(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Three steps, in each format."""
    return write_beam(path_for(tmp_path, request.param), request.param)


def test_the_command_prints_and_writes(run: Run, beam: Path, tmp_path: Path) -> None:
    query = f"select step, count(*) as n, max(id) as most from '{beam}' group by step order by step"
    assert run("sql", query, "--csv").output == "step,n,most\n" + "".join(
        f"{number},{ROWS},{ROWS}\n" for number in NUMBERS
    )
    shown = run("sql", query).output
    assert shown.startswith("3 rows\nrow  step    n  most\n")
    for format in step_formats():
        (tmp_path / "out" / format).mkdir(parents=True)
        target = path_for(tmp_path / "out" / format, format)
        assert run("sql", query, str(target), "-f", format).output == f"{target}: 1 step, 3 rows\n"
        with quire.open(target) as made:
            assert made[0]["n"][:].tolist() == [ROWS] * 3
    again = run("sql", query, str(target), "-f", format)
    assert again.code == 1
    assert "exists" in again.errors


def test_a_result_as_text_is_printed(run: Run, beam: Path, tmp_path: Path) -> None:
    target = tmp_path / "q.csv"
    outcome = run("sql", f"select x from '{beam}'", target)
    assert outcome.code == 2
    assert f"quire sql QUERY --csv > {target}" in outcome.errors
    assert not target.exists()


def test_the_command_explains_errors(run: Run, beam: Path) -> None:
    wrong = run("sql", f"select y from '{beam}'")
    assert (wrong.code, wrong.output) == (2, "")
    assert 'column "y" not found' in wrong.errors
    assert run("sql", f"select x from '{beam}'", "out.h5", "--csv").code == 2
    assert run("sql", f"select x from '{beam}'", "--memory", "lots").code == 2
