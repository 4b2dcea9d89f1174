"""Recover the whole parts of damaged files."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import quire
from quire.errors import (
    BadFileError,
    ConflictError,
    Error,
    MissingError,
    MissingFileError,
    UnsupportedError,
    UsageError,
    errors_in_family,
)
from quire.io.file import locked
from quire.io.fit import fit_file
from quire.io.formats import format_for_path, format_info, makes_set, may_be_named, named_members
from quire.toolkit.attachments import copy_attachments
from quire.toolkit.copier import StepCopier, copy_attributes
from quire.toolkit.replacing import refuse_dropping_rows, refuse_overwriting, replacement
from quire.toolkit.request import Observer, Request
from quire.toolkit.values import check

if TYPE_CHECKING:
    from quire import CheckReport, File, Step

ELSEWHERE = "recover it to another name: -o OUTPUT"
"""The advice where files of a set cannot be replaced."""


class NotTakenOutError(Exception):
    """Damaged steps cannot be removed from the bytes of a file, which is rewritten instead."""


@dataclass(frozen=True)
class Recovery:
    """The result: numbers of whole steps, rows saved of a truncated step, and the damage.

    `lost` contains messages about other objects that could not be kept: attributes of the file, attachments.
    `streams_saved` and `stream_bytes` are those of a truncated step of streams, which has no rows.
    `warnings` are about a file that is not damaged, or those before it was changed. `damage_left` is the
    damage of a rewritten file: the existing bytes of streams are kept, but their contents may end early.
    `dropped` contains the errors of single damaged steps by number. `is_undecoded` is whether there are
    compressed values that were not decoded.
    """

    kept: list[int]
    rows_saved: int
    step_cut: int | None
    damage: Any
    changed: bool
    lost: list[str] = field(default_factory=list)
    streams_saved: int = 0
    stream_bytes: int = 0
    warnings: list[str] = field(default_factory=list)
    damage_left: Any = None
    dropped: dict[int, Error] = field(default_factory=dict)
    is_undecoded: bool = False


@dataclass(frozen=True)
class Found:
    """The state of a file, and the target of its whole parts: `target`, or the file itself if that is None.

    `options` are those for reading it.
    """

    source: str | Path
    target: str | Path | None
    rows: bool
    values: bool
    options: dict[str, Any]
    format: str
    report: CheckReport
    compression: str | None
    is_set: bool
    knows_names: bool
    """Whether the files of a set contain the names of others."""

    @property
    def final(self) -> str | Path:
        """The name of the result."""
        return self.source if self.target is None else self.target

    @property
    def is_safe(self) -> bool:
        """Whether damaged parts may be dropped from the file itself."""
        return self.report.damage is None or (self.report.whole_steps > 0 and not self.rows)


@errors_in_family
def recover(
    source: str | Path,
    target: str | Path | None = None,
    *,
    rows: bool = False,
    values: bool = False,
    overwrite: bool = False,
    **options: Any,
) -> Recovery:
    """Independent. Keep the whole steps of a damaged file; with `rows` also complete rows of a truncated
    step.

    With `values` all values are read, and steps with values that cannot be decoded are not whole. Without a
    target the file itself is repaired; otherwise the source is not changed. Compressed files, and damaged
    files that need options to be read, are rewritten in the same layout; sets of files are written as sets,
    unless some files are missing. `options` are those of the source's reader.

    Raises MissingError if there is nothing to keep, which leaves source and target unchanged; ConflictError
    if the target exists and may not be replaced, or a writer has the file to repair open; UsageError if the
    target's name is that of another format; BadFileError for bytes that differ from their checksums.
    """
    if rows:
        refuse_dropping_rows(source)
    if target is None and quire.finish_replacement(source, quire.SELF) and not Path(source).exists():
        raise MissingFileError(
            "there is nothing whole to keep: its writer ended before the first file was complete; "
            "its incomplete file is removed",
            file=str(source),
        )
    found = look_through(source, target, rows, values, reading_options(source, options))
    if target is None and found.report.is_being_written:
        with locked(source, quire.SELF):  # the writer may have ended meanwhile
            pass
        found = look_through(source, target, rows, values, reading_options(source, options))
    damage = found.report.damage
    if found.report.is_changed and damage is not None:
        # A copy would contain the wrong bytes without their checksums.
        raise damage
    if target is None:
        refuse_dropping_unknown(found)
    else:
        refuse_overwriting(source, target, overwrite)
        refuse_other_name(source, target, found.format)
    # Files that are changed in place are read without options.
    if found.compression is not None or (found.options and damage is not None):
        return recover_anew(found)
    # A copy of the first file of a set would not find the others, and a replacement would leave them.
    if (found.is_set or named_members(found.final)) and not (target is None and found.is_safe):
        with place_of_new(found) as work:
            return write_anew(found, work, None)
    return recover_bytes(found)


def refuse_dropping_unknown(found: Found) -> None:
    """Independent. Raises errors of steps that may be whole, such as lack of memory or a missing file.

    Recovering the file itself would lose these steps. With the rows of a truncated step, users accept that.
    """
    report = found.report
    damage = None if found.rows and report.salvageable else report.damage
    for problem in (*report.damaged.values(), damage):
        if problem is None or isinstance(problem, BadFileError):
            continue
        advice = f"{problem.advice}, or {ELSEWHERE}" if problem.advice else ELSEWHERE
        raise type(problem)(
            f"{problem.message}, so it is unknown whether the step is whole",
            file=problem.file or str(found.source),
            object=problem.object,
            advice=advice,
        )


def look_through(
    source: str | Path, target: str | Path | None, rows: bool, values: bool, options: dict[str, Any]
) -> Found:
    """Independent. Return the state of a file, and its whole parts."""
    with quire.open(source, quire.SELF, **options) as file:
        report = check(file, values=values)
        compression = file.layout.get("compression")
        is_set = bool(file.members)
        knows_names = makes_set(file.format, layout_options(file))
        return Found(
            source, target, rows, values, options, file.format, report, compression, is_set, knows_names
        )


def recover_anew(found: Found) -> Recovery:
    """Independent. Write the whole parts to a new file, compressed like the file that it replaces."""
    report = found.report
    if found.target is None and report.damage is None:
        undecoded = report.is_undecoded
        return Recovery(
            report.numbers, 0, None, None, False, warnings=report.warnings, is_undecoded=undecoded
        )
    with place_of_new(found) as work:
        kept = found.compression if found.target is None else None
        return write_anew(found, work, kept)


def recover_bytes(found: Found) -> Recovery:
    """Independent. Remove damaged parts from the file itself or a copy of its bytes, if possible."""
    try:
        return take_out_damage(found)
    except NotTakenOutError:
        with place_of_new(found) as work:
            return write_anew(found, work, None)


def take_out_damage(found: Found) -> Recovery:
    """Independent. The same. Raises NotTakenOutError if the whole steps can only be copied."""
    source, damage = found.source, found.report.damage
    with working_copy(source, found.target, in_place=found.target is None and found.is_safe) as work:
        changed = quire.repair(work, quire.SELF, **own_options(found.format, found.options))
        with quire.open(work, quire.SELF, **found.options) as file:
            after = check(file, values=found.values)
        # Repair may remove the rows that the source still contains.
        has_more = after.whole_steps > found.report.whole_steps
        wants_rows = found.rows and (after if has_more else found.report).salvageable
        if after.whole_steps == 0 and not found.is_safe:
            work.unlink()
            return write_anew(found, work, None)
        # In another directory links of steps to other files may be broken.
        if after.damaged and not set(found.report.numbers) <= set(after.numbers):
            raise NotTakenOutError
        if after.damaged and wants_rows:
            raise NotTakenOutError
        if after.damaged:
            return without_damaged(work, found, after)
        if after.damage is None and not wants_rows:
            before = found.report.warnings if changed else []
            doubts = [*before, *(text for text in after.warnings if text not in before)]
            warnings = doubts if damage is None else []
            return Recovery(
                after.numbers, 0, None, damage, changed, warnings=warnings, is_undecoded=after.is_undecoded
            )
        saved = rewrite_end(source, work, after, wants_rows, found.options)
    step, count = saved if saved is not None else (None, 0)
    return Recovery(after.numbers, count, step, damage, True, is_undecoded=after.is_undecoded)


def without_damaged(work: Path, found: Found, after: CheckReport) -> Recovery:
    """Independent. Remove single damaged steps. The whole steps after them are not changed."""
    try:
        quire.repair(
            work, quire.SELF, dropped=list(after.damaged), **own_options(found.format, found.options)
        )
    except (BadFileError, UnsupportedError):
        raise NotTakenOutError from None
    with quire.open(work, quire.SELF, **found.options) as file:
        report = file.check()
    if report.damage is not None:
        raise report.damage
    damage = found.report.damage or after.damage
    dropped = dict(after.damaged)
    return Recovery(report.numbers, 0, None, damage, True, dropped=dropped, is_undecoded=after.is_undecoded)


def refuse_other_name(source: str | Path, target: str | Path, format: str) -> None:
    """Independent. Raises UsageError for a target whose suffix is that of another format than the source.

    The same suffix as that of the source is accepted.
    """
    named = format_for_path(target)
    if named in (None, format_for_path(source)) or may_be_named(format, target):
        return
    raise UsageError(
        f"its suffix is that of the format {named}, but the recovered file has the format {format}",
        file=str(target),
        advice="give it a suffix of that format, and convert it afterwards",
    )


@contextmanager
def place_of_new(found: Found) -> Iterator[Path]:
    """Independent. Return where a file, or the files of a set, are rewritten.

    Some contain their names: their writer itself replaces the old files. If it cannot, ConflictError and
    UsageError advise to use another name.
    """
    if not ((found.is_set and found.knows_names) or named_members(found.final)):
        with replacement(found.final, is_damaged=True) as work:
            yield work
        return
    if found.target is None:
        refuse_links(found.final)
    try:
        yield Path(found.final)
    except UsageError as problem:
        if found.target is None:
            problem = UsageError(problem.message, file=problem.file, object=problem.object, advice=ELSEWHERE)
        raise problem from None


def refuse_links(path: str | Path) -> None:
    """Independent. Raises ConflictError if a file of a set is a link: only the link would be replaced."""
    for name in named_members(path):
        member = Path(path).with_name(name)
        if member.is_symlink():
            raise ConflictError(
                "a file of the set is a symbolic link, which the new file would replace",
                file=str(member),
                advice=ELSEWHERE,
            )


def reading_options(source: str | Path, options: dict[str, Any]) -> dict[str, Any]:
    """Independent. Return the options without which a file cannot be opened, if any."""
    try:
        quire.open(source, quire.SELF, **options).close()
    except (BadFileError, MissingError):
        return options | {"tolerant": True}
    return options


def own_options(format: str, options: dict[str, Any]) -> dict[str, Any]:
    """Independent. Return options for reading without those common to all formats."""
    names = {option.name for option in format_info(format).read_options}
    return {name: value for name, value in options.items() if name in names}


def layout_options(file: File) -> dict[str, str]:
    """Independent. Return writer options for the same layout as that of this file.

    These are the layout properties with the names of options whose values are among the option's choices, or
    Booleans. Numbers are left out, since they may mean more than the layout, such as the version.
    """
    facts = {name.replace(" ", "_"): value for name, value in file.layout.items()}
    truths = {"0": "false", "1": "true", "false": "false", "true": "true"}
    options: dict[str, str] = {}
    for option in format_info(file.format).write_options:
        fact = facts.get(option.name, "")
        if option.kind == "truth" and fact in truths:
            options[option.name] = truths[fact]
        elif fact in option.choices:
            options[option.name] = fact
    return options


def written_options(file: File, options: dict[str, Any]) -> dict[str, Any]:
    """Independent. Return writer options: the layout of a file, and options that its reader needed."""
    names = {option.name for option in format_info(file.format).write_options}
    return layout_options(file) | {name: value for name, value in options.items() if name in names}


def write_anew(known: Found, work: Path, compression: str | None) -> Recovery:
    """Independent. Write the whole parts to a new file, since compressed files cannot be truncated.

    It is written with the name `work` and renamed to `known.final`, which some formats store. While this
    process locks the source, a check reports it as being written, without rows to save; the check before the
    lock is used.

    `compression` selects the compression of the new file, by default its suffix.
    """
    source, target, rows = known.source, known.final, known.rows
    options, values = known.options, known.values
    as_before: dict[str, Any] = {}
    if compression is not None:
        as_before["compression"] = "gzip" if compression == "gzip" else "xz"
    with quire.open(source, quire.SELF, **options) as file:
        if "stored_name" in {option.name for option in format_info(file.format).write_options}:
            as_before["stored_name"] = str(target)
        found = check(file, values=values)
        step = file.salvage(found.cut_index) if rows and known.report.salvageable else None
        if found.damage is not None and found.whole_steps == 0 and rows_of(step) == 0:
            raise nothing_to_keep(source, found, rows)
        if work == Path(target):
            as_before["replacement"] = "whole"
        copier = StepCopier(Request(same_files=True), file.format, None, Observer())
        with quire.create(
            work,
            quire.SELF,
            format=file.format,
            **written_options(file, options),
            **as_before,
        ) as out:
            out.title, out.contents = file.title, file.contents
            copy_attributes(out, file.attrs.info, fit_file(file.format, file))
            copy_attachments(file, out, file.format)
            whole = (one for _, one in file.readable() if one.number not in found.damaged)
            for one in islice(whole, found.whole_steps):
                copier.copy(file, one, out)
            before = copier.report.rows, copier.report.streams, copier.report.stream_bytes
            if step is not None:
                copier.copy(file, step, out)
            copier.declare_steps(file, out)
        cut = step.number if step is not None else None
        warnings = [*file.warnings, *(step.warnings if step is not None else ())]
        lost = [text for text in warnings if found.damage is not None and text != found.damage.message]
        report = copier.report
        rows_saved, streams, stream_bytes = (
            after - count
            for after, count in zip((report.rows, report.streams, report.stream_bytes), before, strict=True)
        )
    doubts = found.warnings if found.damage is None else []
    left = damage_left(work, target) if streams > 0 else None
    return Recovery(
        found.numbers,
        rows_saved,
        cut,
        found.damage,
        True,
        lost,
        streams,
        stream_bytes,
        doubts,
        left,
        dict(found.damaged),
        found.is_undecoded,
    )


def damage_left(written: Path, target: str | Path) -> Any:
    """Independent. Return the damage of a file that will be `target`, as its format reports it."""
    try:
        with quire.open(written, quire.SELF) as file:
            damage = file.check().damage
    except Error as error:
        damage = error
    if damage is not None:
        damage.args = (str(damage).replace(str(written), str(target)),)
        damage.file = str(target)
    return damage


def rows_of(step: Step | None) -> int:
    """Independent. Return the number of rows of all tables of a step."""
    return 0 if step is None else sum(len(table) for table in step.tables.values())


def nothing_to_keep(source: str | Path, found: CheckReport, rows: bool) -> MissingError:
    """Independent. Return the error for a file without whole steps; some rows may be recoverable."""
    reason = f": {found.damage.message}" if found.damage is not None else ""
    if rows or not found.salvageable:
        whole = "step or row" if rows else "step"
        return MissingError(f"there is no whole {whole} to keep{reason}", file=str(source))
    return MissingError(
        f"there is no whole step to keep{reason}",
        file=str(source),
        advice="keep the complete rows of the truncated step by --rows",
    )


@contextmanager
def working_copy(source: str | Path, target: str | Path | None, in_place: bool) -> Iterator[Path]:
    """Independent. Return the file to work on: the source itself, or a copy that replaces the target."""
    if not in_place:
        with replacement(target or source, is_damaged=True) as work:
            copy_bytes(source, work)
            yield work
        return
    try:
        yield Path(source)
    except KeyboardInterrupt as interruption:
        interruption.add_note(f"{source} may be repaired in part: repeat the command")
        raise


def copy_bytes(source: str | Path, work: Path) -> None:
    """Independent. Copy a file. Errors of a full device do not name the source."""
    try:
        shutil.copyfile(source, work)
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            problem.filename, problem.filename2 = str(work), None
        raise


def rewrite_end(
    source: str | Path, work: Path, found: CheckReport, rows: bool, options: dict[str, Any]
) -> tuple[int, int] | None:
    """Independent. Remove the damage after the whole steps; with `rows` write those of the truncated step.

    Returns number and rows of that step, or None.
    """
    if not rows:
        quire.append(work, quire.SELF, after=quire.After(found.numbers[-1], "drop")).close()
        return None
    with quire.open(source, quire.SELF, **options) as file:
        # Valid rows of a text can only be found by reading all of it.
        file.check()
        step = file.salvage(found.cut_index)
        copier = StepCopier(Request(), file.format, None, Observer())
        with quire.append(work, quire.SELF, after=quire.After(found.numbers[-1], "drop")) as out:
            if step is not None:
                copier.copy(file, step, out)
    return (step.number, copier.report.rows) if step is not None else None
