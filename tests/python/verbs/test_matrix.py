"""The verb `matrix`: names, units and steps of products and inverses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for, step_formats

import quire
from quire.errors import ConflictError, DataError, TypeMismatchError, UsageError

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
        (quire.new("a=1,nan", "b=2,4"), DataError),
        (quire.new("name=a,b"), ConflictError),
        (quire.new(columns={"a": np.eye(2, dtype=np.longdouble)[0], "b": [0.0, 1]}), TypeMismatchError),
    ):
        with pytest.raises(error):
            made.invert().read()
    with pytest.raises(ConflictError, match="1 columns, and the right one 2 rows"):
        quire.new("a=1,2").multiply(quire.new("b=1,2")).read()
    with pytest.raises(ConflictError, match="2 steps"):
        quire.new("a=1", repeat=3).multiply(quire.new("b=1", repeat=2)).read()


def kept_modes(singular: Any, options: dict[str, Any]) -> Any:
    """Which modes remain, by the order of the specification: the ratio, the largest, the smallest, a list."""
    places = [place for place in range(len(singular)) if singular[place] > 1e-12 * singular[0]]
    places = [place for place in places if singular[place] >= options.get("ratio", 0) * singular[0]]
    places = places[: options.get("largest", len(places))]
    places = places[: max(len(places) - options.get("smallest", 0), 0)]
    return [place for place in places if place not in options.get("remove", [])]


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "ratio": st.sampled_from([0.0, 0.05, 0.3]),
        "largest": st.integers(0, 4),
        "smallest": st.integers(0, 3),
        "remove": st.lists(st.integers(0, 2), unique=True, max_size=2),
    },
)
DAMPING: Any = st.sampled_from([{}, {"alpha": 0.5}, {"beta": 0.1}])


@settings(max_examples=60)
@given(st.integers(0, 2**31), OPTIONS, DAMPING)
def test_pseudo_inverses_have_the_modes_that_are_kept(
    seed: int, options: dict[str, Any], damping: dict[str, Any]
) -> None:
    matrix = np.random.default_rng(seed).normal(size=(5, 3)) * [3.0, 1.0, 0.1]
    (step,) = quire.new(columns={f"c{place}": matrix[:, place] for place in range(3)}).pseudo_invert(
        **options, **damping
    )
    u, singular, vt = np.linalg.svd(matrix, full_matrices=False)
    alpha = damping.get("alpha", damping.get("beta", 0) * singular[0])
    kept = kept_modes(singular, options)
    factors = [singular[place] / (singular[place] ** 2 + alpha**2) for place in kept]
    expected = (vt.T[:, kept] * factors) @ u[:, kept].T
    found = values(step, *(f"row{row}" for row in range(5)))
    np.testing.assert_allclose(found, expected, atol=1e-10 * (1 + np.abs(expected).max()))
    assert (step.attrs["modes_used"], step.attrs["modes_removed"]) == (len(kept), 3 - len(kept))
    condition = singular[kept[0]] / singular[kept[-1]] if kept else np.nan
    assert step.attrs["condition"] == pytest.approx(condition, nan_ok=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ratio": 2}, "from 0 to 1, not 2"),
        ({"largest": -1}, "0 or more"),
        ({"smallest": -1}, "0 or more"),
        ({"alpha": 1, "beta": 1}, "one of alpha and beta"),
        ({"alpha": -1}, "0 or more"),
    ],
)
def test_selections_of_modes_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        quire.new("a=1,3", "b=2,5").pseudo_invert(**options).read()


def test_modes_to_leave_out_exist() -> None:
    with pytest.raises(DataError, match="there is no mode 2 among 2"):
        quire.new("a=1,3", "b=2,5").pseudo_invert(remove=[2]).read()
