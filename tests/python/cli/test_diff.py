"""quire diff and the comparison under it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.python.support.files import formats_of_uneven_steps

import quire
from quire.io.formats import format_infos
from quire.toolkit import difference as engine
from quire.toolkit.value_difference import Rules, compare_values

if TYPE_CHECKING:
    from tests.python.cli.conftest import Cut, Make, Run, Start, Values


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_the_same_values_are_the_same_in_any_format(
    run: Run, beam: Path, make: Make, other_format: str, monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    monkeypatch.setattr(engine, "BLOCK_BYTES", block_bytes)
    outcome = run("diff", beam, make(other_format, "other"))
    assert (outcome.code, outcome.output, outcome.errors) == (0, "", "")


def test_the_first_difference_is_reported_with_its_place(
    run: Run, beam: Path, make: Make, format: str, values: Values
) -> None:
    changed = values(9)["x"].copy()
    changed[[17, 40]] += [1e-9, 3e-9]
    other = make(format, "other", x=changed)
    outcome = run("diff", "--json", beam, other)
    assert outcome.code == 1
    answer = json.loads(outcome.output)
    assert not answer["same"]
    by_name = {column["name"]: column for column in answer["columns"]}
    assert by_name["px"]["different"] == by_name["id"]["different"] == 0
    x = by_name["x"]
    assert (x["compared"], x["different"]) == (300, 2)
    assert (x["first"]["step"], x["first"]["row"]) == (9, 17)
    assert (x["first"]["left"], x["first"]["right"]) == (values(9)["x"][17], changed[17])
    assert x["largest_absolute"] == pytest.approx(3e-9, rel=1e-5)
    assert "step 9 row 17" in run("diff", beam, other).output
    assert run("diff", "--atol", "4e-9", beam, other).code == 0
    assert run("diff", "--atol", "2e-9", beam, other).code == 1
    assert run("diff", "--columns", "px,id", beam, other).code == 0
    assert run("diff", "--ignore", "x", beam, other).code == 0
    assert run("diff", "--steps", "1-4", beam, other).code == 0
    assert run("diff", "--quiet", beam, other).output == ""


@pytest.mark.parametrize("target", [one.name for one in format_infos() if one.one_step and one.tables])
def test_attributes_of_a_file_and_of_its_only_step_are_alike(
    run: Run, make: Make, format: str, target: str, tmp_path: Path
) -> None:
    """A format of one step may have no separate place for them."""
    beam = make(format, numbers=[0])
    with quire.open(beam) as file:
        step = file[0]
        for name, values in (("same", {}), ("other", {"code": "another"}), ("less", {"code": None})):
            attributes = {**file.attrs.info, **step.attrs.info, **values}
            with quire.create(tmp_path / name, format=target) as out, out.step(0) as copied:
                for key, item in attributes.items():
                    if item is not None:
                        copied.set(key, item)
                for column in step.table.columns.values():
                    copied.put(column.name, column.read(), like=column)
    for pair in ((beam, tmp_path / "same"), (tmp_path / "same", beam)):
        assert run("diff", *pair).output == ""
    assert "attribute 'code' is 'tracker' and 'another'" in run("diff", beam, tmp_path / "other").output
    assert "the file: attribute 'code' is only in" in run("diff", beam, tmp_path / "less").output


def with_code_in_steps(beam: Path, target: Path, format: str, codes: dict[int, str]) -> Path:
    """The same file with the attribute code in these steps instead of the file."""
    with quire.open(beam) as file, quire.create(target, format=format) as out:
        for step in file:
            with out.step(step.number) as copied:
                for key, item in step.attrs.info.items():
                    copied.set(key, item)
                if step.number in codes:
                    copied.set("code", codes[step.number])
                for column in step.table.columns.values():
                    copied.put(column.name, column.read(), like=column)
    return target


def test_an_attribute_of_the_file_is_the_same_in_every_step(
    run: Run, beam: Path, format: str, tmp_path: Path
) -> None:
    """Other programs write the attributes of the file into each step."""
    same = with_code_in_steps(beam, tmp_path / "same", format, dict.fromkeys((1, 4, 9), "tracker"))
    codes = {1: "tracker", 4: "another", 9: "tracker"}
    other = with_code_in_steps(beam, tmp_path / "other", format, codes)
    none = with_code_in_steps(beam, tmp_path / "none", format, {})
    for left, right in ((beam, same), (same, beam)):
        assert run("diff", left, right).output == ""
    assert run("diff", beam, other).output == "step 4: attribute 'code' is 'tracker' and 'another'\n"
    assert run("diff", other, beam).output == "step 4: attribute 'code' is 'another' and 'tracker'\n"
    assert run("diff", beam, none).output == f"the file: attribute 'code' is only in {beam}\n"
    assert run("diff", beam, none, "--ignore", "code").code == 0


@pytest.mark.parametrize("uneven", formats_of_uneven_steps())
def test_an_attribute_missing_in_one_step_is_reported(
    run: Run, beam: Path, uneven: str, tmp_path: Path
) -> None:
    less = with_code_in_steps(beam, tmp_path / "less", uneven, {1: "tracker", 9: "tracker"})
    assert run("diff", beam, less).output == f"step 4: attribute 'code' is only in {beam}\n"
    assert run("diff", beam, less, "--steps", "1,9").code == 0
    assert run("diff", beam, less, "--ignore", "code").code == 0


def test_equally_damaged_files_are_not_the_same(run: Run, beam: Path, cut: Cut, tmp_path: Path) -> None:
    damaged = cut(beam, 100)
    other = tmp_path / f"other{beam.suffix}"
    other.write_bytes(damaged.read_bytes())
    outcome = run("diff", damaged, other)
    assert (outcome.code, outcome.output) == (3, "")
    try:
        quire.open(damaged).close()
    except quire.BadFileError:
        # Nothing of this format is left after such a cut: the error names the first file.
        assert str(damaged) in outcome.errors
        return
    lines = outcome.errors.splitlines()
    assert all(str(path) in line for path, line in zip((damaged, other), lines, strict=True))
    answer = json.loads(run("diff", "--json", damaged, other).output)
    assert not answer["same"]
    assert len(answer["damages"]) == 2
    assert answer["problems"] == []


def test_missing_steps_rows_and_names_are_reported(run: Run, beam: Path, make: Make, format: str) -> None:
    fewer = make(format, "fewer", numbers=[1, 4])
    assert "step 9 is only in" in run("diff", beam, fewer).output
    shorter = make(format, "shorter", rows=99)
    assert "has 100 and 99 rows" in run("diff", beam, shorter).output
    other = make(format, "other")
    with quire.create(other, format=format) as out, out.step(1) as step:
        step.set("s", 0.5, unit="cm")
        step.put("x", np.arange(100.0), unit="m")
    output = run("diff", "--steps", "1", beam, other).output
    for sentence in ("'code' is only in", "'turn' is only in", "has unit 'm' and 'cm'", "'px' is only in"):
        assert sentence in output
    assert "cm" not in run("diff", "--no-units", "--steps", "1", beam, other).output
    assert "turn" not in run("diff", "--no-attributes", "--steps", "1", beam, other).output


def test_types_matter_only_with_an_option(
    run: Run, beam: Path, make: Make, format: str, values: Values
) -> None:
    other = make(format, "other", numbers=[1], id=values(1)["id"].astype(np.int64))
    same = make(format, "same", numbers=[1])
    assert run("diff", same, other).code == 0
    assert run("diff", "--types", same, other).code == 1


def nan(payload: int = 0, width: int = 8) -> np.ndarray[Any, Any]:
    """A NaN with a payload; one that includes its highest bit is signalling."""
    quiet = int(np.array([np.nan], dtype=f"f{width}").view(f"u{width}")[0])
    return np.array([quiet ^ payload], dtype=f"u{width}").view(f"f{width}")


def test_signs_of_zero_and_bits_of_nan_count_by_default(run: Run, make: Make, format: str) -> None:
    left = make(format, "left", rows=4, numbers=[1], x=np.array([0.0, -0.0, np.nan, 1.0]))
    changed = np.concatenate([[-0.0, -0.0], nan(0xBAD), [1.0]])
    right = make(format, "right", rows=4, numbers=[1], x=changed)
    outcome = run("diff", left, right)
    assert outcome.code == 1
    assert "2 differ in the sign of zero or the bits of NaN only" in outcome.output
    answer = json.loads(run("diff", "--json", left, right).output)
    (x,) = (column for column in answer["columns"] if column["name"] == "x")
    assert (x["different"], x["different_representation"], x["largest_absolute"]) == (2, 2, 0)
    assert run("sum", left).output.split()[0] != run("sum", right).output.split()[0]
    for options in (["--no-representation"], ["--rtol", "1e-15"], ["--atol", "1e-300"]):
        assert run("diff", *options, left, right).output == ""


def test_bits_of_nan_in_attributes_count_too(run: Run, make: Make, format: str) -> None:
    left, right = (make(format, name) for name in ("left", "right"))
    for path, value in ((left, np.nan), (right, nan(5)[0])):
        with quire.create(path, format=format) as out, out.step(0) as step:
            step.set("v", value)
            step.put("x", np.zeros(1))
    assert "attribute 'v' is nan and nan of other bits" in run("diff", left, right).output
    assert run("diff", "--no-representation", left, right).code == 0


def test_nan_equals_nan(run: Run, make: Make, format: str) -> None:
    strange = np.array([np.nan, np.inf, 1.0])
    left = make(format, "left", rows=3, numbers=[1], x=strange)
    right = make(format, "right", rows=3, numbers=[1], x=strange)
    assert run("diff", left, right).code == 0
    other = make(format, "other", rows=3, numbers=[1], x=np.array([1.0, np.nan, np.inf]))
    answer = json.loads(run("diff", "--json", "--rtol", "1e30", left, other).output)
    assert {c["name"]: c["different"] for c in answer["columns"]}["x"] == 3


@pytest.mark.parametrize(
    ("left", "right", "rules", "differs"),
    [
        (np.array([0.0]), np.array([-0.0]), Rules(), True),
        (np.array([0.0]), np.array([-0.0]), Rules(representation=False), False),
        (np.array([0.0]), np.array([-0.0]), Rules(absolute=1e-300), False),
        (np.array([0.0]), np.array([-0.0], dtype=np.float32), Rules(), True),
        (np.array([-0.0], dtype=np.longdouble), np.array([-0.0], dtype=np.float32), Rules(), False),
        (nan(1), nan(2), Rules(), True),
        (nan(1), nan(2), Rules(representation=False), False),
        (nan(1), nan(2), Rules(relative=1e-300), False),
        (nan(1 << 29), nan(1, 4), Rules(), False),
        (nan(1 << 29), nan(1 << 29).astype(np.longdouble), Rules(), False),
        (nan(1), nan(1, 4), Rules(), True),
        (nan(), -nan(), Rules(), True),
        (nan(), nan(0, 4), Rules(), False),
        (nan(1 << 51 ^ 1), nan(1), Rules(), True),
        (np.array([1.0]), np.array([1.0 + 2e-16]), Rules(), True),
        (np.array([100.0]), np.array([101.0]), Rules(relative=0.0099), True),
        (np.array([100.0]), np.array([101.0]), Rules(relative=0.01), False),
        (np.array([2**63 - 1]), np.array([2**63 - 2]), Rules(), True),
        (np.array([-(2**63)]), np.array([2**63 - 1]), Rules(), True),
        (np.array([2**53 + 1]), np.array([2.0**53]), Rules(), True),
        (np.array([2**64 - 1], dtype=np.uint64), np.array([-1]), Rules(), True),
        (np.array([np.inf]), np.array([1.0]), Rules(relative=1.0), True),
        (np.array([0.1], dtype=np.float32), np.array([0.1]), Rules(), True),
        (np.array([0.1], dtype=np.float32), np.array([0.1]), Rules(relative=1e-7), False),
        (np.array(["a"], dtype=object), np.array([b"a"], dtype="S1"), Rules(), False),
        (np.array(["a"], dtype=object), np.array(["b"], dtype=object), Rules(relative=1.0), True),
        (np.array(["1"], dtype=object), np.array([1]), Rules(), True),
    ],
)
def test_values_compare_by_meaning(left: Any, right: Any, rules: Rules, differs: bool) -> None:
    assert compare_values(left, right, rules)[0].tolist() == [differs]
    assert compare_values(right, left, rules)[0].tolist() == [differs]


def test_the_distance_of_integers_does_not_wrap() -> None:
    _, absolute, _ = compare_values(np.array([-(2**63)]), np.array([2**63 - 1]), Rules())
    assert float(absolute[0]) == pytest.approx(2.0**64)


def test_either_file_may_come_from_standard_input(start: Start, beam: Path) -> None:
    data = beam.read_bytes()
    assert start("diff", "-", beam, stdin=data).returncode == 0
    assert start("diff", beam, "-", stdin=data).returncode == 0
    both = start("diff", "-", "-", stdin=data)
    assert (both.returncode, b"both" in both.stderr) == (2, True)


def test_a_bad_file_is_no_difference(run: Run, beam: Path, tmp_path: Path) -> None:
    letter = tmp_path / "letter"
    letter.write_text("Dear reader,\n")
    assert run("diff", beam, letter).code == 3
    assert run("diff", beam, tmp_path / "nothing").code == 4


def write_columns(path: Path, names: str, number: int = 0, change: float = 0.0) -> Path:
    """Two columns of other names with the same values, except for one value of the last column."""
    with quire.create(path, format=quire.formats()[0]) as out, out.step(number) as step:
        for place, name in enumerate(names.split()):
            values = np.arange(4.0) + place
            values[2] += change * (name == names.split()[-1])
            step.put(name, values, unit="m")
    return path


def test_files_with_other_names_are_compared_by_position(run: Run, tmp_path: Path) -> None:
    left = write_columns(tmp_path / "left", "x y")
    right = write_columns(tmp_path / "right", "Xpos Ypos", 7)
    outcome = run("diff", left, right, "--no-attributes")
    assert outcome.code == 1
    assert "step 7 is only in" in outcome.output
    assert run("diff", left, right, "--by-position").code == 0
    changed = write_columns(tmp_path / "changed", "Xpos Ypos", 7, 0.5)
    outcome = run("diff", left, changed, "--by-position", "--json")
    assert outcome.code == 1
    found = {column["name"]: column for column in json.loads(outcome.output)["columns"]}
    assert (found["x and Xpos"]["different"], found["y and Ypos"]["different"]) == (0, 1)
    assert found["y and Ypos"]["first"] == {"step": 0, "element": None, "row": 2, "left": 3.0, "right": 3.5}
    assert run("diff", left, changed, "--by-position", "--columns", "x").code == 0
    assert run("diff", left, changed, "--by-position", "--columns", "y").code == 1
    assert run("diff", left, changed, "--by-position", "--where", "row < 2").code == 0
    assert run("diff", left, changed, "--by-position", "--ignore", "y").code == 0


def test_other_numbers_of_columns_are_reported_by_position(run: Run, tmp_path: Path) -> None:
    left, right = write_columns(tmp_path / "left", "x y"), write_columns(tmp_path / "right", "X Y Z")
    outcome = run("diff", left, right, "--by-position")
    assert (outcome.code, outcome.output) == (1, "step 0: columns: there are 2 and 3\n")


def test_other_names_of_columns_hint_at_the_comparison_by_position(run: Run, tmp_path: Path) -> None:
    left = write_columns(tmp_path / "left", "x y")
    hint = "names differ: --by-position compares columns in their order\n"
    assert run("diff", left, write_columns(tmp_path / "other", "X Y")).errors == hint
    assert run("diff", left, write_columns(tmp_path / "more", "x y z")).errors == ""


def write_rows(path: Path, ids: list[int], change: float = 0.0) -> Path:
    """Rows of particles in any order; `change` is added to that with the number 3."""
    with quire.create(path, format=quire.formats()[0]) as out, out.step(0) as step:
        numbers = np.array(ids)
        step.put("id", numbers)
        step.put("x", 0.5 * numbers + change * (numbers == 3))
        step.put("name", [f"particle {number}" for number in ids])
    return path


def test_rows_in_another_order_are_matched_by_a_key(run: Run, tmp_path: Path) -> None:
    left = write_rows(tmp_path / "left", [1, 2, 3, 4])
    other = write_rows(tmp_path / "other", [4, 3, 1, 2])
    assert run("diff", left, other).code == 1
    assert run("diff", left, other, "--key", "id").code == 0
    assert run("diff", left, other, "--key", "name").code == 0
    changed = write_rows(tmp_path / "changed", [4, 3, 1, 2], 0.25)
    outcome = run("diff", left, changed, "--key", "id", "--json")
    assert outcome.code == 1
    (x,) = (column for column in json.loads(outcome.output)["columns"] if column["name"] == "x")
    assert (x["compared"], x["different"]) == (4, 1)
    assert x["first"] == {"step": 0, "element": None, "row": 2, "left": 1.5, "right": 1.75}


def test_rows_without_a_partner_are_reported(run: Run, tmp_path: Path) -> None:
    left = write_rows(tmp_path / "left", [1, 2, 3, 4])
    outcome = run("diff", left, write_rows(tmp_path / "other", [3, 7]), "--key", "id")
    assert outcome.code == 1
    assert outcome.output.splitlines() == [
        "step 0 has 4 and 2 rows",
        f"step 0: rows with id 1, 2, 4 are only in {left}",
        f"step 0: rows with id 7 are only in {tmp_path / 'other'}",
    ]


@pytest.mark.parametrize(
    ("ids", "options", "message"),
    [
        (
            [1, 1, 2],
            ["--key", "id"],
            '"id": 2 rows have the value 1, so rows cannot be matched by this column',
        ),
        ([1, 2], ["--key", "number"], "there is no column 'number' in both files, to match rows by"),
        ([1, 2], ["--key", "id", "--rows", "0:1"], "--key matches all rows; leave out --rows and --where"),
    ],
)
def test_keys_that_match_no_rows_are_refused(
    run: Run, tmp_path: Path, ids: list[int], options: list[str], message: str
) -> None:
    left = write_rows(tmp_path / "left", ids)
    outcome = run("diff", left, left, *options)
    assert outcome.code in (1, 2)
    assert message in outcome.errors
