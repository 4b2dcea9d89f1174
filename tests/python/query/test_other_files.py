"""Attributes and aggregates of other files in expressions, alone and on ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import MissingError, MissingFileError, UsageError
from quire.toolkit.define import define
from quire.toolkit.filter import filter

DEFINITIONS = ("r=x / other.h5:energy", "s=x / max(other.h5:x)", "t=x - mean(other.h5:x * 2) + max(x)")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table, a file whose values it uses, and one with several steps."""
    quire.new("x[m]=1,2,3").write(tmp_path / "in.h5")
    quire.new("x[m]=10,20,50", attributes=["energy[MeV]=7", "n=3", "name=run"]).write(tmp_path / "other.h5")
    with quire.create(tmp_path / "steps.h5") as out:
        out.set("of_file", 9)
        for number in (0, 4):
            with out.step(number) as step:
                step.set("k", number + 1).put("x", np.arange(3.0) + number)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "expected", "unit"),
    [
        ("x / other.h5:energy", [1 / 7, 2 / 7, 3 / 7], "m/MeV"),
        ("x / `other.h5:energy`", [1 / 7, 2 / 7, 3 / 7], "m/MeV"),
        ("rpn: x other.h5:energy /", [1 / 7, 2 / 7, 3 / 7], "m/MeV"),
        ("x * other.h5:n", [3, 6, 9], ""),
        ("x / max(other.h5:x)", [0.02, 0.04, 0.06], ""),
        ("x - mean(other.h5:x * 2) + max(x)", [1 - 160 / 3 + 3, 2 - 160 / 3 + 3, 3 - 160 / 3 + 3], "m"),
        ("x + max(lag(other.h5:x, 1, 0))", [21, 22, 23], "m"),
        ("x + sum(other.h5:x * other.h5:n)", [241, 242, 243], "m"),
        ('where(other.h5:name == "run", x, 0)', [1, 2, 3], "m"),
        ("x * steps.h5:k + steps.h5:of_file", [10, 11, 12], ""),
        ('x + length("a.h5:b")', [7, 8, 9], ""),
    ],
)
def test_values_of_other_files_are_used(folder: Path, text: str, expected: Any, unit: str) -> None:
    with quire.chain("in.h5") as chain:
        made = chain.define(f"r[{unit}]={text}" if "length" in text or "of_file" in text else f"r={text}")
        assert made.read()["r"].tolist() == pytest.approx(expected)
        assert next(iter(made)).table["r"].unit == unit


def test_of_several_steps_the_one_of_the_same_number_is_used(folder: Path) -> None:
    with quire.chain("steps.h5") as chain:
        found = chain.define("r=x * steps.h5:k + max(steps.h5:x)").read()["r"]
        assert found.tolist() == [2, 3, 4, 26, 31, 36]
        assert [step.attrs["e"] for step in chain.define("e=other.h5:n + steps.h5:k")] == [4, 8]
    with quire.open("in.h5") as file:
        assert file[0].table.where("x > min(other.h5:x) / 6").read("x")["x"].tolist() == [2, 3]
    assert quire.expression("2 * other.h5:n")() == 6


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("x + other.h5:x", UsageError, "'other.h5:x' has the rows of another file"),
        ("x + cumsum(other.h5:x)", UsageError, "has the rows of another file"),
        ("x + max(other.h5:x + steps.h5:x)", UsageError, "columns of several files"),
        ("x + other.h5:enrgy", MissingError, "nearest: energy"),
        ("x + none.h5:k", MissingFileError, "there is no such file, whose values"),
        ("x + A:B", UsageError, "A:B|:"),
        ("x + `A:B`", MissingError, '"A:B"'),
    ],
)
def test_mistakes_are_named(folder: Path, text: str, error: Any, message: str) -> None:
    with quire.chain("in.h5") as chain, pytest.raises(error, match=message):
        chain.define(f"r={text}").read()


def test_a_step_that_the_other_file_lacks_is_an_error(folder: Path) -> None:
    with quire.chain("in.h5") as chain, pytest.raises(MissingError, match="there is no step 3"):
        chain.through(lambda steps: (renumbered(step) for step in steps)).define("r=x * steps.h5:k").read()
    with pytest.raises(UsageError, match="has 2 steps, and the expression belongs to none"):
        quire.expression("2 * steps.h5:k")()


def renumbered(step: Any) -> Any:
    from quire.verbs.order import numbered

    return numbered(step, step.table, 3)


def test_names_with_colons_in_a_file_stay_names(folder: Path) -> None:
    quire.new(columns={"x": np.arange(2.0), "other.h5:energy": np.array([1.0, 2.0])}).write("odd.h5")
    with quire.chain("odd.h5") as chain:
        assert chain.define("r=x + `other.h5:energy`").read()["r"].tolist() == [1, 3]


def make_all(comm: Any, folder: str, name: str) -> None:
    """Write files with values of another one, which has no relative path."""
    other = f"{folder}/other.h5"
    texts = [text.replace("other.h5:energy", f"`{other}:energy`") for text in DEFINITIONS]
    texts = [text.replace("other.h5:x", f"`{other}:x`") for text in texts]
    define(f"{folder}/in.h5", f"{folder}/{name}.h5", texts, comm=comm)
    filter(f"{folder}/in.h5", f"{folder}/{name}f.h5", f"x > max(`{other}:x`) / 30", comm=comm)


@pytest.mark.mpi
def test_ranks_make_the_same_file(folder: Path) -> None:
    make_all(None, str(folder), "alone")
    run_ranks(make_all, 3, str(folder), "together")
    for end in ("", "f"):
        assert (folder / f"alone{end}.h5").read_bytes() == (folder / f"together{end}.h5").read_bytes()
    with quire.open("alone.h5") as file:
        assert file[0]["t"][:].tolist() == pytest.approx([1 - 160 / 3 + 3, 2 - 160 / 3 + 3, 3 - 160 / 3 + 3])
