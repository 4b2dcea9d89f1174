"""Selections as short texts: steps `1,4-8`, rows `a:b`, names `x,p*`; and this rank's part of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from quire._core import even_slice as even_slice  # the rule of the library
from quire.errors import MissingError, TypeMismatchError, UsageError
from quire.near import there_is_no

if TYPE_CHECKING:
    from quire import File, Step, Table
    from quire.io.matches import Matches
    from quire.io.types import Array


Item = TypeVar("Item")


@dataclass(frozen=True)
class StepSelection:
    """Steps by number: ranges with both ends included, where None is open. No ranges select all."""

    ranges: tuple[tuple[int | None, int | None], ...] = ()
    index: int | None = None
    """The position of the only step, instead of numbers; negative ones count from the end."""

    @property
    def is_all(self) -> bool:
        """Whether all steps are selected."""
        return not self.ranges and self.index is None

    @property
    def only(self) -> int | None:
        """The number of the only step that can be selected; None: several, or any."""
        first, last = self.ranges[0] if len(self.ranges) == 1 else (None, None)
        return first if first == last else None

    @property
    def last(self) -> int | None:
        """The largest number that can be selected; None: no limit."""
        ends = [last for _, last in self.ranges]
        numbers = [last for last in ends if last is not None]
        return max(numbers) if numbers and len(numbers) == len(ends) else None

    def __contains__(self, number: int) -> bool:
        """Return whether the step of this number is selected."""
        return not self.ranges or any(
            (first is None or first <= number) and (last is None or number <= last)
            for first, last in self.ranges
        )


def parse_steps(text: str | None, what: str = "steps", index: int | None = None) -> StepSelection:
    """Independent. Parse `1,4-8,20-` as a selection of numbers, by default of steps; None selects all.

    `index` is the position of a step instead. Raises UsageError, also for both.
    """
    if text is None:
        return StepSelection(index=index)
    if index is not None:
        raise UsageError("give either --steps or --index")
    if not isinstance(text, str):
        raise TypeMismatchError(f"a selection of {what} must be a string, not a {type(text).__name__}")
    ranges: list[tuple[int | None, int | None]] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if what == "steps" and dash and not first and last.strip().isdigit():
            raise UsageError(
                f"'{part}' may be the last of {what}, or all up to {last}",
                advice=f"write --index -1 or 0-{last}",
            )
        try:
            low = int(first) if first else None
            high = (int(last) if last else None) if dash else low
        except ValueError:
            low = high = None
        else:
            if (low, high) != (None, None) and (low is None or high is None or low <= high):
                ranges.append((low, high))
                continue
        raise UsageError(f"'{part}' is not a selection of {what}; write for example 3 or 1,4-8 or 20-")
    return StepSelection(tuple(ranges))


def parse_rows(text: str | None) -> slice:
    """Independent. Parse `a:b` as a slice as in Python: b is excluded, negative numbers count from the end.

    None or `:` selects all rows, a single number one row. Raises UsageError.
    """
    if text is None:
        return slice(None)
    parts = text.split(":")
    try:
        numbers = [int(part) if part.strip() else None for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) == 2:
        first, last = numbers
        if first is not None and last is not None and first >= last and (first < 0) == (last < 0):
            raise UsageError(
                f"'{text}' is an empty range of rows; the second number is the one after the last row"
            )
        return slice(first, last)
    if len(numbers) == 1 and numbers[0] is not None:
        return slice(numbers[0], numbers[0] + 1 or None)
    raise UsageError(f"'{text}' is not a range of rows; write for example 0:100 or -10: or 7")


def joined_conditions(*conditions: str | None) -> str | None:
    """Independent. Return the expression that all of these satisfy; None is no condition."""
    from quire.io.expression import Expression

    given = [Expression(one).text for one in conditions if one is not None]
    return given[0] if len(given) == 1 else " and ".join(f"({one})" for one in given) or None


@dataclass(frozen=True)
class RowSelection:
    """The rows of a slice that satisfy a condition."""

    rows: slice = field(default_factory=lambda: slice(None))
    where: str | None = None

    @property
    def is_all(self) -> bool:
        """Whether all rows are selected."""
        return self.where is None and self.rows == slice(None)

    def of(self, table: Table) -> Table | Matches:
        """Independent. Return the selected rows of a table; the table itself if all are selected."""
        if self.is_all:
            return table
        rows = resolve_rows(self.rows, len(table))
        return table.where("1 == 1" if self.where is None else self.where, rows)


@dataclass
class AskedRows:
    """Whether any table has rows of a slice. A table with fewer rows than others is no error."""

    rows: slice
    longest: int = 0
    is_any: bool = False

    def note(self, tables: Iterable[Table]) -> bool:
        """Independent. Note the tables of a step. Return whether one is empty or has some of the rows."""
        has_some = False
        for table in tables:
            self.longest = max(self.longest, len(table))
            count = resolve_rows(self.rows, len(table))[1]
            self.is_any |= count > 0
            has_some |= count > 0 or not len(table)
        return has_some

    def require(self, path: str | Path) -> None:
        """Independent. Raise UsageError if there are rows, but no table has one of the slice."""
        if self.longest and not self.is_any:
            raise UsageError(
                f"no table has one of these rows: the longest has {self.longest}", file=str(path)
            )


def blocks_of(
    blocks: Iterable[tuple[Any, Mapping[str, Array]]], size: int
) -> Iterator[tuple[Array, dict[str, Array]]]:
    """Independent. Yield row numbers and columns of matching rows in blocks of `size` rows; the last is
    shorter.
    """
    numbers: list[Array] = []
    parts: list[Mapping[str, Array]] = []
    held = 0

    def joined() -> tuple[Array, dict[str, Array]]:
        return np.concatenate(numbers), {
            name: np.concatenate([part[name] for part in parts]) for name in parts[0]
        }

    for found, block in blocks:
        for start in range(0, len(found), size):
            piece = slice(start, start + size)
            numbers.append(found[piece])
            parts.append({name: values[piece] for name, values in block.items()})
            held += len(numbers[-1])
            while held >= size:
                rows, columns = joined()
                yield rows[:size], {name: values[:size] for name, values in columns.items()}
                numbers, parts = [rows[size:]], [{name: values[size:] for name, values in columns.items()}]
                held -= size
    if held:
        yield joined()


def resolve_rows(rows: slice, length: int) -> tuple[int, int]:
    """Independent. Return the first row and the number of rows of a slice of a table of this length."""
    first, last, _ = rows.indices(length)
    return first, max(0, last - first)


def parse_names(texts: Iterable[str] | str | None) -> list[str] | None:
    """Independent. Parse `x,px` or several such texts as a list of names; None returns None."""
    if texts is None:
        return None
    if isinstance(texts, str):
        texts = [texts]
    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    return names or None


def is_pattern(name: str) -> bool:
    """Independent. Return whether a name is a pattern, with a star or a question mark."""
    return "*" in name or "?" in name


def without(items: Mapping[str, Item], names: Collection[str]) -> dict[str, Item]:
    """Independent. Return the items that do not have these names."""
    return {name: item for name, item in items.items() if name not in names}


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Independent. Return whether a name is one of these names or matches one of these patterns."""
    return any(
        name == pattern or (is_pattern(pattern) and fnmatchcase(name, pattern.replace("[", "[[]")))
        for pattern in patterns
    )


