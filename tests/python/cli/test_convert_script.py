"""quire convert-script: files, exit codes and what is printed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

KEPT = b"#!/bin/sh\r\n# \xe9\xff\necho 'nothing old' | cat > x.txt\n"


def test_a_script_without_old_programs_is_kept_byte_for_byte(run: Run, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(KEPT)
    old.chmod(0o750)
    outcome = run("convert-script", old, new)
    assert (outcome.code, outcome.errors) == (0, "")
    assert outcome.output == f"{new}: 0 calls rewritten, 0 left\n"
    assert new.read_bytes() == KEPT
    assert new.stat().st_mode & 0o777 == 0o750


def test_what_is_left_is_listed_and_sets_the_exit_code(run: Run, tmp_path: Path) -> None:
    old = tmp_path / "old.csh"
    old.write_text("rpnl 2\neditstring a b\n")
    outcome = run("convert-script", old)
    assert outcome.code == 1
    assert outcome.output == "quire calc --format %.15lg -- 'rpn-1986: 2'\neditstring a b\n"
    left, what_to_do, what_to_check = outcome.errors.splitlines()
    assert left == f"{old}:2: left: there is no shim of editstring; quire shims DIR lists the programs"
    assert what_to_do.startswith(f"{old}: note: 1 call left: keep the old programs")
    assert what_to_check.startswith(f"{old}: note: compare what both scripts write, by quire diff")
    old.write_text("rpnl 2\n")
    complete = run("convert-script", old)
    assert (complete.code, complete.errors) == (0, what_to_check + "\n")


def test_outputs_are_replaced_only_if_asked(run: Run, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("rpnl 2\n")
    outcome = run("convert-script", old, old)
    assert outcome.code == 1
    assert "--overwrite" in outcome.errors
    assert run("convert-script", old, old, "--overwrite").code == 0
    assert old.read_text().startswith("quire calc")


def test_files_and_languages_that_do_not_exist(run: Run, tmp_path: Path) -> None:
    assert run("convert-script", tmp_path / "none").code == 4
    (tmp_path / "old").write_text("ls\n")
    outcome = run("convert-script", tmp_path / "old", "--language", "perl")
    assert outcome.code == 2
    assert "'perl'" in outcome.errors


def test_a_file_of_bytes_is_no_script(run: Run, tmp_path: Path) -> None:
    (tmp_path / "beam").write_bytes(b"a\0b")
    outcome = run("convert-script", tmp_path / "beam")
    assert (outcome.code, outcome.output) == (3, "")
    assert "this is no script" in outcome.errors
