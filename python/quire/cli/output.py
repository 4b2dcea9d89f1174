"""How commands write: text for people, JSON and CSV for programs."""

from __future__ import annotations

import io
import itertools
import json
import os
import sys
from collections.abc import Iterable, Sequence
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


def say_json(answer: Any) -> None:
    """Independent. An answer as JSON that any parser reads."""
    say(json.dumps(answer, indent=2, allow_nan=False))


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


def ranges(numbers: Sequence[int]) -> str:
    """Independent. Rising numbers in short: `1, 4 to 8, 20` or `0 to 100 by 10`; long lists lose their
    middle.
    """
    strides = {after - before for before, after in itertools.pairwise(numbers)}
    if len(numbers) > 3 and len(strides) == 1 and strides != {1}:
        return f"{numbers[0]} to {numbers[-1]} by {strides.pop()}"
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    parts = [str(a) if a == b else f"{a}, {b}" if b == a + 1 else f"{a} to {b}" for a, b in runs]
    if len(parts) > 8:
        parts = [*parts[:4], "\N{HORIZONTAL ELLIPSIS}", *parts[-2:]]
    return ", ".join(parts)


def columns_of_text(rows: Iterable[Sequence[str]], indent: str = "") -> list[str]:
    """Independent. Rows of cells as lines with aligned columns, nothing behind the last cell."""
    rows = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(max((len(row) for row in rows), default=0))]
    return [
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))).rstrip()
        for row in rows
    ]
