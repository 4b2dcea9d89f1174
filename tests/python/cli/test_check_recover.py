"""quire check and quire recover."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.python.cli.conftest import suffix_of
from tests.python.support.files import step_formats

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Cut, Make, Run, Values


def test_a_whole_file_is_whole(run: Run, beam: Path) -> None:
    outcome = run("check", beam)
    assert (outcome.code, outcome.errors) == (0, "")
    assert "whole, 3 whole steps (1, 4, 9)" in outcome.output
    (answer,) = json.loads(run("check", "--json", beam).output)["files"]
    assert answer["whole"]
    assert answer["numbers"] == [1, 4, 9]
    assert answer["damage"] is None


def test_other_files_are_checked_after_a_foreign_one(run: Run, beam: Path) -> None:
    none = beam.with_name("none")
    none.write_bytes(b"nothing that anybody knows")
    gone = beam.with_name("gone")
    outcome = run("check", none, beam, gone, none)
    assert outcome.code == 3
    assert "whole, 3 whole steps (1, 4, 9)" in outcome.output
    lines = outcome.errors.splitlines()
    assert [str(path) in line for path, line in zip((none, gone, none), lines, strict=True)] == [True] * 3


def test_a_file_that_was_never_complete_cannot_be_recovered(run: Run, beam: Path) -> None:
    never = beam.with_name("never.h5")
    staging = never.with_name("never.h5.quire-partial")
    staging.mkdir()
    (staging / never.name).write_bytes(b"half")
    outcome = run("check", never)
    assert outcome.code == 4
    assert "before the first one was complete" in outcome.errors
    outcome = run("recover", never, "--in-place")
    assert outcome.code == 4
    assert "nothing whole to keep" in outcome.errors
    assert not staging.exists()


def test_damage_is_reported_with_its_place(run: Run, beam: Path, cut: Cut) -> None:
    outcome = run("check", "--json", cut(beam, 100))
    # Without its head and its tail it is no data file at all.
    assert outcome.code in (1, 3)
    if outcome.code == 1:
        (answer,) = json.loads(outcome.output)["files"]
        assert not answer["whole"]
        assert answer["damage"]["message"]
        assert answer["numbers"] == [1, 4, 9][: answer["whole_steps"]]


@pytest.mark.parametrize("share", range(0, 100, 7))
def test_no_cut_gives_a_traceback_and_recover_keeps_the_steps_of_check(
    run: Run, beam: Path, values: Values, share: int
) -> None:
    content = beam.read_bytes()
    damaged, kept = beam.with_name("damaged"), beam.with_name("kept")
    damaged.write_bytes(content[: len(content) * share // 100])
    checked = run("check", "--json", damaged)
    assert checked.code in (0, 1, 3)
    recovered = run("recover", damaged, kept)
    if checked.code == 3:
        assert recovered.code == 3
        return
    (answer,) = json.loads(checked.output)["files"]
    if answer["whole_steps"] == 0 and not answer["whole"]:
        assert recovered.code == 1
        assert not kept.exists()
        return
    assert recovered.code == 0, recovered.errors
    assert damaged.read_bytes() == content[: len(content) * share // 100]
    assert run("check", kept).code == 0
    with quire.open(kept) as file:
        assert file.numbers == answer["numbers"]
        for step in file:
            for name, expected in values(step.number).items():
                np.testing.assert_array_equal(step[name][:], expected)


def test_the_file_is_repaired_in_place(run: Run, beam: Path, cut: Cut) -> None:
    cut(beam, 100)
    if run("check", beam).code == 3:
        pytest.skip("nothing of this format is left after such a cut")
    assert run("recover", "--in-place", beam).code == 0
    assert run("check", beam).code == 0


def test_complete_rows_of_a_cut_step_are_kept_with_an_option(
    run: Run, beam: Path, values: Values, cut: Cut
) -> None:
    damaged = run("check", "--json", cut(beam, 100))
    if damaged.code != 1 or not json.loads(damaged.output)["files"][0]["salvageable"]:
        pytest.skip("this format cannot determine which rows are complete")
    kept = beam.with_name("kept")
    for result, arguments in ((kept, ["-o", str(kept)]), (beam, ["--in-place"])):
        outcome = run("recover", "--rows", beam, *arguments)
        assert outcome.code == 0, outcome.errors
        assert "of step 9" in outcome.output
        with quire.open(result) as file:
            assert file.numbers == [1, 4, 9]
            rows = len(file[2].table)
            assert 0 < rows < 100
            for name, expected in values(9).items():
                np.testing.assert_array_equal(file[2][name][:], expected[:rows])


def test_a_whole_file_is_unchanged(run: Run, beam: Path) -> None:
    before = beam.read_bytes()
    outcome = run("recover", "--in-place", beam)
    assert outcome.code == 0
    assert "no errors were found" in outcome.output
    assert beam.read_bytes() == before


def test_the_target_must_be_given_once(run: Run, beam: Path) -> None:
    missing = run("recover", beam)
    assert missing.code == 2
    assert f"write: quire recover {beam} OUT, or add --in-place" in missing.errors
    assert run("recover", beam, beam.with_name("kept"), "-o", beam.with_name("too")).code == 2
    assert run("recover", beam, "--in-place", beam.with_name("kept")).code == 2


def test_one_process_recovers(run: Run, beam: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several ranks would write the same target independently."""
    whole = beam.with_name("whole")
    monkeypatch.setenv("PMI_SIZE", "3")
    outcome = run("recover", beam, whole)
    assert outcome.code == 2
    assert "quire recover runs in one process" in outcome.errors
    assert not whole.exists()
    monkeypatch.setenv("PMI_SIZE", "1")
    assert run("recover", beam, whole).code == 0


