"""One family of exceptions: every kind has a class, fields, and the builtin that fits."""

from __future__ import annotations

import pickle

import pytest

import quire
from quire import errors

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
    error = errors.from_core(kind, "text", "what", "beam", "x", None, 0, "")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is family
    assert str(again) == "text"
    assert again.rank == 0


def test_errors_of_the_python_layer_compose_their_sentence() -> None:
    error = quire.MissingError("it is not there", file="beam", object="x", advice="look elsewhere")
    assert str(error) == 'beam, "x": it is not there; look elsewhere'
    assert isinstance(error, KeyError | IndexError)


def test_unknown_kinds_are_defects() -> None:
    assert isinstance(errors.from_core("new", "t", "m", "", "", None, None, ""), quire.InternalError)


def test_every_class_is_exported() -> None:
    for _, family in FAMILY:
        assert getattr(quire, family.__name__) is family
