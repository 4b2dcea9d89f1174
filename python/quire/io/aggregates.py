"""Aggregates in expressions: one value of all rows of a table, such as `max(betax)`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

import numpy as np

from quire._core import even_slice
from quire.errors import DataError, TypeMismatchError, UsageError
from quire.io import row_source
from quire.io.row_source import (
    ALONE,
    Argument,
    RowSource,
    Sharing,
    computed,
    computed_type,
    is_text,
    row_blocks,
    unit_of,
)
from quire.io.types import Array, dtype_of

Part = Any
"""What remains of a block of rows."""


def total(values: Array) -> Part:
    """Independent. Return the sum of a block; that of integers is exact."""
    if values.dtype.kind == "f" or not len(values):
        return values.sum()
    largest = max(abs(int(values.max())), abs(int(values.min())))
    return int(values.sum()) if largest * len(values) < 1 << 63 else sum(values.tolist())


def add(parts: Sequence[Part]) -> Any:
    """Independent. Return the sum of the sums of blocks."""
    return sum(parts[1:], parts[0])


def mean(parts: Sequence[tuple[int, Part]]) -> Any:
    """Independent. Return the mean from the numbers and the sums of blocks."""
    return add([one for _, one in parts]) / sum(count for count, _ in parts)


def deviations(values: Array) -> Part:
    """Independent. Return number, mean, and sum of squares about the mean of a block."""
    numbers = values.astype(np.float64) if values.dtype.kind != "f" else values
    middle = numbers.mean()
    return len(numbers), middle, ((numbers - middle) ** 2).sum()


def deviation(parts: Sequence[tuple[int, Any, Any]]) -> Any:
    """Independent. Return the standard deviation, divisor n - 1, by the update of Chan, Golub and LeVeque
    (1979).
    """
    count, middle, squares = parts[0]
    for more, other, further in parts[1:]:
        both = count + more
        distance = other - middle
        squares = squares + further + distance**2 * (count * more / both)
        middle = middle + distance * (more / both)
        count = both
    return np.sqrt(squares / (count - 1)) if count > 1 else math.nan


def squares(values: Array) -> Part:
    """Independent. Return number and sum of squares of a block."""
    numbers = values.astype(np.float64) if values.dtype.kind != "f" else values
    return len(numbers), (numbers * numbers).sum()


def upper_median(parts: Sequence[Array]) -> Any:
    """Independent. Return element n // 2 of the sorted values; NaN if one is NaN."""
    values = np.concatenate(parts)
    if values.dtype.kind == "f" and np.isnan(values).any():
        return math.nan
    return np.partition(values, len(values) // 2)[len(values) // 2]


def numbers_in(values: Array) -> int:
    """Independent. Return the number of values that are not NaN."""
    return len(values) - (int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0)


def at_place(find: Callable[[Array], Any], values: Array, keys: Array) -> Part:
    """Independent. Return the value where `find` finds a key, and the key."""
    place = find(keys)
    return values[place], keys[place]


def best(find: Callable[[Array], Any], parts: Sequence[tuple[Any, Any]]) -> Any:
    """Independent. Return the value of the block whose key `find` finds."""
    return parts[int(find(np.array([key for _, key in parts])))][0]


@dataclass(frozen=True)
class Reduction:
    """How a block becomes a part, and parts a value; without rows it is `empty`, or missing.

    `row` is the only row that is needed, counted as by Python.
    """

    part: Callable[..., Part]
    value: Callable[[Sequence[Part]], Any]
    empty: Any = None
    of_texts: bool = False
    result: Literal["argument", "sum", "float", "count", "condition"] = "argument"
    row: int | None = None


REDUCTIONS: Final[Mapping[str, Reduction]] = {
    "sum": Reduction(total, add, 0, result="sum"),
    "mean": Reduction(lambda values: (len(values), total(values)), mean, result="float"),
    "std": Reduction(deviations, deviation, result="float"),
    "rms": Reduction(squares, lambda parts: np.sqrt(mean(parts)), result="float"),
    "median": Reduction(np.copy, upper_median),
    "min": Reduction(np.min, lambda parts: np.min(np.array(parts))),
    "max": Reduction(np.max, lambda parts: np.max(np.array(parts))),
    "count": Reduction(numbers_in, sum, 0, True, "count"),
    "any": Reduction(lambda values: bool(values.any()), any, 0, result="condition"),
    "all": Reduction(lambda values: bool(values.all()), all, 1, result="condition"),
    "first": Reduction(lambda values: values[0], lambda parts: parts[0], of_texts=True, row=0),
    "last": Reduction(lambda values: values[-1], lambda parts: parts[-1], of_texts=True, row=-1),
    "at_max": Reduction(partial(at_place, np.argmax), partial(best, np.argmax), of_texts=True),
    "at_min": Reduction(partial(at_place, np.argmin), partial(best, np.argmin), of_texts=True),
}


def result_type(argument: Argument, result: str) -> str:
    """Independent. Return the type of the result of an aggregate."""
    kind = computed_type(argument)
    if result == "float":
        return "float80" if kind == "float80" else "float64"
    if result == "sum":
        return "int64" if kind == "uint64" else kind
    return {"count": "int64", "condition": "int32"}.get(result, kind)


class Aggregate:
    """A call such as `max(x)`: a column with the same value in all rows, computed when it is needed."""

    columns: Final[list[str]] = []
    """The columns that blocks must contain: none, all rows are read."""

    def __init__(self, function: str, text: str, arguments: Sequence[Argument], source: RowSource) -> None:
        self.text = text
        self.arguments = arguments
        self.source = source
        self.reduction = REDUCTIONS[function]
        self.type = result_type(arguments[0], self.reduction.result)
        self.unit = "1" if self.reduction.result in ("count", "condition") else unit_of(arguments[0])
        self._value: Any = None
        self._check(function)

    def _check(self, function: str) -> None:
        checked = self.arguments[1:] if self.reduction.of_texts else self.arguments
        if any(is_text(one) for one in checked):
            raise UsageError(f"{self.text}: these are texts, where {function} needs numbers")
        if self.reduction.result == "condition" and not self.arguments[0].is_condition:
            raise UsageError(f"{self.text}: {function} needs a condition: compare the values with something")

    @property
    def is_known(self) -> bool:
        """Whether the value was computed."""
        return self._value is not None

    def part(self, block: Mapping[str, Array], first: int, count: int) -> Part:
        """Independent. Return what remains of a block of rows."""
        with np.errstate(all="ignore"):
            return self.reduction.part(*(computed(one, block, first, count) for one in self.arguments))

    def take(self, parts: Sequence[Part]) -> None:
        """Independent. Compute the value from all parts, in the order of the rows."""
        with np.errstate(all="ignore"):
            value = self.reduction.value(parts) if len(parts) else self.reduction.empty
        dtype = dtype_of(self.type)
        if value is None:
            if dtype.kind != "f":
                raise DataError(
                    f"{self.text} has no value, since the table has no rows",
                    advice="float(...) of a number gives NaN" if dtype.kind in "iu" else "",
                )
            value = math.nan
        try:
            self._value = np.array([value], dtype)
        except OverflowError:
            raise TypeMismatchError(
                f"{self.text} is beyond int64; use float(...) for floating numbers"
            ) from None

    def values(self, block: Mapping[str, Array], first: int, count: int) -> Array:
        """Independent. Return the value for each row of a block."""
        found: Array = np.broadcast_to(self._value, count)
        return found


def reduce_together(aggregates: Sequence[Aggregate], ranks: Sharing = ALONE) -> None:
    """Collective if the ranks are several. Compute the values of aggregates, those of one source in one pass.

    Ranks share its blocks, whose parts are joined in the order of the rows on all of them.
    """
    by_source: dict[int, list[Aggregate]] = {}
    for one in aggregates:
        if not one.is_known:
            by_source.setdefault(id(one.source), []).append(one)
    for pending in by_source.values():
        reduce_rows(pending, ranks)


def reduce_rows(pending: Sequence[Aggregate], ranks: Sharing) -> None:
    """Collective if the ranks are several. Compute the values of aggregates of one source."""
    for one in pending:
        if one.reduction.row is not None:
            rows = range(len(one.source))[one.reduction.row :][:1]
            one.take(parts_of([one], rows.start, rows.stop)[0])
    whole = [one for one in pending if one.reduction.row is None]
    if not whole:
        return
    blocks = -(-len(whole[0].source) // row_source.BLOCK_ROWS)
    first, count = even_slice(blocks, ranks.rank, ranks.size)
    shares = ranks.gather(lambda: parts_of_blocks(whole, first, first + count))
    for place, one in enumerate(whole):
        one.take([part for share in shares for part in share[place]])


def parts_of_blocks(aggregates: Sequence[Aggregate], first: int, last: int) -> list[list[Part]]:
    """Independent. Return the parts of blocks by number. A source may divide a block, always in one way."""
    found: list[list[Part]] = [[] for _ in aggregates]
    for number in range(first, last):
        begin, end = number * row_source.BLOCK_ROWS, (number + 1) * row_source.BLOCK_ROWS
        pieces = parts_of(aggregates, begin, min(end, len(aggregates[0].source)))
        for parts, more in zip(found, pieces, strict=True):
            parts += more
    return found


def parts_of(aggregates: Sequence[Aggregate], first: int, last: int) -> list[list[Part]]:
    """Independent. Return the parts of rows from `first` to `last`, excluded, for each aggregate."""
    arguments = [argument for one in aggregates for argument in one.arguments]
    found: list[list[Part]] = [[] for _ in aggregates]
    for block in row_blocks(aggregates[0].source, arguments, first, last):
        for one, parts in zip(aggregates, found, strict=True):
            start, columns, count = block
            parts.append(one.part(columns, start, count))
    return found
