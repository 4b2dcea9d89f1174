"""Verbs that make rows and texts give those of NumPy, SciPy and Python, for random values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.interpolate import RegularGridInterpolator

import quire

finite = st.floats(-1e6, 1e6)
numbers = hnp.arrays(np.float64, st.integers(0, 12), elements=finite)
words = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=8)


@settings(max_examples=60)
@given(st.lists(st.one_of(st.floats(allow_nan=False), st.integers(-(2**53), 2**53)), min_size=1, max_size=12))
def test_lists_of_values_keep_every_digit(values: list[float]) -> None:
    found = quire.new(f"x={','.join(map(repr, values))}").read()["x"]
    whole = all(isinstance(value, int) for value in values)
    assert found.dtype == (np.int64 if whole else np.float64)
    assert found.tolist() == values


@settings(max_examples=60)
@given(finite, finite, st.integers(2, 30))
def test_sequences_are_those_of_numpy(begin: float, end: float, count: int) -> None:
    found = quire.new(f"s=sequence({begin!r}, {end!r}, {count})").read()["s"]
    np.testing.assert_allclose(found, np.linspace(begin, end, count), rtol=1e-12, atol=1e-9)
    assert found[0] == begin
    assert found[-1] == pytest.approx(end, rel=1e-12, abs=1e-9)


@settings(max_examples=8)
@given(finite, st.floats(1e-6, 1e6), st.integers(1, 50), st.integers(0, 2**31))
def test_samples_are_inside_their_limits_and_repeatable(
    low: float, width: float, rows: int, seed: int
) -> None:
    made = f"u=uniform({low!r}, {low + width!r})", f"g=gaussian({low!r}, {width!r}, limit=2)"
    found = quire.new(*made, rows=rows, seed=seed).read()
    assert ((found["u"] >= low) & (found["u"] <= low + width)).all()
    assert (np.abs(found["g"] - low) <= 2 * width * (1 + 1e-9) + 1e-9).all()
    again = quire.new(*made, rows=rows, seed=seed).read()
    assert all(again[name].tolist() == found[name].tolist() for name in "ug")


@settings(max_examples=60)
@given(numbers, st.integers(-(2**62), 2**62), words)
def test_texts_are_those_of_the_formats_of_python(x: Any, number: int, word: str) -> None:
    chain = quire.new(columns={"x": x, "n": np.full(len(x), number), "w": np.full(len(x), word, object)})
    found = chain.text("a={x:.3e}|{n:+d}|{w:>10}", "b={row}:{x}").read()
    assert list(found["a"]) == [f"{value:.3e}|{number:+d}|{word:>10}" for value in x.tolist()]
    assert list(found["b"]) == [f"{row}:{value}" for row, value in enumerate(x.tolist())]


@settings(max_examples=40)
@given(st.data())
def test_rows_of_a_grid_are_ordered_from_any_order(data: st.DataObject) -> None:
    places = st.lists(st.integers(-1000, 1000), min_size=1, max_size=5, unique=True).map(sorted)
    x, y = np.array(data.draw(places), float), np.array(data.draw(places), float)
    values = data.draw(hnp.arrays(np.float64, (len(x), len(y)), elements=st.one_of(st.just(np.nan), finite)))
    order = data.draw(st.permutations(range(values.size)))
    all_x, all_y = (one.reshape(-1)[order] for one in np.meshgrid(x, y, indexing="ij"))
    chain = quire.new(columns={"x": all_x, "y": all_y, "z": values.reshape(-1)[order]})
    found = chain.map("x", "y", "z").read()
    np.testing.assert_array_equal(found["x"], np.repeat(x, len(y)))
    np.testing.assert_array_equal(found["y"], np.tile(y, len(x)))
    np.testing.assert_array_equal(found["z"], values.reshape(-1))


@settings(max_examples=30)
@given(hnp.arrays(np.float64, (3, 2), elements=st.floats(-10, 10)), st.integers(2, 6), st.integers(0, 2**31))
def test_planes_are_interpolated_as_by_scipy(corners: Any, points: int, seed: int) -> None:
    slopes = corners[0]
    place = np.random.default_rng(seed).uniform(-1, 1, (2, 30))
    x, y = (
        np.concatenate([one, edge]) for one, edge in zip(place, ([-1, 1, -1, 1], [-1, -1, 1, 1]), strict=True)
    )
    chain = quire.new(columns={"x": x, "y": y, "z": slopes[0] * x + slopes[1] * y})
    found = chain.map("x", "y", "z", points=points).read()
    edges = np.array([-1.0, 1.0])
    plane = RegularGridInterpolator(
        (edges, edges), slopes[0] * edges[:, None] + slopes[1] * edges[None, :], bounds_error=False
    )
    np.testing.assert_allclose(found["z"], plane(np.stack([found["x"], found["y"]], 1)), atol=1e-9)
