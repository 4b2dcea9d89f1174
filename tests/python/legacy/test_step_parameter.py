"""The parameter `Step`, which gives the numbers of steps, is one like others in old programs."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.python.legacy.support import run

import quire
from quire.cli.main import built
from quire.legacy.running import main
from quire.legacy.scripts.conversion import convert
from quire.legacy.steps import NUMBERED

DEFINITION = '&parameter name=Step, units=turns, description="Simulation step", type=short, &end'
TEXT = f"""SDDS1
&parameter name=code, type=string, &end
{DEFINITION}
&parameter name=q, type=double, &end
&column name=x, type=double, &end
&data mode=ascii, &end
elegant
1
2.5
1
0.5
elegant
4
3.5
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
    assert printed == "1 4 code Step q Step (turns) = 1 Step (turns) = 4"


def test_commands_print_the_number_of_the_step(numbered: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = convert("sdds2stream $f -par=Step")
    assert made.text == "quire get $f step --steps 0-"
    assert [one.text for one in made.remarks] == [NUMBERED]
    assert main("sddsprintout", [str(numbered), "-par=Step", "--explain"]) == 0
    assert "printout(pages" in capfd.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["-define=par,next,Step 1 +"],
        ["-define=col,scaled,x Step *"],
        ["-test=col,Step 2 >"],
        ["-define=par,next,Step+1,algebraic"],
        ["-define=col,scaled,x*Step,algebraic"],
        ["-test=col,Step>2,algebraic"],
    ],
)
def test_commands_compute_as_the_program(
    numbered: Path, tmp_path: Path, words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    run("sddsprocess", numbered, tmp_path / "old.sdds", *words)
    run("sddsprocess", numbered, tmp_path / "new.sdds", *words, "--explain")
    _, *command = shlex.split(capfd.readouterr().out)
    assert built(command[0]).main(command[1:], standalone_mode=False) in (None, 0)
    old, new = (quire.sdds.load(tmp_path / name) for name in ("old.sdds", "new.sdds"))
    for name in {*old.parameters} - {"Step"}:
        assert list(new.parameters[name].pages) == list(old.parameters[name].pages)
    for name in old.columns:
        assert [list(one) for one in new.columns[name].pages] == [
            list(one) for one in old.columns[name].pages
        ]


def test_equations_after_collapsed_pages_use_the_column(numbered: Path, tmp_path: Path) -> None:
    target = tmp_path / "new.sdds"
    words = ["pages", "collapse", "/", "define", "--as", "column", "twice=rpn: Step 2 *"]
    built("run").main([str(numbered), "/", *words, "/", "write", str(target)], standalone_mode=False)
    assert list(quire.sdds.load(target).columns["twice"].pages[0]) == [2, 8]


def test_equations_in_infix_of_unknown_files_are_rewritten_for_parameters() -> None:
    made = convert("sddsprocess $f $g '-define=par,next,Step+1,algebraic'")
    assert "next=step+1" in made.text
    assert [one.text for one in made.remarks] == [NUMBERED]
    script = "sddsprocess $f $g '-define=col,a,x*Step,algebraic'"  # Step may be a column
    made = convert(script)
    assert made.text == script
    assert [one.is_left for one in made.remarks] == [True]
    made = convert("sddsprocess $f $g '-define=col,Step,2*x,algebraic' '-define=col,a,x*Step,algebraic'")
    assert "'a=x*Step'" in made.text


def test_a_column_of_this_name_is_used_in_infix(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.sdds"
    with quire.create(path) as out:
        out.step(0).put("Step", [7.5]).commit()
    run("sddsprocess", path, tmp_path / "new.sdds", "-define=col,a,2*Step,algebraic", "--explain")
    assert "'a=2*Step'" in capfd.readouterr().out


def test_an_attribute_of_this_name_precedes_the_number(tmp_path: Path) -> None:
    path = tmp_path / "own.sdds"
    with quire.create(path) as out:
        out.step(0).set("Step", 7.5).put("x", [1.0]).commit()
    with quire.open(path) as file:
        assert file[0].table.where("rpn: Step 7 >")["x"].read().tolist() == [1.0]


def test_limits_and_numbers_of_other_steps_are_left_in_scripts() -> None:
    for script, reason in (
        ("sddsprocess $f $g -filter=col,x,Step,4", "no command does the same"),
        (
            "sddsbreak $f -pipe=out -change=x | sddsprocess -pipe=in $g '-define=col,a,x Step *'",
            "steps are numbered anew",
        ),
        (
            "sddsbreak $f -pipe=out -change=x | sddsprocess -pipe=in $g '-define=par,a,2*Step,algebraic'",
            "steps are numbered anew",
        ),
    ):
        made = convert(script)
        assert made.text == script
        *_, remark = made.remarks
        assert remark.is_left
        assert reason in remark.text


@pytest.mark.parametrize(
    ("names", "points"), [("q,Step", "q,step 2.5,1.0 3.5,4.0"), ("Step,q", "step,q 1.0,2.5 4.0,3.5")]
)
def test_it_is_drawn(
    numbered: Path, tmp_path: Path, names: str, points: str, capfd: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "picture.png"
    words = [f"-par={names}", str(numbered), "-device=png", f"-output={picture}"]
    run("sddsplot", *words)
    assert picture.exists()
    run("sddsplot", *words, "--explain")
    _, *command = shlex.split(capfd.readouterr().out.splitlines()[-1])
    built(command[0]).main([*command[1:], "--data", "-"], standalone_mode=False)
    assert capfd.readouterr().out.split() == points.split()


def test_one_that_gives_no_numbers_is_drawn_by_its_name(
    numbered: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    numbered.write_text(TEXT.replace("\n4\n", "\n1\n"))
    run("sddsplot", "-par=q,Step", numbered, "-device=png", f"-output={tmp_path}/picture.png", "--explain")
    assert "--attributes Step -x q" in capfd.readouterr().out
    made = convert("sddsplot -par=q,Step $f -device=png -output=picture.png")
    assert "--attributes step -x q" in made.text
    assert [one.text for one in made.remarks] == [NUMBERED]


def test_texts_of_pictures_have_it(numbered: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["-col=x,x", str(numbered), "-split=page", "-title=@Step", "-legend=parameter=Step"]
    output = ["-device=png", f"-output={tmp_path}/picture.png"]
    run("sddsplot", *words, *output)
    assert (tmp_path / "picture.png").exists()
    run("sddsplot", *words, *output, "--explain")
    assert "--labels @step --title=@step" in capfd.readouterr().out
    numbered.write_text(TEXT.replace("\n4\n", "\n1\n"))
    run("sddsplot", *words, *output, "--explain")
    assert "--labels @Step --title=@Step" in capfd.readouterr().out
