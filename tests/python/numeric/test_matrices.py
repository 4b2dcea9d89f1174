"""Matrices: products and inverses of NumPy, and pseudo-inverses without some modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.errors import ConflictError, DataError, UsageError
from quire.numeric.matrices import ModeSelection, Tikhonov, inverse, product, pseudo_inverse

shapes = st.tuples(st.integers(1, 6), st.integers(1, 6))


@settings(max_examples=60)
@given(shape=shapes, seed=st.integers(0, 1000), rank=st.integers(1, 6))
def test_a_pseudo_inverse_is_that_of_numpy_for_any_rank(shape: tuple[int, int], seed: int, rank: int) -> None:
    random = np.random.default_rng(seed)
    values = random.normal(size=(shape[0], rank)) @ random.normal(size=(rank, shape[1]))
    found = pseudo_inverse(values)
    np.testing.assert_allclose(found.inverse, np.linalg.pinv(values, rcond=1e-12), atol=1e-7)
    assert found.used.sum() == np.linalg.matrix_rank(values)
    np.testing.assert_allclose(found.reconstructed(), values, atol=1e-9)


@settings(max_examples=40)
@given(seed=st.integers(0, 1000), kept=st.integers(0, 4))
def test_modes_are_left_out(seed: int, kept: int) -> None:
    values = np.random.default_rng(seed).normal(size=(5, 4))
    u, s, vt = np.linalg.svd(values, full_matrices=False)
    expected = (vt[:kept].T / s[:kept]) @ u[:, :kept].T
    for modes in (ModeSelection(largest=kept), ModeSelection(smallest=4 - kept),
                  ModeSelection(removed=range(kept, 4))):  # fmt: skip
        found = pseudo_inverse(values, modes)
        np.testing.assert_allclose(found.inverse, expected, atol=1e-10)
        assert found.removed == list(range(kept, 4))
    ratio = pseudo_inverse(values, ModeSelection(ratio=float(s[2] / s[0]) * 0.999999))
    assert ratio.used.tolist() == [True, True, True, False]
    assert ratio.condition == pytest.approx(s[0] / s[2])


def test_weights_solve_weighted_least_squares() -> None:
    random = np.random.default_rng(1)
    values, y, weights = random.normal(size=(6, 3)), random.normal(size=6), random.uniform(0.5, 2, 6)
    expected = np.linalg.lstsq(weights[:, None] * values, weights * y, rcond=None)[0]
    np.testing.assert_allclose(pseudo_inverse(values, weights=weights).inverse @ y, expected)


def test_damping_is_that_of_tikhonov() -> None:
    values = np.random.default_rng(1).normal(size=(5, 3))
    expected = np.linalg.solve(values.T @ values + 0.09 * np.eye(3), values.T)
    np.testing.assert_allclose(pseudo_inverse(values, tikhonov=Tikhonov(0.3)).inverse, expected)
    top = float(np.linalg.svd(values, compute_uv=False)[0])
    np.testing.assert_allclose(pseudo_inverse(values, tikhonov=Tikhonov(beta=0.3 / top)).inverse, expected)


def test_products_and_inverses() -> None:
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(product(a, b), a @ b)
    np.testing.assert_allclose(inverse([[2.0, 1.0], [0.0, 4.0]]), np.linalg.inv([[2, 1], [0, 4]]))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: product(np.ones((2, 3)), np.ones((2, 3))), ConflictError),
        (lambda: inverse(np.ones((2, 3))), ConflictError),
        (lambda: inverse(np.zeros((2, 2))), ConflictError),
        (lambda: inverse([[1.0, np.nan], [0.0, 1.0]]), DataError),
        (lambda: pseudo_inverse(np.eye(2), ModeSelection(ratio=2)), UsageError),
        (lambda: pseudo_inverse(np.eye(2), ModeSelection(removed=[2])), DataError),
        (lambda: pseudo_inverse(np.eye(2), tikhonov=Tikhonov(1.0, 1.0)), UsageError),
        (lambda: pseudo_inverse(np.eye(2), weights=[1.0]), ConflictError),
    ],
)
def test_what_makes_no_sense_is_refused(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()
