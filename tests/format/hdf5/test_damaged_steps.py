"""Unreadable steps are skipped and reported, do not affect others, and can be removed from the file."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.errors import BadFileError, MissingError

GOLDEN = Path(__file__).parents[2] / "data" / "h5part"
ROWS = 500
NUMBERS = range(5)
DAMAGED = 2
OTHERS = [number for number in NUMBERS if number != DAMAGED]

Edit = Callable[[h5py.File, bytes], int]


def run(*arguments: Any) -> tuple[int, str, str]:
    """Exit code, output and errors of the command line."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr


def by_quire(path: Path, **options: Any) -> None:
    with quire.create(path, **options) as out:
        for number in NUMBERS:
            with out.step(number) as step:
                step.set("t", 0.5 * number)
                step.put("id", np.arange(ROWS)).put("x", np.arange(ROWS) + 0.25 * number)
                step.put_field("E", np.full((2, 3, 4), 1.0 * number))


def in_chunks(path: Path) -> None:
    by_quire(path, chunk=64, filter="deflate")


def of_later_structures(path: Path) -> None:
    by_quire(path, library_version="v110")


def by_h5py(path: Path) -> None:
    with h5py.File(path, "w") as file:
        for number in NUMBERS:
            group = file.create_group(f"Step#{number}")
            group["id"] = np.arange(ROWS)
            group["x"] = np.arange(ROWS) + 0.25 * number
            group.attrs["t"] = [0.5 * number]


def address(file: h5py.File, name: str) -> int:
    return int(h5py.h5o.get_info(file[name].id).addr)


def header_of(name: str) -> Edit:
    """The offset of the version in the header of an object of any version."""

    def place(file: h5py.File, content: bytes) -> int:
        start = address(file, name)
        return start + 4 if content[start : start + 4] == b"OHDR" else start

    return place


def checksum_of(name: str) -> Edit:
    """The offset of a byte of a header with a checksum."""
    return lambda file, content: address(file, name) + 20


def named_in_header(name: str, signature: bytes) -> Edit:
    """The signature of a structure whose address is in the header of an object, or in its continuation."""

    def place(file: h5py.File, content: bytes) -> int:
        start = address(file, name)
        continued = int.from_bytes(content[start + 24 : start + 32], "little")
        for at in (*range(start, start + 400), *range(continued, continued + 400)):
            found = int.from_bytes(content[at : at + 8], "little")
            if content[found : found + 4] == signature:
                return found
        raise AssertionError(signature)

    return place


GROUP = f"Step#{DAMAGED}"
DAMAGES: dict[str, tuple[Callable[[Path], None], Edit]] = {
    "group": (by_quire, header_of(GROUP)),
    "column": (by_quire, header_of(f"{GROUP}/x")),
    "fields": (by_quire, header_of(f"{GROUP}/Block")),
    "field": (by_quire, header_of(f"{GROUP}/Block/E")),
    "component": (by_quire, header_of(f"{GROUP}/Block/E/0")),
    "chunked column": (in_chunks, header_of(f"{GROUP}/x")),
    "index of chunks": (in_chunks, named_in_header(f"{GROUP}/x", b"TREE")),
    "group of h5py": (by_h5py, header_of(GROUP)),
    "column of h5py": (by_h5py, header_of(f"{GROUP}/x")),
    "tree of a group": (by_h5py, named_in_header(GROUP, b"TREE")),
    "heap of a group": (by_h5py, named_in_header(GROUP, b"HEAP")),
    "later group": (of_later_structures, header_of(GROUP)),
    "later column": (of_later_structures, header_of(f"{GROUP}/x")),
    "sum of a group": (of_later_structures, checksum_of(GROUP)),
    "sum of a column": (of_later_structures, checksum_of(f"{GROUP}/x")),
}


