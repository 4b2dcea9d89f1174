"""quire attach: files inside data files, kept if the format can, otherwise reported as lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import quire
from quire.errors import ConflictError, UsageError
from quire.io.formats import format_infos
from quire.toolkit.attachments import extract, safe_target

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run

KEEPERS = [info.name for info in format_infos() if info.holds_attachments]
OTHERS = [info.name for info in format_infos() if info.tables and not info.holds_attachments]
CONTENT = bytes(range(256)) * 3


@pytest.fixture(params=KEEPERS)
def keeper(request: pytest.FixtureRequest, make: Make) -> Path:
    """A data file that can hold attachments."""
    return make(request.param, "kept")


@pytest.fixture
def lattice(tmp_path: Path) -> Path:
    """A file to be attached."""
    path = tmp_path / "lattice.in"
    path.write_bytes(CONTENT)
    return path


def test_a_file_is_attached_and_extracted(run: Run, keeper: Path, lattice: Path, tmp_path: Path) -> None:
    with quire.open(keeper) as file:
        before = [step["x"][:].tolist() for step in file]
    assert "1 added" in run("attach", keeper, lattice).output
    assert run("attach", keeper).output.split() == ["lattice.in", "768", "bytes"]
    assert json.loads(run("attach", keeper, "--json").output)["attachments"] == [
        {"name": "lattice.in", "bytes": 768}
    ]
    assert "lattice.in" in run("info", keeper).output
    target = tmp_path / "out"
    target.mkdir()
    assert run("attach", keeper, "--extract-all", "--to", target).code == 0
    assert (target / "lattice.in").read_bytes() == CONTENT
    assert [path.name for path in target.iterdir()] == ["lattice.in"]
    with quire.open(keeper) as file:
        assert [step["x"][:].tolist() for step in file] == before
        assert file.check().damage is None


def test_nothing_is_replaced_without_an_option(run: Run, keeper: Path, lattice: Path) -> None:
    assert run("attach", keeper, lattice).code == 0
    unchanged = keeper.read_bytes()
    refused = run("attach", keeper, lattice)
    assert refused.code == 1
    assert "--overwrite" in refused.errors
    assert keeper.read_bytes() == unchanged
    lattice.write_bytes(b"other")
    assert "1 replaced" in run("attach", keeper, lattice, "--overwrite").output
    with quire.open(keeper) as file:
        assert file.attachment("lattice.in") == b"other"
    assert run("attach", keeper, "--extract", "lattice.in", "--to", lattice.parent).code == 1
    assert "1 removed" in run("attach", keeper, "--remove", "lattice.in").output
    assert run("attach", keeper, "--remove", "lattice.in").code == 1
    assert run("attach", keeper, "--extract", "lattice.in").code == 1
    assert run("attach", keeper).output == ""


@pytest.mark.parametrize("name", ["../up", "/etc/x", "a/b", "..", ".", "", "a\\b", "bell\x07"])
def test_names_outside_the_directory_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file in a directory"):
        safe_target("data", tmp_path, name)


def test_a_link_at_the_target_is_replaced_and_not_followed(
    run: Run, keeper: Path, lattice: Path, tmp_path: Path
) -> None:
    run("attach", keeper, lattice)
    outside = tmp_path / "outside"
    outside.write_bytes(b"untouched")
    target = tmp_path / "out"
    target.mkdir()
    (target / "lattice.in").symlink_to(outside)
    with pytest.raises(ConflictError):
        extract(keeper, target)
    extract(keeper, target, overwrite=True)
    assert outside.read_bytes() == b"untouched"
    assert (target / "lattice.in").read_bytes() == CONTENT
    assert not (target / "lattice.in").is_symlink()


def test_a_copy_keeps_attachments_or_reports_their_loss(
    run: Run, keeper: Path, lattice: Path, tmp_path: Path
) -> None:
    run("attach", keeper, lattice)
    with quire.open(keeper) as file:
        format = file.format
    copy = tmp_path / "copy"
    assert "lost" not in run("convert", keeper, copy, "--format", format, "--steps", "4").errors
    with quire.open(copy) as file:
        assert file.numbers == [4]
        assert file.attrs["code"] == "tracker"
        assert file.attachment("lattice.in") == CONTENT
    for other in OTHERS:
        options = ("--format", other, "--steps", "4")
        errors = run("convert", keeper, tmp_path / f"copy-{other}", *options).errors
        assert "lost: attachment lattice.in: 768 bytes" in errors
        assert run("convert", keeper, tmp_path / "none", *options, "--dry-run").code == 1


@pytest.mark.parametrize("format", OTHERS)
def test_other_formats_refuse_attachments(run: Run, lattice: Path, tmp_path: Path, format: str) -> None:
    path = tmp_path / "other"
    with quire.create(path, format=format) as out, out.step(0) as step:
        step.put("x", [1.0, 2.0])
    unchanged = path.read_bytes()
    outcome = run("attach", path, lattice)
    assert outcome.code == 1
    assert "attachment" in outcome.errors
    assert path.read_bytes() == unchanged
    assert run("attach", path).output == ""


def test_the_directory_is_created(run: Run, keeper: Path, lattice: Path, tmp_path: Path) -> None:
    run("attach", keeper, lattice)
    target = tmp_path / "new" / "inputs"
    assert run("attach", keeper, "--extract", "lattice.in", "--to", target).code == 0
    assert (target / "lattice.in").read_bytes() == CONTENT
