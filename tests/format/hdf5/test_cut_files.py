"""Truncated files: commands that look at files show what is whole, and others name the option that helps."""

from __future__ import annotations

import os
from pathlib import Path

import h5py
import numpy as np
import pytest
from tests.python.support.files import path_for, step_formats
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.io.formats import format_info

ROWS = 3000


def run(*words: str) -> tuple[int, str]:
    outcome = CliRunner().invoke(app, list(words))
    return outcome.exit_code, outcome.output


@pytest.fixture
def cut_steps(tmp_path: Path) -> Path:
    """Four steps, of which the last is cut in its values."""
    path = tmp_path / "steps.h5"
    with quire.create(path) as out:
        for number in range(4):
            with out.step(number) as step:
                step.put("x", np.full(ROWS, 1.0 + number)).put("name", [f"n{row}" for row in range(ROWS)])
    with h5py.File(path) as file:
        data = file["Step#3/x"].id
        place = data.get_offset()
    os.truncate(path, place + 100)
    return path


@pytest.fixture
def cut_datasets(tmp_path: Path) -> Path:
    """Three datasets of a plain file, of which the last is cut."""
    path = tmp_path / "plain.hdf5"
    with h5py.File(path, "w") as file:
        for name in ("a", "b", "c"):
            file[name] = np.full(ROWS, float(ord(name)))
        file.attrs["code"] = np.bytes_("tracker")
        place = file["c"].id.get_offset()
    os.truncate(path, place + 100)
    return path


def test_info_and_show_print_the_whole_steps(cut_steps: Path) -> None:
    code, output = run("info", str(cut_steps))
    assert code == 3
    assert "3 (0 to 2)" in output
    assert "the file is cut" in output
    code, output = run("show", str(cut_steps), "--step", "2", "--rows", "0:2")
    assert "n1" in output
    code, output = run("show", str(cut_steps), "--rows", "0:2")
    assert code == 3
    assert [f"step {number}: " in output for number in range(4)] == [True, True, True, False]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--list", "steps"], "0\n1\n2\n"),
        (["--list", "rows"], f"{ROWS}\n{ROWS}\n{ROWS}\n"),
        (["--list", "columns"], "x\nname\n"),
        (["--list", "steps", "--json"], "[\n  0,\n  1,\n  2\n]\n"),
        (["--attributes"], "step 0\nstep 1\nstep 2\n"),
    ],
)
def test_lists_of_a_cut_file_have_what_is_whole(cut_steps: Path, words: list[str], shown: str) -> None:
    outcome = CliRunner().invoke(app, ["show", str(cut_steps), *words])
    assert (outcome.exit_code, outcome.stdout) == (3, shown)
    assert "the file is cut" in outcome.stderr


def test_info_and_show_print_the_whole_datasets(cut_datasets: Path) -> None:
    code, output = run("info", str(cut_datasets))
    assert code == 3
    assert "a" in output
    assert "c is lost: the dataset is outside the file" in output
    with quire.open(cut_datasets, cut=True) as file:
        step = file.step(0)
        assert list(step.table) == ["a", "b"]
        assert step.attrs["code"] == "tracker"
        np.testing.assert_array_equal(step["b"][:], np.full(ROWS, float(ord("b"))))
        assert file.check().damage is not None
    _, output = run("show", str(cut_datasets), "--rows", "0:1", "--columns", "b", "--bare")
    assert "98" in output


@pytest.mark.parametrize(("kind", "name"), [("cut_steps", "x"), ("cut_datasets", "a")])
def test_the_option_that_helps_is_named_as_it_is_typed(
    kind: str, name: str, request: pytest.FixtureRequest
) -> None:
    path = str(request.getfixturevalue(kind))
    code, output = run("get", path, name)
    assert code == 3
    assert "--read-option cut=true" in output
    code, output = run("get", path, name, "--read-option", "cut=true")
    assert code == 0
    assert float(output.split()[0]) == (1.0 if kind == "cut_steps" else 97.0)


@pytest.mark.parametrize("format", step_formats())
def test_the_advice_names_the_option_where_there_is_one(tmp_path: Path, format: str) -> None:
    path = path_for(tmp_path, format)
    with quire.create(path, format=format) as out, out.step(0) as step:
        step.put("x", np.arange(float(ROWS)))
    os.truncate(path, path.stat().st_size - 1000)
    with pytest.raises(quire.BadFileError) as caught, quire.open(path) as file:
        file[0]["x"][:]
    has_option = any(one.name == "cut" for one in format_info(format).read_options)
    assert ("--read-option cut=true" in caught.value.advice) == has_option
