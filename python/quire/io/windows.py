"""Windows in expressions: values of rows before or after each row, such as `lag(x)` and `cumsum(x)`."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from quire.errors import TypeMismatchError, UsageError
from quire.io.row_source import (
    Argument,
    RowSource,
    computed,
    computed_type,
    is_text,
    row_blocks,
    unit_of,
)
from quire.io.types import Array, dtype_of


class Shift:
    """`lag(x, n, other)`: the value n rows before, `other` where there is none; `lead`: n rows after.

    Without `other` it is NaN or an empty text, and integers become float64.
    """

    def __init__(self, function: str, text: str, arguments: Sequence[Argument], source: RowSource) -> None:
        self.arguments = arguments
        self.columns = arguments[0].columns
        self.unit = unit_of(arguments[0])
        self._argument = arguments[0]
        self._source = source
        self._kind = computed_type(self._argument)
        count = count_of(text, arguments[1]) if len(arguments) > 1 else 1
        self._distance = count if function == "lead" else -count
        self.type, self._other = self._outside(text, arguments[2] if len(arguments) > 2 else None)

    def _outside(self, text: str, other: Argument | None) -> tuple[str, Any]:
        """Return the type of the result, and the value where there is no row."""
        if other is None:
            if self._kind == "string":
                return "string", ""
            return ("float80" if self._kind == "float80" else "float64"), math.nan
        if not other.is_constant:
            raise UsageError(f"{text}: the value outside of the table must be the same for all rows")
        if is_text(other) != (self._kind == "string"):
            raise UsageError(f"{text}: text and number cannot be mixed")
        if self._kind == "string":
            return "string", other.value
        kinds = {self._kind, computed_type(other)}
        if "uint64" in kinds and kinds <= {"uint64", "int64"}:
            if self._kind == "int64" or other.value < 0:
                raise UsageError(f"{text}: negative numbers and uint64 have no common type")
            return "uint64", other.value
        widest = next((kind for kind in ("float80", "float64") if kind in kinds), self._kind)
        return widest, other.value

    def values(self, block: Mapping[str, Array], first: int, count: int) -> Array:
        """Independent. Return the values for the rows of a block. Rows of other blocks are read."""
        out = np.full(count, self._other, dtype_of(self.type))
        begin = max(first + self._distance, 0)
        end = min(first + count + self._distance, len(self._source))
        if begin < end:
            start = begin - self._distance - first
            out[start : start + end - begin] = self._shifted(block, first, count, begin, end)
        return out

    def _shifted(self, block: Mapping[str, Array], first: int, count: int, begin: int, end: int) -> Array:
        """Return the values of rows from `begin` to `end`: those of the block, and those that are read."""
        inner, outer = max(begin, first), min(end, first + count)
        if inner >= outer:
            return self._read(begin, end)
        own = computed(self._argument, block, first, count)[inner - first : outer - first]
        return np.concatenate([self._read(begin, inner), own, self._read(outer, end)])

    def _read(self, begin: int, end: int) -> Array:
        parts = [np.empty(0, dtype_of(self._kind))]
        for start, block, count in row_blocks(self._source, [self._argument], begin, end):
            parts.append(computed(self._argument, block, start, count))
        return np.concatenate(parts)


class Difference(Shift):
    """`diff(x, n)`: the value minus that n rows before, NaN in the first rows; integers become float64."""

    def __init__(self, function: str, text: str, arguments: Sequence[Argument], source: RowSource) -> None:
        require_numbers(text, arguments[0])
        super().__init__(function, text, arguments, source)

    def values(self, block: Mapping[str, Array], first: int, count: int) -> Array:
        """Independent. Return the differences for the rows of a block."""
        out = np.full(count, math.nan, dtype_of(self.type))
        begin = max(first + self._distance, 0)
        end = first + count + self._distance
        if begin < end:
            # Differences of 64-bit integers are exact in long double.
            wide = np.longdouble if self._kind in ("int64", "uint64") else dtype_of(self._kind)
            own = computed(self._argument, block, first, count)[begin - end :].astype(wide)
            before = self._shifted(block, first, count, begin, end).astype(wide)
            with np.errstate(all="ignore"):
                out[count - (end - begin) :] = own - before
        return out


def accumulate_sum(values: Array) -> Array:
    """Independent. Return sums from the beginning. Raises OverflowError beyond int64."""
    return checked(np.cumsum(values), np.cumsum, values)


def accumulate_product(values: Array) -> Array:
    """Independent. Return products from the beginning. Raises OverflowError beyond int64."""
    return checked(np.cumprod(values), np.cumprod, values)


def checked(found: Array, accumulate: Callable[[Any], Array], values: Array) -> Array:
    """Independent. Return integers if none of them is beyond int64."""
    if values.dtype.kind == "f" or not (abs(accumulate(values.astype(np.float64))) >= 2.0**62).any():
        return found
    exact: Array = accumulate(values.astype(object)).astype(np.int64)  # raises OverflowError
    return exact


ACCUMULATIONS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "cumsum": accumulate_sum,
    "cumprod": accumulate_product,
    "cummax": np.maximum.accumulate,
    "cummin": np.minimum.accumulate,
}


class Running:
    """`cumsum(x)`, `cumprod(x)`, `cummax(x)`, `cummin(x)`: over all rows up to each row, in their order.

    Rows before a block are read once, unless the block before was computed.
    """

    def __init__(self, function: str, text: str, arguments: Sequence[Argument], source: RowSource) -> None:
        self.arguments = arguments
        self._argument = arguments[0]
        require_numbers(text, self._argument)
        self._text = text
        self._source = source
        self._accumulate = ACCUMULATIONS[function]
        kind = computed_type(self._argument)
        self.type = "int64" if kind == "uint64" and function in ("cumsum", "cumprod") else kind
        self.columns = self._argument.columns
        self.unit = unit_of(self._argument)
        if function == "cumprod" and not self._argument.is_pure:
            self.unit = ""
        self._ends = [0]
        """Rows before which the result is known, ascending."""
        self._results: list[Any] = [None]

    def values(self, block: Mapping[str, Array], first: int, count: int) -> Array:
        """Independent. Return the values for the rows of a block."""
        known = bisect_right(self._ends, first) - 1
        if self._ends[known] < first:
            for start, before, rows in row_blocks(self._source, [self._argument], self._ends[known], first):
                self._continued(before, start, rows)
        return self._continued(block, first, count)

    def _continued(self, block: Mapping[str, Array], first: int, count: int) -> Array:
        values = computed(self._argument, block, first, count)
        before = self._results[bisect_left(self._ends, first)]
        try:
            if dtype_of(self.type) != values.dtype:  # uint64
                values = checked(values.astype(np.int64), np.positive, values)
            if before is not None:
                values = np.concatenate([[before], values])
            with np.errstate(all="ignore"):
                found = self._accumulate(values)
        except OverflowError:
            raise TypeMismatchError(
                f"{self._text} is beyond int64 in rows from {first} on; use float(...) for floating numbers"
            ) from None
        found = found if before is None else found[1:]
        place = bisect_left(self._ends, first + count)
        if len(found) and self._ends[place:][:1] != [first + count]:
            self._ends.insert(place, first + count)
            self._results.insert(place, found[-1])
        return found


def count_of(text: str, argument: Argument) -> int:
    """Independent. Return a number of rows. Raises UsageError unless it is a constant from 0 on."""
    if argument.is_constant and not is_text(argument):
        value = argument.value
        if value == int(value) and value >= 0:
            return int(value)
    raise UsageError(f"{text}: the number of rows must be a constant, and an integer from 0 on")


def require_numbers(text: str, argument: Argument) -> None:
    """Independent. Raise UsageError for texts."""
    if is_text(argument):
        raise UsageError(f"{text}: these are texts, where numbers are needed")


WINDOWS: Final[Mapping[str, type[Shift | Running]]] = {
    "lag": Shift,
    "lead": Shift,
    "diff": Difference,
    **dict.fromkeys(ACCUMULATIONS, Running),
}
