"""The commands of fits and new data: exit codes, messages, files and chains."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run


@pytest.fixture
def line(tmp_path: Path) -> Path:
    """A file with a line and a constant."""
    path = tmp_path / "line.h5"
    quire.new("x[m]=sequence(0, 4, 5)", "y[T]=1,3,5,7,9", "flat=2").write(path)
    return path


def test_new_data_are_written(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "new.h5"
    outcome = run("new", target, "x[m]=gaussian(0,1e-3)", "--rows", "4", "--seed", "7", "--repeat", "2")
    assert outcome.code == 0
    with quire.open(target) as file:
        assert [(step.attrs["seed"], len(step.table)) for step in file] == [(7, 4), (7, 4)]
    again = run("new", target, "x=1")
    assert again.code == 1
    assert "exists already" in again.errors
    assert run("new", target, "x=1", "--overwrite").code == 0


def test_new_data_begin_a_chain(run: Run, tmp_path: Path) -> None:
    outcome = run("run", "new", "x=1,2,3", "/", "filter", "x > 1", "/", "write", tmp_path / "out.h5")
    assert (outcome.code, outcome.output) == (0, f"{tmp_path}/out.h5: 1 step, 2 rows\n")
    assert run("run", "--steps", "1", "new", "x=1").code == 2
    wrong = run("run", "new", "x=1", "/", "new", "x=2")
    assert wrong.code == 2
    assert "new begins a chain" in wrong.errors


def test_parameters_are_printed_by_a_chain(run: Run, line: Path) -> None:
    outcome = run("run", line, "/", "fit", "y", "--versus", "x", "--parameters")
    assert outcome.code == 0
    assert [text.split()[1:4:2] for text in outcome.output.splitlines()[2:]] == [["y", "1"], ["y", "2"]]


def test_a_fit_that_does_not_converge_exits_with_1_and_is_written(
    run: Run, line: Path, tmp_path: Path
) -> None:
    target = tmp_path / "out.h5"
    words = ("fit", line, target, "flat", "--versus", "x", "--model", "gaussian")
    outcome = run(*words)
    assert outcome.code == 1
    assert "warning: the fit of flat in step 0 did not converge" in outcome.errors
    with quire.open(target) as file:
        assert file[0].attrs["flat_fit_converged"] == 0
    target.unlink()
    strict = run(*words, "--strict")
    assert strict.code == 1
    assert len(strict.errors.splitlines()) == 1
    assert not target.exists()
    assert run("run", line, "/", "fit", "flat", "--versus", "x", "--model", "sine").code == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--orders", "a"], "'a' is not a whole number"),
        (["--model", "a*x", "--start", "a"], "write for example a=0.5"),
        (["--model", "a*x", "--start", "a=b"], "'b' is not a number"),
        (["--model", "sine", "--bounds", "phase=1"], "has no limits"),
        (["--model", "sin"], "no model 'sin'"),
        (["--order", "-1"], "greater than or equal to 0"),
    ],
)
def test_wrong_options_are_usage_errors(
    run: Run, line: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    outcome = run("fit", line, tmp_path / "out.h5", "y", "--versus", "x", *words)
    assert outcome.code == 2
    assert message in outcome.errors
    assert len(outcome.errors.splitlines()) == 1


def test_limits_and_fixed_parameters_are_kept(run: Run, line: Path) -> None:
    words = ("--model", "a*x + b", "--start", "a=1,b=1", "--fix", "b=0", "--bounds", "a=:2.5", "--parameters")
    outcome = run("run", line, "/", "fit", "y", *words)
    assert outcome.code == 0
    values = {text.split()[2]: float(text.split()[3]) for text in outcome.output.splitlines()[2:]}
    assert values["b"] == 0
    assert values["a"] == pytest.approx(7 / 3)
