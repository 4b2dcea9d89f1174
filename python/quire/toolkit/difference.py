"""Compare the contents of two files of any formats: steps by number, tables and columns by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import quire
from quire.errors import BadFileError, MissingError, UsageError
from quire.io.formats import common_options, format_info
from quire.toolkit.element_difference import compare_elements
from quire.toolkit.element_index import element_tables
from quire.toolkit.matched_rows import keys_of, matched_rows, shown_keys
from quire.toolkit.selection import (
    AskedRows,
    blocks_of,
    matches,
    require_found,
    rows_per_block,
    select_names,
    without,
)
from quire.toolkit.share import tables_of_limits
from quire.toolkit.value_difference import Rules, ValueDifference, compare_values, note_values

if TYPE_CHECKING:
    from quire import Attribute, Field, File, Step, Stream, Streams, Table

    Array = np.ndarray[Any, Any]

BLOCK_BYTES = 8 << 20
STREAMS_AT_ONCE = 1000
MOST_PROBLEMS = 100


@dataclass
class Difference:
    """The differences: messages about structure and attributes, and a record for each compared column."""

    left: str
    right: str
    problems: list[str] = field(default_factory=list)
    more_problems: int = 0
    columns: list[ValueDifference] = field(default_factory=list)
    damages: list[str] = field(default_factory=list)
    """Damage after the whole steps; only whole steps are compared."""
    has_other_names: bool = False
    """Whether tables have the same number of columns, and not the same names."""
    _known: dict[tuple[str, str], ValueDifference] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def same(self) -> bool:
        """Whether both files are whole and equal."""
        return (
            not self.damages and not self.problems and all(column.different == 0 for column in self.columns)
        )

    def report(self, problem: str) -> None:
        """Add a message. After the first hundred they are only counted."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)
        else:
            self.more_problems += 1

    def rename(self, path: str, name: str) -> None:
        """Call a file by another name than its path."""
        self.left, self.right = (name if one == path else one for one in (self.left, self.right))
        self.problems = [problem.replace(path, name) for problem in self.problems]
        self.damages = [damage.replace(path, name) for damage in self.damages]

    def column(self, table: str, name: str) -> ValueDifference:
        """Return the record of a column, which is created at first use."""
        found = self._known.get((table, name))
        if found is None:
            found = self._known[table, name] = ValueDifference(table, name)
            self.columns.append(found)
        return found


class SharedAttributes:
    """Attributes of one file that the other file may have in each of its steps, which is equivalent.

    A format may support only one of both, and programs may write either.
    """

    def __init__(self, mine: File, other: File) -> None:
        self.items = without(mine.attrs.info, set(other.attrs))
        self.found: set[str] = set()
        """Names of attributes in a step of the other file."""
        self.missing: dict[str, int] = {}
        """By name the number of the first step of the other file without the attribute."""

    def of_step(self, own: Step, other: Step) -> dict[str, Attribute]:
        """Independent. Return the attributes to compare with those of a step of the other file."""
        items = without(self.items, set(own.attrs))
        for name in items.keys() - other.attrs.keys():
            self.missing.setdefault(name, other.number)
        shared = {name: item for name, item in items.items() if name in other.attrs}
        self.found |= shared.keys()
        return shared


def has_steps(file: File) -> bool:
    """Collective. Return whether there is a step, which may be damaged if others can be read."""
    return next(file.each_number(), None) is not None


