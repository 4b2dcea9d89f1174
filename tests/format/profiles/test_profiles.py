"""Files for programs of the field: written as these read them, with a report of the changes."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.errors import ConflictError, MissingError, UnsupportedError, UsageError
from quire.toolkit.convert import copy
from quire.toolkit.profiles import profile_named, profile_names
from quire.toolkit.request import Observer

DATA = Path(__file__).resolve().parents[2] / "data" / "codes"
COLUMNS = {"x": "m", "xp": "", "y": "m", "yp": "", "t": "s", "p": "m$be$nc"}
ROWS = 5


def write(path: Path, units: dict[str, str], steps: int = 1, **more: Any) -> None:
    """A beam whose columns have these units."""
    with quire.create(path) as out:
        for number in range(steps):
            with out.step(number) as step:
                step.set("Charge", 1e-9, unit="C")
                step.set("corners", [1.0, 2.0])
                for place, (name, unit) in enumerate(units.items()):
                    step.put(name, np.arange(ROWS) + 0.25 * place, unit=unit)
                for name, values in more.items():
                    step.put(name, values)


def convert(source: Path, target: Path, **more: Any) -> list[str]:
    """Write for the program; return the changes."""
    changes: list[str] = []

    def note(kind: str, sentence: str) -> None:
        changes.append(f"{kind}: {sentence}")

    copy(source, target, program="elegant", observer=Observer(change=note), **more)
    return changes


def test_profiles_are_found_by_name() -> None:
    assert "elegant" in profile_names()
    assert profile_named("elegant").format == "sdds"
    with pytest.raises(UsageError, match="elegant"):
        profile_named("unknown")


def test_suitable_files_are_not_changed(tmp_path: Path) -> None:
    source, target = DATA / "elegant_beam.sdds", tmp_path / "beam.sdds"
    assert convert(source, target) == []
    with quire.open(source) as before, quire.open(target) as after:
        assert after.layout["byte order"] == "little"
        assert list(after[0].table) == [*COLUMNS, "particleID"]
        for name in after[0].table:
            np.testing.assert_array_equal(before[0][name][:], after[0][name][:])
            assert before[0][name].unit == after[0][name].unit
        assert after[0].attrs["pCentral"] == before[0].attrs["pCentral"]


def test_changed_units_are_reported(tmp_path: Path) -> None:
    source, target = tmp_path / "beam.h5", tmp_path / "beam.sdds"
    write(source, {**COLUMNS, "x": "mm", "t": "ps", "p": "", "xp": "rad"}, weight=np.ones(ROWS))
    changes = convert(source, target)
    assert any("column x" in change and "0.001" in change for change in changes)
    assert any("column p" in change for change in changes)
    assert "added: column particleID: numbered from 1" in changes
    assert any("weight" in change for change in changes)
    with quire.open(target) as file:
        step = file[0]
        assert {name: step[name].unit for name in COLUMNS} == COLUMNS
        np.testing.assert_allclose(step["x"][:], 1e-3 * np.arange(ROWS), rtol=1e-15)
        np.testing.assert_allclose(step["t"][:], 1e-12 * (np.arange(ROWS) + 1.0), rtol=1e-15)
        np.testing.assert_array_equal(step["xp"][:], np.arange(ROWS) + 0.25)
        np.testing.assert_array_equal(step["particleID"][:], np.arange(1, ROWS + 1))
        assert step["particleID"].type == "uint64"
        assert "corners" not in step.attrs
        assert not step.fields
        assert step.attrs["Charge"] == 1e-9


@pytest.mark.parametrize("of_file", [True, False], ids=["file", "step"])
def test_an_attribute_with_several_values_is_lost(tmp_path: Path, of_file: bool) -> None:
    source, target = tmp_path / "tracked.h5", tmp_path / "beam.sdds"
    with quire.create(source) as out:
        if of_file:
            out.set("tunes", [0.25, 0.5])
        with out.step(0) as step:
            if not of_file:
                step.set("tunes", [0.25, 0.5])
            for name, unit in COLUMNS.items():
                step.put(name, np.zeros(ROWS), unit=unit)
    subject = "attribute tunes of the file" if of_file else "attribute tunes"
    message = f"lost: {subject}: left out: it has several values"
    assert [line for line in convert(source, target) if "tunes" in line] == [message]
    words = ["convert", str(source), str(target), "--for", "elegant", "--dry-run"]
    dry = CliRunner().invoke(app, words)
    assert [line for line in dry.stderr.splitlines() if "tunes" in line] == [message]
    assert dry.exit_code == 1
    with quire.open(target) as file:
        assert "tunes" not in {**file.attrs, **file[0].attrs}


def test_types_are_changed_without_loss(tmp_path: Path) -> None:
    source, target = tmp_path / "beam.h5", tmp_path / "beam.sdds"
    write(source, COLUMNS, particleID=np.array([5.0, 4.0, 3.0, 2.0, 1.0]))
    assert any("from float64 to uint64" in change for change in convert(source, target))
    with quire.open(target) as file:
        np.testing.assert_array_equal(file[0]["particleID"][:], [5, 4, 3, 2, 1])
    write(source, COLUMNS, particleID=np.array([5.5, 4.0, 3.0, 2.0, 1.0]))
    with pytest.raises(quire.Error):
        convert(source, target, overwrite=True)


def test_missing_columns_and_unknown_units_are_refused(tmp_path: Path) -> None:
    source, target = tmp_path / "beam.h5", tmp_path / "beam.sdds"
    write(source, {name: unit for name, unit in COLUMNS.items() if name != "xp"})
    with pytest.raises(MissingError, match="xp"):
        convert(source, target)
    write(source, {**COLUMNS, "t": "fortnight"})
    with pytest.raises(ConflictError, match="fortnight"):
        convert(source, target)
    write(source, COLUMNS, steps=2)
    with pytest.raises(UnsupportedError, match="steps="):
        convert(source, target)
    convert(source, target, steps="1")
    with pytest.raises(UsageError, match="mode=binary"):
        convert(source, target, steps="1", overwrite=True, options={"mode": "ascii"})
    with pytest.raises(UsageError, match="columns"):
        convert(source, target, steps="1", overwrite=True, columns=["x"])
    with pytest.raises(UsageError, match="reads sdds"):
        convert(source, tmp_path / "beam2.h5", steps="1", format="h5part")


def test_contradicting_file_names_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "beam.h5"
    write(source, COLUMNS)
    for name, words in {"el.h5": "that of h5part", "el.sdds.gz": "compressed", "el.xz": "compressed"}.items():
        with pytest.raises(UsageError, match=words):
            convert(source, tmp_path / name)
        assert not (tmp_path / name).exists()
    convert(source, tmp_path / "el.h5", format="sdds")
    convert(source, tmp_path / "el.gz", options={"compression": "none"})
    convert(source, tmp_path / "el.bun")
    for name in ("el.h5", "el.gz", "el.bun"):
        assert (tmp_path / name).read_bytes().startswith(b"SDDS")


def test_more_steps_than_the_program_reads_exit_with_1(tmp_path: Path) -> None:
    source = tmp_path / "beam.h5"
    write(source, COLUMNS, steps=2)
    outcome = CliRunner().invoke(
        app, ["convert", str(source), str(tmp_path / "beam.sdds"), "--for", "elegant"]
    )
    assert outcome.exit_code == 1
    assert "reads 1 step" in outcome.stderr


@pytest.mark.parametrize(
    ("program", "columns", "expected"),
    [
        ("elegant", "x y px py pz", "(the slope) by: quire define beam.h5 new.h5 xp=px/pz"),
        ("elegant", "y xp", "by: quire define beam.h5 new.h5 'x[m]=EXPR'"),
        ("elegant", "x xp y yp t", "(EXPR: beta*gamma; "),
        ("beamphysics", "x xp y yp t p", "by: quire define beam.h5 new.h5 'Charge[C]=1e-10'"),
        ("beamphysics", "x y z px py pz", "by: quire define beam.h5 new.h5 'q[C]=1e-15' --as column"),
        ("astra", "x y z px py pz", "by: quire define beam.h5 new.h5 'q[C]=1e-15' --as column"),
    ],
)
def test_what_a_file_lacks_is_named_with_the_command_that_adds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, columns: str, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with quire.create("beam.h5") as out, out.step(0) as step:
        for name in columns.split():
            step.put(name, np.arange(1.0, 4.0), unit="m$be$nc" if name[0] == "p" else "")
    words = ["--for", program]
    errors = CliRunner().invoke(app, ["convert", "beam.h5", "out.new", *words]).stderr
    assert errors.startswith("quire: beam.h5")
    assert expected in errors
    if "EXPR" in errors:
        return
    assert CliRunner().invoke(app, shlex.split(errors.partition("by: quire ")[2])).exit_code == 0
    again = CliRunner().invoke(app, ["convert", "new.h5", "out.new", *words]).stderr
    assert errors.partition(";")[0].replace("beam.h5", "new.h5") not in again
