"""All commands keep the definitions of a header without pages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.python.cli.conftest import Run
from tests.python.cli.conftest import run as run  # a fixture

import quire

COLUMNS = """\
&column name=s, units=m, type=double, description="Distance" &end
&column name=ElementName, type=string, format_string=%10s &end
&column name=Turn, symbol=N, type=long &end
"""
OTHERS = """\
&description text="sigma matrix", contents="sigma" &end
&parameter name=Step, description="Simulation step", type=long &end
&parameter name=Charge, units=C, type=double &end
&parameter name=Version, type=string, fixed_value="2024.1" &end
&array name=Grid, group_name=maps, units=V, type=float, dimensions=2 &end
"""


def header(columns: str = COLUMNS, mode: str = "ascii") -> str:
    """The file of a run that was stopped before its first page."""
    return f"SDDS1\n{OTHERS}{columns}&data mode={mode} &end\n"


@pytest.fixture(params=["ascii", "binary"])
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "run.sig"
    path.write_text(header(mode=request.param))
    return path


def definitions(path: Path) -> dict[str, list[tuple[str, ...]]]:
    """Name, type and texts of everything that the file declares."""
    with quire.open(path) as file:
        step = file.declared
        assert step is not None
        kinds: dict[str, Iterable[Any]] = {
            "attributes": step.attrs.info.values(),
            "columns": [column for table in step.tables.values() for column in table.columns.values()],
            "fields": step.fields.values(),
        }
        return {
            kind: [(i.name, i.type, i.unit, i.symbol, i.description, i.display) for i in items]
            for kind, items in kinds.items()
        }


def test_python_returns_the_definitions(bare: Path) -> None:
    assert definitions(bare) == {
        "attributes": [
            ("Step", "int32", "", "", "Simulation step", ""),
            ("Charge", "float64", "C", "", "", ""),
        ],
        "columns": [
            ("s", "float64", "m", "", "Distance", ""),
            ("ElementName", "string", "", "", "", "%10s"),
            ("Turn", "int32", "", "N", "", ""),
        ],
        "fields": [("Grid", "float32", "V", "", "", "")],
    }
    with quire.open(bare) as file:
        assert len(file) == 0
        step = file.declared
        assert step is not None
        assert step.attrs["Charge"] is None
        assert len(step.table) == 0
        assert len(step["s"][:]) == 0
        assert step.fields["Grid"].read().shape == (0, 0)
    data = quire.sdds.load(bare)
    assert len(data) == 0
    assert list(data.columns) == ["s", "ElementName", "Turn"]
    assert data.columns["s"].unit == "m"


def test_info_lists_the_definitions(run: Run, bare: Path) -> None:
    text = run("info", bare).output
    for name in ("Charge", "s", "ElementName", "Distance", "Grid"):
        assert name in text
    (answer,) = json.loads(run("info", "--json", bare).output)["files"]
    assert answer["steps"] == []
    (table,) = answer["declared"]["tables"]
    assert [column["name"] for column in table["columns"]] == ["s", "ElementName", "Turn"]
    assert [(item["name"], item["value"]) for item in answer["declared"]["attributes"]] == [
        ("Step", None),
        ("Charge", None),
    ]


def test_the_definitions_of_a_file_with_steps_are_not_repeated(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "beam.sdds"
    with quire.create(path) as out:
        out.step(1).set("Charge", 1e-9).put("x", [1.0]).commit()
    (answer,) = json.loads(run("info", "--json", path).output)["files"]
    assert answer["declared"] is None
    assert definitions(path)["columns"] == [("x", "float64", "", "", "", "")]
    assert definitions(path)["attributes"] == [("Charge", "float64", "", "", "", "")]


def test_show_lists_the_definitions(run: Run, bare: Path) -> None:
    assert run("show", "--list", "columns", "--units", bare).output.split("\n")[:3] == [
        "s [m]",
        "ElementName",
        "Turn",
    ]
    assert "Charge" in run("show", "--list", "attributes", bare).output
    assert run("show", "--list", "fields", bare).output.strip() == "Grid"
    assert run("show", "--list", "steps", bare).output == ""
    assert run("show", "--list", "rows", bare).output == ""


def test_show_names_what_is_not_defined(run: Run, bare: Path) -> None:
    assert run("show", bare, "--columns", "s,Turn").code == 0
    assert run("show", bare, "--fields", "--names", "Grid").code == 0
    for asked in (["--columns", "s,no"], ["--table", "no"], ["--fields", "--names", "no"], ["--field", "no"]):
        outcome = run("show", bare, *asked)
        assert outcome.code == 1
        assert "there are: " in outcome.errors


def test_stats_names_what_is_not_defined(run: Run, bare: Path) -> None:
    assert run("stats", bare, "--columns", "s,Turn").code == 0
    outcome = run("stats", bare, "--columns", "s,no")
    assert outcome.code == 1
    assert "'no'; there are: s, " in outcome.errors


def test_get_finds_the_definitions(run: Run, bare: Path) -> None:
    assert run("get", bare, "s", "--unit").output == "m\n"
    assert (run("get", bare, "s").code, run("get", bare, "s").output) == (0, "")
    valueless = run("get", bare, "Charge")
    assert valueless.code == 1
    assert "no value" in valueless.errors
    assert json.loads(run("get", "--json", bare, "s").output)["value"] == []
    assert run("get", bare, "nothing").code == 1


@pytest.mark.parametrize("options", [[], ["--option", "mode=ascii"], ["--option", "major_order=column"]])
def test_a_copy_has_the_definitions(run: Run, bare: Path, tmp_path: Path, options: list[str]) -> None:
    copy = tmp_path / "copy.sdds"
    outcome = run("convert", bare, copy, *options)
    assert (outcome.code, outcome.errors) == (0, "")
    assert definitions(copy) == definitions(bare)
    with quire.open(copy) as file:
        assert (len(file), file.title, file.attrs["Version"]) == (0, "sigma matrix", "2024.1")
    assert run("diff", bare, copy).code == 0


def test_lost_definitions_are_reported(run: Run, bare: Path, tmp_path: Path) -> None:
    lost = "the definitions of 2 attributes, 3 columns, 1 field are left out"
    outcome = run("convert", bare, tmp_path / "copy.h5part")
    assert outcome.code == 0
    assert lost in outcome.errors
    dry = run("convert", bare, tmp_path / "other.h5part", "--dry-run")
    assert dry.code == 1
    assert lost in dry.output + dry.errors


def test_definitions_are_chosen_and_added(run: Run, bare: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sdds"
    assert run("define", bare, copy, "half[m]=s/2", "twice=2*Charge").code == 0
    assert [one[:3] for one in definitions(copy)["columns"]] == [
        ("s", "float64", "m"),
        ("ElementName", "string", ""),
        ("Turn", "int32", ""),
        ("half", "float64", "m"),
    ]
    assert definitions(copy)["attributes"][-1][0] == "twice"
    assert run("convert", bare, copy, "--overwrite", "--columns", "s,T*").code == 0
    assert [one[0] for one in definitions(copy)["columns"]] == ["s", "Turn"]
    assert run("convert", bare, tmp_path / "no.sdds", "--columns", "nothing").code == 1


def test_a_filter_that_keeps_no_step_keeps_the_definitions(run: Run, bare: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sdds"
    assert run("filter", bare, copy, "s > 1", "--drop-empty").code == 1  # no row
    assert definitions(copy) == definitions(bare)
    full, none = tmp_path / "full.h5part", tmp_path / "none.sdds"
    with quire.create(full) as out:
        for number in (1, 2):
            out.step(number).set("Charge", 1e-9, unit="C").put("x", [1.0, 2.0], unit="m").commit()
    assert run("filter", full, none, "x > 5", "--drop-empty").code == 1
    assert definitions(none)["columns"] == [("x", "float64", "m", "", "", "")]
    assert definitions(none)["attributes"] == [("Charge", "float64", "C", "", "", "")]


def test_export_writes_the_names(run: Run, bare: Path) -> None:
    assert run("export", bare, "-", "--units").output == "s [m],ElementName,Turn\n"
    assert run("export", bare, "-", "--columns", "Turn").output == "Turn\n"


def test_diff_compares_the_definitions(run: Run, bare: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sig"
    other.write_text(header(COLUMNS.replace("units=m", "units=mm").replace("name=Turn", "name=Pass")))
    outcome = run("diff", bare, other)
    assert outcome.code == 1
    for difference in ("unit 'm' and 'mm'", "'Turn' is only in", "'Pass' is only in"):
        assert difference in outcome.output
    assert run("diff", bare, other, "--columns", "ElementName").code == 0


def test_appended_steps_must_match_the_definitions(bare: Path) -> None:
    with (
        quire.append(bare) as out,
        pytest.raises(quire.ConflictError, match="every step"),
        out.step(0) as step,
    ):
        step.put("s", [1.0])
    assert [one[0] for one in definitions(bare)["columns"]] == ["s", "ElementName", "Turn"]


def test_declaring_in_python_writes_the_definitions(tmp_path: Path, bare: Path) -> None:
    path = tmp_path / "new.sdds"
    with quire.open(bare) as file, quire.create(path) as out:
        assert file.declared is not None
        out.declare(
            columns={"x": "float32", "s": file.declared["s"]},
            attributes=file.declared.attrs.info,
            fields=file.declared.fields,
        )
    assert definitions(path)["columns"] == [
        ("x", "float32", "", "", "", ""),
        ("s", "float64", "m", "", "Distance", ""),
    ]
    assert definitions(path)["fields"] == definitions(bare)["fields"]
    assert definitions(path)["attributes"] == definitions(bare)["attributes"]
    with quire.create(tmp_path / "no.h5part") as out, pytest.raises(quire.UnsupportedError):
        out.declare(columns={"x": "float64"})
    with quire.create(path) as out, pytest.raises(quire.UsageError):
        out.declare(columns={"x": "number"})
