"""What people write from the habit of other libraries: the error says what to write instead."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import quire
from quire.io.formats import format_infos
from quire.toolkit.examples import EXAMPLES


@pytest.fixture(scope="module")
def beam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("habits") / "beam.h5"
    EXAMPLES["beam"].write(path)
    return path


@pytest.mark.parametrize(
    ("call", "instead"),
    [
        (lambda file: file["x"], 'write file[0]["x"], or file.step(number)["x"]'),
        (lambda file: file.keys(), "write file[0].keys for the first step"),
        (lambda file: file.steps, "for step in file"),
        (lambda file: file.attributes, "write file.attrs"),
        (lambda file: file[0].x, 'write step["x"]'),
        (lambda file: file[0].rho, 'write step.fields["rho"]'),
        (lambda file: file[0].rms_x, 'write step.attrs["rms_x"]'),
        (lambda file: file[0].where("x > 0"), "write step.table.where"),
        (lambda file: file[0].head(), "write step.to_pandas().head"),
        (lambda file: file[0].table.x, 'write table["x"]'),
        (lambda file: file[0].table.describe(), "write table.to_pandas().describe"),
        (lambda file: file[0][["x", "px"]], "to_pandas(names, rows)"),
        (lambda file: file[0].table[0:3], "table.read(names, rows)"),
        (lambda file: file[0]["x"].value, r"write column[:] for the values"),
        (lambda file: file[0]["x"].mean(), r"write column[:].mean"),
        (lambda file: file[0]["x"].units, "write column.unit"),
        (lambda file: file[0].fields["rho"].max(), r"write field[:].max"),
    ],
)
def test_attributes_of_other_libraries_have_a_hint(
    beam: Path, call: Callable[[Any], object], instead: str
) -> None:
    with quire.open(beam) as file, pytest.raises((AttributeError, quire.TypeMismatchError)) as caught:
        call(file)
    assert instead in str(caught.value)


def test_other_attributes_have_none(beam: Path) -> None:
    with quire.open(beam) as file:
        for one in (file, file[0], file[0].table, file[0]["x"], file[0].fields["rho"]):
            assert not hasattr(one, "nothing")
            assert not hasattr(one, "_ipython_canary_method_should_not_exist_")
            with pytest.raises(AttributeError, match=r"object has no attribute 'nothing'$"):
                one.nothing  # type: ignore[union-attr]  # noqa: B018


def test_hints_do_not_break_copies_of_handles(beam: Path) -> None:
    with quire.open(beam) as file:
        column = file[0]["x"]
        assert copy.copy(column).unit == column.unit
        with pytest.raises(TypeError):
            pickle.dumps(column)


@pytest.mark.parametrize("mode", ["r", "w", "a", "r+"])
@pytest.mark.parametrize("call", [quire.open, quire.create, quire.append])
def test_files_have_no_modes(beam: Path, call: Callable[..., Any], mode: str) -> None:
    size = beam.stat().st_size
    for arguments, words in (((mode,), {}), ((), {"mode": mode})):
        with pytest.raises(quire.Error, match=r"quire\.create writes a new file, quire\.append adds"):
            call(beam, *arguments, **words)
    assert beam.stat().st_size == size


def test_an_option_of_the_name_mode_reaches_the_format(tmp_path: Path) -> None:
    takes_mode = [info.name for info in format_infos() if "mode" in {one.name for one in info.write_options}]
    assert takes_mode
    for name in takes_mode:
        with pytest.raises(quire.UsageError, match="nonsense"):
            quire.create(tmp_path / "a", format=name, mode="nonsense")


def test_create_needs_no_permission_to_replace(tmp_path: Path) -> None:
    with pytest.raises(quire.UsageError, match=r"quire\.create replaces an existing file"):
        quire.create(tmp_path / "a.h5", overwrite=True)
    assert not (tmp_path / "a.h5").exists()


def test_units_are_called_unit(tmp_path: Path) -> None:
    with quire.create(tmp_path / "a.h5") as out, out.step(0) as step:
        calls: list[Callable[[], object]] = [
            lambda: step.put("x", [1.0], units="m"),  # type: ignore[call-arg]
            lambda: step.set("s", 1.0, units="m"),  # type: ignore[call-arg]
            lambda: step.put_constant("q", 1.0, units="C"),  # type: ignore[call-arg]
        ]
        for call in calls:
            with pytest.raises(quire.TypeMismatchError, match=r"has no argument 'units'; .* unit,"):
                call()
        step.put("x", [1.0], unit="m")


def test_a_copy_names_its_own_arguments(beam: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.h5"
    quire.copy(beam, target)
    with pytest.raises(quire.ConflictError, match="overwrite=True replaces it") as caught:
        quire.copy(beam, target)
    assert "--" not in str(caught.value)
    quire.copy(beam, target, overwrite=True)


def test_functions_of_other_packages_are_pointed_out() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'read'; write quire\.open$"):
        getattr(quire, "read")  # noqa: B009
    with pytest.raises(AttributeError, match=r"no attribute 'nothing'$"):
        getattr(quire, "nothing")  # noqa: B009
