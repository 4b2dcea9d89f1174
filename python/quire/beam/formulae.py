"""Formulae of conventions, evaluated for blocks of rows in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire import _core
from quire.beam.conventions import Formulae
from quire.errors import MissingError
from quire.io.expression import BoundExpression, Expression, core_attribute

Array = np.ndarray[Any, Any]

ROW = "row"
"""The name of the row numbers, which formulae use as a column."""


@dataclass(frozen=True)
class Formula:
    """One result: an expression, the name of an array that it is equal to, or a constant."""

    name: str
    text: str
    bound: BoundExpression | None = None
    same_as: str = ""
    constant: float = 0.0

    @property
    def needs(self) -> Sequence[str]:
        """The arrays that are used."""
        return [self.same_as] if self.same_as else [] if self.bound is None else self.bound.columns

    def evaluate(self, scope: Mapping[str, Array], rows: int) -> Array:
        """Independent. Return the values of all rows."""
        if self.same_as:
            return scope[self.same_as]
        if self.bound is None:
            return np.full(rows, self.constant)
        return self.bound.evaluate(scope, rows=rows).astype(np.float64, copy=False)


class BoundFormulae:
    """Formulae for arrays of given names and constants. Those whose names do not exist are left out.

    A name is an array that is given, else the result of a formula before, else a constant.
    """

    def __init__(self, texts: Formulae, given: Collection[str], constants: Mapping[str, float]) -> None:
        self.given = set(given)
        self.formulae: list[Formula] = []
        attributes = [core_attribute(name, float(value)) for name, value in constants.items()]
        known = dict.fromkeys([ROW, *given])
        for name, alternatives in texts.items():
            found = bind_first(name, alternatives, list(known), attributes)
            if found is not None:
                self.formulae.append(found)
                known[name] = None

    @property
    def names(self) -> list[str]:
        """The names of the results."""
        return [one.name for one in self.formulae]

    @property
    def needs(self) -> list[str]:
        """The given arrays that are used."""
        used = dict.fromkeys(name for one in self.formulae for name in one.needs)
        return [name for name in used if name in self.given]

    def evaluate(self, given: Mapping[str, Array], numbers: Array) -> dict[str, Array]:
        """Independent. Return the results for rows of these numbers."""
        results: dict[str, Array] = {}
        scope: dict[str, Array] = {**given, ROW: numbers}
        for one in self.formulae:
            results[one.name] = one.evaluate(scope, len(numbers))
            scope.setdefault(one.name, results[one.name])
        return results


def bind_first(
    name: str, texts: str | Sequence[str], arrays: Sequence[str], attributes: Sequence[_core.Attribute]
) -> Formula | None:
    """Independent. Return the first formula whose names exist, None if there is none."""
    quantities = [_core.Quantity(one, "int64" if one == ROW else "float64") for one in arrays]
    for text in [texts] if isinstance(texts, str) else texts:
        plain = text.strip("`")
        if plain in arrays:
            return Formula(name, text, same_as=plain)
        try:
            bound = Expression(text).compile(quantities, attributes)
        except MissingError:
            continue
        if bound.is_constant:
            return Formula(name, text, constant=float(bound.value))
        return Formula(name, text, bound)
    return None
