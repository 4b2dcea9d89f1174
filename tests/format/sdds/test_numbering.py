"""Steps without stored numbers get none when the file is copied."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import app


def names_of(path: Path) -> list[str]:
    """The numbers of the steps, and whether the file stores them, in words."""
    with quire.open(path) as file:
        return [*map(str, file.numbers), "numbered" if file.layout["step_parameter"] == "1" else "counted"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["0", "1", "2", "counted"]),
        (["--option", "mode=ascii"], ["0", "1", "2", "counted"]),
        (["--option", "step_parameter=true"], ["0", "1", "2", "numbered"]),
        (["--steps", "1-"], ["1", "2", "numbered"]),
    ],
)
def test_counted_steps_stay_counted(tmp_path: Path, arguments: list[str], expected: list[str]) -> None:
    counted, target = tmp_path / "counted.sdds", tmp_path / "target.sdds"
    with quire.create(counted, step_parameter=False) as out:
        for page in range(3):
            out.step(page).put("x", [0.5 * page]).commit()
    result = CliRunner().invoke(app, ["convert", str(counted), str(target), *arguments])
    assert result.exit_code == 0, result.stderr
    assert names_of(target) == expected
    with quire.open(target) as file:
        assert [step["x"][0] for step in file] == [0.5 * int(number) for number in expected[:-1]]


def test_a_copy_of_a_counted_file_has_the_same_bytes(tmp_path: Path) -> None:
    source = Path(__file__).resolve().parents[2] / "data" / "sdds" / "pages_ascii.sdds"
    target = tmp_path / "target.sdds"
    words = ["convert", str(source), str(target), "--option", "mode=ascii", "--option", "canonical=true"]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert target.read_bytes() == source.read_bytes()


def test_steps_that_are_numbered_elsewhere_stay_numbered(tmp_path: Path) -> None:
    source, target = tmp_path / "source.h5part", tmp_path / "target.sdds"
    with quire.create(source) as out:
        out.step(0).put("x", [0.5]).commit()
    assert CliRunner().invoke(app, ["convert", str(source), str(target)]).exit_code == 0
    assert names_of(target) == ["0", "numbered"]


def test_numbers_beyond_31_bits_are_kept_by_an_attribute_of_the_user(tmp_path: Path) -> None:
    wide = tmp_path / "wide.sdds"
    with quire.create(wide) as out:
        for number in (7, 2**40):
            out.step(number).set("Step", number, type="int64").put("x", [0.5]).commit()
    assert names_of(wide) == ["7", str(2**40), "numbered"]


def test_numbers_beyond_31_bits_are_kept_with_step_type_long64(tmp_path: Path) -> None:
    wide, copy, narrow = tmp_path / "wide.sdds", tmp_path / "copy.sdds", tmp_path / "narrow.sdds"
    with quire.create(wide, step_type="long64") as out:
        for number in (0, 2**31):
            out.step(number).put("x", [0.5]).commit()
    assert CliRunner().invoke(app, ["convert", str(wide), str(copy)]).exit_code == 0
    with quire.open(copy) as file:
        assert file.numbers == [0, 2**31]
    with quire.create(narrow) as out:
        out.step(0).put("x", [0.5]).commit()
        with pytest.raises(
            quire.TypeMismatchError, match=r"does not fit into type long.*step_type=long64"
        ) as caught:
            out.step(2**31).put("x", [0.5]).commit()
    assert caught.value.object == "Step"
    assert names_of(narrow) == ["0", "numbered"]


@pytest.mark.parametrize(
    ("arguments", "numbers", "type"),
    [
        ([], [4, 2**31], "long64"),
        (["--steps", "5-"], [2**31], "long64"),
        (["--steps", "0-4"], [4], None),
        (["--option", "step_type=long64", "--steps", "0-4"], [4], "long64"),
    ],
)
def test_converted_numbers_get_the_type_that_they_need(
    tmp_path: Path, arguments: list[str], numbers: list[int], type: str | None
) -> None:
    source, target = tmp_path / "source.h5part", tmp_path / "target.sdds"
    with quire.create(source) as out:
        for number in (4, 2**31):
            out.step(number).put("x", [0.5]).commit()
    result = CliRunner().invoke(app, ["convert", str(source), str(target), *arguments])
    assert result.exit_code == 0, result.stderr
    with quire.open(target) as file:
        assert file.numbers == numbers
        assert file.layout.get("step_type") == type


def test_line_ends_in_the_texts_of_a_file_are_reported(tmp_path: Path) -> None:
    one, copy = tmp_path / "one.sdds", tmp_path / "copy.sdds"
    with quire.create(one) as out:
        out.title, out.contents, out.attrs["n"] = "two\nlines", "one", [1, 2]
        out.step(0).put("x", [0.5]).commit()
        remarks = out.remarks
    assert [text.split(":")[0] for text in remarks] == ["title of the file", "attribute n of the file"]
    assert remarks[0].endswith("line ends become blanks")
    with quire.open(one) as file:
        assert file.title == "two lines"
    source = tmp_path / "source.h5part"
    with quire.create(source) as out:
        out.title, out.contents = "two\nlines", "of\ntext"
        out.step(0).put("x", [0.5]).commit()
        assert out.remarks == []
    result = CliRunner().invoke(app, ["convert", str(source), str(copy)])
    assert result.exit_code == 0
    for text in ("title", "contents"):
        assert result.stderr.count(f"{text} of the file: line ends become blanks") == 1
