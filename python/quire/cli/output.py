"""How commands write: text for people, JSON and CSV for programs."""

from __future__ import annotations

import io
import itertools
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

CONTROL = {code: f"\\x{code:02x}" for code in [*range(32), 127, *range(128, 160)]}


def use_utf8() -> None:
    """Independent. Let standard output take any text: bytes that were no UTF-8 in a file come out as they
    were. One that is closed takes everything.
    """
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")


def say(text: str = "") -> None:
    """Independent. A line on standard output."""
    sys.stdout.write(text + "\n")


def remark(text: str) -> None:
    """Independent. Lines on standard error: what a person should know, not part of the answer.

    They leave in one write with their line end, so that those of several ranks do not run together.
    """
    sys.stderr.write(text.encode("utf-8", "backslashreplace").decode() + "\n")


def tell_of_tables(names: Sequence[str], kind: str = "tables") -> None:
    """Independent. Remark that the first of these tables is taken, if there are several."""
    if len(names) > 1:
        chosen = printable(names[0])
        remark(f"there are {len(names)} {kind}; this is '{chosen}'; --table chooses another")


HELD_CHARACTERS = 1 << 18
"""What of an answer as JSON is held before it is written."""

MOST_STEPS = 100_000
"""How many steps a list for people shows; of more steps it shows the first ones and how many follow."""


class JsonList(list[Any]):
    """A list for `say_json` whose items are made while it is written, and held one at a time."""

    def __init__(self, items: Iterable[Any]) -> None:
        super().__init__()
        self._items = iter(items)
        self._first = list(itertools.islice(self._items, 1))

    def __bool__(self) -> bool:
        return bool(self._first)

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain(self._first, self._items)


def say_json(answer: Any) -> None:
    """Independent. An answer as JSON that any parser reads.

    It is written while it is made: lists may be of the kind `JsonList`, and functions are called for what is
    known after the parts before them. Of an answer of usual length nothing is written if making it fails.
    """
    encoder = json.JSONEncoder(indent=2, allow_nan=False, default=lambda late: late())
    held = io.StringIO()
    for part in encoder.iterencode(answer):
        held.write(part)
        if held.tell() >= HELD_CHARACTERS:
            sys.stdout.write(held.getvalue())
            held = io.StringIO()
    say(held.getvalue())


def printable(text: str) -> str:
    """Independent. Text from a file without what could steer a terminal."""
    return text.translate(CONTROL)


def shortened(text: str, width: int = 60) -> str:
    """Independent. A printable text of at most this many characters."""
    text = printable(text)
    return text if len(text) <= width else text[: width - 1] + "\N{HORIZONTAL ELLIPSIS}"


def plural(count: int, word: str) -> str:
    """Independent. `1 step`, `2 steps`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


class Numbers:
    """Rising numbers that are counted and told in short: `1, 4 to 8, 20` or `0 to 100 by 10`.

    Long lists lose their middle, of which nothing is kept.
    """

    MOST_RUNS = 8
    FIRST_RUNS = 4
    LAST_RUNS = 2

    def __init__(self) -> None:
        self.count = 0
        self._runs: list[list[int]] = []
        self._has_lost = False
        self._first = self._last = 0
        self._stride: int | None = None
        """The distance of the numbers while it is the same; 0 once it is not."""

    def add(self, number: int) -> None:
        """Independent. One more number."""
        if self.count == 0:
            self._first = number
        else:
            stride = number - self._last
            self._stride = stride if self._stride in (None, stride) else 0
        self.count += 1
        self._last = number
        if self._runs and number == self._runs[-1][1] + 1:
            self._runs[-1][1] = number
            return
        self._runs.append([number, number])
        if len(self._runs) > self.MOST_RUNS:
            self._has_lost = True
        if self._has_lost and len(self._runs) > self.FIRST_RUNS + self.LAST_RUNS:
            del self._runs[self.FIRST_RUNS : -self.LAST_RUNS]

    def __str__(self) -> str:
        if self.count > 3 and self._stride not in (None, 0, 1):
            return f"{self._first} to {self._last} by {self._stride}"
        runs = self._runs
        parts = [str(a) if a == b else f"{a}, {b}" if b == a + 1 else f"{a} to {b}" for a, b in runs]
        if self._has_lost:
            parts.insert(self.FIRST_RUNS, "\N{HORIZONTAL ELLIPSIS}")
        return ", ".join(parts)


def ranges(numbers: Iterable[int]) -> str:
    """Independent. Rising numbers in short, as `Numbers` tells them."""
    found = Numbers()
    for number in numbers:
        found.add(number)
    return str(found)


def columns_of_text(rows: Iterable[Sequence[str]], indent: str = "") -> list[str]:
    """Independent. Rows of cells as lines with aligned columns, nothing behind the last cell."""
    rows = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(max((len(row) for row in rows), default=0))]
    return [
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))).rstrip()
        for row in rows
    ]
