"""The verb track: rows of the same particles in each step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for, step_formats

import quire
from quire.cli.main import main
from quire.cli.verbs.track import condition_and_step, parsed_ids


def write(path: Path, *steps: dict[str, Any]) -> Path:
    """Write steps with numbers 0, 10, 20 ..."""
    with quire.create(path) as out:
        for number, values in enumerate(steps):
            with out.step(10 * number) as step:
                for name, column in values.items():
                    step.put(name, column)
    return path


@settings(max_examples=30)
@given(data=st.data(), is_made=st.booleans())
def test_rows_are_those_of_the_tracks_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, is_made: bool
) -> None:
    steps = []
    for _ in range(data.draw(st.integers(1, 3))):
        ids = np.array(data.draw(st.lists(st.integers(0, 9), unique=True, max_size=8)), np.int32)
        steps.append({"x": np.arange(len(ids)) + 0.5, "id": ids, "n": np.arange(len(ids))})
    path = write(path_for(tmp_path_factory.getbasetemp(), step_formats()[0], "verb"), *steps)
    wanted = data.draw(st.lists(st.integers(0, 12), unique=True))
    with quire.open(path) as file:
        expected = file.track(wanted)
    with quire.chain(path) as chain:
        # Tables that a verb makes are searched as well.
        before = chain.sort("x:desc") if is_made else chain
        tracked = before.track(wanted)
        sentences = []
        for place, step in enumerate(tracked):
            assert list(step.table) == ["x", "id", "n"]
            assert step.table["id"].read().tolist() == wanted
            for name in ("x", "n"):
                np.testing.assert_array_equal(step.table[name].read(), expected[name][place])
            sentences += step.warnings
        steps_of = expected.present.sum(axis=0)
        assert len(sentences) == int(bool(((steps_of > 0) & (steps_of < len(steps))).any()))
        assert len(tracked.failures) == int(bool((steps_of == 0).any()))


def test_a_condition_selects_particles_in_one_step(tmp_path: Path) -> None:
    path = write(
        path_for(tmp_path, step_formats()[0]),
        {"id": np.array([1, 2, 3]), "x": np.array([1.0, 2, 3])},
        {"id": np.array([3, 1, 2]), "x": np.array([5.0, 6, 7])},
    )
    with quire.chain(path) as chain:
        assert chain.track(where="x > 1.5").read(["id"])["id"].tolist() == [2, 3, 2, 3]
        assert chain.track(where="x < 5.5", at=10).read(["x"])["x"].tolist() == [3, 5]
        with pytest.raises(
            quire.MissingError, match="there is no step 7 among the selected ones; there are: 0, 10; "
        ):
            chain.track(where="x > 0", at=7).read()
        with pytest.raises(quire.UsageError, match="by ids or by a condition"):
            chain.track()


def test_particles_of_another_file_are_those_with_the_same_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = path_for(Path(), step_formats()[0], "run").name
    first = write(Path(f"first-{name}"), {"id": np.array([1, 2, 3]), "x": np.array([1.0, 2, 3])})
    other = write(
        Path(f"other-{name}"),
        {"id": np.array([3, 4, 2]), "x": np.array([5.0, 6, 7])},
        {"id": np.array([2, 3, 4]), "x": np.array([8.0, 9, 10])},
    )
    with quire.chain(first) as ids, quire.chain(other) as chain:
        assert chain.track(ids.filter("x > 1.5")).read(["x"])["x"].tolist() == [7, 5, 8, 9]
    words = ["track", str(other), f"tracks-{name}", "--ids-of", str(first)]
    assert ended(words) == 0
    with quire.open(f"tracks-{name}") as file:
        found = [step.table["x"].read() for step in file]
    np.testing.assert_array_equal(found, [[np.nan, 7, 5], [np.nan, 8, 9]])
    assert ended([*words, "--ids", "3", "--overwrite"]) == 2
    assert "by one of --ids and --ids-of" in capsys.readouterr().err


def test_absent_particles_are_named_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    some = [{"id": np.arange(3 if step < 2 else 2), "x": np.ones(3 if step < 2 else 2)} for step in range(9)]
    path = write(path_for(Path(), step_formats()[0], "run"), *some)
    out = path_for(Path(), step_formats()[0], "tracks").name
    assert ended(["track", str(path), out, "--ids", "0,1"]) == 0
    assert capsys.readouterr().err == ""
    assert ended(["track", str(path), out, "--ids", "0,2", "--overwrite"]) == 0
    lost = "warning: not every step has the particle 2 (first: step 20): the values are missing there\n"
    assert capsys.readouterr().err == lost
    assert ended(["track", str(path), out, "--ids", "0,70-76", "--overwrite"]) == 1
    nowhere = "no step has the 7 particles 70, 71, 72, 73, 74, ...: the values are missing"
    assert capsys.readouterr().err == f"warning: {nowhere}\n"
    with quire.open(out) as file:
        assert len(file) == 9


def test_conditions_that_no_particle_satisfies_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    some = [{"id": np.arange(3), "x": np.ones(3)} for _ in range(2)]
    path = write(path_for(Path(), step_formats()[0], "run"), *some)
    out = path_for(Path(), step_formats()[0], "tracks").name
    assert ended(["track", str(path), out, "--where", "x > 1@10"]) == 1
    assert capsys.readouterr().err == "warning: no particle satisfies x > 1: the steps have no rows\n"
    with quire.open(out) as file:
        assert [len(step.table) for step in file] == [0, 0]
    assert ended(["track", str(path), out, "--ids-of", out, "--overwrite"]) == 1
    assert "no particle is in the step that gives the ids" in capsys.readouterr().err


def test_integers_of_lost_particles_need_one_type_in_all_steps(tmp_path: Path) -> None:
    steps = [{"id": np.arange(count), "x": np.ones(count), "n": np.arange(count)} for count in (3, 2)]
    path = write(path_for(tmp_path, step_formats()[0], "run"), *steps)
    advice = set()
    for name in step_formats():
        out = path_for(tmp_path, name, "tracks")
        with quire.chain(path) as chain:
            try:
                chain.track([0, 2]).write(out, format=name)
            except quire.TypeMismatchError as problem:
                advice.add(problem.advice)
            chain.select(cast={"n": "float64"}).track([0, 2]).write(out, format=name, overwrite=True)
        with quire.open(out) as file:
            np.testing.assert_array_equal(file[-1]["n"][:], [0, np.nan])
    assert advice == {"give it one type in all steps by select --cast n=float64 before"}


def test_particles_are_chosen_by_one_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["track", "run.h5", "out.h5"]) == 2
    assert (
        "no particles are chosen; give --ids 17,3, --ids-of FILE or --where EXPR" in capsys.readouterr().err
    )
    assert ended(["track", "run.h5", "out.h5", "--ids", "1", "--where", "x > 0"]) == 2
    assert "particles are chosen by one of --ids and --where" in capsys.readouterr().err


def ended(words: list[str]) -> int:
    """Run a command, and return its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["quire", *words])
        with pytest.raises(SystemExit) as end:
            main()
    return int(end.value.code or 0)


