"""Attachments: files that are stored in data files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import quire
from quire.errors import ConflictError, MissingError, UnsupportedError, UsageError, errors_in_family
from quire.io.formats import format_info
from quire.toolkit.changes import lost
from quire.toolkit.replacing import REPLACED, plain_replacement

if TYPE_CHECKING:
    from quire import File, Writer
    from quire.io.fit import Change


@dataclass(frozen=True)
class Changes:
    """The changes by `attach`, by the names of attachments."""

    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


@errors_in_family
def attach(
    path: str | Path,
    sources: Sequence[str | Path] = (),
    *,
    remove: Sequence[str] = (),
    name: str | None = None,
    replace: bool = False,
    **options: Any,
) -> Changes:
    """Independent. Attach files to an existing data file under their names, and remove others.

    Either all changes are made or none. `name` is the name of the attachment for a single source; `options`
    are those of the format's writer.

    Raises
    ------
    ConflictError : an attachment of this name exists (unless `replace`), or two sources have the same name
    MissingError : a name to remove does not exist
    UnsupportedError : the format has no attachments
    """
    if name is not None and len(sources) != 1:
        raise UsageError("a name needs exactly one file")
    given = {(name if name is not None else Path(source).name): Path(source) for source in sources}
    if len(given) < len(sources):
        raise ConflictError("two of the files have the same name", file=str(path))
    contents = {own: source.read_bytes() for own, source in given.items()}
    with quire.open(path, quire.SELF) as file:
        known = set(file.attachments)
        if contents and not format_info(file.format).holds_attachments:
            raise UnsupportedError("files of this format have no attachments", file=str(path))
    for gone in remove:
        if gone not in known:
            raise MissingError(f'there is no attachment "{gone}"', file=str(path))
    for own in contents:
        if own in known - set(remove) and not replace:
            raise ConflictError(
                "there is an attachment of this name already",
                file=str(path),
                object=own,
                advice="replace=True replaces it",
            )
    with quire.append(path, quire.SELF, **options) as out:
        for gone in remove:
            out.detach(gone)
        for own, content in contents.items():
            out.attach(own, content, replace=replace)
    kept = known - set(remove)
    return Changes(
        [own for own in contents if own not in kept], [own for own in contents if own in kept], list(remove)
    )


@errors_in_family
def extract(
    path: str | Path,
    directory: str | Path,
    names: Sequence[str] | None = None,
    *,
    overwrite: bool = False,
    **options: Any,
) -> list[Path]:
    """Independent. Extract attachments, by default all, to a directory, which is created if needed.

    All files are written directly in the directory: names of other places are refused, and nothing is written
    then. `options` are those of the format's reader.

    Raises
    ------
    UsageError : a name is not valid for a file in the directory
    ConflictError : a file exists already (unless `overwrite`)
    MissingError : an attachment does not exist
    """
    with quire.open(path, quire.SELF, **options) as file:
        wanted = list(file.attachments) if names is None else list(names)
        for name in wanted:
            if name not in file.attachments:
                there = ", ".join(file.attachments) or "none"
                raise MissingError(
                    f'there is no attachment "{name}"', file=str(path), advice=f"there are: {there}"
                )
        targets = [safe_target(path, directory, name) for name in wanted]
        for target in targets:
            if not overwrite and os.path.lexists(target):
                raise ConflictError(
                    "the file exists already",
                    file=str(target),
                    advice=REPLACED,
                )
        Path(directory).mkdir(parents=True, exist_ok=True)
        for name, target in zip(wanted, targets, strict=True):
            write_out(file, name, target)
    return targets


def safe_target(path: str | Path, directory: str | Path, name: str) -> Path:
    """Independent. Return the path of an attachment in a directory. Raises UsageError for paths outside."""
    leads_out = any(mark in name for mark in "/\\\0") or name in ("", ".", "..") or Path(name).is_absolute()
    if leads_out or any(ord(letter) < 32 for letter in name):
        raise UsageError(
            f"the attachment {name!r} has a name that no file in a directory should have",
            file=str(path),
            advice="read it by File.attachment()",
        )
    return Path(directory) / name


def write_out(file: File, name: str, target: Path) -> None:
    """Independent. Write one attachment. An existing symbolic link is replaced, not followed."""
    with plain_replacement(target) as out:
        for block in file.attachment_blocks(name):
            out.write(block)


def left_out(file: File, format: str) -> list[Change]:
    """Independent. Return the attachments that files of this format cannot store."""
    if format_info(format).holds_attachments:
        return []
    return [
        lost("attachment", name, f"{size} bytes are left out: files of this format keep none")
        for name, size in file.attachments.items()
    ]


def copy_attachments(file: File, out: Writer, format: str) -> list[Change]:
    """Collective. Copy attachments to a new file of this format; returns those that are lost."""
    if format_info(format).holds_attachments:
        for name in file.attachments:
            out.attach(name, file.attachment(name) if out.rank == 0 else None)
    return left_out(file, format)
