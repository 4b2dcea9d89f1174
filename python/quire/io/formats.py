"""The formats of this build."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from quire import _core
from quire.errors import TypeMismatchError, UsageError
from quire.io.arguments import text


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a format's reader or writer."""

    name: str
    kind: str
    """One of "truth", "integer" and "text"."""
    preset: str
    choices: tuple[str, ...]
    """Allowed values of a text option; empty: any text."""
    help: str


@dataclass(frozen=True, slots=True)
class FormatInfo:
    """One format of this build."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    read_options: tuple[Option, ...]
    write_options: tuple[Option, ...]
    holds_attachments: bool
    """Whether files can contain attachments."""
    one_step: bool
    """Whether a file contains exactly one step."""
    holds_streams: bool
    """Whether such a file is written as streams only."""
    tables: bool
    """Whether a step may have tables of any columns."""
    holds_declarations: bool
    """Whether a file without steps can declare their contents."""
    holds_constants: bool
    """Whether a column with the same number in every row is stored once."""


@cache
def _infos() -> tuple[FormatInfo, ...]:
    """Independent. The formats are those with which the core was built, and the same in every call."""
    return tuple(
        FormatInfo(
            name,
            title,
            suffixes,
            tuple(Option(*row) for row in reading),
            tuple(Option(*row) for row in writing),
            *holds,
        )
        for name, title, suffixes, reading, writing, *holds in _core.formats()
    )


def format_infos() -> list[FormatInfo]:
    """Independent. Return all formats, in the order of detection."""
    return list(_infos())


def common_options() -> tuple[tuple[Option, ...], tuple[Option, ...]]:
    """Independent. Return the options for reading and for writing that are common to all formats."""
    reading, writing = _core.common_options()
    return tuple(Option(*row) for row in reading), tuple(Option(*row) for row in writing)


def formats() -> list[str]:
    """Independent. Return the names of all formats of this build.

    >>> len(quire.formats()) >= 5
    True
    """
    return [info.name for info in format_infos()]


def format_info(name: str) -> FormatInfo:
    """Independent. Return the format of this name. Usage errors list the names."""
    for info in _infos():
        if info.name == name:
            return info
    raise UsageError(f'there is no format "{name}"', advice=f"the formats are {', '.join(formats())}")


def format_for_path(path: str | os.PathLike[str]) -> str | None:
    """Independent. Return the format for the suffix of a path to be written, if any."""
    # Names of directories may end in a slash.
    return _core.format_for_suffix(os.fspath(path).rstrip(os.sep))


def may_be_named(format: str, path: str | os.PathLike[str]) -> bool:
    """Independent. Return whether files of a format may have this name, even if it selects another format."""
    return _core.may_be_named(format, os.fspath(path))


def is_series(path: str | os.PathLike[str], format: str = "") -> bool:
    """Independent. Return whether a path to be written is a pattern of names: a series with a file for each
    step. The format is by default that of the suffix.
    """
    return _core.is_series(os.fspath(path), format)


def makes_set(format: str, options: dict[str, Any]) -> bool:
    """Independent. Return whether a writer with these options creates files that contain the names of others.

    Only the writer itself can replace such files: `replacement="whole"`.
    """
    return _core.makes_set(format, option_texts(options))


def named_members(path: str | os.PathLike[str]) -> list[str]:
    """Independent. Return the names of the other files of a set, from its first file.

    They are expected in the same directory. Returns no names for other files, and if the file does not exist.
    """
    return _core.named_members(os.fspath(path))


def own_members(path: str | os.PathLike[str]) -> list[str]:
    """Independent. Return those of the other files of a set that cannot belong to another set.

    They are removed when the first file is replaced.
    """
    return _core.own_members(os.fspath(path))


def has_compressed_suffix(path: str | os.PathLike[str]) -> bool:
    """Independent. Return whether the suffix of a file to be written selects compression."""
    # The suffix of a format precedes that of a compression.
    suffix = os.path.splitext(os.fspath(path))[1]
    known = [own for info in format_infos() for own in info.suffixes]
    return suffix != "" and suffix not in known and format_for_path(f"name{known[0]}{suffix}") is not None


def transports() -> list[str]:
    """Independent. Return the names of the transports of this build, the default first."""
    return _core.transport_names()


def truth(name: str, value: object) -> bool:
    """Independent. Return a Boolean, also of NumPy. Raises usage errors for others: all texts would be
    true.
    """
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise UsageError(f"{name} must be True or False, not {value!r}")


def option_texts(options: dict[str, Any]) -> dict[str, str]:
    """Independent. Return options of a format for the core: Booleans, integers and texts."""
    texts = {}
    for name, value in options.items():
        if isinstance(value, bool | np.bool_):
            texts[name] = "true" if value else "false"
        elif isinstance(value, int | str):
            texts[name] = text(f"option {name}", str(value))
        else:
            raise TypeMismatchError(
                f"option {name} is a {type(value).__name__}",
                advice="options are Booleans, integers and texts",
            )
    return texts