def select_names(wanted: Sequence[str] | None, present: Sequence[str], what: str) -> list[str]:
    """Independent. Return the selected names in the given order; None selects all.

    Raises MissingError for missing names and for patterns without a match.
    """
    if wanted is None:
        return list(present)
    chosen: dict[str, None] = {}
    known = set(present)
    for name in wanted:
        found = [name] if name in known else [one for one in present if matches(one, [name])]
        if not found:
            raise MissingError(there_is_no(what, name, present))
        chosen.update(dict.fromkeys(found))
    return list(chosen)


def select_steps(file: File, steps: StepSelection | None = None) -> Iterator[tuple[int, Step]]:
    """Collective. Yield index and step of the selected steps, read one after another without counting first.

    Numbers increase: steps after the last selected one are not read, even if damaged. `File.unreadable`
    contains selected steps that were skipped; the error of the first is raised if no other step is left.
    """
    if steps is not None and steps.index is not None:
        yield steps.index, file[steps.index]
        return
    last = None if steps is None else steps.last
    count = 0
    for index, step in file.readable((steps or StepSelection()).__contains__):
        if last is not None and step.number > last:
            break
        if steps is None or step.number in steps:
            count += 1
            yield index, step
        if step.number == last:
            break
    if count == 0:
        raise_unreadable(file, steps)


