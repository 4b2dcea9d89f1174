"""The errors of commands when a file cannot be written to its end, and the files that they leave."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from tests.python.support.files import path_for, stream_formats

from quire.lab.bench import report
from quire.toolkit import picture

if TYPE_CHECKING:
    from tests.python.cli.conftest import Cut, Run

ROOM = 64
assert picture.COLOURS  # the drawing library is loaded while files may still be written


@contextmanager
def little_room() -> Iterator[None]:
    """Limit files to a few bytes: writing fails as on a full disk, and the error has no file name."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["export"], "text.csv"),
        (["export"], "text.csv.gz"),
        (["plot", "-x", "x", "-y", "px", "-o"], "picture.png"),
        (["plot", "-x", "x", "-y", "px", "-o"], "picture.svg"),
    ],
)
def test_the_file_that_was_written_is_named(run: Run, one_beam: Path, words: list[str], name: str) -> None:
    target = one_beam.with_name(name)
    before = sorted(one_beam.parent.iterdir())
    with little_room():
        outcome = run(words[0], one_beam, *words[1:], target)
    assert (outcome.code, outcome.errors) == (4, f"quire: {target}: File too large\n")
    assert sorted(one_beam.parent.iterdir()) == before


@pytest.mark.parametrize("format", stream_formats())
def test_the_file_of_a_stream_is_named(run: Run, tmp_path: Path, format: str) -> None:
    part = tmp_path / "part.0"
    part.write_bytes(bytes(2 * ROOM))
    packed = path_for(tmp_path, format, "packed")
    assert run("pack", part, packed).code == 0
    out = tmp_path / "out"
    with little_room():
        outcome = run("unpack", packed, "--to", out, "--prefix", "t")
    assert (outcome.code, outcome.errors) == (4, f"quire: {out / 't000000'}: File too large\n")
    assert list(out.iterdir()) == []


def test_recovering_names_the_target(run: Run, one_beam: Path, cut: Cut) -> None:
    cut(one_beam, 100)
    target = one_beam.with_name("whole" + one_beam.suffix)
    with little_room():
        outcome = run("recover", one_beam, target)
    assert outcome.code == 4
    assert outcome.errors.startswith(f"quire: {target}: ")
    assert "File too large" in outcome.errors
    assert not target.exists()


def test_the_page_of_a_study_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "page", lambda study: "x" * 2 * ROOM)
    with little_room(), pytest.raises(OSError, match="too large") as raised:
        report.write_page(cast(Any, None), tmp_path / "page.html")
    assert raised.value.filename == str(tmp_path / "page.html")
