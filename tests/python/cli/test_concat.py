"""quire concat: several files as one, step after step or row after row."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.python.support.files import path_for

import quire
from quire.io.formats import format_info
from quire.toolkit import share

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Start, Values


def test_steps_of_any_formats_follow_one_another(
    run: Run, beam: Path, make: Make, other_format: str, tmp_path: Path, values: Values
) -> None:
    later = make(other_format, "later", numbers=[12, 20])
    target = tmp_path / f"both{beam.suffix}"
    outcome = run("concat", beam, later, target)
    assert (outcome.code, outcome.output) == (0, f"{target}: 5 steps, 500 rows\n"), outcome.errors
    with quire.open(target) as file:
        assert file.numbers == [1, 4, 9, 12, 20]
        assert file.attrs["code"] == "tracker"
        assert file.attrs["sources"] == f"{beam.name}, {later.name}"
        for step in file:
            assert step.attrs["turn"] == step.number
            for name, column in values(step.number).items():
                np.testing.assert_array_equal(step[name][:], column)


def test_numbers_that_do_not_increase_need_new_ones(run: Run, one_beam: Path, tmp_path: Path) -> None:
    target = tmp_path / f"twice{one_beam.suffix}"
    outcome = run("concat", one_beam, one_beam, target)
    assert outcome.code == 1
    assert f"quire: {one_beam}: step 1 follows step 9 of {one_beam}: the numbers" in outcome.errors
    assert not target.exists()
    assert run("concat", one_beam, one_beam, target, "--renumber").code == 0
    with quire.open(target) as file:
        assert file.numbers == list(range(6))
        assert [step.attrs["turn"] for step in file] == [1, 4, 9, 1, 4, 9]


def test_counted_steps_stay_counted(run: Run, tmp_path: Path, make: Make) -> None:
    counting = [name for name in quire.formats() if "step_parameter" in options_of(name)]
    assert counting
    for format in counting:
        source = make(format, f"counted_{format}", numbers=[0, 1])
        plain = source.with_stem(f"plain_{format}")
        assert run("convert", source, plain, "--option", "step_parameter=false").code == 0
        target = source.with_stem(f"twice_{format}")
        assert run("concat", plain, plain, target).code == 0
        with quire.open(target) as file:
            assert file.numbers == [0, 1, 2, 3]
            assert file.layout["step_parameter"] == "0"


def options_of(format: str) -> set[str]:
    """The names of the writer's options of a format."""
    return {option.name for option in format_info(format).write_options}


def test_rows_of_equal_steps_are_joined(
    run: Run,
    beam: Path,
    make: Make,
    other_format: str,
    tmp_path: Path,
    values: Values,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = make(other_format, "other", numbers=[4, 7], rows=30)
    target = tmp_path / f"joined{beam.suffix}"
    monkeypatch.setattr(share, "BLOCK_BYTES", 500)
    outcome = run("concat", beam, other, target, "--join-rows")
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        assert [(step.number, len(step.table)) for step in file] == [(1, 100), (4, 130), (7, 30), (9, 100)]
        for name in ("x", "px", "id"):
            both = [values(4)[name], values(4, 30)[name]]
            np.testing.assert_array_equal(file.step(4)[name][:], np.concatenate(both))


@pytest.mark.parametrize("joins", [[], ["--join-rows"]])
def test_an_only_table_continues_the_only_one_of_any_name(
    run: Run, tmp_path: Path, format: str, joins: list[str]
) -> None:
    paths = [path_for(tmp_path, format, stem) for stem in ("first", "second")]
    for number, path in enumerate(paths):
        with quire.create(path, format=format) as out, out.step(number) as step:
            step.put("x", np.arange(3.0) + number, table=f"t{number}")
    target = path_for(tmp_path, format, "both")
    outcome = run("concat", *paths, target, *joins)
    assert outcome.code == 0, outcome.errors
    with quire.open(paths[0]) as first, quire.open(target) as file:
        assert [list(step.tables) for step in file] == [list(first[0].tables)] * 2
        assert [step["x"][0] for step in file] == [0.0, 1.0]


def test_conditions_see_the_joined_rows(run: Run, one_beam: Path, tmp_path: Path) -> None:
    target = tmp_path / f"joined{one_beam.suffix}"
    outcome = run(
        "concat", one_beam, one_beam, target, "--join-rows", "--steps", "4", "--where", "row >= 150"
    )
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        assert file.numbers == [4]
        assert file[0]["id"][:].tolist() == list(range(51, 101))


def test_attributes_that_differ_are_those_of_the_first(run: Run, make: Make, tmp_path: Path) -> None:
    format = quire.formats()[0]
    first, second = make(format, "first", numbers=[1]), make(format, "second", numbers=[1])
    changed = second.with_stem("changed")
    assert run("define", second, changed, "--replace", "turn=7").code == 0
    target = first.with_stem("joined")
    outcome = run("concat", first, changed, target, "--join-rows")
    assert "attribute turn: the inputs differ, the value of the first is kept" in outcome.errors
    assert "attribute s:" not in outcome.errors
    with quire.open(target) as file:
        assert file[0].attrs["turn"] == 1


def test_attachments_of_all_inputs_are_kept(run: Run, tmp_path: Path) -> None:
    format = next(name for name in quire.formats() if format_info(name).holds_attachments)
    paths = [path_for(tmp_path, format, name) for name in ("first", "second")]
    for number, path in enumerate(paths):
        with quire.create(path, format=format) as out:
            out.attach(f"{path.stem}.txt", path.stem.encode())
            out.attach("both.txt", path.stem.encode())
            with out.step(number) as step:
                step["x"] = np.zeros(2)
    target = paths[0].with_stem("joined")
    outcome = run("concat", *paths, target, "--format", format)
    assert outcome.code == 0, outcome.errors
    assert "attachment both.txt: that of the first input that has it is kept" in outcome.errors
    with quire.open(target) as file:
        kept = {name: file.attachment(name) for name in file.attachments}
    assert kept == {"first.txt": b"first", "second.txt": b"second", "both.txt": b"first"}


@pytest.mark.parametrize("options", [["--join-rows"], ["--renumber"]])
@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (["--replace", "x[mm]=x"], "the unit of column 'x' is 'm' in"),
        (["--replace", "id=id*1.0"], "the type of column 'id' is 'int32' in"),
        (["extra=id+1"], "column 'extra' is in"),
    ],
)
def test_columns_must_agree(
    run: Run, one_beam: Path, options: list[str], definition: list[str], message: str
) -> None:
    other, target = one_beam.with_stem("other"), one_beam.with_stem("both")
    assert run("define", one_beam, other, *definition).code == 0
    outcome = run("concat", one_beam, other, target, *options)
    assert outcome.code == 1
    assert message in outcome.errors
    assert not target.exists()


