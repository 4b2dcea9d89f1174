"""Particles that programs write as text: recognised by the first lines, and imported with names and units.

The programs are data, in the folder `text_beams`, each with the source of its facts.
"""

from __future__ import annotations

import re
import shlex
import tomllib
import zlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from quire.errors import UsageError
from quire.io.formats import format_infos
from quire.near import there_is_no
from quire.toolkit.text_bytes import open_text
from quire.toolkit.text_import import TextLayout, looks_numeric

SUFFIX = ".toml"
HEAD_BYTES = 1 << 14
CHECKED_ROWS = 20
"""Rows of numbers that are compared with the columns of a program."""


@dataclass(frozen=True)
class TextBeam:
    """The text of one program.

    `columns` are names and units, in order; with `header` or `names` any of them, in the order of the text.
    """

    name: str
    title: str
    columns: Mapping[str, str]
    first: str = ""
    """Regular expression for the first line."""
    skip: int = 0
    """Lines before the rows."""
    comment: str = ""
    """Prefix of lines that are left out."""
    header: bool = False
    """Whether the first row has the names of the columns."""
    names: str = ""
    """Regular expression for the line with the names, which are its group."""
    required: Sequence[str] = ()
    """Names that a header must have."""
    integers: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Columns of integers with their possible values, which distinguish tables without a header."""
    optional: Sequence[str] = ()
    """Names of columns that may follow the others."""

    def names_in(self, lines: Sequence[str]) -> list[str]:
        """Independent. Return the names of the columns of a text."""
        if self.header:
            return lines[0].split() if lines else []
        if self.names:
            found = (re.match(self.names, line) for line in lines)
            return next((one[1].split() for one in found if one is not None), [])
        names = list(self.columns)
        rows = (line.split() for line in lines[self.skip :] if not self.is_left_out(line))
        wider = len(next(rows, [])) == len(names) + len(self.optional)
        return names + list(self.optional) * wider

    def matches(self, lines: Sequence[str]) -> bool:
        """Independent. Return whether the first lines of a text are those of this program."""
        if not lines or (self.first and not re.match(self.first, lines[0])):
            return False
        names = self.names_in(lines)
        if not set(self.required) <= set(names) <= {*self.columns, *self.optional}:
            return False
        rows = [line.split() for line in lines[self.skip + self.header :] if not self.is_left_out(line)]
        places = [(names.index(name), values) for name, values in self.integers.items()]
        return bool(rows) and all(
            len(row) == len(names)
            and all(map(looks_numeric, row))
            and all(is_one_of(row[place], values) for place, values in places)
            for row in rows[:CHECKED_ROWS]
        )

    def is_left_out(self, line: str) -> bool:
        """Independent. Return whether a line is no row."""
        return not line.strip() or bool(self.comment and line.lstrip().startswith(self.comment))

    def layout(self, path: str | Path) -> TextLayout:
        """Independent. Return the layout with which a text is imported."""
        names = self.names_in(head_of(path))
        return TextLayout(
            delimiter=" ",
            comment=self.comment,
            skip=self.skip + self.header,
            header=False,
            names=names,
            types={name: "int64" if name in self.integers else "float64" for name in names},
            units={name: self.columns[name] for name in names if name in self.columns},
        )


def is_one_of(text: str, values: Sequence[int]) -> bool:
    """Independent. Return whether a text is one of these integers."""
    return text.lstrip("+-").isdigit() and int(text) in values


@cache
def text_beams() -> dict[str, TextBeam]:
    """Independent. Return the programs whose text is known, by name."""
    found: dict[str, TextBeam] = {}
    for one in sorted((resources.files("quire") / "text_beams").iterdir(), key=lambda file: file.name):
        if one.name.endswith(SUFFIX):
            name = one.name.removesuffix(SUFFIX)
            given: dict[str, Any] = tomllib.loads(one.read_text(encoding="utf-8"))
            found[name] = TextBeam(name, **given)
    return found


def text_beam_named(name: str) -> TextBeam:
    """Independent. Return one of them. Raises UsageError."""
    if name not in text_beams():
        raise UsageError(there_is_no("program with a known text", name, list(text_beams())))
    return text_beams()[name]


def head_of(path: str | Path) -> list[str]:
    """Independent. Return the first lines of a text, without one that is cut; none for other files, and for
    those that cannot be read: the reader of the library reports them.
    """
    try:
        with closing(open_text(Path(path))) as file:
            head = file.read(HEAD_BYTES)
    except (OSError, EOFError, zlib.error):
        return []
    if b"\0" in head:
        return []
    lines = head.decode("utf-8", "replace").splitlines()
    return lines if len(head) < HEAD_BYTES else lines[:-1]


def import_command(name: str, *options: str) -> str:
    """Independent. Return the command that imports a text of this name, or standard input, to a new file."""
    target = f"{'data' if name == '-' else Path(name).stem}{format_infos()[0].suffixes[0]}"
    return shlex.join(["quire", "import", name, target, *options])


def the_only(path: str | Path, name: str = "") -> TextBeam | None:
    """Independent. Return the program that writes such a text, None if none is known.

    Raises UsageError if several write the same columns, with the command that imports the text; `name` is
    that of the input if it is not its path.
    """
    found = recognised(path)
    if len(found) > 1:
        names = ", ".join(one.name for one in found)
        raise UsageError(
            f"the text may be of several programs: {names}",
            file=str(path),
            advice=f"name the right one: {import_command(name or str(path), '--from', found[0].name)}",
        )
    return found[0] if found else None


def recognised(path: str | Path) -> list[TextBeam]:
    """Independent. Return the programs that write such a text; several write the same columns."""
    lines = head_of(path)
    return [one for one in text_beams().values() if one.matches(lines)]
