"""Matrices: product, inverse, and pseudo-inverse by singular values.

Source of the definitions: specs/sdds-toolkit.md, section 7.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.errors import ConflictError
from quire.numeric.arrays import as_numbers, require, require_data

Matrix = NDArray[np.float64]


def as_matrix(values: ArrayLike, name: str = "matrix") -> Matrix:
    """Independent. Return a two-dimensional array of float64. Raises UsageError for other shapes, DataError
    for NaN and infinity.
    """
    array = as_numbers(values, name)
    require(array.ndim == 2, f"a matrix has two dimensions, not {array.ndim}")
    array = array.astype(np.float64, copy=False)
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        row, column = wrong[0]
        require_data(
            False, f"{name} has {array[row, column]} in row {row}, column {column}", "leave out such rows"
        )
    return array


def product(a: ArrayLike, b: ArrayLike) -> Matrix:
    """Independent. Return a b. Raises ConflictError unless a has as many columns as b has rows."""
    a, b = as_matrix(a, "the left matrix"), as_matrix(b, "the right matrix")
    if a.shape[1] != b.shape[0]:
        raise ConflictError(
            f"the left matrix has {a.shape[1]} columns, and the right one {b.shape[0]} rows",
            advice="swap or transpose them",
        )
    return np.asarray(a @ b)


def inverse(matrix: ArrayLike) -> Matrix:
    """Independent. Return the inverse of a square matrix. Raises ConflictError if it has none."""
    array = as_matrix(matrix)
    if array.shape[0] != array.shape[1]:
        rows, columns = array.shape
        raise ConflictError(f"a matrix of {rows} x {columns} has no inverse", advice="use the pseudo-inverse")
    try:
        return np.asarray(np.linalg.inv(array))
    except np.linalg.LinAlgError:
        raise ConflictError("the matrix is singular", advice="use the pseudo-inverse") from None


@dataclass(frozen=True)
class ModeSelection:
    """Which modes an inverse uses. Modes are removed in this order; those with a singular value of 0 always
    are.

    ratio : remove singular values below this fraction of the largest
    largest : keep the n largest of those that remain
    smallest : remove the n smallest of those that remain
    removed : modes to remove, by number from 0 in the order of falling singular values
    """

    ratio: float = 0.0
    largest: int | None = None
    smallest: int = 0
    removed: Sequence[int] = ()

    def used(self, singular: Matrix) -> NDArray[np.bool_]:
        """Independent. Return which modes are used. Raises DataError for numbers that no mode has."""
        require(0 <= self.ratio <= 1, f"the ratio of singular values is from 0 to 1, not {self.ratio}")
        require(self.largest is None or self.largest >= 0, "the number of largest values is 0 or more")
        require(self.smallest >= 0, "the number of smallest values is 0 or more")
        wrong = [one for one in self.removed if not 0 <= one < len(singular)]
        require_data(not wrong, f"there is no mode {wrong[0] if wrong else ''} among {len(singular)}")
        top = float(singular.max(initial=0.0))
        used = (singular > 0) & (singular >= self.ratio * top)
        kept = np.flatnonzero(used)
        if self.largest is not None:
            used[kept[self.largest :]] = False
            kept = kept[: self.largest]
        if self.smallest:
            used[kept[max(len(kept) - self.smallest, 0) :]] = False
        used[list(self.removed)] = False
        return used


@dataclass(frozen=True)
class Tikhonov:
    """A damping of singular values s to s / (s^2 + alpha^2).

    alpha itself, or `beta` as a fraction of the largest singular value.
    """

    alpha: float | None = None
    beta: float | None = None

    def strength(self, singular: Matrix) -> float:
        """Independent. Return alpha."""
        given = [one for one in (self.alpha, self.beta) if one is not None]
        require(len(given) == 1 and given[0] >= 0, "a damping is one of alpha and beta, and 0 or more")
        if self.alpha is not None:
            return self.alpha
        return given[0] * float(singular.max(initial=0.0))


@dataclass(frozen=True)
class PseudoInverse:
    """A pseudo-inverse of a matrix of shape (m, n), and its k = min(m, n) modes.

    inverse : of shape (n, m)
    singular_values : of shape (k,), falling; u : (m, k); v : (n, k)
    used : which modes the inverse has
    condition : the ratio of the largest to the smallest singular value that is used, NaN without any
    alpha : the damping, 0 without
    """

    inverse: Matrix
    singular_values: Matrix
    u: Matrix
    v: Matrix
    used: NDArray[np.bool_]
    condition: float
    alpha: float

    @property
    def removed(self) -> list[int]:
        """The modes that are not used."""
        return [int(one) for one in np.flatnonzero(~self.used)]

    def reconstructed(self) -> Matrix:
        """Independent. Return the matrix (with its weights) that the used modes describe, of shape (m, n)."""
        kept = self.used
        return np.asarray((self.u[:, kept] * self.singular_values[kept]) @ self.v[:, kept].T)


def pseudo_inverse(
    matrix: ArrayLike,
    modes: ModeSelection | None = None,
    tikhonov: Tikhonov | None = None,
    weights: ArrayLike | None = None,
    column_weights: ArrayLike | None = None,
) -> PseudoInverse:
    """Independent. Return the pseudo-inverse by singular values.

    weights : of shape (m,): rows are multiplied by them, so that the inverse solves W A x = W y by least
        squares
    column_weights : of shape (n,): the same for columns, the correctors of an orbit

    With weights the inverse contains them, and is applied to y itself. Singular values are those of the
    weighted matrix; the ones below the rounding of the largest count as 0. Raises UsageError for selections
    and weights that make no sense, ConflictError for weights of another length.
    """
    array = as_matrix(matrix)
    rows = _weights(weights, array.shape[0], "rows")
    columns = _weights(column_weights, array.shape[1], "columns")
    u, singular, vt = np.linalg.svd(rows[:, None] * array * columns, full_matrices=False)
    rounding = max(array.shape) * np.finfo(np.float64).eps * float(singular.max(initial=0.0))
    singular = np.where(singular > rounding, singular, 0.0)
    used = (modes or ModeSelection()).used(singular)
    alpha = tikhonov.strength(singular) if tikhonov is not None else 0.0
    factors = np.zeros_like(singular)
    factors[used] = singular[used] / (singular[used] ** 2 + alpha**2)
    found = columns[:, None] * ((vt.T * factors) @ u.T) * rows
    kept = singular[used]
    condition = float(kept[0] / kept[-1]) if len(kept) else math.nan
    return PseudoInverse(np.asarray(found), singular, u, np.asarray(vt.T), used, condition, alpha)


def _weights(weights: ArrayLike | None, length: int, name: str) -> Matrix:
    """Return weights of rows or columns, 1 each without them."""
    if weights is None:
        return np.ones(length)
    array = np.asarray(as_numbers(weights, "weights"), dtype=np.float64)
    if array.shape != (length,):
        raise ConflictError(f"there are {array.size} weights for {length} {name}")
    require(bool((np.isfinite(array) & (array >= 0)).all()), f"weights of {name} are finite and 0 or more")
    return array
