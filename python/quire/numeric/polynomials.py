"""Least-squares polynomials of one and of two variables, with errors.

Source of the definitions: specs/sdds-toolkit.md, sections 7.5 and 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.numeric.arrays import Numbers, as_doubles, require, require_data, require_same_length
from quire.numeric.goodness import Goodness, goodness

BasisName = Literal["ordinary", "chebyshev"]
LARGEST_ORDER = 100


@dataclass(frozen=True)
class Basis:
    """The functions of a polynomial: ((x - offset) / factor)^order, or Chebyshev's T_order of the same.

    Chebyshev polynomials need arguments from -1 to 1: `spanning` makes offset and factor for a range.
    """

    orders: tuple[int, ...] = (0, 1)
    name: BasisName = "ordinary"
    offset: float = 0.0
    factor: float = 1.0

    def __post_init__(self) -> None:
        orders = self.orders
        for one in sorted(orders, reverse=True):
            require(0 <= one <= LARGEST_ORDER, f"orders are from 0 to {LARGEST_ORDER}, not {one}")
            require(orders.count(one) == 1, f"orders are different numbers, and {one} is given twice")
        require(len(orders) > 0, "a polynomial has one order or more")
        require(self.factor != 0, "the factor of x is not 0")
        require(self.name in ("ordinary", "chebyshev"), f"bases are ordinary and chebyshev, not {self.name}")

    def spanning(self, x: ArrayLike) -> Basis:
        """Independent. Return the Chebyshev basis whose arguments are from -1 to 1 for these x."""
        x = as_doubles(x, "x")
        middle, half = (float(x.max() + x.min()) / 2, float(x.max() - x.min()) / 2) if len(x) else (0.0, 1.0)
        return Basis(self.orders, "chebyshev", middle, half or 1.0)

    def columns(self, x: Numbers) -> Numbers:
        """Independent. Return the values of all functions, of shape (rows, orders)."""
        argument = (x - self.offset) / self.factor
        if self.name == "ordinary":
            return np.asarray(argument[:, None] ** np.array(self.orders))
        return np.asarray(
            np.polynomial.chebyshev.chebvander(argument, max(self.orders))[:, list(self.orders)]
        )


@dataclass(frozen=True)
class LinearFit:
    """Coefficients of functions by least squares. If the data do not determine them, `is_valid` is false, and
    all numbers are NaN.
    """

    coefficients: NDArray[np.float64]
    covariance: NDArray[np.float64]
    fitted: NDArray[np.float64]
    residuals: NDArray[np.float64]
    goodness: Goodness
    is_valid: bool

    @property
    def sigmas(self) -> NDArray[np.float64]:
        """The errors of the coefficients; NaN if there are no rows to spare and none were given for y."""
        with np.errstate(invalid="ignore"):
            return np.sqrt(np.diag(self.covariance))


@dataclass(frozen=True)
class PolynomialFit(LinearFit):
    """A polynomial of one variable, with `basis` and the coefficients in the order of its orders."""

    basis: Basis = field(default_factory=Basis)

    def __call__(self, x: ArrayLike) -> NDArray[np.float64]:
        """Independent. Return the polynomial at other places."""
        return np.asarray(self.basis.columns(as_doubles(x, "x")) @ self.coefficients)


def fit_polynomial(
    x: ArrayLike, y: ArrayLike, basis: Basis | None = None, sigmas: ArrayLike | None = None
) -> PolynomialFit:
    """Independent. Return the polynomial that fits y best, by default a straight line.

    x, y, sigmas : of shape (n,); sigmas are the errors of y. With them the covariance is that of the errors,
        without them it is scaled by the reduced chi squared, as `numpy.polyfit(cov=True)` does

    Rows with NaN take no part, and have NaN as residual. Raises DataError for errors that are not positive,
    ConflictError for different lengths.
    """
    x, y = as_doubles(x, "x"), as_doubles(y, "y")
    basis = basis or Basis()
    require_same_length(x=x, y=y)
    found = linear_fit(basis.columns(x), y, sigmas)
    return PolynomialFit(**vars(found), basis=basis)


def linear_fit(functions: ArrayLike, y: ArrayLike, sigmas: ArrayLike | None = None) -> LinearFit:
    """Independent. Return the combination of functions, of shape (n, m), that fits y of shape (n,) best.

    Singular values of the scaled functions decide whether the data determine the coefficients.
    """
    functions, y = np.asarray(functions, dtype=np.float64), as_doubles(y, "y")
    errors = None if sigmas is None else as_doubles(sigmas, "sigmas")
    require_same_length(functions=functions.T, y=y, sigmas=errors)
    is_used = np.isfinite(y) & np.isfinite(functions).all(axis=1)
    if errors is not None:
        is_used &= ~np.isnan(errors)
        require_data(
            bool((errors[is_used] > 0).all()), "errors of y are positive", "leave out rows without error"
        )
    terms = functions.shape[1]
    weights = np.ones(len(y)) if errors is None else 1 / errors
    matrix = functions[is_used] * weights[is_used, None]
    lengths = np.sqrt((matrix**2).sum(axis=0))
    solved = _solved(matrix, y[is_used] * weights[is_used], lengths)
    nothing = np.full(terms, np.nan)
    coefficients, inverse = solved if solved is not None else (nothing, np.full((terms, terms), np.nan))
    fitted = functions @ coefficients
    residuals = np.where(is_used, y - fitted, np.nan)
    quality = goodness(residuals[is_used], None if errors is None else errors[is_used], terms)
    scale = quality.reduced_chi_squared if errors is None else 1.0
    return LinearFit(coefficients, inverse * scale, fitted, residuals, quality, solved is not None)


def _solved(matrix: Numbers, y: Numbers, lengths: Numbers) -> tuple[Numbers, Numbers] | None:
    """Return coefficients and the inverse of the normal matrix, None if the rank is too low."""
    if matrix.shape[0] < matrix.shape[1] or not (lengths > 0).all() or not np.isfinite(lengths).all():
        return None
    u, singular, vt = np.linalg.svd(matrix / lengths, full_matrices=False)
    if singular[-1] <= max(matrix.shape) * np.finfo(np.float64).eps * singular[0]:
        return None
    spread = (vt.T / singular) / lengths[:, None]
    return spread @ (u.T @ y), spread @ spread.T


def revised(x: ArrayLike, y: ArrayLike, basis: Basis, sigmas: ArrayLike | None = None) -> PolynomialFit:
    """Independent. Return a fit of the orders that are worth having: as long as the reduced chi squared
    falls, the order whose removal lets it fall most is removed.
    """
    best = fit_polynomial(x, y, basis, sigmas)
    while len(best.basis.orders) > 1:
        shorter = [
            Basis(
                tuple(one for one in best.basis.orders if one != order),
                basis.name,
                basis.offset,
                basis.factor,
            )
            for order in best.basis.orders
        ]
        fits = [one for one in (fit_polynomial(x, y, basis, sigmas) for basis in shorter) if one.is_valid]
        if not fits:
            break
        better = min(fits, key=lambda one: one.goodness.reduced_chi_squared)
        if best.is_valid and not better.goodness.reduced_chi_squared < best.goodness.reduced_chi_squared:
            break
        best = better
    return best


@dataclass(frozen=True)
class PolynomialFit2D(LinearFit):
    """A polynomial of two variables: the sum of coefficients times x1^i x2^j, (i, j) from `orders`."""

    orders: Sequence[tuple[int, int]] = ()

    def __call__(self, x1: ArrayLike, x2: ArrayLike) -> NDArray[np.float64]:
        """Independent. Return the polynomial at other places."""
        return np.asarray(
            _products(as_doubles(x1, "x1"), as_doubles(x2, "x2"), self.orders) @ self.coefficients
        )


def orders_up_to(order: int) -> list[tuple[int, int]]:
    """Independent. Return all pairs of orders whose sum is not above this."""
    return [(i, total - i) for total in range(order + 1) for i in range(total, -1, -1)]


def fit_polynomial_2d(
    x1: ArrayLike,
    x2: ArrayLike,
    y: ArrayLike,
    orders: Sequence[tuple[int, int]],
    sigmas: ArrayLike | None = None,
) -> PolynomialFit2D:
    """Independent. Return the polynomial of two variables that fits y best; see `fit_polynomial`."""
    x1, x2, y = as_doubles(x1, "x1"), as_doubles(x2, "x2"), as_doubles(y, "y")
    require_same_length(y=y, x1=x1, x2=x2)
    require(len(set(orders)) == len(orders) > 0, "orders are different pairs, one or more")
    require(all(0 <= one <= LARGEST_ORDER for pair in orders for one in pair), "orders are 0 or more")
    return PolynomialFit2D(**vars(linear_fit(_products(x1, x2, orders), y, sigmas)), orders=tuple(orders))


def _products(x1: Numbers, x2: Numbers, orders: Sequence[tuple[int, int]]) -> Numbers:
    """Return the products of powers, of shape (rows, orders)."""
    return np.stack([x1**i * x2**j for i, j in orders], axis=1)
