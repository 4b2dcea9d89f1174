"""One family of exceptions: every kind has a class, fields, and the builtin that fits."""

from __future__ import annotations

import errno
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import write_table

import quire
from quire import errors
from quire.errors import reason_of

BUILTINS = {
    quire.UsageError: ValueError,
    quire.MissingError: LookupError,
    quire.TypeMismatchError: TypeError,
    quire.InputOutputError: OSError,
    quire.MemoryBudgetError: MemoryError,
    quire.DeadlineError: TimeoutError,
}
FAMILY = sorted(errors._FAMILY.items())


@pytest.mark.parametrize(("kind", "family"), FAMILY)
def test_fields_and_text(kind: str, family: type[quire.Error]) -> None:
    error = errors.from_core(kind, "a whole sentence", "what", "beam", "x", 12, 3, "do this")
    assert type(error) is family
    assert error.kind == kind
    assert str(error) == "a whole sentence"
    fields = (error.message, error.file, error.object, error.offset, error.rank, error.advice)
    assert fields == ("what", "beam", "x", 12, 3, "do this")
    assert isinstance(error, BUILTINS.get(family, quire.Error))


@pytest.mark.parametrize(("kind", "family"), FAMILY)
def test_errors_travel_between_processes(kind: str, family: type[quire.Error]) -> None:
    error = errors.from_core(kind, "text", "what", "beam", "x", None, 2, "")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is family
    assert str(again) == "text"
    assert again.rank == 2


def test_messages_of_one_process_contain_no_rank() -> None:
    error = errors.from_core("io", "beam: what [rank 0]; do this", "what", "beam", "", None, 0, "do this")
    assert (str(error), error.rank) == ("beam: what; do this", None)


def test_long_names_are_shortened_in_sentences_alone() -> None:
    name = "n" * 5000
    for error in (
        errors.from_core("missing", f'beam, "{name}": no "{name}"', "what", "beam", name, None, None, ""),
        quire.MissingError("what", file="beam", object=name),
    ):
        assert len(str(error)) < 400
        assert str(error).startswith(f'beam, "{name[:100]}... (5000 characters)": ')
        assert error.object == name
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_column_needs_a_name(tmp_path: Path, format_name: str) -> None:
    out = quire.create(tmp_path / "file", format=format_name)
    with pytest.raises(quire.UsageError, match="a column needs a name"), out, out.step(0) as step:
        step.put("", np.zeros(1))


def test_a_file_that_is_missing_is_what_python_says(tmp_path: Path, format_name: str) -> None:
    path = str(tmp_path / "nothing")
    for call in (quire.open, quire.append, quire.repair):
        with pytest.raises(FileNotFoundError) as caught:
            call(path, format=format_name)
        assert isinstance(caught.value, quire.MissingError)
        assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, path)
        assert "rank" not in str(caught.value)
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is quire.MissingFileError
        assert str(again) == str(caught.value)


def test_what_is_missing_in_a_file_is_no_missing_file(path: Path, format_name: str) -> None:
    write_table(path, format_name, {"x": np.arange(3.0)})
    with quire.open(path) as file:
        with pytest.raises(KeyError) as caught:
            file[0]["y"]
        assert not isinstance(caught.value, FileNotFoundError)


def test_errors_of_reading_name_file_and_column(path: Path, format_name: str) -> None:
    write_table(path, format_name, {"x": np.arange(3.0)})
    with quire.open(path) as file:
        table = file[0].table
        calls: list[tuple[Callable[[], object], str]] = [
            (lambda: table["x"][2000], "x"),
            (lambda: table["x"].read((2, 5)), "x"),
            (lambda: table["x"].read(out=np.empty(2)), "x"),
            (lambda: table.read(rows=(2, 5)), ""),
            (lambda: table.read("z"), "z"),
            (lambda: next(table.blocks(rows=slice(None, None, 2))), ""),
            (lambda: table.read_packed("x"), "x"),
        ]
        for call, name in calls:
            with pytest.raises(quire.Error) as caught:
                call()
            assert (caught.value.file, caught.value.object) == (str(path), name)
            assert str(caught.value).startswith(str(path))
        with pytest.raises(quire.MissingError, match=r"has 1 step$"):
            file[7]


def test_errors_of_writing_name_file_and_column(path: Path, format_name: str) -> None:
    surrogate = "\ud800"
    values: list[Any] = [
        [1, "a"],
        np.array([True]),
        np.zeros((2, 2)),
        np.array(["a", 1], object),
        [surrogate],
    ]
    for one in values:
        with (
            pytest.raises((quire.TypeMismatchError, quire.UsageError, quire.UnsupportedError)) as caught,
            quire.create(path, format=format_name) as out,
            out.step(0) as step,
        ):
            step.put("x", one)
        assert (caught.value.file, caught.value.object) == (str(path), "x")


def test_errors_of_the_python_layer_compose_their_sentence() -> None:
    error = quire.MissingError("it is not there", file="beam", object="x", advice="look elsewhere")
    assert str(error) == 'beam, "x": it is not there; look elsewhere'
    assert isinstance(error, KeyError | IndexError)


def test_unknown_kinds_are_defects() -> None:
    assert isinstance(errors.from_core("new", "t", "m", "", "", None, None, ""), quire.InternalError)


def test_every_class_is_exported() -> None:
    for _, family in FAMILY:
        assert getattr(quire, family.__name__) is family


def test_the_reason_of_an_abort_leaves_the_rank_to_the_abort() -> None:
    problem = quire.BadFileError("row 7 is no number", file="a.data", rank=2)
    assert str(problem).endswith("[rank 2]")
    assert reason_of(problem) == "BadFileError: a.data: row 7 is no number"
    assert reason_of(ValueError("no")) == "ValueError: no"


def test_errors_of_an_empty_file_name_it(path: Path) -> None:
    path.touch()
    for call in (quire.open, quire.append, quire.repair):
        with pytest.raises(quire.BadFileError) as refused:
            call(path)
        assert refused.value.file == str(path)
