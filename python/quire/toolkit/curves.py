"""The values of plots: columns, attributes and expressions of steps as curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.errors import Error, MissingError, UsageError
from quire.io.attributes import Attribute
from quire.io.expression import Expression
from quire.io.html import LARGEST_DRAWN
from quire.near import there_is_no
from quire.toolkit.definitions import Definition, DerivedStep
from quire.toolkit.selection import RowSelection, matches, select_names, tables_with
from quire.toolkit.wanted_units import InUnit, scale_to_unit_of
from quire.units import Scale

if TYPE_CHECKING:
    from quire import File, Step, Table
    from quire.io.matches import Matches

    Array = np.ndarray[Any, Any]

MOST_POINTS = 200_000
STEP_NUMBER = Attribute("step", 0, "int64")
"""What is along an axis without a quantity: the numbers of the steps."""
ROW_NUMBER = "row"
"""The number of the row, as in conditions."""


@dataclass(frozen=True)
class Curve:
    """Points to be joined, in the order given."""

    label: str
    x: Array
    y: Array
    name: str = ""
    """Name of the quantity of y."""
    colour: Array | None = None
    """A value for each point, shown as its colour."""
    origin: str = ""
    """The file and step of the points, if there are several."""
    error: Array | None = None
    """The half length of a bar at each point."""
    style: str = ""
    """How it is drawn; empty: as the others."""
    place: int = 0
    """The number of its list of quantities, of those that have panels of their own."""
    is_labelled: bool = False
    """Whether the label is a text that was asked for, and not the name or the symbol of the quantity."""

    def converted(self, name: str, is_across: bool, scale: Scale) -> Curve:
        """Independent. Return the curve with a quantity in another unit, which is along x or y."""
        curve = replace(self, x=scale(self.x)) if is_across else self
        if self.name != name:
            return curve
        return replace(curve, y=scale(self.y), error=None if self.error is None else scale(self.error))


@dataclass
class Curves:
    """Some curves, and the columns or attributes along each axis."""

    curves: list[Curve] = field(default_factory=list)
    across: list[Any] = field(default_factory=list)
    up: list[Any] = field(default_factory=list)
    colours: list[Any] = field(default_factory=list)
    rows: int = 0
    """The rows of the tables that are drawn as columns."""
    drawn: int = 0
    """How many of them are drawn."""

    @property
    def thinning(self) -> str:
        """How many rows of long tables are drawn, empty if all are."""
        return f"{self.drawn} of {self.rows} rows" if self.drawn < self.rows else ""

    def add(self, other: Curves) -> None:
        """Add the curves of another file or step, in the units of the quantities that are there.

        Raises ConflictError if a quantity of the same name has a unit that is none of these.
        """
        for name, (unit, scale) in self._conversions(other).items():
            is_across = any(item.name == name for item in other.across)
            sides = {
                side: [InUnit(item, unit) if item.name == name else item for item in getattr(other, side)]
                for side in ("across", "up")
            }
            other = replace(
                other,
                curves=[one.converted(name, is_across, scale) for one in other.curves],
                across=sides["across"],
                up=sides["up"],
            )
        self.curves += other.curves
        self.across += other.across
        self.up += other.up
        self.colours += other.colours
        self.rows += other.rows
        self.drawn += other.drawn

    def _conversions(self, other: Curves) -> dict[str, tuple[str, Scale]]:
        """Return the unit and the conversion of each quantity that has another unit here."""
        first = {item.name: item for item in reversed([*self.across, *self.up])}
        return {
            item.name: (first[item.name].unit, scale)
            for item in (*other.across, *other.up)
            if item.name in first and (scale := scale_to_unit_of(first[item.name], item)) != Scale(1.0)
        }

    def parts(self) -> Iterator[list[Curve]]:
        """Independent. Yield curves that follow each other and have the same origin and places along x."""
        part: list[Curve] = []
        for curve in self.curves:
            if part and (curve.origin != part[0].origin or not np.array_equal(curve.x, part[0].x, True)):
                yield part
                part = []
            part.append(curve)
        if part:
            yield part


def continued(curves: Iterable[Curve]) -> list[Curve]:
    """Independent. Return the curves of one label as one curve each, in the order of their steps."""
    groups: dict[str, list[Curve]] = {}
    for curve in curves:
        groups.setdefault(curve.label, []).append(curve)
    return [
        replace(
            some[0],
            x=np.concatenate([one.x for one in some]),
            y=np.concatenate([one.y for one in some]),
            colour=None if some[0].colour is None else np.concatenate([one.colour for one in some]),
            error=None if some[0].error is None else np.concatenate([one.error for one in some]),
        )
        for some in groups.values()
    ]


def split_terms(texts: Iterable[str] | None) -> list[str]:
    """Independent. Return the terms of texts with commas; those in brackets separate nothing."""
    terms: list[str] = []
    for text in texts or ():
        depth, term = 0, ""
        for one in text:
            depth += (one in "([") - (one in ")]")
            if one == "," and depth == 0:
                terms.append(term.strip())
                term = ""
            else:
                term += one
        terms.append(term.strip())
    return [term for term in terms if term]


def with_terms(
    file: File,
    steps: Iterable[Step],
    terms: Sequence[str],
    table: str = "",
    of_steps: bool = False,
    reads_others: bool = True,
) -> list[Any]:
    """Independent. Return the steps with the terms that are expressions as further columns, or attributes of
    steps.

    A term that is the name of an object, or a pattern that matches one, is no expression, apart from the
    number `step` of steps and the number `row` of rows. Without `reads_others` the names of other files are
    missing.
    """
    found = []
    for step in steps:
        columns = (one for item in step.tables.values() for one in item.columns)
        known = [*step.attrs, *file.attrs] if of_steps else [*columns]
        new = [term for term in dict.fromkeys(terms) if not any(matches(name, [term]) for name in known)]
        expressions = [(term, expression_of(term, of_steps, reads_others=reads_others)) for term in new]
        made = [Definition(term, one) for term, one in expressions if one is not None]
        found.append(DerivedStep(file, step, made, table or first_table(step)) if made else step)
    return found


def first_table(step: Step) -> str:
    """Independent. Return the name of the first table, empty if there is none."""
    return next(iter(step.tables), "")


def expression_of(term: str, of_steps: bool = False, *, reads_others: bool = True) -> Expression | None:
    """Independent. Return a term as an expression; None for a single name, but for the number of the step or
    of the row.
    """
    if term.isidentifier() and term != (STEP_NUMBER.name if of_steps else ROW_NUMBER):
        return None
    try:
        return Expression(term, reads_others=reads_others)
    except Error:
        return None  # a name with other characters, or nothing: reported as missing


def thinned(table: Table | Matches, names: Sequence[str]) -> dict[str, Array]:
    """Independent. Columns as numbers, at most MOST_POINTS rows: every k-th one of a longer table."""
    stride = max(1, -(-len(table) // MOST_POINTS))
    parts: dict[str, list[Array]] = {name: [] for name in names}
    done = 0
    for _, block in table.blocks(names):
        for name in names:
            parts[name].append(as_numbers(name, block[name][(-done) % stride :: stride]))
        done += len(block[names[0]])
    return {name: np.concatenate(parts[name] or [np.empty(0)]) for name in names}


def as_numbers(name: str, values: Array) -> Array:
    """Independent. Values that have a place on an axis. Raises UsageError for text."""
    if values.dtype.kind not in "iuf":
        raise UsageError(f"'{name}' contains text, which cannot be drawn")
    return drawable(values)


def drawable(values: Any) -> Array:
    """Independent. Numbers as float64, gaps where they are too large for the arithmetic of a picture."""
    numbers = np.array(values, dtype=np.float64)
    numbers[np.abs(numbers) > LARGEST_DRAWN] = np.nan
    return numbers


def column_curves(
    steps: Iterable[Step],
    label: Callable[[Step], str],
    x: str,
    ys: Sequence[str],
    table: str = "",
    rows: RowSelection | None = None,
    colour: str | None = None,
    errors: Sequence[str] = (),
) -> Curves:
    """Independent. For each step a curve of every y against x, of the selected rows; names of ys
    may be patterns. `colour` is a column whose values colour the points; `errors` are columns for the ys.

    Steps without such columns are left out. Raises MissingError if steps there are, but none has them.
    """
    found = Curves()
    more = [] if colour is None else [colour]
    for step, source in tables_with(steps, [x, *ys, *more, *errors], table, rows):
        names = select_names(ys, list(source.columns), "column")
        if errors and len(errors) != len(names):
            raise UsageError(f"there are {len(errors)} errors for {len(names)} columns; give one for each")
        values = thinned(source, list(dict.fromkeys([x, *names, *more, *errors])))
        curves = []
        for place, y in enumerate(names):
            origin = label(step)
            name = origin if len(names) == 1 else join(origin, y)
            colours = None if colour is None else values[colour]
            error = values[errors[place]] if errors else None
            curves.append(Curve(name, values[x], values[y], y, colours, origin, error))
        quantities = [source[y] for y in names]
        colouring = [source[one] for one in more]
        found.add(Curves(curves, [source[x]], quantities, colouring, len(source), len(values[x])))
    return found


def is_of_steps(steps: Sequence[Step], x: str, table: str = "") -> bool:
    """Independent. Return whether x is one number of each step, its number or an attribute, and no column."""
    columns = [name for step in steps for name in (step.tables.get(table or first_table(step)) or ())]
    return x not in columns and (x == STEP_NUMBER.name or any(x in step.attrs for step in steps))


def track_curves(
    steps: Sequence[Step],
    label: str,
    x: str,
    ys: Sequence[str],
    table: str = "",
    rows: RowSelection | None = None,
) -> Curves:
    """Independent. A curve of every y through the steps, against their number or attribute x: the value in
    the only selected row of each step, which is a particle that is followed.

    Steps without such a row are left out. Raises UsageError for several rows in a step, MissingError if no
    step has one.
    """
    found: dict[str, tuple[list[float], list[float]]] = {}
    quantities: dict[str, Any] = {}
    across: Any = STEP_NUMBER
    for step, source in tables_with(steps, ys, table, rows):
        if len(source) > 1:
            raise UsageError(
                f"step {step.number} has {len(source)} rows, but a curve through the steps takes one of each",
                advice="select a particle, such as --where 'id == 17', or draw --attributes or --beam",
            )
        if not len(source) or (x != STEP_NUMBER.name and x not in step.attrs):
            continue
        place = float(step.number)
        if x != STEP_NUMBER.name:
            across = step.attrs.info[x] if across is STEP_NUMBER else across
            place = scalar_in_unit_of(across, step.attrs.info[x])
        names = select_names(ys, list(source.columns), "column")
        values = thinned(source, names)
        for y in names:
            scale = scale_to_unit_of(quantities.setdefault(y, source[y]), source[y])
            xs, drawn = found.setdefault(y, ([], []))
            xs.append(place)
            drawn.append(float(scale(values[y][0])))
    if not found:
        raise no_rows(rows)
    curves = [
        Curve(label if len(found) == 1 else join(label, y), drawable(xs), np.array(drawn), y, origin=label)
        for y, (xs, drawn) in found.items()
    ]
    return Curves(curves, [across], list(quantities.values()))


def no_rows(rows: RowSelection | None) -> MissingError:
    """Independent. Return the error of a picture of no rows."""
    condition = "" if rows is None or rows.where is None else f" with {rows.where}"
    return MissingError(f"no step has a row{condition}: there is nothing to draw")


def attribute_curves(
    label: str,
    steps: Iterable[Step],
    x: str | None,
    ys: Sequence[str],
    of_file: Mapping[str, Attribute] = MappingProxyType({}),
) -> Curves:
    """Independent. A curve for each attribute over the steps, against attribute x or the step number.
    `of_file` are attributes of the file, which are the same for all steps.

    Steps that lack one of them are left out. Raises MissingError if no step has them.
    """
    found: dict[str, tuple[list[float], list[float]]] = {y: ([], []) for y in ys}
    quantities: dict[str, Any] = {}
    seen: dict[str, None] = {}
    for step in steps:
        known = {**of_file, **step.attrs.info}
        seen.update(dict.fromkeys(known))
        if x is not None and x not in known:
            continue
        place = float(step.number)
        if x is not None:
            place = scalar_in_unit_of(quantities.setdefault(x, known[x]), known[x])
        for y in found:
            if y in known:
                found[y][0].append(place)
                found[y][1].append(scalar_in_unit_of(quantities.setdefault(y, known[y]), known[y]))
    for name in [*([x] if x is not None else []), *ys]:
        if name not in quantities:
            raise MissingError(there_is_no("attribute", name, list(seen), " of steps"))
    return Curves(
        [
            Curve(label if len(ys) == 1 else join(label, y), drawable(xs), drawable(values), y, origin=label)
            for y, (xs, values) in found.items()
        ],
        [quantities[x]] if x is not None else [],
        [quantities[y] for y in ys],
    )


def join(label: str, name: str) -> str:
    """Independent. The label of one of several curves."""
    return f"{name}, {label}" if label else name


def scalar_in_unit_of(first: Any, attribute: Attribute) -> float:
    """Independent. Return the single number of an attribute, in the unit of that of an earlier step."""
    return float(scale_to_unit_of(first, attribute)(scalar(attribute.name, attribute.value)))


def scalar(name: str, value: Any) -> float:
    """Independent. The single number of an attribute. Raises UsageError for text and longer arrays."""
    values = np.asarray(value)
    if values.size != 1 or values.dtype.kind not in "iuf":
        raise UsageError(f"attribute '{name}' is not a single number")
    return float(values.reshape(-1)[0])
