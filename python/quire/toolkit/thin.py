"""Copy a sample of the rows of a file: the engine of `quire thin`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from quire.errors import UsageError, errors_in_family
from quire.toolkit.convert import carry_out
from quire.toolkit.definitions import Definition, parse_definition
from quire.toolkit.request import CopyReport, Observer, Request

HASHES = 1 << 63
"""The number of values of the function `hash` of expressions."""


@dataclass(frozen=True)
class Sample:
    """Which rows are kept: every n-th from row `offset` on, or each with the same probability.

    `fraction` is the probability. It is decided by the number of the row, or by the integer column `by`, and
    by the seed: a particle of this identity is kept in all steps, or in none, whatever the number of ranks.
    """

    every: int | None = None
    offset: int = 0
    fraction: float | None = None
    by: str | None = None
    seed: int = 0

    def require_one(self) -> None:
        """Independent. Raise UsageError unless one way to choose rows is given, with valid numbers."""
        if (self.every is None) == (self.fraction is None):
            raise UsageError("state how many rows are kept: give either --every N or --fraction F")
        if self.every is not None:
            if self.every < 1:
                raise UsageError(f"every {self.every} rows are none: write 1 or more")
            if not 0 <= self.offset < self.every:
                raise UsageError(
                    f"the offset {self.offset} is no row of {self.every}: write 0 to {self.every - 1}"
                )
            if self.by is not None:
                raise UsageError("every n-th row is chosen by its number: --by goes with --fraction")
        elif self.fraction is not None and not 0 < self.fraction <= 1:
            raise UsageError(f"the fraction of rows is above 0 and at most 1, not {self.fraction}")

    @property
    def condition(self) -> str:
        """The expression that holds for the rows that are kept."""
        if self.every is not None:
            return f"row % {self.every} == {self.offset}"
        key = "row" if self.by is None else f"`{self.by}`"
        limit = int(Fraction(self.fraction or 0) * HASHES)
        return "row >= 0" if limit >= HASHES else f"hash({key}, {self.seed}) < {limit}"

    def scaled(self, weight: str) -> Definition:
        """Independent. Return the definition of weights of kept rows, each of which counts for several."""
        rows = f"* {self.every}" if self.every is not None else f"/ {self.fraction!r}"
        return replace(parse_definition(f"`{weight}`=`{weight}` {rows}"), keeps_type=True)


@errors_in_family
def thin(
    source: str | Path,
    target: str | Path,
    sample: Sample,
    *,
    weight: str | None = None,
    comm: Any = None,
    observer: Observer | None = None,
    **request: Any,
) -> CopyReport:
    """Collective. Copy a file with a sample of the rows of one table.

    The rows keep their order, and the sample does not depend on the number of ranks. The values of the
    column `weight` are multiplied by the number of rows that each kept row represents, so that sums over
    the rows, such as the charge, keep their expected value; that of every n-th row is exact in the
    average over the offsets. Floating-point weights keep their type. Keywords of `quire.copy` (`format`,
    `table`, `steps`, `options`, ...) are passed in `request`.

    Raises UsageError for impossible samples, MissingError if there is no column `by` or `weight`.
    """
    sample.require_one()
    definitions = () if weight is None else (sample.scaled(weight),)
    wanted = Request(where=sample.condition, definitions=definitions, replace=True, **request)
    return carry_out(source, target, wanted, comm, observer or Observer())
