"""Names of other files in expressions: `x / other.h5:energy`, `x / max(other.h5:x)`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from quire import _core
from quire.errors import MissingError, MissingFileError, UsageError
from quire.io.communicator import SELF
from quire.io.types import Array
from quire.near import there_is_no

BETWEEN: Final = ":"
"""Between the file and the name."""

WORDS: Final = re.compile(
    r"""("(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`)|(?<![\w.])([^\W\d]\w*(?:\.\w+)+:[^\W\d]\w*)"""
)
"""Texts and names in backticks, and names of other files without."""

LIKE_A_FILE: Final = re.compile(r"[^:]*\.[A-Za-z]\w*")


def quoted(text: str) -> str:
    """Independent. Return an expression with the names of other files in backticks."""
    return WORDS.sub(lambda found: found[1] or f"`{found[2]}`", text) if BETWEEN in text else text


def divided(name: str) -> tuple[str, str] | None:
    """Independent. Return the file and the name of `FILE:NAME`, None for other names.

    Raises MissingFileError for a file that does not exist.
    """
    places = [found.start() for found in re.finditer(BETWEEN, name)]
    for place in places:
        if 0 < place < len(name) - 1 and os.path.isfile(name[:place]):
            return name[:place], name[place + 1 :]
    path = name.partition(BETWEEN)[0]
    if places and LIKE_A_FILE.fullmatch(path):
        raise MissingFileError("there is no such file, whose values an expression uses", file=path)
    return None


def opened(path: str) -> Any:
    """Independent. Open a file for this rank alone. Files use expressions, so that they are imported late."""
    return import_module("quire").open(path, SELF)


@dataclass(frozen=True)
class OtherStep:
    """What expressions use of another file: the attributes of the file and of a step, and its columns.

    It is a source of rows, and opens the file for each pass.
    """

    path: str
    index: int | None
    """The place of the step in the file; None for a file without steps."""
    attributes: Mapping[str, _core.Attribute]
    columns: Mapping[str, _core.Quantity]
    rows: int

    @classmethod
    def read(cls, path: str, number: int | None) -> OtherStep:
        """Independent. Read the header of the only step, or of that of a number.

        Raises MissingError if there is no such step, UsageError without a number for a file of several.
        """
        with opened(path) as file:
            numbers = list(file.each_number())
            index = chosen(path, numbers, number)
            found = [*file._core.description.attributes]
            columns: list[_core.Quantity] = []
            rows = 0
            if index is not None:
                step = file[index]
                found = [*step._description.attributes, *found]
                if step.tables:
                    columns, rows = list(step.table.scope()[0]), len(step.table)
        attributes = {one.name: one for one in reversed(found)}
        return cls(path, index, attributes, {one.name: one for one in columns}, rows)

    def __len__(self) -> int:
        return self.rows

    def blocks(
        self, names: Iterable[str], rows_per_block: int | None = None, rows: Any = None
    ) -> Iterator[tuple[int, Mapping[str, Array]]]:
        """Independent. Yield the first row and the values by `FILE:NAME`, block by block."""
        wanted = {name: name.removeprefix(self.path + BETWEEN) for name in names}
        with opened(self.path) as file:
            for first, block in file[self.index or 0].table.blocks([*wanted.values()], rows_per_block, rows):
                yield first, {name: block[column] for name, column in wanted.items()}


def chosen(path: str, numbers: Sequence[int], number: int | None) -> int | None:
    """Independent. Return the place of the step that is used, None if there is none."""
    if len(numbers) <= 1:
        return 0 if numbers else None
    if number is None:
        raise UsageError(f"'{path}' has {len(numbers)} steps, and the expression belongs to none")
    if number not in numbers:
        raise MissingError(f"there is no step {number}, whose values an expression uses", file=path)
    return numbers.index(number)


class OtherFiles:
    """The other files of an expression, each read once for each step; without `are_read` they are errors."""

    def __init__(self, *, are_read: bool = True) -> None:
        self._are_read = are_read
        self._known: dict[tuple[str, int | None], OtherStep] = {}

    def step(self, path: str, number: int | None) -> OtherStep:
        """Independent. Return what is used of a file with a step of this number."""
        if (path, number) not in self._known:
            self._known[path, number] = OtherStep.read(path, number)
        return self._known[path, number]

    def found(self, names: Iterable[str], known: Iterable[str], number: int | None) -> Found:
        """Independent. Return what the names mean that are not known. Raises MissingError."""
        found = Found({}, {}, {})
        present = dict.fromkeys(known)
        for name in names:
            if BETWEEN not in name or name in present:
                continue
            if not self._are_read:
                # Whether such a file exists is not looked up.
                problem = there_is_no("attribute or column", name, [*present])
                raise MissingError(f"{problem}; values of other files are not read here")
            parts = divided(name)
            if parts is None:
                continue
            step = self.step(parts[0], number)
            if parts[1] in step.attributes:
                found.attributes[name] = renamed_attribute(step.attributes[parts[1]], name)
            elif parts[1] in step.columns:
                found.columns[name] = renamed(step.columns[parts[1]], name)
                found.steps[name] = step
            else:
                choices = [*step.attributes, *step.columns]
                raise MissingError(there_is_no("attribute or column", parts[1], choices), file=parts[0])
        return found


@dataclass(frozen=True)
class Found:
    """Attributes and columns of other files by their whole names, and the steps of the columns."""

    attributes: dict[str, _core.Attribute]
    columns: dict[str, _core.Quantity]
    steps: dict[str, OtherStep]

    def source(self, names: Iterable[str], text: str) -> OtherStep | None:
        """Independent. Return the other step whose columns a call uses, None if it uses none.

        Raises UsageError for columns of several files.
        """
        steps = {id(self.steps[name]): self.steps[name] for name in names if name in self.steps}
        if len(steps) > 1:
            raise UsageError(f"{text} uses columns of several files")
        return next(iter(steps.values()), None)

    def refuse_rows(self, columns: Iterable[str]) -> None:
        """Independent. Raise UsageError for columns of other files among those that must be read."""
        for name in columns:
            if name in self.columns:
                raise UsageError(
                    f"'{name}' has the rows of another file",
                    advice="reduce it to one value, as by max(...), or add its rows by join",
                )


def renamed(quantity: _core.Quantity, name: str) -> _core.Quantity:
    """Independent. Return the description of a column with another name."""
    return _core.Quantity(name, quantity.type, quantity.unit)


def renamed_attribute(attribute: _core.Attribute, name: str) -> _core.Attribute:
    """Independent. Return an attribute with another name."""
    from quire.io.attributes import attribute_from_core, core_value

    found = attribute_from_core(attribute)
    kind, shape, elements = core_value(name, found.value, found.type, False)
    return _core.Attribute(_core.Quantity(name, kind, found.unit), shape, elements)
