"""The parameter `Step`, which gives the numbers of steps, is one like others in old programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.python.legacy.support import run

import quire
from quire.legacy.running import main
from quire.legacy.scripts.conversion import convert

DEFINITION = '&parameter name=Step, units=turns, description="Simulation step", type=short, &end'
TEXT = f"""SDDS1
&parameter name=code, type=string, &end
{DEFINITION}
&column name=x, type=double, &end
&data mode=ascii, &end
elegant
1
1
0.5
elegant
4
1
0.25
"""


@pytest.fixture
def numbered(tmp_path: Path) -> Path:
    """Two pages of a file whose steps have the numbers 1 and 4."""
    path = tmp_path / "w1.sdds"
    path.write_text(TEXT)
    return path


def parameters(path: Path, name: str) -> list[object]:
    """Return the values of a parameter, as other readers see them."""
    return list(quire.sdds.load(path).parameters[name].pages)


def test_it_is_kept_with_its_definition(numbered: Path, tmp_path: Path) -> None:
    run("sddsconvert", "-ascii", numbered, tmp_path / "new.sdds")
    lines = (tmp_path / "new.sdds").read_text().splitlines()
    assert lines[1:3] == ["&parameter name=code, type=string, &end", DEFINITION]
    with quire.open(tmp_path / "new.sdds") as file:
        assert [step.number for step in file] == [1, 4]


def test_it_is_filtered_and_used_in_equations(numbered: Path, tmp_path: Path) -> None:
    target = tmp_path / "new.sdds"
    run("sddsprocess", numbered, target, "-filter=par,Step,2,4", "-define=par,next,Step 1 +")
    assert parameters(target, "Step") == [4]
    assert parameters(target, "next") == [5]
    run("sddsprocess", numbered, target, "-delete=par,Step")
    assert "Step" not in quire.sdds.load(target).parameters
    run("sddsconvert", numbered, target, "-rename=par,Step=Turn")
    assert parameters(target, "Turn") == [1, 4]


def test_it_is_a_column_of_collapsed_pages_and_stays_in_combined_ones(numbered: Path, tmp_path: Path) -> None:
    target = tmp_path / "new.sdds"
    run("sddscollapse", numbered, target)
    column = quire.sdds.load(target).columns["Step"]
    assert (column.type, column.unit, list(column.pages[0])) == ("int16", "turns", [1, 4])
    run("sddscombine", numbered, numbered, target, "-overWrite")
    assert parameters(target, "Step") == [1, 4, 1, 4]


def test_that_of_files_of_quire_is_one_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.sdds"
    with quire.create(path) as out:
        out.step(3).put("x", [1.0]).commit()
    run("sdds2stream", path, "-par=Step")
    assert capfd.readouterr().out == "3\n"
    run("sddsconvert", "-ascii", path, tmp_path / "new.sdds")
    assert (
        '&parameter name=Step, description="step number", type=long, &end'
        in (tmp_path / "new.sdds").read_text()
    )


def test_it_is_printed_and_listed(numbered: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for program, *words in (
        ("sdds2stream", "-par=Step"),
        ("sddsquery", "-parameterList"),
        ("sddsprintout", "-par=Step", "-noTitle"),
    ):
        run(program, numbered, *words)
    printed = " ".join(capfd.readouterr().out.split())
    assert printed == "1 4 code Step Step (turns) = 1 Step (turns) = 4"


def test_commands_print_the_number_of_the_step(numbered: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = convert("sdds2stream $f -par=Step")
    assert made.text == "quire get $f step --steps 0-"
    assert [one.text for one in made.remarks] == [
        "Step increases from page to page: it is then the number of the step"
    ]
    assert main("sddsprintout", [str(numbered), "-par=Step", "--explain"]) == 0
    assert "printout(pages" in capfd.readouterr().out
