"""Units with knowledge: momenta count as 1 in sums, warnings of lost units, and --unit of what is printed."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run, Values


def rows_of(text: str) -> tuple[list[str], np.ndarray]:
    """Header and numbers of CSV."""
    header, *rows = csv.reader(io.StringIO(text))
    return header, np.array(rows, np.float64)


def test_the_energy_of_a_momentum_has_the_unit_of_the_constant(run: Run, one_beam: Path) -> None:
    target = one_beam.with_stem("energy")
    outcome = run("define", one_beam, target, "energy = sqrt(1 + px**2) * mc2_electron")
    assert (outcome.code, outcome.errors) == (0, "")
    with quire.open(target) as file:
        assert file[0]["energy"].unit == "MeV"


def test_a_number_added_to_a_length_warns_once_and_the_result_has_no_unit(run: Run, one_beam: Path) -> None:
    target = one_beam.with_stem("shifted")
    outcome = run("define", one_beam, target, "far = x + 1")
    assert outcome.code == 0
    assert outcome.errors == (
        'quire: warning: "x + 1" adds a number to a quantity in m: the result has no unit; '
        'as_unit(1, "m") is a number with a unit\n'
    )
    with quire.open(target) as file:
        assert file[0]["far"].unit == ""
    assert run("define", one_beam, target, "far [m] = x + 1", "--overwrite").errors == ""
    with quire.open(one_beam) as file, pytest.warns(quire.UnitWarning, match="adds a number"):
        assert len(file[0].table.where("x + 1 > 1")) > 0


def test_show_converts_columns(run: Run, one_beam: Path, values: Values) -> None:
    outcome = run("show", one_beam, "--steps", "4", "--columns", "x,id", "--csv", "--bare", "--unit", "x=mm")
    assert outcome.code == 0, outcome.errors
    found = np.array(list(csv.reader(io.StringIO(outcome.output))), np.float64)
    np.testing.assert_array_equal(found[:, 0], values(4)["x"] * 1000)
    np.testing.assert_array_equal(found[:, 1], values(4)["id"])
    assert "x [mm]" in run("show", one_beam, "--unit", "x=mm").output


def test_show_converts_attributes(run: Run, one_beam: Path) -> None:
    listed = run("show", one_beam, "--attributes", "--unit", "s=mm").output
    assert [line.split() for line in listed.splitlines() if line.split()[0] == "s"] == [
        ["s", "mm", "500.0"],
        ["s", "mm", "2000.0"],
        ["s", "mm", "4500.0"],
    ]
    table = run("show", one_beam, "--attributes", "--transpose", "--names", "s", "--csv", "--unit", "s=cm")
    assert rows_of(table.output)[1][:, 1].tolist() == [50.0, 200.0, 450.0]


def test_export_converts_columns_and_their_units_in_the_header(
    run: Run, one_beam: Path, values: Values
) -> None:
    for more in ([], ["--where", "id > 0"], ["--format", "%.17g"]):
        outcome = run("export", one_beam, "-", "--steps", "4", "--unit", "x=um", *more)
        header, found = rows_of(outcome.output)
        assert header == ["x [um]", "px [m$be$nc]", "id"]
        np.testing.assert_array_equal(found[:, 0], values(4)["x"] * 1e6)
        np.testing.assert_array_equal(found[:, 1], values(4)["px"])


def test_statistics_are_converted(run: Run, one_beam: Path, values: Values) -> None:
    outcome = run("stats", one_beam, "--steps", "4", "--unit", "x=mm", "--json")
    (step,) = json.loads(outcome.output)["steps"]
    column = step["columns"]["x"]
    assert column["unit"] == "mm"
    assert (column["count"], column["minimum"]) == (100, values(4)["x"].min() * 1000)
    assert step["columns"]["px"]["unit"] == "m$be$nc"


def test_quantities_of_beams_are_converted(run: Run, tmp_path: Path) -> None:
    assert run("example", "beam", tmp_path / "beam.h5").code == 0
    arguments = [
        "stats",
        tmp_path / "beam.h5",
        "--beam",
        "--steps",
        "20",
        "--columns",
        "emittance_nx",
        "--json",
    ]
    (plain,) = json.loads(run(*arguments).output)["steps"]
    (scaled,) = json.loads(run(*arguments, "--unit", "emittance_nx=mm mrad").output)["steps"]
    before, after = plain["quantities"]["emittance_nx"], scaled["quantities"]["emittance_nx"]
    assert (before["unit"], after["unit"]) == ("m rad", "mm mrad")
    assert after["value"] == before["value"] * 1e6


def test_data_of_plots_have_units_in_the_header(run: Run, one_beam: Path, values: Values) -> None:
    def header_and_rows(*arguments: str) -> tuple[list[str], np.ndarray]:
        picture = one_beam.with_name("picture.png")
        outcome = run("plot", one_beam, *arguments, "--data", "-", picture, "--overwrite")
        assert outcome.code == 0, outcome.errors
        return rows_of(outcome.output)

    header, rows = header_and_rows("-x", "x", "-y", "px", "--steps", "4", "--unit", "x=mm")
    assert header == ["x [mm]", "px [m$be$nc]"]
    np.testing.assert_array_equal(rows[:, 0], values(4)["x"] * 1000)
    header, _ = header_and_rows("--histogram", "x,px", "--unit", "x=mm")
    assert header == ["x from [mm]", "x to [mm]", "px from [m$be$nc]", "px to [m$be$nc]", "rows"]
    header, rows = header_and_rows("--attributes", "s", "--unit", "s=cm")
    assert (header, rows.tolist()) == (["step", "s [cm]"], [[1.0, 50.0], [4.0, 200.0], [9.0, 450.0]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unit", "q=mm"], "there is no quantity 'q'; there are: x, px, id"),
        (["--unit", "X=mm"], "there is no quantity 'X' (nearest: x"),
        (["--unit", "x=s"], '\'x\': "m" cannot be converted to "s"'),
        (["--unit", "id=mm"], "'id' has no unit in the file"),
        (["--unit", "x=Mm2q"], '"Mm2q" is not a known unit'),
        (["--unit", "x=meter"], "(nearest: m)"),
        (["--unit", "x"], "write for example x=mm"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [["show"], ["stats"], ["export", "-"], ["plot", "-x", "x", "-y", "px,id", "picture.png"]],
    ids=lambda words: words[0],
)
def test_a_unit_that_does_not_fit_is_refused_before_anything_is_written(
    run: Run,
    one_beam: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(one_beam.parent)
    name, *others = command
    outcome = run(name, one_beam, *others, *arguments)
    assert outcome.code in (1, 2)
    assert message in outcome.errors
    assert outcome.output == ""
    assert [one.name for one in one_beam.parent.iterdir()] == [one_beam.name]


def test_units_given_to_imports_are_checked(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "data.csv"
    text.write_text("x,t\n1,2\n")
    for unit, near in (("meters", "m"), ("mev", "MeV")):
        outcome = run("import", text, tmp_path / "out.h5", "--units", f"x={unit}")
        assert outcome.code == 2
        assert f"'{unit}' is not the name of a unit (nearest: {near}" in outcome.errors
    assert list(tmp_path.iterdir()) == [text]
    assert run("import", text, tmp_path / "out.h5", "--units", "x=m$be$nc,t=1/(m c)").code == 0


def test_a_list_of_units_is_several_units(run: Run, one_beam: Path) -> None:
    words = ["show", one_beam, "--columns", "x,px", "--rows", "0:2"]
    separate = run(*words, "--unit", "x=mm", "--unit", "px=1")
    assert separate.code == 0
    assert "x [mm]" in separate.output
    assert run(*words, "--unit", "x=mm, px=1").output == separate.output