@pytest.mark.parametrize("options", [["--join-rows"], ["--renumber"]])
def test_all_differences_of_all_inputs_are_named_at_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    layouts: dict[str, dict[str, tuple[str, str]]] = {
        "a": {"x": ("m", "f8"), "y": ("m", "f8"), "q": ("C", "f8"), "id": ("", "i8")},
        "b": {"x": ("mm", "f8"), "y": ("m", "f8"), "id": ("", "i4")},
        "c": {"y": ("m", "f8"), "x": ("mm", "f8"), "q": ("C", "f8"), "id": ("", "i8")},
    }
    for name, columns in layouts.items():
        with quire.create(name, format=quire.formats()[0]) as out, out.step(0) as step:
            for column, (unit, kind) in columns.items():
                step.put(column, np.ones(2, kind), unit=unit)
    words = ["concat", "a", "b", "c", "out", "--format", quire.formats()[0], *options]
    outcome = run(*words)
    assert outcome.code == 1
    assert outcome.errors == (
        "quire: the unit of column 'x' is 'm' in a and 'mm' in b, c; the type of column 'id' is 'int64' "
        "in a, c and 'int32' in b; column 'q' is in a, c and not in b; make units and types equal by "
        "quire define --replace, or join the equal columns alone by --columns y\n"
    )
    assert not Path("out").exists()
    assert run(*words, "--columns", "y").code == 0
    with quire.open("out") as file:
        assert list(file[0].table) == ["y"]
        assert sum(len(step.table) for step in file) == 6


def test_an_input_is_never_overwritten(run: Run, one_beam: Path) -> None:
    before = one_beam.read_bytes()
    outcome = run("concat", one_beam.with_stem("absent"), one_beam, one_beam, "--overwrite")
    assert "the target is the source itself" in outcome.errors
    assert one_beam.read_bytes() == before
    assert "is the only name" in run("concat", one_beam).errors
    copy = one_beam.with_stem("copy")
    copy.write_bytes(before)
    assert "there is only one input" in run("concat", copy, one_beam).errors


@pytest.mark.mpi
def test_ranks_write_the_same_file(start: Start, one_beam: Path) -> None:
    alone, together = one_beam.with_stem("alone"), one_beam.with_stem("together")
    for target, ranks in ((alone, 0), (together, 3)):
        outcome = start("concat", one_beam, one_beam, target, "--join-rows", ranks=ranks)
        assert outcome.returncode == 0, outcome.stderr
    assert alone.read_bytes() == together.read_bytes()
