"""Particles as the plain text that a program reads: columns in order, without names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import quire
from quire.errors import MissingError
from quire.io.communicator import core_comm
from quire.io.refusal import agreed
from quire.toolkit.changes import lost
from quire.toolkit.copier import StepCopier
from quire.toolkit.lines import Cells, printer
from quire.toolkit.replacing import refuse_overwriting, replacement, sync_directory
from quire.toolkit.request import CopyReport, Observer, Request
from quire.toolkit.selection import require_found, resolve_rows, rows_per_block
from quire.toolkit.share import BLOCK_BYTES

if TYPE_CHECKING:
    from quire import File, Step
    from quire.io.fit import Change
    from quire.toolkit.profiles import Profile

DELIMITER = " "


def write_as_text(
    source: str | Path, target: str | Path, request: Request, comm: Any, observer: Observer
) -> CopyReport:
    """Collective. Write the file of a program that reads text. The first rank copies, block by block.

    The target appears when it is complete. Raises the errors of `Profile.adapt`, and MissingError for a file
    without the steps that are asked for.
    """

    def write() -> CopyReport | None:
        if comm is not None and comm.rank != 0:
            return None
        refuse_overwriting(source, target, request.overwrite)
        with quire.open(source, quire.SELF, **request.source_options) as file:
            copier = TextCopier(request, observer)
            with replacement(target) as beside, beside.open("wb") as out:
                report = copier.copy_all(file, out)
                if request.durable:
                    out.flush()
                    os.fsync(out.fileno())
        if request.durable:
            sync_directory(target)
        return report

    report = agreed(core_comm(comm), "a copy as text to", write, str(target))
    if comm is not None:
        report = comm.bcast(report)
    assert report is not None  # that of the first rank
    return report


def rehearse_text(source: str | Path, request: Request, observer: Observer) -> CopyReport:
    """Independent. Return the losses and changes of a copy as text."""
    with quire.open(source, quire.SELF, **request.source_options) as file:
        return TextCopier(request, observer).copy_all(file, None)


class TextCopier:
    """Copies steps of an open file to text."""

    def __init__(self, request: Request, observer: Observer) -> None:
        assert request.profile is not None  # it is what describes the text
        self.profile: Profile = request.profile
        self.copier = StepCopier(request, "", None, observer)

    @property
    def report(self) -> CopyReport:
        """What was copied."""
        return self.copier.report

    def copy_all(self, file: File, out: IO[bytes] | None) -> CopyReport:
        """Independent. Copy the selected steps; without a target only report."""
        reference_rows = list(self.copier.suit(file).values())
        if file.title:
            self.copier.report_changes([lost("", "", "the title is left out")])
        self.copier.report_changes(left_out("attribute of the file", file.attrs))
        self.copier.report_changes(left_out("attachment", file.attachments))
        for place, step in enumerate(self.copier.steps(file)):
            self.copier.report_changes(left_out("attribute", step.attrs))
            self.report.steps += 1
            if out is not None:
                self.copy(step, out, reference_rows[place])
        require_found(self.report.steps, self.copier.request.steps, file.path)
        if not self.report.steps:
            raise MissingError("the file has no steps", file=file.path)
        self.report.unreadable = dict(file.unreadable)
        return self.report

    def copy(self, step: Step, out: IO[bytes], reference_row: Mapping[str, float]) -> None:
        """Independent. Write the rows of a step after that of a reference, if any."""
        if reference_row:
            out.write(self.lines([[reference_row[column.name]] for column in self.profile.columns]))
        for block in self.blocks(step):
            rows = len(block[0])
            out.write(self.lines(block))
            self.report.rows += rows
            if self.copier.observer.progress is not None:
                self.copier.observer.progress(rows)

    def blocks(self, step: Step) -> Iterator[list[Any]]:
        """Independent. Yield the columns of rows that are copied, block by block."""
        request = self.copier.request
        table = step.tables[request.table] if request.table else step.table
        names = [column.name for column in self.profile.columns]
        per_block = rows_per_block(table, names, BLOCK_BYTES)
        first, count = resolve_rows(request.rows, len(table))
        found = (
            table.blocks(names, per_block, slice(first, first + count))
            if request.where is None
            else table.where(request.where, (first, count)).blocks(names, per_block)
        )
        for _, block in found:
            yield [block[name] for name in names]

    def lines(self, columns: Sequence[Any]) -> bytes:
        """Independent. Return rows as lines."""
        printers = [printer(column.print) if column.print else None for column in self.profile.columns]
        return Cells(DELIMITER).lines(columns, printers).encode()


def left_out(what: str, names: Iterable[str]) -> list[Change]:
    """Independent. Return the losses of objects that text has no place for."""
    return [lost(what, name, "left out: the text has columns only") for name in names]