class Comparison:
    """Compares two open files and fills a Difference."""

    def __init__(self, left: File, right: File, rules: Rules, progress: Callable[[int], None] | None) -> None:
        self.left = left
        self.right = right
        self.rules = rules
        self.progress = progress
        self.result = Difference(str(left.path), str(right.path))
        self.shared = SharedAttributes(left, right), SharedAttributes(right, left)
        self.asked = AskedRows(rules.rows.rows)
        self.found_key = self.rules.key == ""
        """Whether a pair of tables has the column that matches rows."""
        self.steps = 0
        """Number of steps that were compared, or are in one file only."""

    def run(self) -> Difference:
        """Compare everything that the rules select."""
        if self.rules.attributes:
            in_both = [
                without(file.attrs.info, set(shared.items))
                for file, shared in zip((self.left, self.right), self.shared, strict=True)
            ]
            self.compare_attributes("the file", *in_both)
        if not has_steps(self.left) and not has_steps(self.right):
            self.compare_declared()
        self.walk()
        unreadable = {**self.right.unreadable, **self.left.unreadable}
        self.result.damages += [f"step {number}: {unreadable[number]}" for number in sorted(unreadable)]
        if self.rules.attributes:
            self.report_shared()
        if not self.found_key:
            raise MissingError(f"there is no column '{self.rules.key}' in both files, to match rows by")
        return self.result

    def walk(self) -> None:
        """Iterate over both files together. The numbers of steps increase."""
        walks = self.steps_of(self.left), self.steps_of(self.right)
        left, right = (next(walk, None) for walk in walks)
        while left is not None or right is not None:
            self.steps += 1
            is_earlier = left is not None and right is not None and left.number < right.number
            if right is None or (is_earlier and not self.rules.by_position):
                self.report_single(left, self.left, self.right)
                left = next(walks[0], None)
            elif left is None or (right.number < left.number and not self.rules.by_position):
                self.report_single(right, self.right, self.left)
                right = next(walks[1], None)
            else:
                self.compare_steps(left, right)
                left, right = (next(walk, None) for walk in walks)

    def steps_of(self, file: File) -> Iterator[Step]:
        """Yield the selected steps of one file that can be read."""
        last = self.rules.steps.last
        try:
            if self.rules.steps.index is not None:
                yield file[self.rules.steps.index]
                return
            for _, step in file.readable(self.rules.steps.__contains__):
                if last is not None and step.number > last:
                    return
                if step.number in self.rules.steps:
                    yield step
        except BadFileError:
            return  # damage after the whole steps is reported at the end

    def report_single(self, step: Step | None, here: File, there: File) -> None:
        """Report a step that is only in one file, unless the other has a damaged step of its number."""
        if step is not None and step.number not in there.unreadable:
            self.result.report(f"step {step.number} is only in {here.path}")

    def report_shared(self) -> None:
        """Report attributes of one file that are missing in some or all steps of the other."""
        unknown = [[name for name in shared.items if name not in shared.found] for shared in self.shared]
        self.common("the file: attribute", *unknown)
        for file, shared in zip((self.left, self.right), self.shared, strict=True):
            for name in sorted(shared.found & shared.missing.keys()):
                if not matches(name, self.rules.ignore):
                    number = shared.missing[name]
                    self.result.report(f"step {number}: attribute '{name}' is only in {file.path}")

    def compare_steps(self, left: Step, right: Step) -> None:
        """Compare attributes, tables and fields of two steps of the same number."""
        where = f"step {left.number}"
        if self.rules.attributes:
            ours_too, theirs_too = self.shared[0].of_step(left, right), self.shared[1].of_step(right, left)
            self.compare_attributes(
                where, {**left.attrs.info, **ours_too}, {**right.attrs.info, **theirs_too}
            )
        if left.streams and right.streams:
            # The table with the locations of streams is not compared.
            self.compare_streams(where, left.streams, right.streams)
            return
        ours, theirs = dict(left.tables), dict(right.tables)
        by_element = not self.rules.as_stored and self.rules.rows.is_all
        if left.expansions and right.expansions and by_element:
            compare_elements(self, where, left, right, BLOCK_BYTES)
            ours, theirs = without(ours, element_tables(left)), without(theirs, element_tables(right))
        if not self.rules.rows.is_all:
            # A selection of rows is not one of the limits of their blocks.
            ours = without(ours, tables_of_limits(left.tables))
            theirs = without(theirs, tables_of_limits(right.tables))
        if len(ours) == 1 and len(theirs) == 1:
            # The name of the only table depends on the format.
            self.compare_tables(left.number, where, next(iter(ours.values())), next(iter(theirs.values())))
        else:
            for name, other in self.pairs(f"{where}: table", list(ours), list(theirs)).items():
                self.compare_tables(left.number, f"{where}, table '{name}'", ours[name], theirs[other])
        if self.rules.columns is None and self.rules.rows.is_all:
            for name, other in self.pairs(f"{where}: field", list(left.fields), list(right.fields)).items():
                self.compare_fields(where, left.number, left.fields[name], right.fields[other])

    def compare_declared(self) -> None:
        """Compare the declarations of two files without steps, by names, types and units."""
        rules, theirs = self.rules, declared_items(self.right)
        for kind, left in declared_items(self.left).items():
            right = theirs[kind]
            if (kind == "attribute" and not rules.attributes) or (
                kind == "field" and not (rules.columns is None and rules.rows.is_all)
            ):
                continue
            if kind == "column" and rules.columns is not None:
                left, right = chosen(left, rules.columns), chosen(right, rules.columns)
            for name in self.common(f"declared {kind}", list(left), list(right)):
                self.compare_texts(f"declared {kind} '{name}'", left[name], right[name])

    def compare_streams(self, where: str, left: Streams, right: Streams) -> None:
        """Compare the bytes of all tasks, block by block."""
        for ours, theirs in self.common_streams(where, left, right):
            rank = ours.rank
            if ours.size != theirs.size:
                self.result.report(
                    f"{where}: the stream of task {rank} has {ours.size} and {theirs.size} bytes"
                )
                continue
            for first in range(0, ours.size, BLOCK_BYTES):
                here, there = ours.read_at(first, BLOCK_BYTES), theirs.read_at(first, BLOCK_BYTES)
                if here != there:
                    place = first + next(i for i in range(len(here)) if here[i] != there[i])
                    self.result.report(f"{where}: the stream of task {rank} differs from byte {place} on")
                    break
            if self.progress is not None:
                self.progress(ours.size)

    def common_streams(self, where: str, left: Streams, right: Streams) -> Iterator[tuple[Stream, Stream]]:
        """Yield the streams of tasks that both files have, some at a time. Reports the others."""
        names = [[str(rank) for rank in streams.ranks] for streams in (left, right)]
        kept = [int(name) for name in self.common(f"{where}: stream of task", *names)]
        # A task may have several streams, which are distinguished by their indices.
        by_place = names[0] == names[1] and len(kept) == len(names[0])
        wanted = range(len(kept)) if by_place else kept
        for first in range(0, len(wanted), STREAMS_AT_ONCE):
            some = wanted[first : first + STREAMS_AT_ONCE]
            both = [streams.at(some) if by_place else streams.open(some) for streams in (left, right)]
            yield from zip(*both, strict=True)

    def common(self, what: str, left: Sequence[str], right: Sequence[str]) -> list[str]:
        """Return the names in both files. Reports the others."""
        kept = [name for name in left if not matches(name, self.rules.ignore)]
        others = [name for name in right if not matches(name, self.rules.ignore)]
        ours, theirs = set(kept), set(others)
        for names, known, path in ((kept, theirs, self.left.path), (others, ours, self.right.path)):
            for name in names:
                if name not in known:
                    self.result.report(f"{what} '{name}' is only in {path}")
        return [name for name in kept if name in theirs]

    def pairs(self, what: str, left: Sequence[str], right: Sequence[str]) -> dict[str, str]:
        """Return names in the left file and those in the right one that are compared with them."""
        if not self.rules.by_position:
            return {name: name for name in self.common(what, left, right)}
        if len(left) != len(right):
            self.result.report(f"{what}s: there are {len(left)} and {len(right)}")
        paired = zip(left, right, strict=False)
        return {name: other for name, other in paired if not matches(name, self.rules.ignore)}

    def pairs_of_columns(self, where: str, left: Table, right: Table) -> dict[str, str]:
        """Return the columns of the left table and those of the right one that are compared with them."""
        ours, theirs = list(left.columns), list(right.columns)
        wanted = self.rules.columns
        if wanted is not None and self.rules.by_position:
            chosen = set(select_names(wanted, ours, "column"))
            places = [place for place, name in enumerate(ours) if name in chosen]
            ours = [ours[place] for place in places]
            theirs = [theirs[place] for place in places if place < len(theirs)]
        elif wanted is not None:
            ours = select_names(wanted, ours, "column")
            theirs = select_names(wanted, theirs, "column")
        self.result.has_other_names |= len(ours) == len(theirs) and {*ours} != {*theirs}
        return self.pairs(f"{where}: column", ours, theirs)

    def compare_texts(self, what: str, left: Any, right: Any) -> None:
        """Report different units and types of two attributes, columns or fields."""
        if self.rules.units and left.unit != right.unit:
            self.result.report(f"{what} has unit '{left.unit}' and '{right.unit}'")
        if self.rules.types and left.type != right.type:
            self.result.report(f"{what} has type {left.type} and {right.type}")

    def compare_attributes(self, where: str, left: Any, right: Any) -> None:
        """Compare attributes by value. A single value equals an array that contains only this value."""
        for name in self.common(f"{where}: attribute", list(left), list(right)):
            self.compare_texts(f"{where}: attribute '{name}'", left[name], right[name])
            if not self.same_value(left[name], right[name]):
                ours, theirs = shown(left[name].value), shown(right[name].value)
                bits = " of other bits" if ours == theirs else ""
                self.result.report(f"{where}: attribute '{name}' is {ours} and {theirs}{bits}")

    def compare_places(self, what: str, left: Field, right: Field) -> None:
        """Compare the coordinates of two fields of the same extents."""
        theirs = places_of(right)
        for name, here in places_of(left).items():
            there = theirs[name]
            if here is None and there is None:
                continue
            if here is None or there is None or compare_values(here, there, self.rules)[0].any():
                left_text, right_text = (
                    "unknown" if one is None else str(one.tolist()) for one in (here, there)
                )
                self.result.report(f"{what}: its {name} is {left_text} and {right_text}")

    def same_value(self, left: Attribute, right: Attribute) -> bool:
        """Return whether two attributes have the same values by the rules."""
        ours, theirs = np.atleast_1d(as_array(left)), np.atleast_1d(as_array(right))
        if ours.shape != theirs.shape:
            return False
        differs, _, _ = compare_values(ours.ravel(), theirs.ravel(), self.rules)
        return not differs.any()

    def compare_tables(self, number: int, where: str, left: Table, right: Table) -> None:
        """Compare two tables block by block. Of different lengths, the common rows are compared."""
        self.asked.note([left, right])
        self.report_lengths(where, left, right)
        names = self.pairs_of_columns(where, left, right)
        for name, also in names.items():
            self.compare_texts(f"{where}: column {of_both(repr(name), repr(also))}", left[name], right[also])
        if not names:
            return
        has_keys = self.rules.key in left and names.get(self.rules.key, self.rules.key) in right
        self.found_key |= has_keys
        rows = self.rows_of_keys(where, left, right, names) if has_keys else None
        for numbers, block, other in rows or self.common_rows(left, right, names):
            for name in block:
                also = names[name]
                record = self.result.column(left.name, of_both(name, also))
                note_values(record, number, block[name], other[also], self.rules, row_of(numbers))
            if self.progress is not None:
                self.progress(len(numbers))

    def rows_of_keys(
        self, where: str, left: Table, right: Table, names: Mapping[str, str]
    ) -> Iterator[tuple[Sequence[int], Mapping[str, Array], Mapping[str, Array]]]:
        """Yield the numbers of rows of the left table, and the values of both for rows with the same key, one
        column after another, which are held in memory as a whole. Reports the other rows.
        """
        key = self.rules.key
        ours = keys_of(left, key, str(self.left.path))
        found = matched_rows(ours, keys_of(right, names.get(key, key), str(self.right.path)))
        for only, path in ((found.only_left, self.left.path), (found.only_right, self.right.path)):
            if only.size:
                self.result.report(f"{where}: rows with {key} {shown_keys(only)} are only in {path}")
        numbers = found.left.tolist()
        for name, also in names.items():
            values, others = np.asarray(left[name][:]), np.asarray(right[also][:])
            yield numbers, {name: values[found.left]}, {also: others[found.right]}

    def report_lengths(self, where: str, left: Table, right: Table) -> None:
        """Report different numbers of selected rows."""
        ours, theirs = (len(self.rules.rows.of(one)) for one in (left, right))
        if ours != theirs:
            what = "rows" if self.rules.rows.is_all else "selected rows"
            self.result.report(f"{where} has {ours} and {theirs} {what}")

    def common_rows(
        self, left: Table, right: Table, names: Mapping[str, str]
    ) -> Iterator[tuple[Sequence[int], Mapping[str, Array], Mapping[str, Array]]]:
        """Yield the numbers of rows of the left table, and the values of both, block by block."""
        ours, theirs = list(names), list(names.values())
        per_block = min(rows_per_block(left, ours, BLOCK_BYTES), rows_per_block(right, theirs, BLOCK_BYTES))
        if self.rules.rows.is_all:
            rows = slice(0, min(len(left), len(right)))
            pairs = zip(
                left.blocks(ours, rows_per_block=per_block, rows=rows),
                right.blocks(theirs, rows_per_block=per_block, rows=rows),
                strict=True,
            )
            for (first, block), (_, other) in pairs:
                yield range(first, first + len(block[ours[0]])), block, other
            return
        asked = ((left, ours), (right, theirs))
        sides = (self.rules.rows.of(one).blocks(wanted, per_block) for one, wanted in asked)
        for (numbers, block), (_, other) in zip(*(blocks_of(one, per_block) for one in sides), strict=False):
            count = min(len(block[ours[0]]), len(other[theirs[0]]))
            yield (
                numbers[:count].tolist(),
                {name: values[:count] for name, values in block.items()},
                {name: values[:count] for name, values in other.items()},
            )

    def compare_fields(self, where: str, number: int, left: Field, right: Field) -> None:
        """Compare two fields layer by layer along the slowest axis."""
        self.compare_texts(f"{where}: field {of_both(repr(left.name), repr(right.name))}", left, right)
        shapes = [(*one.extents, one.components) for one in (left, right)]
        if shapes[0] != shapes[1]:
            self.result.report(f"{where}: field '{left.name}' has extents {shapes[0]} and {shapes[1]}")
            return
        self.compare_attributes(f"{where}: field '{left.name}'", left.attrs.info, right.attrs.info)
        if self.rules.attributes:
            self.compare_places(f"{where}: field '{left.name}'", left, right)
        record = self.result.column("", of_both(left.name, right.name))
        layer = int(np.prod(shapes[0][1:], dtype=np.int64))
        layers = max(1, BLOCK_BYTES // max(1, 16 * layer))
        for low in range(0, int(left.extents[0]) if left.extents else 0, layers):
            ours, theirs = np.asarray(left[low : low + layers]), np.asarray(right[low : low + layers])
            place = element_after(low, ours.shape)
            note_values(record, number, ours.reshape(-1), theirs.reshape(-1), self.rules, place)


def of_both(left: str, right: str) -> str:
    """Independent. Return the name in both files, or both names."""
    return left if left == right else f"{left} and {right}"


def declared_items(file: File) -> dict[str, dict[str, Any]]:
    """Independent. Return the declarations of a file by kind, with the columns of all tables."""
    step = file.declared
    if step is None:
        return {"attribute": {}, "column": {}, "field": {}}
    columns = {name: column for table in step.tables.values() for name, column in table.columns.items()}
    return {"attribute": dict(step.attrs.info), "column": columns, "field": dict(step.fields)}


def chosen(items: dict[str, Any], patterns: Sequence[str]) -> dict[str, Any]:
    """Independent. Return the items with these names or patterns."""
    return {name: item for name, item in items.items() if matches(name, patterns)}


def places_of(field: Field) -> dict[str, Array | None]:
    """Independent. Return the known coordinates of a field."""
    found: dict[str, Array | None] = {"origin": None, "spacing": None}
    if field.origin is not None:
        found["origin"] = np.array(field.origin)
    if field.spacing is not None:
        found["spacing"] = np.array(field.spacing)
    for axis, coordinates in enumerate(field.coordinates or [None] * len(field.extents)):
        found[f"coordinates of axis {axis}"] = coordinates
    return found


def as_array(attribute: Attribute) -> Array:
    """Independent. Return the value of an attribute as an array of numbers or text."""
    value = attribute.value
    if isinstance(value, str):
        return np.array(value, dtype=object)
    return np.asarray(value)


def row_of(numbers: Sequence[int]) -> Callable[[int], tuple[int, ...]]:
    """Independent. Return the row in the table of value i of a block of rows of these numbers."""
    return lambda i: (numbers[i],)


def element_after(low: int, shape: tuple[int, ...]) -> Callable[[int], tuple[int, ...]]:
    """Independent. Return the indices in the field of value i of a block that begins at layer `low`."""

    def place(i: int) -> tuple[int, ...]:
        layer, *rest = (int(index) for index in np.unravel_index(i, shape))
        return (low + layer, *rest)

    return place


def shown(value: Any) -> str:
    """Independent. Return a value for a message, with long arrays shortened."""
    text = repr(value.tolist()) if isinstance(value, np.ndarray) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def reader_options(format: str) -> set[str]:
    """Independent. Return the names of the options of a format's reader."""
    return {option.name for option in (*format_info(format).read_options, *common_options()[0])}


def open_with_known(path: str | Path, options: dict[str, Any]) -> File:
    """Independent. Open a file with the options that its format supports."""
    try:
        return quire.open(path, quire.SELF, **options)
    except UsageError:
        with quire.open(path, quire.SELF) as file:
            names = reader_options(file.format)
        return quire.open(
            path, quire.SELF, **{name: value for name, value in options.items() if name in names}
        )


def damage_after_steps(file: File) -> str | None:
    """Independent. Return the damage after the whole steps of a file, if any."""
    try:
        file[len(file)]
    except MissingError:
        return None
    except BadFileError as damage:
        return str(damage)
    return None


def difference(
    left: str | Path,
    right: str | Path,
    rules: Rules | None = None,
    *,
    progress: Callable[[int], None] | None = None,
    observe: Callable[[Any], None] | None = None,
    **options: Any,
) -> Difference:
    """Independent. Compare the contents of two files, block by block in bounded memory.

    The order of columns is ignored, and their types unless `rules.types`. Rows are compared in order, but
    elements by number, whatever blocks they are stored in, unless `rules.as_stored`. With
    `rules.key` rows are matched by the values of a column, which is held in memory. With
    `rules.by_position` steps, tables, columns and fields are matched by their order. An attribute of one file
    equals an attribute of all steps of the other. The whole steps of a damaged file are compared, and the
    damage is reported. `progress` is called with the number of rows of each block, `observe` with each file
    before it is closed. `options` are passed to the readers of formats that support them.
    Raises errors of opening and reading, and MissingError for steps that neither file has.
    """
    with open_with_known(left, options) as ours, open_with_known(right, options) as theirs:
        unknown = set(options) - reader_options(ours.format) - reader_options(theirs.format)
        if unknown:
            raise UsageError(
                f"neither {ours.format} nor {theirs.format} has a reader's option {min(unknown)}"
            )
        comparison = Comparison(ours, theirs, rules or Rules(), progress)
        result = comparison.run()
        result.damages += [damage for damage in map(damage_after_steps, (ours, theirs)) if damage is not None]
        comparison.asked.require(left)
        if not result.damages:  # The steps may have been after the damage.
            require_found(comparison.steps, None if rules is None else rules.steps, left)
        if observe is not None:
            observe(ours)
            observe(theirs)
    return result
