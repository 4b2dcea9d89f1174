"""Numbers of groups: equal values, or equal combinations of values, have the same number.

Numbers are given in the order in which blocks of values bring new ones. NaN are equal, and so are both zeros.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from quire.numeric.arrays import Numbers

MOST_GROUPS: Final = 1 << 16
"""Groups that have numbers; more of them take more time to find than rows take to be sorted."""


class TooManyGroupsError(Exception):
    """There are more than `MOST_GROUPS` groups."""


class ValueNumbers:
    """Numbers the different values of a column: numbers, single bytes, or texts."""

    def __init__(self) -> None:
        self._values: list[Any] = []
        """The values by number, each as it was found first."""
        self._of_text: dict[Any, int] = {}
        self._table = np.empty(0, np.intp)
        """The numbers of integers from `_low` on, -1 of those without, while all are near each other."""
        self._low = 0
        self._known: Numbers | None = None
        """Other values that have numbers, ascending."""
        self._numbers = np.empty(0, np.intp)
        """Their numbers."""

    def __len__(self) -> int:
        return len(self._values)

    def values(self, dtype: np.dtype[Any]) -> Numbers:
        """Independent. Return the values by number."""
        made = np.empty(len(self), dtype)
        made[:] = self._values
        return made

    def of(self, values: Numbers) -> Numbers:
        """Independent. Return the numbers of one value or more. Raises TooManyGroupsError."""
        if values.dtype == object:
            return self._of_texts(values.tolist())
        integers = values.view(np.uint8) if values.dtype.kind == "S" else values
        if self._known is None and integers.dtype.kind in "iu" and self._reaches(integers):
            return self._of_near_integers(integers, values.dtype)
        return self._of_others(values)

    def _new(self, values: Iterable[Any]) -> Numbers:
        """Return the numbers of new values."""
        first = len(self)
        self._values.extend(values)
        if len(self) > MOST_GROUPS:
            raise TooManyGroupsError
        return np.arange(first, len(self))

    def _of_texts(self, words: list[str]) -> Numbers:
        new = [word for word in dict.fromkeys(words) if word not in self._of_text]
        self._of_text.update(zip(new, self._new(new).tolist(), strict=True))
        return np.array([self._of_text[word] for word in words], np.intp)

    def _reaches(self, integers: Numbers) -> bool:
        """Return whether the table has a place for these integers, after it has grown."""
        low, high = int(integers.min()), int(integers.max())
        if not len(self._table):
            self._low = low
        before = max(self._low - low, 0)
        after = max(high + 1 - self._low - len(self._table), 0)
        if before + len(self._table) + after > MOST_GROUPS:
            return False
        if before or after:
            self._table = np.pad(self._table, (before, after), constant_values=-1)
            self._low -= before
        return True

    def _of_near_integers(self, integers: Numbers, dtype: np.dtype[Any]) -> Numbers:
        low = integers.dtype.type(self._low).astype(np.int64)
        places = integers.astype(np.int64)  # differences are right also where uint64 is not
        places -= low
        numbers = self._table.take(places)
        if numbers.min() < 0:
            new = np.unique(places[numbers < 0])
            self._table[new] = self._new((new + low).astype(integers.dtype).view(dtype))
            numbers = self._table.take(places)
        return numbers

    def _of_others(self, values: Numbers) -> Numbers:
        if self._known is None:
            found = self.values(values.dtype)
            self._numbers = np.argsort(found)
            self._known = found[self._numbers]
        is_new = np.ones(len(values), bool)
        if len(self._known):
            nearest = self._known.take(np.searchsorted(self._known, values), mode="clip")
            is_new = nearest != values
            if values.dtype.kind == "f":
                is_new &= ~(np.isnan(nearest) & np.isnan(values))
        if is_new.any():
            new, first = np.unique(values[is_new], return_index=True)
            places = np.searchsorted(self._known, new)
            self._numbers = np.insert(self._numbers, places, self._new(values[is_new][first]))
            self._known = np.insert(self._known, places, new)
        return self._numbers.take(np.searchsorted(self._known, values))


class GroupNumbers:
    """Numbers the different combinations of values of one column or more."""

    def __init__(self, columns: int) -> None:
        self._columns = [ValueNumbers() for _ in range(columns)]
        self._pairs = [ValueNumbers() for _ in range(columns - 1)]
        """Of the combination of the columns before, and the next column."""

    def __len__(self) -> int:
        return len((self._pairs or self._columns)[-1])

    def of(self, columns: Sequence[Numbers]) -> Numbers:
        """Independent. Return the numbers of the rows of a block. Raises TooManyGroupsError."""
        numbers = self._columns[0].of(columns[0])
        for pair, one, values in zip(self._pairs, self._columns[1:], columns[1:], strict=True):
            numbers = pair.of(numbers * MOST_GROUPS + one.of(values))
        return numbers

    def values(self, dtypes: Sequence[np.dtype[Any]]) -> list[Numbers]:
        """Independent. Return for each column the values of all groups."""
        numbers = np.arange(len(self))
        found = []
        for pair, one, dtype in zip(self._pairs[::-1], self._columns[:0:-1], dtypes[:0:-1], strict=True):
            numbers, last = np.divmod(pair.values(np.dtype(np.int64))[numbers], MOST_GROUPS)
            found.append(one.values(dtype)[last])
        return [self._columns[0].values(dtypes[0])[numbers], *found[::-1]]
