"""The sheets that quire show prints: tables, fields and attributes, with the selected columns and rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quire.cli.fields import field_of
from quire.cli.output import plural, printable
from quire.cli.views import Block, Sheet

if TYPE_CHECKING:
    from quire import Attribute, Step, Table
    from quire.toolkit.field_values import FieldRequest
    from quire.toolkit.lines import Printer
    from quire.toolkit.wanted_units import WantedUnits

HEAD_ROWS = 20
BLOCK_BYTES = 4 << 20


def pick(items: Mapping[str, Attribute], names: Sequence[str] | None) -> dict[str, Attribute]:
    """Return the attributes that match these names or patterns, in the order of the file."""
    from quire.toolkit.selection import matches

    return {name: item for name, item in items.items() if names is None or matches(name, names)}


def require_somewhere(names: Sequence[str] | None, groups: Sequence[list[str]], what: str) -> None:
    """Raises MissingError for a name or pattern that matches nothing in any group."""
    from quire.toolkit.selection import select_names

    if names is not None and groups:
        select_names(names, list(dict.fromkeys(name for group in groups for name in group)), what)


def fields_of(step: Step, names: Sequence[str] | None) -> list[str]:
    """Return the selected fields of a step. Raises MissingError for unknown names."""
    from quire.toolkit.selection import select_names

    return select_names(names, list(step.fields), "field")


def has_rows_of_steps(table: Table, names: Collection[str]) -> bool:
    """Return whether a table has the results of reductions, with the number of the step in each row."""
    return bool(getattr(table, "results", ())) and "step" in names


class Viewer:
    """Creates sheets of tables, fields and attributes, with the selected columns and rows."""

    def __init__(
        self,
        names: list[str] | None,
        rows: slice,
        head_only: bool,
        table: str | None,
        display: bool,
        formats: Mapping[str, str] | None = None,
        where: str | None = None,
        units: WantedUnits | None = None,
        numbered: bool = True,
    ) -> None:
        from quire.toolkit.wanted_units import WantedUnits

        self.names = names
        self.rows = rows
        self.head_only = head_only
        self.table = table
        self.display = display
        self.formats = formats or {}
        self.names_are_checked = False
        self.where = where
        self.units = units or WantedUnits()
        self.numbered = numbered
        """Whether titles have the number of the step."""

    def tables(self, step: Step) -> list[tuple[Table, list[str]]]:
        """Return the selected tables of a step, each with its columns."""
        from quire.errors import MissingError
        from quire.near import there_is_no
        from quire.toolkit.selection import select_names
        from quire.toolkit.share import tables_of_limits

        if self.table is not None and self.table not in step.tables:
            raise MissingError(there_is_no("table", self.table, list(step.tables), f" in step {step.number}"))
        hidden = tables_of_limits(step.tables) if self.where is not None else set()
        names = [name for name in step.tables if name not in hidden] if self.table is None else [self.table]
        chosen = [step.tables[name] for name in names]
        return [(table, select_names(self.names, list(table.columns), "column")) for table in chosen]

    def blocks(self, table: Table, names: Sequence[str], rows: slice, most: int) -> Iterator[Block]:
        """Yield row numbers and columns of each block of the selected rows."""
        from quire.toolkit.selection import chosen_blocks

        if names:
            for numbers, block in chosen_blocks(table, names, rows, self.where, BLOCK_BYTES, most):
                yield numbers, [self.units.convert(table[name], block[name]) for name in names]

    def sheets(self, steps: Iterator[Step]) -> Iterator[Sheet]:
        """Yield the tables of steps. Raises UsageError if there are rows, but none is selected."""
        from quire.errors import UsageError
        from quire.toolkit.selection import resolve_rows

        longest = 0
        is_any = False
        for step in steps:
            tables = self.tables(step)
            self.require_names([name for _, names in tables for name in names])
            for table, names in tables:
                first, count = resolve_rows(self.rows, len(table))
                if not count and len(table):
                    longest = max(longest, len(table))
                    continue
                is_any = True
                rows, matching = slice(first, first + count), ""
                if self.where is not None:
                    count = table.where(self.where, rows).count()
                    chosen = "them" if self.rows == slice(None) else f"rows {first} to {rows.stop - 1}"
                    matching = f", {count} of {chosen} with {printable(self.where)}"
                shown = min(count, HEAD_ROWS) if self.head_only else count
                name = f", table '{printable(table.name)}'" if table.name else ""
                is_numbered = self.numbered and not has_rows_of_steps(table, names)
                of_step = f"step {step.number}{name}: " if is_numbered else ""
                yield Sheet(
                    f"{of_step}{plural(len(table), 'row')}{matching}",
                    step.number,
                    table.name,
                    names,
                    [self.units.of(table[one]).unit for one in names],
                    self.printers([table[one] for one in names]),
                    self.blocks(table, names, rows, shown),
                    count - shown if names else 0,
                )
        if longest and not is_any:
            raise UsageError(
                f"no row is selected: no table here has more than {plural(longest, 'row')}, "
                "and their numbers begin at 0"
            )

    def fields(self, steps: Iterator[Step], names: Sequence[str] | None) -> Iterator[Sheet]:
        """Yield the values of fields: one row for each point, with its indices and components."""
        import numpy as np

        for step in steps:
            self.require_names(list(step.fields))
            for name in fields_of(step, names):
                field = step.fields[name]
                values = self.units.convert(field, field.read().reshape(-1, field.components))
                indices = np.indices(field.extents).reshape(len(field.extents), -1)
                axes = [f"i{axis}" for axis in range(len(field.extents))]
                parts = [name] if field.components == 1 else [f"{name}[{c}]" for c in range(field.components)]
                extents = " x ".join(str(extent) for extent in field.extents)
                yield Sheet(
                    f"step {step.number}, field '{printable(name)}': {extents}",
                    step.number,
                    name,
                    axes + parts,
                    [""] * len(axes) + [self.units.of(field).unit] * len(parts),
                    [*[None] * len(axes), *self.printers([field] * len(parts))],
                    [(range(len(values)), [*indices, *values.T])],
                )

    def parts(self, steps: Iterator[Step], name: str, request: FieldRequest) -> Iterator[Sheet]:
        """Yield the values of a part of a field: one row for each element, with its position on each axis."""
        import numpy as np

        from quire.toolkit.selection import resolve_rows

        for step in steps:
            found = field_of(step, name, request)
            items: list[Any] = [*found.axes, found]
            self.require_names([*step.fields, *(item.name for item in items)])
            extents = " x ".join(str(len(axis.positions)) for axis in found.axes) or "1"
            places = np.meshgrid(*(axis.positions for axis in found.axes), indexing="ij")
            columns = [*(place.ravel() for place in places), found.values.ravel()]
            columns = [self.units.convert(item, one) for item, one in zip(items, columns, strict=True)]
            first, count = resolve_rows(self.rows, found.values.size)
            shown = min(count, HEAD_ROWS) if self.head_only else count
            rows = slice(first, first + shown)
            yield Sheet(
                f"step {step.number}, {printable(found.name)}: {extents}",
                step.number,
                name,
                [item.name for item in items],
                [self.units.of(item).unit for item in items],
                [*(None for _ in found.axes), *self.printers([step.fields[name]])],
                [(range(rows.start, rows.stop), [column[rows] for column in columns])],
                count - shown,
            )

    def transposed(self, steps: Iterator[Step], names: Sequence[str] | None) -> Iterator[Sheet]:
        """Return one sheet with a row for each step: its number and attributes."""
        from quire.toolkit.lines import as_array

        found = [(step.number, step.attrs.info) for step in steps]
        items: dict[str, Attribute] = {}
        for _, attributes in found:
            items = {**attributes, **items}
        require_somewhere(names, [list(items)], "attribute")
        items = self.in_units(pick(items, names))
        self.require_names(list(items))
        values = [
            as_array([self.units.of(a[name]).value if name in a else "" for _, a in found]) for name in items
        ]
        yield Sheet(
            plural(len(found), "step"),
            None,
            "",
            ["step", *items],
            ["", *(item.unit for item in items.values())],
            [None, *self.printers(list(items.values()))],
            [(range(len(found)), [as_array([number for number, _ in found]), *values])],
        )

    def in_units(self, items: Mapping[str, Attribute]) -> dict[str, Attribute]:
        """Return attributes in their wanted units."""
        return {name: self.units.of(item) for name, item in items.items()}

    def require_names(self, names: Sequence[str]) -> None:
        """Raises MissingError for a format or a unit of a name that does not exist."""
        from quire.toolkit.lines import require_used

        if not self.names_are_checked:
            require_used(self.formats, names)
            self.units.require_used(names)
        self.names_are_checked = True

    def printers(self, items: Sequence[Any]) -> list[Printer | None]:
        """Return the formats of columns, fields or attributes: given by options, or by the file."""
        from quire.toolkit.lines import format_for, printer

        found = []
        for item in items:
            form = format_for(item.name, item.type not in ("string", "character"), self.formats)
            form = form or (item.display if self.display else "")
            found.append(printer(form) if form else None)
        return found

    def attribute_text(self, item: Attribute) -> str:
        """Return the value of an attribute as text."""
        from quire.toolkit.lines import format_for, printer
        from quire.toolkit.summary import plain

        form = format_for(item.name, item.type not in ("string", "character"), self.formats)
        one = printer(form or (item.display if self.display else ""))
        if one is None or hasattr(item.value, "shape"):
            return str(plain(item.value))
        return one(item.value)
