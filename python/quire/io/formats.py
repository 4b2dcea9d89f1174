"""The formats of this build, as the registry knows them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire import _core
from quire.errors import TypeMismatchError, UsageError
from quire.io.arguments import text


@dataclass(frozen=True, slots=True)
class Option:
    """One option that a format's reader or writer understands."""

    name: str
    kind: str
    """One of "truth", "integer" and "text"."""
    preset: str
    choices: tuple[str, ...]
    """Of a text option; empty: anything."""
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
    """Whether files can keep other files inside them."""
    one_step: bool
    """Whether a file is one step and no more."""
    holds_streams: bool
    """Whether what is written to such a file are streams, and nothing but streams."""
    tables: bool
    """Whether a step may have tables of any columns."""
    holds_declarations: bool
    """Whether a file without steps can say what they will have."""


def format_infos() -> list[FormatInfo]:
    """Independent. All formats, in the order in which contents are tried."""
    return [
        FormatInfo(
            name,
            title,
            suffixes,
            tuple(Option(*row) for row in reading),
            tuple(Option(*row) for row in writing),
            *holds,
        )
        for name, title, suffixes, reading, writing, *holds in _core.formats()
    ]


def common_options() -> tuple[tuple[Option, ...], tuple[Option, ...]]:
    """Independent. The options for reading and for writing that every format understands besides its own."""
    reading, writing = _core.common_options()
    return tuple(Option(*row) for row in reading), tuple(Option(*row) for row in writing)


def formats() -> list[str]:
    """Independent. The names of all formats of this build."""
    return [info.name for info in format_infos()]


def format_info(name: str) -> FormatInfo:
    """Independent. The format of this name; usage errors list the names."""
    for info in format_infos():
        if info.name == name:
            return info
    raise UsageError(f'there is no format "{name}"', advice=f"the formats are {', '.join(formats())}")


def format_for_path(path: str | os.PathLike[str]) -> str | None:
    """Independent. The format that claims the suffix of a path to be written, if any."""
    # The name of a directory may end in a slash.
    return _core.format_for_suffix(os.fspath(path).rstrip(os.sep))


def may_be_named(format: str, path: str | os.PathLike[str]) -> bool:
    """Independent. Whether files of a format may be called so, though another may be chosen by it."""
    return _core.may_be_named(format, os.fspath(path))


def makes_set(format: str, options: dict[str, Any]) -> bool:
    """Independent. Whether a writer with these options makes files that know each other by their names.

    Only the writer itself can put such files in the place of others: `replacement="whole"`.
    """
    return _core.makes_set(format, option_texts(options))


def named_members(path: str | os.PathLike[str]) -> list[str]:
    """Independent. The names of the other files of a set that the file there says to be the first one of.

    They stand beside it, or should; none of other files, and where there is none.
    """
    return _core.named_members(os.fspath(path))


def own_members(path: str | os.PathLike[str]) -> list[str]:
    """Independent. Of the other files that a first one names those that nobody else can mean.

    They go when anything takes the place of the file.
    """
    return _core.own_members(os.fspath(path))


def has_compressed_suffix(path: str | os.PathLike[str]) -> bool:
    """Independent. Whether the end of the name of a file to be written asks for compression."""
    # The suffix of a format is looked for below that of a compression, and only below that.
    suffix = os.path.splitext(os.fspath(path))[1]
    known = [own for info in format_infos() for own in info.suffixes]
    return suffix != "" and suffix not in known and format_for_path(f"name{known[0]}{suffix}") is not None


def transports() -> list[str]:
    """Independent. The names of the transports of this build, the default first."""
    return _core.transport_names()


def truth(name: str, value: object) -> bool:
    """Independent. A truth value, also one of NumPy. Usage errors for others: of texts all would be true."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise UsageError(f"{name} is True or False, not {value!r}")


def option_texts(options: dict[str, Any]) -> dict[str, str]:
    """Independent. Options of a format as the core takes them: truth values, integers and texts."""
    texts = {}
    for name, value in options.items():
        if isinstance(value, bool | np.bool_):
            texts[name] = "true" if value else "false"
        elif isinstance(value, int | str):
            texts[name] = text(f"option {name}", str(value))
        else:
            raise TypeMismatchError(
                f"option {name} is a {type(value).__name__}",
                advice="options are truth values, integers and texts",
            )
    return texts
