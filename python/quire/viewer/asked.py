"""What the page asks: checked requests."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from quire.errors import UsageError

MOST_BINS: Final = 2048
LONGEST_TEXT: Final = 20_000
MOST_TERMS: Final = 32
"""Columns or expressions of a list."""

MOST_SOURCES: Final = 256
"""Steps of files, each of which is open while it is drawn."""

LARGEST_STEP: Final = (1 << 63) - 1


@dataclass(frozen=True)
class Asked:
    """The body of a request. Its methods return checked parts, and raise UsageError for others."""

    content: Mapping[str, Any]

    def text(self, name: str) -> str:
        """Independent. Return a text without spaces around it, empty if it is not given."""
        value = self.content.get(name, "")
        if value is None:
            return ""
        if not isinstance(value, str) or len(value) > LONGEST_TEXT:
            raise UsageError(f"'{name}' is not a text of at most {LONGEST_TEXT} letters")
        return value.strip()

    def texts(self, name: str) -> list[str]:
        """Independent. Return a list of texts without spaces around them."""
        value = self.content.get(name) or []
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise UsageError(f"'{name}' is not a list of texts")
        return [one.strip() for one in value]

    def terms(self, name: str) -> list[str]:
        """Independent. Return a short list of different columns or expressions."""
        found = list(dict.fromkeys(self.texts(name)))
        if len(found) > MOST_TERMS:
            raise UsageError(f"there are {len(found)} quantities; at most {MOST_TERMS} are shown together")
        return found

    def integer(self, name: str, least: int, most: int, default: int | None = None) -> int:
        """Independent. Return an integer within limits."""
        return whole(self.content.get(name, default), name, least, most)

    def sources(self) -> list[tuple[int, int]]:
        """Independent. Return different pairs of a file and the number of its step."""
        value = self.content.get("sources")
        if not isinstance(value, list) or not value or not all(isinstance(one, Mapping) for one in value):
            raise UsageError("no file is chosen", advice="tick one in the list of files")
        found = dict.fromkeys(
            (
                whole(one.get("file"), "file", 0, LARGEST_STEP),
                whole(one.get("step"), "step", -LARGEST_STEP, LARGEST_STEP),
            )
            for one in value
        )
        if len(found) > MOST_SOURCES:
            raise UsageError(f"{len(found)} files are chosen; at most {MOST_SOURCES} are shown together")
        return list(found)

    def units_of(self) -> tuple[int, int]:
        """Independent. Return the file whose units a condition has, and the number of its step: by default
        the first one.
        """
        value = self.content.get("unitsOf")
        return Asked({"sources": [value]}).sources()[0] if value is not None else self.sources()[0]

    def bins(self, axes: int) -> list[int] | None:
        """Independent. Return the number of bins of each axis, None for as many as suit the rows."""
        value = self.content.get("bins")
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != axes:
            raise UsageError(f"'bins' are not the numbers of bins of {axes} axes")
        return [whole(one, "bins", 1, MOST_BINS) for one in value]

    def shares(self) -> list[float]:
        """Independent. Return shares of the rows, from 0 to 1, around which a density has lines."""
        value = self.content.get("shares") or []
        if not isinstance(value, list) or len(value) > MOST_TERMS:
            raise UsageError(f"'shares' are not at most {MOST_TERMS} percents")
        if not all(isinstance(one, int | float) and 0 < one < 100 for one in value):
            raise UsageError("'shares' are not percents between 0 and 100")
        return [one / 100 for one in value] if self.text("y") else []

    def limits(self, axes: int) -> list[tuple[float, float] | None]:
        """Independent. Return the limits of each axis, None for those of the values."""
        value = self.content.get("limits") or [None] * axes
        if not isinstance(value, list) or len(value) != axes:
            raise UsageError(f"'limits' are not the limits of {axes} axes")
        return [None if one is None else pair_of(one) for one in value]


def whole(value: Any, name: str, least: int, most: int) -> int:
    """Independent. Return an integer within limits. Raises UsageError for anything else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{name} {value!r:.40} is not a whole number from {least} to {most}")
    return value


def pair_of(value: Any) -> tuple[float, float]:
    """Independent. Return two finite numbers that increase. Raises UsageError for anything else."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(one, int | float) for one in value):
        try:
            low, high = float(value[0]), float(value[1])
        except OverflowError:
            low = high = 0.0
        if math.isfinite(high - low) and low < high:
            return low, high
    raise UsageError(f"{value!r:.60} is not a range of two numbers that increase")
