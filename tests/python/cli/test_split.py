"""quire split: parts that together are the file, in any format, on any number of ranks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.python.support.files import formats_of_uneven_steps, path_for

import quire
from quire import Table
from quire.toolkit import grouped, split
from quire.toolkit.define import define
from quire.toolkit.definitions import parse_definition

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Start, Values


def test_each_step_gets_a_file_of_any_format(
    run: Run, beam: Path, make: Make, other_format: str, tmp_path: Path, values: Values
) -> None:
    suffix = make(other_format, "other").suffix
    outcome = run("split", beam, tmp_path / ("part_{step:03d}" + suffix), "--json")
    assert outcome.code == 0, outcome.errors
    targets = [tmp_path / f"part_{number:03d}{suffix}" for number in (1, 4, 9)]
    files = json.loads(outcome.output)["files"]
    assert [(one["path"], one["steps"], one["rows"]) for one in files] == [
        (str(one), 1, 100) for one in targets
    ]
    for number, target in zip((1, 4, 9), targets, strict=True):
        with quire.open(target) as file:
            assert file.numbers == [number]
            assert file.attrs["code"] == "tracker"
            assert file[0].attrs["turn"] == number
            assert file[0]["x"].unit == "m"
            for name, column in values(number).items():
                np.testing.assert_array_equal(file[0][name][:], column)


def test_several_steps_share_a_file(run: Run, one_beam: Path, tmp_path: Path) -> None:
    pattern = tmp_path / ("{part}_{step}" + one_beam.suffix)
    assert run("split", one_beam, pattern, "--every", "2").code == 0
    with quire.open(tmp_path / f"0_1{one_beam.suffix}") as file:
        assert file.numbers == [1, 4]
    with quire.open(tmp_path / f"1_9{one_beam.suffix}") as file:
        assert file.numbers == [9]


def test_parts_of_rows_are_the_rows_of_the_file(run: Run, beam: Path, tmp_path: Path, values: Values) -> None:
    assert run("split", beam, tmp_path / ("{part}" + beam.suffix), "--rows", "40").code == 0
    files = [quire.open(tmp_path / f"{part}{beam.suffix}") for part in range(3)]
    assert not (tmp_path / f"3{beam.suffix}").exists()
    for number in (1, 4, 9):
        assert [len(file.step(number).table) for file in files] == [40, 40, 20]
        together = np.concatenate([file.step(number)["x"][:] for file in files])
        np.testing.assert_array_equal(together, values(number)["x"])
    for file in files:
        file.close()


def test_each_value_of_a_column_gets_a_file(run: Run, tmp_path: Path) -> None:
    names = ["it's", "drift", "quad"]
    source = path_for(tmp_path, quire.formats()[0], "lattice")
    with quire.create(source) as out:
        for number in range(2):
            with out.step(number) as step:
                step["s"] = np.arange(6.0) + number
                step["kind"] = np.array([names[place % (number + 2)] for place in range(6)], dtype=object)
    assert run("split", source, source.with_stem("{value}"), "--by", "kind").code == 0
    with quire.open(source.with_stem("it's")) as file:
        assert [step["s"][:].tolist() for step in file] == [[0, 2, 4], [1, 4]]
    with quire.open(source.with_stem("quad")) as file:
        assert [(step.number, step["s"][:].tolist()) for step in file] == [(1, [3, 6])]


@pytest.mark.parametrize("together", [2, 100])
def test_rows_are_read_once_for_all_values(
    one_beam: Path, tmp_path: Path, values: Values, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    monkeypatch.setattr(split, "MOST_TOGETHER", together)
    monkeypatch.setattr(split, "MOST_IN_MEMORY", 100)
    monkeypatch.setattr(grouped, "BLOCK_BYTES", 400)
    read: list[int] = []
    blocks = Table.blocks

    def counted(self: Table, names: Any, *arguments: Any, **more: Any) -> Iterator[Any]:
        for first, block in blocks(self, names, *arguments, **more):
            if "x" in block:
                read.append(len(block["x"]))
            yield first, block

    monkeypatch.setattr(Table, "blocks", counted)
    source = tmp_path / f"classes{one_beam.suffix}"
    definition = parse_definition("class=id % 3")
    define(one_beam, source, [definition])
    read.clear()
    reports = split.split(source, str(tmp_path / ("{value}" + one_beam.suffix)), split.Division(by="class"))
    assert sum(read) == 300 * (2 if together == 2 else 1)
    assert len(read) > 3  # blocks are smaller than steps
    assert [report.rows for report in reports.values()] == [99, 102, 99]
    for kind in range(3):
        with quire.open(tmp_path / f"{kind}{one_beam.suffix}") as file:
            for step in file:
                expected = values(step.number)
                chosen = expected["id"] % 3 == kind
                np.testing.assert_array_equal(step["x"][:], expected["x"][chosen])


def test_steps_without_the_column_are_left_out(run: Run, tmp_path: Path) -> None:
    format = formats_of_uneven_steps()[0]
    source = path_for(tmp_path, format, "uneven")
    with quire.create(source, format=format) as out:
        for number in range(2):
            with out.step(number) as step:
                step["x"] = np.arange(4.0)
                if number == 1:
                    step["k"] = np.arange(4) % 2
    assert run("split", source, source.with_stem("k{value}"), "--by", "k", "--format", format).code == 0
    with quire.open(source.with_stem("k1")) as file:
        assert [(step.number, step["x"][:].tolist()) for step in file] == [(1, [1, 3])]


def test_each_value_of_an_attribute_gets_a_file(run: Run, one_beam: Path, tmp_path: Path) -> None:
    assert run("split", one_beam, tmp_path / ("at{value:.1f}" + one_beam.suffix), "--by", "s").code == 0
    for number in (1, 4, 9):
        with quire.open(tmp_path / f"at{0.5 * number:.1f}{one_beam.suffix}") as file:
            assert file.numbers == [number]


@pytest.mark.mpi
def test_ranks_write_the_same_files(start: Start, one_beam: Path, tmp_path: Path) -> None:
    for ranks, name in ((0, "alone"), (2, "together")):
        (tmp_path / name).mkdir()
        pattern = tmp_path / name / ("{value}" + one_beam.suffix)
        outcome = start("split", one_beam, pattern, "--by", "id", "--steps", "4", ranks=ranks)
        assert outcome.returncode == 0, outcome.stderr
    for number in (1, 50, 100):
        alone, together = (tmp_path / name / f"{number}{one_beam.suffix}" for name in ("alone", "together"))
        assert alone.read_bytes() == together.read_bytes()


@pytest.mark.parametrize(
    ("pattern", "options", "message"),
    [
        ("all{suffix}", ["--every", "1"], "there is no {suffix}"),
        ("all", ["--every", "1"], "all files would have the name"),
        ("{step", [], "is not a pattern of names"),
        ("{step:s}", [], "cannot be filled in"),
        ("{step!r:.0}", [], "two files would have the name"),
        ("{value}", ["--by", "x"], "not of floating-point numbers"),
        ("{value}", ["--by", "y"], "no step has a column or an attribute 'y'"),
        ("{part}", ["--rows", "0"], "must be at least 1"),
        ("{part}", ["--rows", "9", "--every", "2"], "divided in one way"),
        ("{part}", ["--steps", "2"], "no step has one of these numbers"),
    ],
)
def test_nothing_is_written_where_the_names_are_wrong(
    run: Run, one_beam: Path, tmp_path: Path, pattern: str, options: list[str], message: str
) -> None:
    before = sorted(tmp_path.iterdir())
    outcome = run("split", one_beam, tmp_path / (pattern + one_beam.suffix), *options)
    assert outcome.code in (1, 2)
    assert message in outcome.errors
    assert sorted(tmp_path.iterdir()) == before


def test_no_file_is_written_if_one_exists(run: Run, one_beam: Path, tmp_path: Path) -> None:
    last = tmp_path / f"9{one_beam.suffix}"
    last.write_bytes(b"mine")
    pattern = tmp_path / ("{step}" + one_beam.suffix)
    assert "exists already" in run("split", one_beam, pattern).errors
    assert not (tmp_path / f"1{one_beam.suffix}").exists()
    assert last.read_bytes() == b"mine"
    assert run("split", one_beam, pattern, "--overwrite").code == 0
    with quire.open(last) as file:
        assert file.numbers == [9]
