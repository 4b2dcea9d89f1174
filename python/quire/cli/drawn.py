"""Which plot was probably meant: the command line for the names that were given, or for what a file has."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire import File, Step

ONE_STEP = ("--index", "0")
"""Options for pictures of one step."""


def line_of_plot(path: str, words: Sequence[str]) -> str:
    """Independent. Return an advice: a command line that draws the names among the words after a file, and
    without names what the file has first. Raises the error of a file that does not exist.
    """
    import quire
    from quire.cli.streams import STANDARD
    from quire.errors import Error
    from quire.toolkit.axes import SUFFIXES

    images = [word for word in words if word.lower().endswith(tuple(SUFFIXES))]
    given = [word for word in words if word not in images and not os.path.exists(word)]
    names = [name for word in given for name in word.split(",") if name]
    options: list[str] = []
    try:
        with quire.open(path, quire.SELF, tolerant=True) as file:
            step = next((step for _, step in file.readable()), None)
            if step is not None:
                options = options_of_names(step, names) if names else options_of_file(file, step)
    except (Error, OSError, EOFError):
        if path != STANDARD and not os.path.exists(path):
            raise
        return ""
    if not options:
        return f"quire info {shlex.quote(path)} lists the names"
    return f"write for example: quire plot {shlex.join([path, *options, *(images or ['plot.png'])])}"


def options_of_names(step: Step, names: Sequence[str]) -> list[str]:
    """Independent. Return the options that draw columns, attributes or a field; none for unknown names."""
    if all(any(name in table for table in step.tables.values()) for name in names):
        return options_of_columns(names)
    if all(name in step.attrs for name in names):
        return ["--attributes", ",".join(names)]
    return options_of_field(step, names[0]) if names[0] in step.fields else []


def options_of_file(file: File, step: Step) -> list[str]:
    """Independent. Return the options that draw the first columns of numbers, or else the first field."""
    for table in step.tables.values():
        numbers = [name for name, one in table.columns.items() if one.dtype.kind in "iuf"]
        if len(numbers) > 1:
            is_one = len(file) == 1
            return options_of_columns(numbers[:2]) if is_one else ["--histogram", ",".join(numbers[:2])]
    return options_of_field(step, next(iter(step.fields))) if step.fields else []


def options_of_columns(names: Sequence[str]) -> list[str]:
    """Independent. Return the options that draw columns over the first one, or the histogram of one."""
    if len(names) == 1:
        return ["--histogram", names[0]]
    return ["-x", names[0], "-y", ",".join(names[1:])]


def options_of_field(step: Step, name: str) -> list[str]:
    """Independent. Return the options that draw a field, or the plane in the middle of three dimensions."""
    from quire.toolkit.field_values import axes_of

    axes = axes_of(step.fields[name])
    planes = [f"{axis.name}=@{len(axis.positions) // 2}" for axis in axes[: max(0, len(axes) - 2)]]
    return ["--field", name, *(["--slice", ",".join(planes)] if planes else []), *ONE_STEP]
