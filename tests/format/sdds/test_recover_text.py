"""quire recover of text and of files that are read with options: rows and layout are kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import app

COLUMN = "&column name=x, type=double, &end\n"
HEAD = f"SDDS1\n{COLUMN}&data mode=ascii, &end\n"
ONE_GOOD_ROW = HEAD + "2\n1\nzz\n"
NO_ROW = HEAD + "2\nzz\n1\n"
# As some old writers do: no row counts, and no declaration of that in the header.
UNCOUNTED = HEAD + "1\n2\n3\nzz\n"

DATA = Path(__file__).resolve().parents[2] / "data" / "sdds"


@dataclass(frozen=True)
class Outcome:
    """The result of a run of the command line."""

    code: int
    output: str
    errors: str


def run(*arguments: str | Path) -> Outcome:
    """Run a command inside this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.exit_code, result.stdout, result.stderr)


@pytest.mark.parametrize("in_place", [True, False])
def test_complete_rows_of_the_only_step_are_kept_in_the_same_layout(tmp_path: Path, in_place: bool) -> None:
    damaged, kept = tmp_path / "a.sdds", tmp_path / "b.sdds"
    damaged.write_text(ONE_GOOD_ROW)
    outcome = run("recover", "--rows", damaged, *(["--in-place"] if in_place else ["-o", kept]))
    assert outcome.code == 0, outcome.errors
    assert "1 row of step 0" in outcome.output
    result = damaged if in_place else kept
    assert run("check", result).code == 0
    assert "Step" not in result.read_text()
    with quire.open(result) as file:
        assert file.layout["mode"] == "ascii"
        assert list(file[0]["x"][:]) == [1.0]
    if not in_place:
        assert damaged.read_text() == ONE_GOOD_ROW


def test_check_promises_no_rows_if_none_is_complete(tmp_path: Path) -> None:
    damaged = tmp_path / "a.sdds"
    damaged.write_text(NO_ROW)
    outcome = run("check", damaged)
    assert outcome.code == 1
    assert "recover" not in outcome.output
    assert run("recover", "--rows", damaged, "-o", tmp_path / "b.sdds").code == 1


def test_check_advises_the_option_for_rows_without_a_count(tmp_path: Path) -> None:
    uncounted = tmp_path / "a.stat"
    columns = "".join(f"&column name={name}, type=double, &end\n" for name in "tsx")
    uncounted.write_text(f"SDDS1\n{columns}&data mode=ascii, &end\n1.5e-11 2.5 1\n2.5e-11 3.5 1\n")
    outcome = run("check", uncounted)
    assert outcome.code == 1
    assert "no_row_counts=true" in outcome.output
    assert "recover" not in outcome.output
    assert run("check", "--read-option", "no_row_counts=true", uncounted).code == 0


def test_rows_after_whole_steps_of_text_are_kept(tmp_path: Path) -> None:
    damaged = tmp_path / "a.sdds"
    damaged.write_text(HEAD + "1\n7\n3\n1\n2\nzz\n")
    outcome = run("recover", "--rows", "--in-place", damaged)
    assert outcome.code == 0, outcome.errors
    assert run("check", damaged).code == 0
    with quire.open(damaged) as file:
        assert [list(step["x"][:]) for step in file] == [[7.0], [1.0, 2.0]]


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("content", [NO_ROW, ONE_GOOD_ROW, HEAD + "2\n1"])
def test_files_without_recoverable_data_are_not_changed(tmp_path: Path, content: str, rows: bool) -> None:
    if rows and content != NO_ROW:
        return
    damaged, kept = tmp_path / "a.sdds", tmp_path / "b.sdds"
    damaged.write_text(content)
    for arguments in (["--in-place"], ["-o", str(kept)]):
        outcome = run("recover", damaged, *arguments, *(["--rows"] if rows else []))
        assert outcome.code == 1
        assert "no whole step" in outcome.errors
        assert damaged.read_text() == content
        assert [path.name for path in tmp_path.iterdir()] == ["a.sdds"]


@pytest.mark.parametrize("in_place", [True, False])
def test_reader_options_are_used_for_the_whole_recovery(tmp_path: Path, in_place: bool) -> None:
    damaged, kept = tmp_path / "a.stat", tmp_path / "b.stat"
    damaged.write_text(UNCOUNTED)
    outcome = run(
        "recover", "--rows", damaged, "--read-option", "no_row_counts=true",
        *(["--in-place"] if in_place else ["-o", kept]),
    )  # fmt: skip
    assert outcome.code == 0, outcome.errors
    result = damaged if in_place else kept
    assert run("check", result).code == 0
    with quire.open(result) as file:
        assert file.layout["mode"] == "ascii"
        assert list(file[0]["x"][:]) == [1.0, 2.0, 3.0]


def test_binary_layout_is_kept(tmp_path: Path) -> None:
    damaged = tmp_path / "a.sdds"
    with (
        quire.create(
            damaged, format="sdds", byte_order="big", major_order="row", step_parameter=False
        ) as out,
        out.step(0) as step,
    ):
        step.put("x", [1.0, 2.0, 3.0])
    damaged.write_bytes(damaged.read_bytes()[:-5])
    outcome = run("recover", "--rows", "--in-place", damaged)
    assert outcome.code == 0, outcome.errors
    with quire.open(damaged) as file:
        facts = [file.layout[name] for name in ("mode", "byte order", "major order", "step_parameter")]
        assert facts == ["binary", "big", "row", "0"]
        assert list(file[0]["x"][:]) == [1.0, 2.0]


@pytest.mark.parametrize("name", ["bad_ascii_value", "bad_ascii_few_tokens"])
def test_rows_that_check_promises_are_recovered(tmp_path: Path, name: str) -> None:
    damaged = tmp_path / "a.sdds"
    damaged.write_bytes((DATA / f"{name}.sdds").read_bytes())
    outcome = run("recover", "--rows", "--in-place", damaged)
    assert outcome.code == 0, outcome.errors
    assert "which was truncated" in outcome.output
    assert run("check", damaged).code == 0
