"""The verb `matrix`: names, units and steps of products and inverses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for, step_formats

import quire
from quire.errors import ConflictError, TypeMismatchError, UsageError

A = np.array([[1.0, 2], [3, 5]])


@pytest.fixture(params=step_formats())
def matrix(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Two steps with a matrix, in each format."""
    path = path_for(tmp_path, request.param)
    with quire.create(path, format=request.param) as out:
        for number in (1, 4):
            with out.step(number) as step:
                step.set("s", 0.5 * number, unit="m")
                step.put("a", A[:, 0] * number, unit="m")
                step.put("b", A[:, 1] * number, unit="m")
    return path


def values(step: Any, *names: str) -> Any:
    """Return columns as a matrix."""
    return np.stack([step.table.read([name])[name] for name in names], axis=1)


def test_products_are_named_after_the_right_hand_matrix(matrix: Path, tmp_path: Path) -> None:
    other = path_for(tmp_path, step_formats()[0], "other")
    quire.new("x[T]=1,2", "y=0,1").write(other)
    with quire.chain(matrix) as chain, quire.chain(other) as mate:
        for step in chain.multiply(mate):
            np.testing.assert_allclose(values(step, "x", "y"), step.number * A @ [[1, 0], [2, 1]])
            assert step.table["x"].unit == "m T"
            assert step.attrs["s"] == 0.5 * step.number
        step = next(iter(chain.multiply(mate, commute=True)))
        np.testing.assert_allclose(values(step, "a", "b"), [[1, 0], [2, 1]] @ A)


def test_inverses_exchange_names_and_invert_the_unit(matrix: Path) -> None:
    with quire.chain(matrix) as chain:
        for change in (chain.invert, chain.pseudo_invert):
            for step in change():
                np.testing.assert_allclose(values(step, "row0", "row1"), np.linalg.inv(A * step.number))
                assert step.table.read(["name"])["name"].tolist() == ["a", "b"]
                assert step.table["row0"].unit == "1/m"
        step = next(iter(chain.pseudo_invert(largest=1)))
        assert (step.attrs["modes_used"], step.attrs["modes_removed"], step.attrs["condition"]) == (1, 1, 1)


def test_texts_name_the_columns_of_an_inverse() -> None:
    found = quire.new("monitor=M1,M2", "a=2,0", "b=0,4").invert().read()
    assert list(found) == ["name", "M1", "M2"]
    with pytest.raises(ConflictError, match="equal names"):
        quire.new("monitor=M,M", "a=2,0", "b=0,4").invert().read()


def test_what_has_no_result_is_refused() -> None:
    for made, error in (
        (quire.new("a=1,2", "b=2,4"), ConflictError),
        (quire.new("a=1,2"), ConflictError),
        (quire.new("a=1,nan", "b=2,4"), UsageError),
        (quire.new("name=a,b"), ConflictError),
        (quire.new(columns={"a": np.eye(2, dtype=np.longdouble)[0], "b": [0.0, 1]}), TypeMismatchError),
    ):
        with pytest.raises(error):
            made.invert().read()
    with pytest.raises(ConflictError, match="1 columns, and the right one 2 rows"):
        quire.new("a=1,2").multiply(quire.new("b=1,2")).read()
    with pytest.raises(ConflictError, match="2 steps"):
        quire.new("a=1", repeat=3).multiply(quire.new("b=1", repeat=2)).read()
