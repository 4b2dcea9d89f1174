"""quire show and quire get."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import quire
from quire.cli import show as show_module

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Start, Values


def test_people_get_the_first_rows(run: Run, beam: Path, values: Values) -> None:
    outcome = run("show", beam, "--step", "4", "--columns", "x,px,id")
    assert outcome.code == 0
    lines = outcome.output.splitlines()
    assert lines[0] == "step 4: 100 rows"
    assert lines[1].split()[:3] == ["row", "x", "[m]"]
    assert len(lines) == 2 + 20 + 1
    assert lines[2].split()[0] == "0"
    assert float(lines[2].split()[1]) == pytest.approx(values(4)["x"][0], rel=1e-8)


def test_rows_and_columns_can_be_chosen(run: Run, beam: Path, values: Values) -> None:
    outcome = run("show", beam, "--index", "-1", "--columns", "id,p*", "--rows", "10:12")
    rows = [line.split() for line in outcome.output.splitlines()[2:]]
    assert [row[:2] for row in rows] == [["10", "11"], ["11", "12"]]


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_csv_has_all_rows_and_all_digits(
    run: Run, beam: Path, values: Values, monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    monkeypatch.setattr(show_module, "BLOCK_BYTES", block_bytes)
    rows = list(csv.DictReader(io.StringIO(run("show", beam, "--csv").output)))
    assert len(rows) == 300
    for number in (1, 4, 9):
        mine = [row for row in rows if row["step"] == str(number)]
        for name, expected in values(number).items():
            assert [type(expected[0])(row[name]) for row in mine] == list(expected)


def test_json_has_all_rows(run: Run, beam: Path, values: Values) -> None:
    tables = json.loads(run("show", beam, "--json", "--columns", "px").output)["tables"]
    assert [table["step"] for table in tables] == [1, 4, 9]
    assert tables[0]["units"] == ["m$be$nc"]
    assert [row[0] for row in tables[2]["rows"]] == list(values(9)["px"])


def test_values_that_json_lacks_are_texts(run: Run, make: Make, format: str) -> None:
    strange = np.array([np.nan, np.inf, -np.inf])
    path = make(format, rows=3, numbers=[1], x=strange)
    tables = json.loads(run("show", path, "--json", "--columns", "x").output)["tables"]
    assert tables[0]["rows"] == [["nan"], ["inf"], ["-inf"]]


def test_attributes_are_shown(run: Run, beam: Path) -> None:
    outcome = run("show", beam, "--attributes", "--step", "9")
    assert "tracker" in outcome.output
    assert ["s", "m", "4.5"] in [line.split() for line in outcome.output.splitlines()]
    assert list(json.loads(run("show", beam, "--attributes", "--json").output)) == [
        "file",
        "step 1",
        "step 4",
        "step 9",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--step", "5"],
        ["--index", "3"],
        ["--columns", "z"],
        ["--table", "nothing"],
        ["--rows", "a"],
        ["--json", "--csv"],
        ["--step", "1", "--index", "0"],
    ],
)
def test_wrong_questions_are_usage_errors_of_one_line(run: Run, beam: Path, arguments: list[str]) -> None:
    outcome = run("show", beam, *arguments)
    assert outcome.code == 2
    assert len(outcome.errors.splitlines()) == 1
    assert outcome.output == ""


def test_display_formats_are_used_when_asked_and_never_trusted(run: Run, tmp_path: Path) -> None:
    assert show_module.cell_text(np.float64(0.5), "%10.3lf m") == "     0.500 m"
    assert show_module.cell_text(np.int32(7), "%04ld") == "0007"
    for hostile in ("%999999999d", "%s%s%s", "%n", "%", "%*d"):
        assert show_module.cell_text(np.int32(7), hostile) == "7"


def test_text_from_files_cannot_steer_the_terminal() -> None:
    assert show_module.cell_text("red \x1b[31m", "") == "red \\x1b[31m"


def test_get_prints_one_value_plainly(run: Run, beam: Path) -> None:
    assert run("get", beam, "code").output == "tracker\n"
    assert run("get", beam, "s").output == "0.5\n"
    assert run("get", beam, "s", "--index", "-1").output == "4.5\n"
    assert run("get", beam, "turn", "--step", "4").output == "4\n"


def test_get_prints_columns_with_all_digits(run: Run, beam: Path, values: Values) -> None:
    lines = run("get", beam, "x", "--step", "9", "--rows", "5:8").output.split()
    assert [float(line) for line in lines] == list(values(9)["x"][5:8])


def test_get_tells_type_and_unit_as_json(run: Run, beam: Path) -> None:
    answer = json.loads(run("get", beam, "s", "--json").output)
    assert (answer["value"], answer["unit"], answer["type"]) == (0.5, "m", "float64")
    assert len(json.loads(run("get", beam, "id", "--json").output)["value"]) == 100


def test_get_says_no_if_there_is_no_such_name(run: Run, beam: Path) -> None:
    outcome = run("get", beam, "nothing")
    assert outcome.code == 1
    assert outcome.output == ""


def test_a_file_without_steps_has_no_columns(run: Run, make: Make, format: str) -> None:
    path = make(format, numbers=[1])
    with quire.create(path, format=format) as out:
        out.set("code", "empty")
    assert run("get", path, "code").output == "empty\n"
    assert run("get", path, "x").code == 1
    assert run("show", path).output == ""


def test_a_reader_that_leaves_early_is_no_error(start: Start, beam: Path) -> None:
    import subprocess
    import sys
    from pathlib import Path

    folder = str(Path(quire.__file__).parent.parent)
    command = f"PYTHONPATH={folder} {sys.executable} -m quire.cli show --csv {beam} | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, timeout=60, check=False
    )
    assert done.stdout == b"step,x,px,id\n" or done.stdout.startswith(b"step,")
    assert done.stderr == b""
    assert done.returncode == 0
