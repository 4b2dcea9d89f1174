"""Output of commands: text, JSON and CSV."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

CONTROL = {code: f"\\x{code:02x}" for code in [*range(32), 127, *range(128, 160)]}


def use_utf8() -> None:
    """Independent. Let standard output accept any text: bytes of a file that are not UTF-8 are written
    unchanged. What is written to closed standard output or standard error is discarded.
    """
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")


def say(text: str = "") -> None:
    """Independent. Print a line on standard output."""
    sys.stdout.write(text + "\n")


def remark(text: str) -> None:
    """Independent. Print lines on standard error, for messages that are not part of the answer.

    They are written in one call with their newline, so that those of several ranks do not mix.
    """
    sys.stderr.write(text.encode("utf-8", "backslashreplace").decode() + "\n")


def report_tables(names: Sequence[str], kind: str = "tables") -> None:
    """Independent. Report that the first of these tables is used, if there are several."""
    if len(names) > 1:
        chosen = printable(names[0])
        remark(f"there are {len(names)} {kind}; this is '{chosen}'; --table selects another")


HELD_CHARACTERS = 1 << 18
"""Size of the buffer of JSON output."""

MOST_STEPS = 100_000
"""Number of steps that a list in text shows. Of a longer list, the number of the others is printed."""


class JsonList(list[Any]):
    """A list for `say_json` whose items are created while it is written, one at a time."""

    def __init__(self, items: Iterable[Any]) -> None:
        super().__init__()
        self._items = iter(items)
        self._first = list(itertools.islice(self._items, 1))

    def __bool__(self) -> bool:
        return bool(self._first)

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain(self._first, self._items)


def say_json(answer: Any) -> None:
    """Independent. Print an answer as standard JSON.

    It is written while it is created: lists may be a `JsonList`, and functions are called for values that are
    known only after the parts before them. If this fails, nothing of an answer of usual length is written.
    """
    import json

    encoder = json.JSONEncoder(indent=2, allow_nan=False, default=lambda late: late())
    held = io.StringIO()
    for part in encoder.iterencode(answer):
        held.write(part)
        if held.tell() >= HELD_CHARACTERS:
            sys.stdout.write(held.getvalue())
            held = io.StringIO()
    say(held.getvalue())


def printable(text: str) -> str:
    """Independent. Return text from a file without control characters of terminals."""
    return text.translate(CONTROL)


def shortened(text: str, width: int = 60) -> str:
    """Independent. Return a printable text of at most this many characters."""
    text = printable(text)
    return text if len(text) <= width else text[: width - 1] + "\N{HORIZONTAL ELLIPSIS}"


def plural(count: int, word: str) -> str:
    """Independent. `1 step`, `2 steps`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def terminal_width() -> int | None:
    """Independent. Return the width of the terminal that shows the output; None if none does."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


@contextmanager
def paged() -> Iterator[None]:
    """Independent. Show what is printed on a terminal by a pager, which ends at once if it fits.

    The pager is that of QUIRE_PAGER or PAGER, else less; `cat` or an empty text is none.
    """
    pager = os.environ.get("QUIRE_PAGER", os.environ.get("PAGER", "less"))
    words = shlex.split(pager)
    if not sys.stdout.isatty() or words in ([], ["cat"]) or shutil.which(words[0]) is None:
        yield
        return
    terminal = sys.stdout
    # -F: exit if the output fits, -R: pass colours, -X: leave the output on the screen.
    environment = {"LESS": "FRX", **os.environ}
    with subprocess.Popen(words, stdin=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        sys.stdout = io.TextIOWrapper(process.stdin, encoding="utf-8", errors="surrogateescape")
        try:
            yield
            sys.stdout.flush()
        except BrokenPipeError:
            pass  # the reader has seen enough
        finally:
            with contextlib.suppress(BrokenPipeError):
                sys.stdout.close()
            sys.stdout = terminal
            # The pager handles Ctrl-C itself, and ends before the prompt of the shell appears.
            while process.poll() is None:
                with contextlib.suppress(KeyboardInterrupt):
                    process.wait()


class Numbers:
    """Increasing numbers with a count and a short text: `1, 4 to 8, 20` or `0 to 100 by 10`.

    The middle of long lists is not kept.
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
        """The distance of the numbers while it is constant, else 0."""

    def add(self, number: int) -> None:
        """Independent. Add a number."""
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
    """Independent. Return increasing numbers as the short text of `Numbers`."""
    found = Numbers()
    for number in numbers:
        found.add(number)
    return str(found)


def columns_of_text(rows: Iterable[Sequence[str]], indent: str = "") -> list[str]:
    """Independent. Return rows of cells as lines with aligned columns, without trailing blanks."""
    rows = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(max((len(row) for row in rows), default=0))]
    return [
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))).rstrip()
        for row in rows
    ]