def test_ids_beyond_the_type_of_the_column_are_absent(tmp_path: Path) -> None:
    path = write(path_for(tmp_path, step_formats()[0]), {"id": np.array([1], np.uint8), "x": np.array([1.5])})
    with quire.chain(path) as chain:
        found = chain.track([300, 1]).read()
    assert found["id"].tolist() == [300, 1]
    np.testing.assert_array_equal(found["x"], [np.nan, 1.5])


@pytest.mark.parametrize("format_name", step_formats())
def test_columns_with_missing_values_are_written(tmp_path: Path, format_name: str) -> None:
    values = {"id": np.array([1], np.int32), "n": np.array([7], np.int32), "x": np.array([1.5])}
    path = write(path_for(tmp_path, step_formats()[0]), values)
    out = path_for(tmp_path, format_name, "tracks")
    with quire.chain(path) as chain:
        chain.track([1 << 40, 1]).write(out)
    with quire.open(out) as file:
        found = file[0].table.read()
    assert found["id"].tolist() == [1 << 40, 1]
    np.testing.assert_array_equal(found["n"], [np.nan, 7.0])


def test_a_condition_that_selects_no_ids_names_their_column(tmp_path: Path) -> None:
    values = {"id": np.array([1, 2]), "x": np.array([1.5, 2]), "twice": np.array([7, 7])}
    path = write(path_for(tmp_path, step_formats()[0]), values)
    with quire.open(path) as file, quire.chain(path) as chain:
        for key, kind in (("x", quire.TypeMismatchError), ("twice", quire.ConflictError)):
            with pytest.raises(kind, match=f'"{key}"'):
                file.track(where="x > 0", key=key)
            with pytest.raises(kind, match=f'"{key}"'):
                chain.track(where="x > 0", key=key).read()


def test_a_strict_chain_refuses_absent_particles(tmp_path: Path) -> None:
    path = write(path_for(tmp_path, step_formats()[0]), {"id": np.array([1]), "x": np.array([1.5])})
    with quire.chain(path) as chain:
        assert chain.track([1]).strict().read()["x"].tolist() == [1.5]
        with pytest.raises(quire.ConflictError, match="no step has the particle 2"):
            chain.track([1, 2]).strict().read()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x > 1", ("x > 1", None)),
        ("x > 1@20", ("x > 1", 20)),
        ("x > 1 @ 20", ("x > 1", 20)),
        ("x > @s", ("x > @s", None)),
        ("x > @s @-3", ("x > @s", -3)),
    ],
)
def test_a_condition_ends_with_a_step(text: str, expected: tuple[str, int | None]) -> None:
    assert condition_and_step(text) == expected


def test_ids_are_lists_with_ranges() -> None:
    assert parsed_ids("17, 3-5,9") == [17, 3, 4, 5, 9]
    assert parsed_ids("-5,-3--1,0-1") == [-5, -3, -2, -1, 0, 1]
    for wrong in ("a", "1,", "3-", "--1", "1.5", "1-2-3", "²"):
        with pytest.raises(quire.UsageError, match="is no id"):
            parsed_ids(wrong)
    with pytest.raises(quire.UsageError, match="'8-4' is an empty range; write --ids 4-8"):
        parsed_ids("1,8-4")
    for large in ("1-10000000000", "1-1" + 30 * "0"):
        with pytest.raises(quire.MemoryBudgetError, match="ids"):
            parsed_ids(large)
