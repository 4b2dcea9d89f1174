"""Every public name has a docstring with an example, and the examples do what they say."""

from __future__ import annotations

import doctest
import inspect
import operator
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import stream_formats

import quire
import quire.units
from quire.toolkit.examples import EXAMPLES

UNITS = ("Registry", "Scale", "Unit", "convert", "is_known", "parse", "registry", "scale")
NAMES = [
    *(name for name in quire.__all__ if name != "__version__"),
    *(f"units.{name}" for name in UNITS),
    *(f"Matches.{name}" for name in ("histogram", "histogram_2d", "ids")),
    *(f"Plots.{name}" for name in ("attributes", "beam", "field", "hist", "line", "scatter")),
]
"""All but a text."""


def docstring(name: str) -> str:
    """Return the docstring of a public name, of an object that of its class."""
    found = operator.attrgetter(name)(quire)
    return inspect.getdoc(found if callable(found) else type(found)) or ""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the examples."""
    folder = tmp_path_factory.mktemp("examples")
    EXAMPLES["beam"].write(folder / "beam.h5")
    (folder / "notes.txt").write_text("no data\n")
    with quire.create(folder / "streams.dat", format=stream_formats()[0]) as out, out.step(0) as step:
        for rank, text in enumerate((b"first task!", b"second task")):
            step.stream(rank).write(text)
    block = quire.ElementBlock(
        "Quadrilateral", ("Modified_A",) * 2, np.array([2, 2]), np.arange(2), {"u": np.arange(8.0)}
    )
    with quire.create(folder / "elements.chk") as out, out.step(0) as step:
        step.put_elements([block])
    return folder


@pytest.fixture
def files(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of this folder, as the current one."""
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_example(name: str) -> None:
    assert ">>> " in docstring(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("files")
def test_examples_do_what_they_say(name: str) -> None:
    names: dict[str, Any] = {"quire": quire, "np": np}
    test = doctest.DocTestParser().get_doctest(docstring(name), names, name, name, 0)
    assert test.examples
    output: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=output.append)
    assert result.failed == 0, "".join(output)


@pytest.mark.usefixtures("files")
def test_a_step_is_a_mapping_of_the_columns() -> None:
    with quire.open("beam.h5") as file:
        step, other = file[0], file[0]
        assert list(step) == list(step.keys()) == list(step.columns)
        assert [column.name for column in step.values()] == list(step)
        assert {name: column.unit for name, column in step.items()}["x"] == "m"
        assert step.get("x") is not None
        assert step.get("q") is None
        assert step.get("rms_x", 3) == 3  # an attribute is no column
        assert ("x" in step, "q" in step, len(step), bool(step)) == (True, False, 7, True)
        assert step == step
        assert step != other  # a handle is not compared by its values
        assert len({step, other}) == 2
        assert {**step}.keys() == step.keys()
