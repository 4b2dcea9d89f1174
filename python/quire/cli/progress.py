"""A progress bar on terminals, and lines of progress elsewhere for commands that take minutes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from quire.cli.output import remark
from quire.cli.parallel import is_first_rank


class Progress:
    """Counts rows that are done and to do, and shows them on a terminal."""

    def __init__(self, show: Callable[[int, int], None] | None = None) -> None:
        self.total = 0
        self.done = 0
        self.show = show

    def expect(self, rows: int) -> None:
        """Independent. Add rows that are to do."""
        self.total += rows

    def advance(self, rows: int) -> None:
        """Independent. Add rows that are done."""
        self.done += rows
        if self.show is not None:
            self.show(self.done, self.total)


PARTS = 10
"""How many lines of progress are printed."""


def in_lines(title: str, unit: str) -> Callable[[int, int], None]:
    """Return what prints a line on standard error for each part that is done."""
    reported = -1

    def show(done: int, total: int) -> None:
        nonlocal reported
        part = done * PARTS // max(total, 1)
        if part > reported:
            reported = part
            remark(f"{title}: {done} of {total} {unit}")

    return show


@contextmanager
def progress(title: str, unit: str = "rows", is_long: bool = False) -> Iterator[Progress]:
    """Independent. Show a bar on standard error while the block runs, if that is a terminal.

    `unit` is the noun for what is counted. A long command prints lines where there is no terminal.
    """
    if not sys.stderr.isatty() or not is_first_rank():
        yield Progress(in_lines(title, unit) if is_long else None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from quire.toolkit.activity import listening

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, count="")
        shown = title

        def show(what: str, done: int, total: int, noun: str) -> None:
            nonlocal task, shown
            if what != shown:  # a new line, whose total and speed are its own
                bar.remove_task(task)
                task, shown = bar.add_task(what, total=None, count=""), what
            count = f"{done} {noun}" if done or total else ""
            bar.update(task, completed=done, total=total or None, count=count)

        with listening(show):
            yield Progress(lambda done, total: show(title, done, max(done, total), unit))