def damage(path: Path, kind: str) -> None:
    make, edit = DAMAGES[kind]
    make(path)
    content = bytearray(path.read_bytes())
    with h5py.File(path) as file:
        place = edit(file, bytes(content))
    content[place] ^= 0x62
    path.write_bytes(content)


@pytest.fixture(params=DAMAGES)
def damaged(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "beam.h5"
    damage(path, request.param)
    return path


def require_others(path: Path) -> None:
    """Only the other steps exist, for us and for others."""
    with h5py.File(path) as file:
        assert sorted(name for name in file if name.startswith("Step#")) == [f"Step#{n}" for n in OTHERS]
        for number in OTHERS:
            group = file[f"Step#{number}"]
            assert np.array_equal(group["x"][:], np.arange(ROWS) + 0.25 * number)
            assert np.array_equal(group["id"][:], np.arange(ROWS))
            assert float(group.attrs["t"][0]) == 0.5 * number
            if "Block" in group:
                assert (group["Block/E/0"][:] == number).all()
    with quire.open(path) as ours:
        assert ours.numbers == OTHERS
        assert ours.check().is_whole


def test_recovery_keeps_the_steps_after_a_damaged_one(damaged: Path) -> None:
    before = damaged.read_bytes()
    target = damaged.with_name("whole.h5")
    code, output, errors = run("recover", damaged, "-o", target)
    assert (code, errors) == (0, "")
    assert "kept 4 whole steps (0, 1, 3, 4)" in output
    assert f"dropped: step {DAMAGED}: " in output
    assert damaged.read_bytes() == before
    require_others(target)
    with h5py.File(target) as file:
        assert all(file[f"Step#{number}/x"].chunks in (None, (64,)) for number in OTHERS)


def test_a_file_recovered_in_place_can_be_appended_to(damaged: Path) -> None:
    code, output, errors = run("recover", damaged, "--in-place")
    assert (code, errors) == (0, "")
    assert "kept 4 whole steps (0, 1, 3, 4)" in output
    require_others(damaged)
    with quire.append(damaged) as out:
        for number in (DAMAGED, 7):
            with out.step(number) as step:
                step.put("x", np.arange(3.0))
    with quire.open(damaged) as file:
        assert file.numbers == [0, 1, 2, 3, 4, 7]
        assert file.check().is_whole
        assert np.array_equal(file.step(3)["x"][:], np.arange(ROWS) + 0.75)
    assert "  no errors were found\n" in run("recover", damaged, "--in-place")[1]


@pytest.mark.parametrize("kind", ["chunked column", "sum of a group"])
def test_remaining_steps_are_not_rewritten(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "beam.h5"
    damage(path, kind)
    before = path.read_bytes()
    with h5py.File(path) as file:
        places = [address(file, f"Step#{number}/x") for number in OTHERS]
    quire.repair(path, dropped=[DAMAGED])
    with h5py.File(path) as file:
        assert [address(file, f"Step#{number}/x") for number in OTHERS] == places
        chunks = (64,) if kind == "chunked column" else None
        assert file["Step#3/x"].chunks == chunks
    changed = sum(a != b for a, b in zip(before, path.read_bytes(), strict=False))
    assert changed < 200, "only the names of the steps have changed"
    require_others(path)


def test_joined_files_report_the_damaged_steps_of_each(tmp_path: Path) -> None:
    names = ("first.h5", "second.h5")
    for name, kind in zip(names, ("group", "column"), strict=True):
        damage(tmp_path / name, kind)
    paths = [tmp_path / name for name in names]
    code, _, errors = run("concat", *paths, tmp_path / "both.h5", "--join-rows")
    assert code == 3
    reports = [line for line in errors.splitlines() if line.startswith("damaged: ")]
    assert len(reports) == 1
    assert f"step {DAMAGED}" in reports[0]
    assert all(name in reports[0].split(f"step {DAMAGED}")[1] for name in names)
    with quire.open(tmp_path / "both.h5") as file:
        assert file.numbers == OTHERS


REMOVALS = {
    "repair": """
import sys, quire
quire.repair(sys.argv[1], dropped=[2])
""",
    "append": """
import sys, quire
with quire.append(sys.argv[1], after=quire.After(1, "drop")) as out:
    for number in (3, 4):
        with out.step(number) as step:
            step.put("x", [1.0, 2.0])
""",
}


@pytest.mark.parametrize("removal", REMOVALS)
@pytest.mark.parametrize("kind", DAMAGES)
def test_hdf5_reports_nothing_at_exit(tmp_path: Path, kind: str, removal: str) -> None:
    path = tmp_path / "beam.h5"
    damage(path, kind)
    ended = subprocess.run(
        [sys.executable, "-c", REMOVALS[removal], str(path)], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout + ended.stderr) == (0, "")
    if removal == "repair":
        require_others(path)
    with quire.open(path) as file:
        assert file.numbers == OTHERS


@pytest.mark.parametrize("kind", DAMAGES)
def test_damaged_later_steps_are_dropped(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "beam.h5"
    damage(path, kind)
    with quire.append(path, after=quire.After(1, "drop")) as out, out.step(3) as step:
        step.put("x", np.arange(7.0))
    with quire.open(path) as file:
        assert file.numbers == [0, 1, 3]
        assert file.check().is_whole
        assert np.array_equal(file.step(3)["x"][:], np.arange(7.0))


def test_a_missing_step_cannot_be_dropped(tmp_path: Path) -> None:
    path = tmp_path / "beam.h5"
    by_quire(path)
    before = path.read_bytes()
    with pytest.raises(MissingError, match="there is no step 9"):
        quire.repair(path, dropped=[9])
    assert path.read_bytes() == before


# ---- Dangling links


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """Steps 0, 2 (of another file) and 5 are complete; 1 is dangling, 3 no group, the file of 4 missing."""
    path = tmp_path / "links.h5"
    for name, prefix in (("links.h5", "Step#0"), ("other.h5", "Step#8")):
        with h5py.File(tmp_path / name, "w") as file:
            file[f"{prefix}/x"] = np.arange(4.0)
    with h5py.File(path, "a") as file:
        file["Step#1"] = h5py.SoftLink("/nowhere")
        file["Step#2"] = h5py.ExternalLink("other.h5", "/Step#8")
        file["Step#3"] = np.arange(3)
        file["Step#4"] = h5py.ExternalLink("gone.h5", "/Step#0")
        file["Step#5/x"] = np.arange(5.0)
    return path


def test_commands_skip_dangling_steps(linked: Path) -> None:
    code, output, errors = run("info", linked)
    assert code == 3
    assert "steps   3 (0, 2, 5)" in output
    assert [f"step {number}" in errors for number in range(6)] == [False, True, False, True, True, False]
    (answer,) = json.loads(run("info", "--json", linked)[1])["files"]
    assert [damage["number"] for damage in answer["damaged"]] == [1, 3, 4]
    assert [(step["index"], step["number"]) for step in answer["steps"]] == [(0, 0), (2, 2), (5, 5)]
    code, output, errors = run("show", linked, "--list", "steps")
    assert (code, output.split()) == (3, ["0", "2", "5"])
    assert "damaged" in errors
    code, output, _ = run("check", linked)
    assert code == 1
    assert "3 whole steps (0, 2, 5) remain" in output
    assert run("get", linked, "x", "--step", 5, "--rows", "4:")[:2] == (0, "4.0\n")
    code, _, errors = run("get", linked, "x", "--step", 4)
    assert code == 1
    assert "gone.h5" in errors


@pytest.mark.parametrize(
    ("asked", "kept", "code"),
    [
        ((), [0, 2, 5], 3),
        (("--steps", "0,2"), [0, 2], 0),
        (("--steps", "0-2"), [0, 2], 3),
        (("--steps", "2,5-9"), [2, 5], 0),
        (("--steps", "3-4"), None, 3),
    ],
)
def test_readable_steps_are_converted(
    linked: Path, asked: tuple[str, ...], kept: list[int] | None, code: int
) -> None:
    target = linked.with_name("out.h5")
    left, _, errors = run("convert", linked, target, *asked)
    assert left == code
    assert ("damaged" in errors) == (kept is not None and code == 3)
    assert target.exists() == (kept is not None)
    if kept is not None:
        with quire.open(target) as file:
            assert file.numbers == kept
    text = linked.with_name("out.csv")
    assert run("export", linked, text, *asked)[0] == code
    assert text.exists() == (kept is not None)


def test_iteration_raises_after_the_complete_steps(linked: Path) -> None:
    def walk(file: quire.File, seen: list[int]) -> None:
        for step in file:
            seen.append(step.number)

    with quire.open(linked) as file:
        assert file.numbers == [0, 1, 2, 3, 4, 5]
        for _ in range(2):
            seen: list[int] = []
            with pytest.raises(BadFileError, match="Step#1"):
                walk(file, seen)
            assert seen == [0, 2, 5]
        with pytest.raises(BadFileError, match="must be a group"):
            file.step(3)
        assert len(file.step(5)["x"]) == 5
        report = file.check()
    assert (report.numbers, list(report.damaged)) == ([0, 2, 5], [1, 3, 4])


def test_differences_and_sums_report_damage(linked: Path) -> None:
    code, _, errors = run("diff", linked, linked)
    assert code == 3
    assert "gone.h5" in errors
    assert run("sum", linked)[0] == 3
    assert run("sum", linked, "--steps", "0,2")[0] == 0


def test_recovery_in_place_keeps_steps_of_missing_files(linked: Path) -> None:
    before = linked.read_bytes()
    code, _, errors = run("recover", linked, "--in-place")
    assert code == 1
    assert "gone.h5 that a step links to is missing" in errors
    assert "-o OUTPUT" in errors
    assert linked.read_bytes() == before
    with h5py.File(linked.with_name("gone.h5"), "w") as file:
        file["Step#0/x"] = np.arange(6.0)
    code, output, _ = run("recover", linked, "--in-place")
    assert code == 0
    assert "kept 4 whole steps (0, 2, 4, 5)" in output


def test_recovery_keeps_links_to_whole_steps(linked: Path) -> None:
    with h5py.File(linked, "a") as file:
        del file["Step#4"]
    code, output, errors = run("recover", linked, "--in-place")
    assert (code, errors) == (0, "")
    assert "kept 3 whole steps (0, 2, 5)" in output
    with h5py.File(linked) as file:
        assert sorted(file) == ["Step#0", "Step#2", "Step#5"]
        assert isinstance(file.get("Step#2", getlink=True), h5py.ExternalLink)


def test_recovery_to_another_file_copies_linked_steps(linked: Path) -> None:
    folder = linked.with_name("elsewhere")
    folder.mkdir()
    code, output, _ = run("recover", linked, "-o", folder / "whole.h5")
    assert code == 0
    assert "kept 3 whole steps (0, 2, 5)" in output
    with quire.open(folder / "whole.h5") as file:
        assert np.array_equal(file.step(2)["x"][:], np.arange(4.0))


def test_a_series_with_a_missing_child_shows_the_others(tmp_path: Path) -> None:
    for name in ("ext_parent.h5part", "ext_child_1.h5part"):
        shutil.copy(GOLDEN / name, tmp_path)
    code, output, errors = run("info", tmp_path / "ext_parent.h5part")
    assert code == 3
    assert "steps   1 (1)" in output
    assert "ext_child_0.h5part" in errors


def test_objects_that_are_not_steps_are_reported(tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "bad_step_dataset.h5", tmp_path)
    code, output, errors = run("info", tmp_path / "bad_step_dataset.h5")
    assert code == 3
    assert "steps   2 (0, 2)" in output
    assert "step 1" in errors
