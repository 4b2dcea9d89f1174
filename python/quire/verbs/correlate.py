"""Correlate columns of each step or group: a row of each pair, or a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from quire.errors import ConflictError, DataError, UsageError
from quire.io.types import Array
from quire.numeric.correlation import Correlation, Method, correlate_columns
from quire.verbs.numbers import doubles, number_names
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import MadeTable, MissingValues, NewColumn, StepLike, made_from

S = TypeVar("S", bound=StepChain)

Pairs = dict[tuple[str, str], Correlation]


def correlate(
    chain: S,
    *columns: Names,
    with_only: Names = (),
    method: Method = "pearson",
    matrix: bool = False,
) -> S:
    """Independent. Make a row of each pair of columns: first, second, coefficient, significance, points.

    Parameters
    ----------
    columns : columns or patterns; without any all of numbers
    with_only : pairs with one of these columns alone
    method : `pearson`; `spearman`, of ranks, of which equal values share the mean; `ordinal`, of ranks of
        which equal values have those of the order of rows
    matrix : make a row and a column of each column instead, with the coefficients

    The significance is the probability of such a coefficient, or a greater one, without correlation. Rows
    with NaN in one of the two columns take no part. That of a constant is NaN.

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     pairs = chain.correlate(["x", "px", "z"]).read()
    >>> pairs["second"].tolist(), pairs["coefficient"].round(3).tolist()
    (['px', 'z', 'z'], [0.023, -0.026, -0.043])
    """
    if matrix and with_only:
        raise UsageError("a matrix (--matrix) has all pairs of columns, without --with")

    wanted, partners = listed(*columns), listed(with_only)

    def correlated(step: StepLike, table: Any) -> StepLike:
        names = number_names(wanted or ["*"], table)
        others = number_names(partners, table) if partners else []
        names += [name for name in others if name not in names]
        if len(names) < 2:
            raise DataError(f"a correlation needs two columns, and there is: {', '.join(names) or 'none'}")
        pairs = correlate_columns(doubles(table, names), others, method)
        made = made_from(step, [as_matrix(names, pairs) if matrix else as_pairs(pairs)])
        missing = sum(np.isnan(one.coefficient) for one in pairs.values())
        if missing:
            made.warnings.append(
                MissingValues(
                    f"{missing} of {len(pairs)} correlations do not exist and are NaN: of less than two "
                    "rows, or of a constant column"
                )
            )
        return made

    return chain.each(correlated)


def texts(words: Sequence[str]) -> Array:
    """Independent. Return a column of texts."""
    made = np.empty(len(words), object)
    made[:] = words
    return made


def as_pairs(pairs: Pairs) -> MadeTable:
    """Independent. Return a table with a row of each pair."""
    found = list(pairs.values())
    columns = [
        NewColumn("first", texts([first for first, _ in pairs]), type="string"),
        NewColumn("second", texts([second for _, second in pairs]), type="string"),
        NewColumn("coefficient", np.array([one.coefficient for one in found], np.float64)),
        NewColumn("significance", np.array([one.significance for one in found], np.float64)),
        NewColumn("points", np.array([one.points for one in found], np.int64)),
    ]
    return MadeTable(columns, len(found))


def as_matrix(names: Sequence[str], pairs: Pairs) -> MadeTable:
    """Independent. Return a table with a row and a column of each name."""
    if "name" in names:
        raise ConflictError("there is such a column beside the names of rows", object="name")
    both = pairs | {(b, a): one for (a, b), one in pairs.items()}

    def coefficient(a: str, b: str) -> float:
        if a == b:
            others = [both[a, other].coefficient for other in names if other != a]
            return float("nan") if np.isnan(others).all() else 1.0
        return both[a, b].coefficient

    columns = [NewColumn("name", texts(names), type="string")]
    columns += [NewColumn(b, np.array([coefficient(a, b) for a in names], np.float64)) for b in names]
    return MadeTable(columns, len(names))