def steps_by(file: File, steps: StepSelection) -> Iterator[Step]:
    """Collective. Yield the selected steps. Raises MissingError if there is no such step, or the error of the
    damage that may have lost it.
    """
    if steps.only is not None:
        try:
            found = file.step(steps.only)
        except MissingError:
            for _ in select_steps(file, steps):
                pass
            raise
        yield found
    else:
        count = 0
        for _, step in select_steps(file, None if steps.is_all else steps):
            count += 1
            yield step
        require_found(count, steps, file.path)


def raise_unreadable(file: File, steps: StepSelection | None) -> None:
    """Independent. Raise the error of the first selected step that was skipped, if any."""
    for number, problem in file.unreadable.items():
        if steps is None or number in steps:
            raise problem


def require_found(count: int, steps: StepSelection | None, path: str | Path) -> None:
    """Independent. Raise MissingError if steps were selected by number and the file has none of them."""
    if count == 0 and steps is not None and steps.ranges:
        raise MissingError(
            "no step has one of these numbers", file=str(path), advice="quire info lists the numbers"
        )


def rows_per_block(
    table: Table | Matches, names: Sequence[str], budget: int, bytes_per_text: int = 64
) -> int:
    """Independent. Return how many rows of these columns fit into `budget` bytes of memory; at least one."""
    width = sum(
        table[name].dtype.itemsize if table[name].type != "string" else bytes_per_text for name in names
    )
    return max(1, budget // max(1, width))


def chosen_blocks(
    table: Table,
    names: Sequence[str],
    rows: slice,
    where: str | None = None,
    budget: int = 8 << 20,
    most: int | None = None,
) -> Iterator[tuple[Sequence[int], dict[str, Any]]]:
    """Independent. Yield row numbers and columns, block by block, of rows of a slice that satisfy `where`.

    At most `most` rows. The memory of a block is reused for the next one.
    """
    first, count = resolve_rows(rows, len(table))
    per_block = rows_per_block(table, names, budget)
    if where is None:
        count = count if most is None else min(count, most)
        for start, block in table.blocks(names, per_block, slice(first, first + count)):
            yield range(start, start + len(block[names[0]])), block
        return
    left = count if most is None else most
    for numbers, block in table.where(where, (first, count)).blocks(names, per_block):
        if left <= 0:
            return
        yield numbers[:left].tolist(), {name: values[:left] for name, values in block.items()}
        left -= len(numbers)


def tables_with(
    steps: Iterable[Step], names: Sequence[str], table: str = "", rows: RowSelection | None = None
) -> list[tuple[Step, Any]]:
    """Independent. Yield the table of this name of each step, by default the first, if it has all these
    columns; with a selection only those rows (`quire.io.matches.Matches`).

    Other steps are left out; names may be patterns. Raises MissingError if there are steps, but none has such
    a table, UsageError if none has the rows.
    """
    missing: MissingError | None = None
    asked = AskedRows(slice(None) if rows is None else rows.rows)
    found: list[tuple[Step, Any]] = []
    for step in steps:
        try:
            one = step.tables[table] if table else step.table
            select_names(names, list(one.columns), "column")
            asked.note([one])
            found.append((step, one if rows is None else rows.of(one)))
        except MissingError as problem:
            missing = missing or problem
    if missing is not None and not found:
        raise missing
    asked.require("")
    return found


def is_number(step: Step, name: str) -> bool:
    """Independent. Return whether a step has a single number of this name."""
    if name not in step.attrs:
        return False
    attribute = step.attrs.info[name]
    return attribute.type not in ("string", "character") and getattr(attribute.value, "ndim", 0) == 0
