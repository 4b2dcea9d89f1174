"""Views of objects for notebooks: names, units, and small histograms of the first rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.errors import Error

if TYPE_CHECKING:
    from quire.io.attributes import Attributes
    from quire.io.file import File
    from quire.io.step import Step
    from quire.io.table import Table

MOST_ROWS = 65536
"""Rows of a column that are read for its histogram: the first ones."""
MOST_STEPS = 10
"""Steps that are listed of a file."""
BINS, WIDTH, HEIGHT = 24, 96, 18
"""Of a histogram; the sizes in pixels."""
INK = "#1f5fa8"
LARGEST_DRAWN = 1e300
"""Larger numbers are too large for the arithmetic of a picture: for limits of bins and scales of axes."""


def grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table of cells that are HTML already."""
    head = "".join(f"<th style='text-align:left'>{one}</th>" for one in header)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def histogram(values: np.ndarray[Any, Any]) -> str:
    """Return the distribution of numbers as a small picture; empty for texts and constants."""
    if values.dtype.kind not in "iuf":
        return ""
    finite = values[np.isfinite(values)].astype(np.float64)
    if not len(finite) or np.abs(finite).max() > LARGEST_DRAWN:
        return ""
    if np.spacing(np.abs(finite).max()) * BINS >= finite.max() - finite.min():
        return ""  # constant, but for the rounding of its values
    counts, _ = np.histogram(finite, BINS)
    bar = WIDTH / BINS
    bars = "".join(
        f"<rect x='{place * bar:g}' y='{HEIGHT * (1 - height):.1f}' width='{bar - 0.5:g}' "
        f"height='{HEIGHT * height:.1f}' fill='{INK}'/>"
        for place, height in enumerate(counts / counts.max())
        if height
    )
    return f"<svg width='{WIDTH}' height='{HEIGHT}' role='img'>{bars}</svg>"


def number(value: Any) -> str:
    """Return a value in a few digits."""
    return escape(f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value))


def unit_html(text: str) -> str:
    """Return a unit or symbol as the field writes it (`m$be$nc`): `$a` raises, `$b` lowers, `$n` returns.

    No `$` is left, between which a notebook would typeset mathematics.
    """
    marks = {"a": "sup", "b": "sub"}
    found, opened = "", ""
    head, *parts = text.split("$")
    for part in parts:
        code = part[:1]
        if code in ("a", "b", "n"):
            found += f"</{opened}>" if opened else ""
            opened = marks.get(code, "")
            found += f"<{opened}>" if opened else ""
        found += escape(part[1:])
    return escape(head) + found + (f"</{opened}>" if opened else "")


def first_rows(table: Table, name: str) -> np.ndarray[Any, Any] | None:
    """Return the first rows of a column; None if they cannot be read."""
    try:
        return table[name].read(slice(0, MOST_ROWS))
    except Error:
        return None


def columns_html(table: Table, names: Iterable[str]) -> str:
    """Return columns of a table: name, type, unit, limits and histogram of the first rows."""
    rows = []
    for name in names:
        column = table[name]
        values = first_rows(table, name) if len(table) else None
        limits = ("", "")
        if values is not None and values.dtype.kind in "iuf" and np.isfinite(values).any():
            limits = number(np.nanmin(values)), number(np.nanmax(values))
        picture = "" if values is None else histogram(values)
        about = unit_html(column.description or column.symbol)
        rows.append((escape(name), column.type, unit_html(column.unit), *limits, picture, about))
    return grid(("column", "type", "unit", "minimum", "maximum", "", ""), rows)


def rows_html(table: Table) -> str:
    """Return the number of rows, and how many of them limits and histograms are of."""
    note = f" (limits and histograms of the first {MOST_ROWS})" if len(table) > MOST_ROWS else ""
    return f"{len(table)} rows{note}"


def table_html(table: Table) -> str:
    """Return the columns of a table."""
    title = f"table {escape(table.name)}" if table.name else "table"
    return f"<p><b>{title}</b>: {rows_html(table)}</p>{columns_html(table, table.columns)}"


def column_html(table: Table, name: str) -> str:
    """Return one column of a table."""
    return f"<p><b>{escape(name)}</b>: {rows_html(table)}</p>{columns_html(table, [name])}"


def attributes_html(attributes: Attributes) -> str:
    """Return attributes with their units."""
    rows = [
        (escape(name), number(item.value), unit_html(item.unit)) for name, item in attributes.info.items()
    ]
    return grid(("attribute", "value", "unit"), rows)


def step_html(step: Step) -> str:
    """Return the attributes, tables and fields of a step."""
    parts = [f"<p><b>step {step.number}</b></p>"]
    if step.attrs:
        parts.append(attributes_html(step.attrs))
    parts += [table_html(table) for table in step.tables.values()]
    if step.fields:
        fields = [
            (
                escape(name),
                item.type,
                unit_html(item.unit),
                " x ".join(map(str, item.extents)),
                str(item.components),
            )
            for name, item in step.fields.items()
        ]
        parts.append(grid(("field", "type", "unit", "extents", "components"), fields))
    return "".join(parts)


def beam_html(title: str, quantities: Sequence[Sequence[str]], warnings: Iterable[str]) -> str:
    """Return the quantities of a beam: names, values, units and descriptions."""
    rows = [
        (escape(name), escape(value), unit_html(unit), escape(text)) for name, value, unit, text in quantities
    ]
    noted = "".join(f"<p>warning: {escape(one)}</p>" for one in warnings)
    return f"<p><b>beam</b>: {escape(title)}</p>{grid(('quantity', 'value', 'unit', ''), rows)}{noted}"


def file_html(file: File) -> str:
    """Return the attributes of a file, and its first steps."""
    title = f": {escape(file.title)}" if file.title else ""
    parts = [f"<p><b>{escape(str(file.path))}</b> ({escape(file.format)}){title}</p>"]
    if file.attrs:
        parts.append(attributes_html(file.attrs))
    rows = []
    for step, _ in zip(file, range(MOST_STEPS), strict=False):
        tables = ", ".join(
            f"{len(table)} rows x {len(table.columns)} columns" for table in step.tables.values()
        )
        rows.append((str(step.number), tables, escape(", ".join(step.fields))))
    parts.append(grid(("step", "tables", "fields"), rows))
    if len(rows) == MOST_STEPS:
        parts.append(f"<p>the first {MOST_STEPS} steps; file[-1] is the last one</p>")
    return "".join(parts)
