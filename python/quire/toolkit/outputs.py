"""Names of the new files when several are written into a directory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import quire
from quire.errors import Error, UsageError
from quire.io.formats import format_for_path, format_info, has_compressed_suffix
from quire.toolkit.convert import TEXT_SUFFIXES
from quire.toolkit.request import Request

TEXT = ".txt"
"""Suffix of what programs read as text, where a profile names none."""


def is_for_several(sources: Sequence[str], target: str) -> bool:
    """Independent. Return whether the target is a directory of new files, not a file.

    Some formats write a directory: its name has their suffix, or it is a data file of one that exists.
    """
    if len(sources) > 1:
        return True
    if format_for_path(target) is not None:
        return False
    return target.endswith(os.sep) or (os.path.isdir(target) and not is_data(target))


def is_data(path: str | Path) -> bool:
    """Independent. Return whether a directory is a data file of some format."""
    try:
        with quire.open(path, quire.SELF):
            return True
    except Error:
        return False


def outputs_in(directory: str, sources: Sequence[str], request: Request) -> dict[str, str]:
    """Independent. Return the new file of each source: its name, with the suffix of the format.

    Raises UsageError if the target is no directory and does not end in a slash, if the format is not named,
    and for two files of one name.
    """
    is_new = directory.endswith(os.sep)
    if os.path.isfile(directory) or (not is_new and not os.path.isdir(directory)):
        example = f"{'converted' if Path(directory).suffix else directory}{os.sep}"
        raise UsageError(
            f"several files are converted into a directory, and '{directory}' is none",
            advice=f"name one at last, such as {example}, or write them as one file by quire concat",
        )
    if os.path.isdir(directory) and is_data(directory):
        raise UsageError(f"'{directory}' is a data file", advice="name another directory")
    if request.format is None and request.profile is None:
        raise UsageError(
            f"'{directory}' is a directory, and its files get the suffix of their format",
            advice=f"give --format, such as --format {quire.formats()[0]}",
        )
    sources_of: dict[str, str] = {}
    for source in sources:
        target = os.path.join(directory, output_name(source, request))
        if target in sources_of:
            raise UsageError(
                f"{sources_of[target]} and {source} would both be written to {target}",
                advice="convert them into different directories",
            )
        sources_of[target] = source
    return {source: target for target, source in sources_of.items()}


def output_name(source: str, request: Request) -> str:
    """Independent. Return the name of a source with the suffix of the requested format.

    A name that has one of the format keeps it. Endings that are no suffix of a format, such as the number in
    `out.0001`, are kept as well.
    """
    name = Path(source).name
    if source in ("", "-"):
        raise UsageError("an input without a name has none in a directory", advice="name a file as OUT")
    profile = request.profile
    if profile is None and format_for_path(name) == request.format:
        return name
    if has_compressed_suffix(name):
        name = Path(name).stem
    if format_for_path(name) is not None or Path(name).suffix.lower() in TEXT_SUFFIXES:
        name = Path(name).stem
    format = request.format if profile is None else profile.format
    suffixes = [
        *(profile.suffixes if profile is not None else ()),
        *(format_info(format).suffixes if format else ()),
    ]
    return name + (suffixes or [TEXT])[0]