def test_an_existing_output_is_kept(run: Run, beam: Path, make: Make, format: str) -> None:
    other = make(format, "other")
    before = other.read_bytes()
    assert run("recover", beam, other).code == 1
    assert other.read_bytes() == before


def test_the_name_of_another_format_is_refused(run: Run, beam: Path, format: str, tmp_path: Path) -> None:
    other_format = next(name for name in step_formats() if name != format)
    named = tmp_path / f"whole{suffix_of(other_format)}"
    outcome = run("recover", beam, named)
    assert outcome.code == 2
    assert f"of the format {other_format}" in outcome.errors
    assert "convert it afterwards" in outcome.errors
    assert not named.exists()
    # Names with an unknown suffix, or with the same one as before, are accepted.
    wrong = beam.rename(tmp_path / f"wrong{suffix_of(other_format)}")
    for target in (tmp_path / "whole", named):
        assert run("recover", wrong, target).code == 0


def test_a_live_file_is_reported_as_being_written_without_advice(run: Run, make: Make, format: str) -> None:
    path = make(format)
    with quire.append(path) as out:
        outcome = run("check", path)
        assert (outcome.code, outcome.errors) == (0, "")
        assert outcome.output == f"{path}: being written, 3 whole steps (1, 4, 9) so far\n"
        step = out.step(12)
        step.set("s", 6.0, unit="m").set("turn", 12)
        for name, type, unit in (("x", "float64", "m"), ("px", "float64", "m$be$nc"), ("id", "int32", "")):
            step.declare(name, type, unit=unit)
        step.rows(2)
        step.open()
        for json_option in ([], ["--json"]):
            outcome = run("check", *json_option, path)
            assert "recover" not in outcome.output + outcome.errors
        (answer,) = json.loads(outcome.output)["files"]
        assert answer["being_written"]
        assert answer["numbers"] == [1, 4, 9]
        outcome = run("info", path)
        assert "recover" not in outcome.output + outcome.errors
        outcome = run("recover", path, "--in-place")
        assert outcome.code == 1
        assert "another writer has the file open" in outcome.errors
        step.abort("not wanted")
    assert "being written" not in run("check", path).output
