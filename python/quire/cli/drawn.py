"""Which plot was probably meant: the command line for the names that were given, or for what a file has."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire import File, Step, Table

ONE_STEP = ("--index", "0")
"""Options for pictures of one step."""

NUMBERS = "iuf"
"""The kinds of NumPy types of numbers."""

ROW = "row"
"""What counts the rows, in expressions."""


def line_of_plot(path: str, words: Sequence[str]) -> str:
    """Independent. Return an advice: a command line that draws the names among the words after a file, and
    without names what the file has first. Raises the error of a file that does not exist.
    """
    import quire
    from quire.cli.streams import STANDARD
    from quire.errors import Error
    from quire.toolkit.axes import SUFFIXES

    images = [word for word in words if word.lower().endswith(tuple(SUFFIXES))]
    others = [word for word in words if word not in images and os.path.exists(word)]
    given = [word for word in words if word not in images and word not in others]
    names = [name for word in given for name in word.split(",") if name]
    options: list[str] = []
    unknown: list[str] = []
    try:
        with quire.open(path, quire.SELF, tolerant=True) as file:
            step = next((step for _, step in file.readable()), None)
            if step is not None:
                options = options_of_names(step, names) if names else options_of_file(file, step)
                unknown = [name for name in names if not is_known(step, name)]
    except (Error, OSError, EOFError):
        if path != STANDARD and not os.path.exists(path):
            raise
        return ""
    if not options:
        missing = f"there is no '{unknown[0]}'; " if unknown else ""
        return f"{missing}quire info {shlex.quote(path)} lists the names"
    return f"write for example: quire plot {shlex.join([path, *others, *options, *(images or ['plot.png'])])}"


def options_of_names(step: Step, names: Sequence[str]) -> list[str]:
    """Independent. Return the options that draw columns or attributes of numbers, or a field; none for names
    of anything else.
    """
    import numpy as np

    for place, table in enumerate(step.tables.values()):
        if set(names) <= {*numbers_of(table), ROW}:
            return [*options_of_columns(names), *of_table(table, place)]
    if all(name in step.attrs and np.ndim(step.attrs[name]) == 0 for name in names):
        is_drawn = all(np.asarray(step.attrs[name]).dtype.kind in NUMBERS for name in names)
        return ["--attributes", ",".join(names)] if is_drawn else []
    return options_of_field(step, names[0]) if names[0] in step.fields else []


def is_known(step: Step, name: str) -> bool:
    """Independent. Return whether a step has a column, an attribute or a field of this name."""
    of_tables = any(name in table for table in step.tables.values())
    return of_tables or name in step.attrs or name in step.fields or name == ROW


def options_of_file(file: File, step: Step) -> list[str]:
    """Independent. Return the options that draw the first columns of numbers, or else the first field."""
    for place, table in enumerate(step.tables.values()):
        two = numbers_of(table)[:2]
        if len(two) == 2:
            drawn = options_of_columns(two) if len(file) == 1 else ["--histogram", ",".join(two)]
            return [*drawn, *of_table(table, place)]
    return options_of_field(step, next(iter(step.fields))) if step.fields else []


def numbers_of(table: Table) -> list[str]:
    """Independent. Return the names of the columns of numbers."""
    return [name for name, one in table.columns.items() if one.dtype.kind in NUMBERS]


def of_table(table: Table, place: int) -> list[str]:
    """Independent. Return the option that selects a table, which the first one needs not."""
    return ["--table", table.name] if place else []


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
