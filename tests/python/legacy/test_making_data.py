"""Programs that make pages of text: of values on the command line, and of plain text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.python.legacy.support import run

import quire
from quire.legacy.running import main


def contents(path: Path) -> dict[str, Any]:
    """The values of all elements, by name, of the first page."""
    data = quire.sdds.load(path)
    columns = {name: list(one.pages[0]) for name, one in data.columns.items()}
    return columns | {name: one.pages[0] for name, one in data.parameters.items()}


def test_a_data_set_is_made_of_values(tmp_path: Path) -> None:
    path = tmp_path / "made.sdds"
    words = [
        "-ascii", "-defaultType=double", "-description=two lists",
        "-column=x,units=m,symbol=X", "-data=1,2.5", "-column=n,type=string", "-data=3,a b",
        "-parameter=p,type=long,description=count", "-data=7", "-col=c,type=char", "-data=a,b",
    ]  # fmt: skip
    run("sddsmakedataset", path, *words)
    assert contents(path) == {"x": [1, 2.5], "n": ["3", "a b"], "c": [b"a", b"b"], "p": 7}
    data = quire.sdds.load(path)
    assert (data.columns["x"].unit, data.columns["x"].symbol, data.columns["x"].type) == ("m", "X", "float64")
    assert (data.parameters["p"].type, data.parameters["p"].description) == ("int32", "count")
    with quire.open(path) as file:
        assert (file.title, file.layout["mode"]) == ("two lists", "ascii")


def test_plain_text_has_pages_with_parameters(tmp_path: Path) -> None:
    text, path = tmp_path / "plain.txt", tmp_path / "plain.sdds"
    text.write_text('title\n# remark\n7.5\n2\n1 9 "a b"\n2 9 c\n\n8.5\n1\n3 9 d\n')
    run(
        "plaindata2sdds", text, path, "-skiplines=1", "-comment=#", "-parameter=q,double,units=m",
        "-column=x,double,units=s", "-skipcol=long", "-column=t,string",
    )  # fmt: skip
    data = quire.sdds.load(path)
    assert data.parameters["q"].pages == [7.5, 8.5]
    assert [list(page) for page in data.columns["x"].pages] == [[1, 2], [3]]
    assert [list(page) for page in data.columns["t"].pages] == [["a b", "c"], ["d"]]
    assert data.columns["x"].unit == "s"


def test_plain_text_without_numbers_of_rows(tmp_path: Path) -> None:
    text, path = tmp_path / "plain.txt", tmp_path / "plain.sdds"
    text.write_text("1,2\n3,4\n")
    run("plaindata2sdds", text, path, "-norow", "-sep=\\,", "-col=x,double", "-col=k,long", "-out=binary")
    assert contents(path) == {"x": [1, 3], "k": [2, 4]}
    text.write_text("1\n2\nend\n3\nend\n")
    run("plaindata2sdds", text, path, "-norow", "-col=x,double", "-eof=end")
    assert [list(page) for page in quire.sdds.load(path).columns["x"].pages] == [[1, 2], [3]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("sddsmakedataset out.sdds -column=x -data=1", "type=... is needed, or -defaultType"),
        ("sddsmakedataset out.sdds -column=x,type=double", "-data=... must follow it"),
        ("sddsmakedataset out.sdds -data=1", "an element comes before it"),
        ("sddsmakedataset out.sdds -col=x,type=long -data=1.5", "\"x\": '1.5' is no value of type int32"),
        ("sddsmakedataset out.sdds -col=x,type=long -data=1_000", "'1_000' is no value of type int32"),
        ("sddsmakedataset out.sdds -col=x,type=float -data=1e39", "'1e39' is no value of type float32"),
        ("sddsmakedataset out.sdds -col=x,type=double -data=1e999", "'1e999' is no value of type float64"),
        ("sddsmakedataset out.sdds -col=x,type=short -data=70000", "'70000' is no value of type int16"),
        ("sddsmakedataset out.sdds -par=x,type=long -data=1,2", "a parameter has one value, and not 2"),
        (
            "sddsmakedataset out.sdds -def=double -col=x -data=1,2 -col=y -data=1",
            "columns differ in length: x 2, y 1; none is filled up",
        ),
        ("plaindata2sdds text out.sdds", "an element is needed"),
        ("plaindata2sdds text out.sdds -col=x,double", "line 1: the number of rows is expected, not '1.5 a'"),
        ("plaindata2sdds text out.sdds -col=x,double -norow", "line 1 has 2 values, and not 1"),
        ("plaindata2sdds count out.sdds -col=x,double", "a page has 1 rows, and not 2"),
        ("plaindata2sdds text out.sdds -col=x,double -input=binary", "it is not translated"),
        ("plaindata2sdds text -col=x,double", "the output is missing"),
    ],
)
def test_mistakes_are_errors(
    tmp_path: Path,
    words: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("1.5 a\n")
    Path("count").write_text("2\n1\n")
    program, *given = words.split()
    assert main(program, given) == 1
    assert said in capsys.readouterr().err
    assert not Path("out.sdds").exists()


def test_explained_data_are_a_command_or_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["out.sdds", "-col=x,type=double,units=m", "-data=1,2", "-col=n,type=string", "-data=a,b"]
    assert main("sddsmakedataset", [*words, "--explain"]) == 0
    assert "quire run new 'x[m]=1,2' n=a,b / select --cast x=float64 / write" in capsys.readouterr().out
    assert main("sddsmakedataset", [*words, "-par=p,type=long", "-data=1", "--explain"]) == 0
    made = capsys.readouterr().out
    compile(made, "explained", "exec")
    assert "from quire.legacy.acts.making import GivenData" in made
