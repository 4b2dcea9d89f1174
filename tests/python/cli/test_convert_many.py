"""quire convert IN... DIRECTORY: several files are converted by one command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.python.cli.conftest import write_beam
from tests.python.support.files import path_for, step_formats, table_formats
from tests.python.support.mpi import ROOT

import quire
from quire.io.formats import format_info
from quire.toolkit.outputs import is_data

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run, Start

SOURCE, TARGET = table_formats()[:2]
SUFFIX = format_info(TARGET).suffixes[0]


@pytest.fixture
def checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of three files in the current directory, a step each."""
    monkeypatch.chdir(tmp_path)
    names = [path_for(Path(), SOURCE, f"run{number}").name for number in (1, 4, 9)]
    for name, number in zip(names, (1, 4, 9), strict=True):
        write_beam(Path(name), SOURCE, [number])
    return names


def stems(folder: str) -> list[str]:
    """Names of the files in a directory."""
    return sorted(path.name for path in Path(folder).iterdir())


@pytest.mark.parametrize("format", step_formats())
def test_files_keep_their_names_and_get_the_suffix_of_the_format(
    run: Run, checkpoints: list[str], format: str
) -> None:
    outcome = run("convert", *checkpoints, "new/", "--format", format)
    assert outcome.code == 0, outcome.errors
    suffix = Path(checkpoints[0]).suffix if format == SOURCE else format_info(format).suffixes[0]
    assert stems("new") == [f"run1{suffix}", f"run4{suffix}", f"run9{suffix}"]
    for name in checkpoints:
        assert run("diff", name, f"new/{Path(name).stem}{suffix}", "--columns", "x,px,id").code == 0


def test_only_suffixes_of_formats_and_texts_are_replaced(run: Run, checkpoints: list[str]) -> None:
    content = Path(checkpoints[0]).read_bytes()
    for name in ("out.0001", "out.0002", "v1.5", f"packed{Path(checkpoints[0]).suffix}.gz", "note.txt"):
        Path(name).write_bytes(content)
        checkpoints.append(name)
    assert run("convert", *checkpoints[3:], "new/", "--format", TARGET).code == 0
    stemmed = ("note", "out.0001", "out.0002", "packed", "v1.5")
    assert stems("new") == [f"{stem}{SUFFIX}" for stem in stemmed]


def test_a_failing_file_hides_no_other(run: Run, checkpoints: list[str]) -> None:
    Path("bad").write_bytes(b"nothing of any format\n")
    words = [checkpoints[0], "none", "bad", *checkpoints[1:]]
    outcome = run("convert", *words, "new/", "--format", TARGET)
    assert outcome.code == 4  # of the first that failed
    assert outcome.errors.startswith("quire: none: cannot open")
    assert "quire: bad: the file's first bytes belong to no known format" in outcome.errors
    assert len(stems("new")) == 3
    assert outcome.output.count("1 step, 100 rows") == 3


def test_existing_files_are_kept_unless_overwritten(run: Run, checkpoints: list[str]) -> None:
    assert run("convert", checkpoints[0], "new/", "--format", TARGET).code == 0
    before = (Path("new") / f"run1{SUFFIX}").stat().st_mtime_ns
    outcome = run("convert", *checkpoints, "new", "--format", TARGET)
    assert outcome.code == 1
    assert outcome.errors == f"quire: new/run1{SUFFIX}: the target exists already; --overwrite replaces it\n"
    assert len(stems("new")) == 3
    assert (Path("new") / f"run1{SUFFIX}").stat().st_mtime_ns == before
    assert run("convert", *checkpoints, "new", "--format", TARGET, "--overwrite").code == 0
    assert (Path("new") / f"run1{SUFFIX}").stat().st_mtime_ns != before


def test_the_inputs_are_never_replaced(run: Run, checkpoints: list[str]) -> None:
    before = [Path(name).read_bytes() for name in checkpoints]
    outcome = run("convert", *checkpoints, ".", "--format", SOURCE, "--overwrite")
    assert outcome.code == 1
    assert outcome.errors.count("the target is the source itself") == 3
    assert [Path(name).read_bytes() for name in checkpoints] == before


def test_a_directory_of_files_is_named_by_its_files(run: Run, checkpoints: list[str], tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    for target in ("out/", "one.h5"):
        outcome = run("convert", tmp_path / "many", target)
        assert outcome.code == 2
        assert (
            outcome.errors
            == f"quire: '{tmp_path}/many' is a directory: name its files, as by {tmp_path}/many/*\n"
        )


def test_a_directory_is_left_only_with_files(run: Run, checkpoints: list[str]) -> None:
    assert run("convert", "none", "new/", "--format", TARGET).code == 4
    assert run("convert", *checkpoints, "new/", "--format", TARGET, "--dry-run").code == 0
    assert not Path("new").exists()


def test_json_has_all_files(run: Run, checkpoints: list[str]) -> None:
    answer = json.loads(run("convert", *checkpoints, "new/", "--format", TARGET, "--json").output)
    assert [Path(one["path"]).name for one in answer["files"]] == [f"run{n}{SUFFIX}" for n in (1, 4, 9)]
    assert [one["rows"] for one in answer["files"]] == [100] * 3


def test_a_selection_applies_to_every_file(run: Run, checkpoints: list[str]) -> None:
    assert run("convert", *checkpoints, "new/", "--format", TARGET, "--where", "id <= 10").code == 0
    for name in stems("new"):
        with quire.open(Path("new", name)) as file:
            assert len(file[0].table) == 10


def test_a_directory_that_is_a_data_file_gets_no_others(
    run: Run, checkpoints: list[str], tmp_path: Path
) -> None:
    found = next(path for path in (ROOT / "tests" / "data").glob("*/*") if path.is_dir() and is_data(path))
    shutil.copytree(found, "whole")
    before = stems("whole")
    for inputs in (checkpoints, checkpoints[:1]):
        outcome = run("convert", *inputs, "whole", "--format", TARGET)
        assert outcome.code != 0
        assert "data file" in outcome.errors or "is a directory" in outcome.errors
    assert stems("whole") == before


@pytest.mark.mpi
def test_ranks_convert_every_file_together(start: Start, run: Run, checkpoints: list[str]) -> None:
    done = start("convert", *checkpoints, "none", "new/", "--format", TARGET, ranks=2)
    assert done.returncode == 4, done.stderr
    assert done.stderr.decode().count("quire: none: cannot open") == 1
    assert len(stems("new")) == 3
    for name in checkpoints:
        assert run("diff", name, f"new/{Path(name).stem}{SUFFIX}", "--columns", "x,px,id").code == 0
