"""Keep what is whole of a damaged file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import quire
from quire.errors import MissingError
from quire.io.fit import fit_file
from quire.toolkit.convert import (
    Observer,
    Request,
    StepCopier,
    copy_attributes,
    refuse_overwriting,
    replacement,
)

if TYPE_CHECKING:
    from quire import CheckReport, File, Writer


@dataclass(frozen=True)
class Recovery:
    """What was found and kept: whole steps by number, rows of a step that was cut, and the damage."""

    kept: list[int]
    rows_saved: int
    step_cut: int | None
    damage: Any
    changed: bool


def recover(
    source: str | Path,
    target: str | Path | None = None,
    *,
    rows: bool = False,
    overwrite: bool = False,
    **options: Any,
) -> Recovery:
    """Independent. Keep every whole step of a damaged file; with `rows` also the complete rows of a step cut.

    Without a target the file itself is repaired; with one the source stays untouched. A compressed file is
    written anew. `options` are those of the source's reader. Raises MissingError if there is nothing whole to
    keep, ConflictError if the target exists and may not be replaced.
    """
    with quire.open(source, **options) as file:
        found = file.check()
        damage = found.damage
        compression = file.layout.get("compression")
    if target is not None:
        refuse_overwriting(source, target, overwrite)
    if compression is not None:
        if target is None and damage is None:
            return Recovery(found.numbers, 0, None, None, False)
        return write_anew(source, target, compression, rows, options)
    with working_copy(source, target, in_place=target is None and not (rows and damage)) as work:
        changed = quire.repair(work)
        with quire.open(work) as file:
            found = file.check()
        if found.damage is None:
            return Recovery(found.numbers, 0, None, damage, changed)
        if found.whole_steps == 0 and not (rows and found.salvageable):
            raise MissingError("there is no whole step to keep", file=str(source))
        saved = rewrite_end(source, work, found, rows and found.salvageable)
    step, count = saved if saved is not None else (None, 0)
    return Recovery(found.numbers, count, step, damage, True)


def write_anew(
    source: str | Path, target: str | Path | None, compression: str, rows: bool, options: dict[str, Any]
) -> Recovery:
    """Independent. Copy what is whole: the bytes of a compressed file cannot be cut or changed in place.

    Without a target the result is compressed as the file was; with one as its name says.
    """
    as_before: dict[str, Any] = {"compression": "gzip" if compression == "gzip" else "xz"}
    with quire.open(source, **options) as file, replacement(target or source) as work:
        found = file.check()
        step = file.salvage(found.whole_steps) if rows and found.salvageable else None
        if found.damage is not None and found.whole_steps == 0 and step is None:
            raise MissingError("there is no whole step to keep", file=str(source))
        copier = StepCopier(Request(), file.format, None, Observer())
        with quire.create(
            work,
            format=file.format,
            title=file.title,
            contents=file.contents,
            **(as_before if target is None else {}),
        ) as out:
            copy_attributes(out, file.attributes, fit_file(file.format, file))
            for index in range(found.whole_steps):
                copier.copy(file, file[index], out)
            before = copier.report.rows
            if step is not None:
                copier.copy(file, step, out)
        cut = step.number if step is not None else None
        return Recovery(found.numbers, copier.report.rows - before, cut, found.damage, True)


@contextmanager
def working_copy(source: str | Path, target: str | Path | None, in_place: bool) -> Iterator[Path]:
    """Independent. The file to work on: the source itself, or a copy that takes the place of the target."""
    with nullcontext(Path(source)) if in_place else replacement(target or source) as work:
        if not in_place:
            shutil.copyfile(source, work)
        yield work


def rewrite_end(source: str | Path, work: Path, found: CheckReport, rows: bool) -> tuple[int, int] | None:
    """Independent. Drop the damage behind the whole steps; with `rows` write those of the cut step.

    Returns number and rows of that step, or None if there is none.
    """
    if not rows:
        quire.append(work, after=found.numbers[-1], later="drop").close()
        return None
    with quire.open(source) as file:
        step = file.salvage(found.whole_steps)
        copier = StepCopier(Request(), file.format, None, Observer())
        with writer_behind(file, work, found) as out:
            if step is not None:
                copier.copy(file, step, out)
    return (step.number, copier.report.rows) if step is not None else None


def writer_behind(file: File, work: Path, found: CheckReport) -> Writer:
    """Independent. A writer that goes on behind the whole steps; without any, one that begins anew."""
    if found.numbers:
        return quire.append(work, after=found.numbers[-1], later="drop")
    out = quire.create(work, format=file.format, title=file.title, contents=file.contents)
    copy_attributes(out, file.attributes, fit_file(file.format, file))
    return out
