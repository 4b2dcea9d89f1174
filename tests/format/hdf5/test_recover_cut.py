"""A truncated file is refused, unless its complete steps are requested."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.errors import BadFileError

ROWS = 2000


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """Five steps and an attachment; the last kilobytes are missing."""
    path = tmp_path / "beam.h5"
    with quire.create(path) as out:
        out.set("code", "tracker")
        out.attach("run.in", b"input")
        for number in (2, 4, 6, 8, 10):
            with out.step(number) as step:
                step.set("s", 0.5 * number, unit="m")
                step.put("x", np.arange(ROWS) + number, unit="m")
                step.put("y", np.arange(ROWS) - number, unit="m")
    content = path.read_bytes()
    path.write_bytes(content[:-20000])
    return path


CUT_EVERYWHERE = """
import contextlib, sys, numpy, quire
path = sys.argv[1]
with quire.create(path, format="h5part") as out:
    out.set("code", "tracker")
    for number in range(3):
        with out.step(number) as step:
            step.set("t", 1.0)
            for column in "xyzabcde":
                step.put(column, numpy.zeros(20))
data = open(path, "rb").read()
for size in [1000, *range(2500, len(data), 97)]:
    with open(path, "wb") as file:
        file.write(data[:size])
    with contextlib.suppress(quire.BadFileError), quire.open(path, cut=True) as file:
        file.check()
"""


def test_nothing_is_left_open_in_a_truncated_file(tmp_path: Path) -> None:
    program = [sys.executable, "-c", CUT_EVERYWHERE, str(tmp_path / "cut.h5")]
    done = subprocess.run(program, timeout=60, check=True, capture_output=True, text=True)
    assert done.stderr == "", "the library reports unreleased memory at exit"


def run(*arguments: Any) -> Any:
    """Run a command inside this process."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_it_is_refused_with_advice(cut: Path) -> None:
    with pytest.raises(BadFileError, match="is cut") as refusal:
        quire.open(cut)
    assert refusal.value.offset == cut.stat().st_size
    assert "cut" in refusal.value.advice
    with quire.open(cut, tolerant=True) as file:
        assert file.numbers == [2, 4, 6, 8]


def test_complete_steps_are_read_checked_and_kept(cut: Path, tmp_path: Path) -> None:
    with quire.open(cut, cut=True) as file:
        assert any("is cut" in warning for warning in file.warnings)
        assert file.numbers == [2, 4, 6, 8]
        for step in file.numbers:
            np.testing.assert_array_equal(file.step(step)["x"][:], np.arange(ROWS) + step)
        report = file.check()
        assert report.whole_steps == 4
        assert report.damage is not None
        assert report.damage.object == "Step#10"
    outcome = run("check", cut, "--json")
    assert outcome.exit_code == 1
    assert json.loads(outcome.stdout)["files"][0]["numbers"] == [2, 4, 6, 8]
    whole = tmp_path / "whole.h5"
    assert run("recover", cut, "-o", whole).exit_code == 0
    with quire.open(whole) as file:
        assert file.numbers == [2, 4, 6, 8]
        assert file.attrs["code"] == "tracker"
        assert file.attachment("run.in") == b"input"
        assert file[3]["y"].unit == "m"
        np.testing.assert_array_equal(file[3]["y"][:], np.arange(ROWS) - 8)
        assert file.check().damage is None


@pytest.mark.parametrize("suffix", [".hdf5", ".hdf", ".h5part"])
def test_a_recovered_file_may_have_any_hdf5_suffix(cut: Path, tmp_path: Path, suffix: str) -> None:
    whole = tmp_path / f"whole{suffix}"
    outcome = run("recover", cut, "-o", whole)
    assert outcome.exit_code == 0, outcome.output
    with quire.open(whole) as file, quire.open(cut, cut=True) as before:
        assert (file.format, file.numbers) == (before.format, [2, 4, 6, 8])


def test_suffixes_of_other_formats_are_refused(cut: Path, tmp_path: Path) -> None:
    named = tmp_path / "whole.sdds"
    assert run("recover", cut, "-o", named).exit_code == 2
    assert not named.exists()


def test_plain_datasets_may_not_have_a_suffix_of_steps(tmp_path: Path) -> None:
    plain = tmp_path / "plain.hdf5"
    with quire.create(plain) as out, out.step(0) as step:
        step.put("x", np.arange(3.0))
    assert run("recover", plain, "-o", tmp_path / "kept.h5").exit_code == 0
    with quire.open(tmp_path / "kept.h5") as file:
        assert file[0]["x"][:].tolist() == [0.0, 1.0, 2.0]
    assert run("recover", plain, "-o", tmp_path / "kept.h5part").exit_code == 2


def test_a_complete_file_is_read_as_usual(tmp_path: Path) -> None:
    path = tmp_path / "beam.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", [1.0, 2.0])
    with quire.open(path, cut=True) as file:
        assert file.warnings == []
        assert file.check().damage is None
        assert file[0]["x"][:].tolist() == [1.0, 2.0]


def test_attachments_that_cannot_be_in_the_file_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "huge.h5"
    with h5py.File(path, "w") as file:
        file["Step#0/x"] = np.arange(3.0)
        file.create_dataset("Attachment/huge", shape=(2**45,), chunks=(2**20,), dtype="i1")
        file.create_dataset("Attachment/small", data=np.frombuffer(b"input", dtype="i1"))
    with quire.open(path) as read:
        assert list(read.attachments) == ["small"]
        assert any("huge is left out" in warning for warning in read.warnings)
        assert read.attachment("small") == b"input"


def test_complete_attachments_are_kept_and_lost_ones_reported(cut: Path, tmp_path: Path) -> None:
    path = tmp_path / "attached.h5"
    with quire.create(path) as out:
        out.attach("early.in", b"first")
        with out.step(0) as step:
            step.put("x", np.arange(float(ROWS)))
    with quire.append(path) as out:
        out.attach("late.in", bytes(20000))
    path.write_bytes(path.read_bytes()[:-10000])
    whole = tmp_path / "whole.h5"
    outcome = run("recover", path, "-o", whole, "--json")
    assert outcome.exit_code == 0
    (lost,) = json.loads(outcome.stdout)["lost"]
    assert "late.in" in lost
    assert "beyond" in lost or "outside" in lost
    with quire.open(whole) as file:
        assert file.numbers == [0]
        assert file.attachment("early.in") == b"first"
        assert list(file.attachments) == ["early.in"]
    # If the group itself is beyond the end, it is not reported as another object.
    content = cut.read_bytes()
    for share in range(2, 10):
        cut.write_bytes(content[: len(content) * share // 10])
        with quire.open(cut, cut=True) as file:
            assert not any("no group" in warning for warning in file.warnings)
