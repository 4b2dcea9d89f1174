"""Descriptions of files and steps for the page: names, units and sizes, without the values of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.errors import Error
from quire.toolkit.selection import is_number
from quire.viewer.answers import error_content

if TYPE_CHECKING:
    from quire import Step
    from quire.viewer.library import Library, Source

LONGEST_VALUE: Final = 8
"""Elements of an attribute that are shown."""


def quantity(item: Any) -> dict[str, Any]:
    """Independent. Return name, unit, symbol and description of a column or attribute."""
    return {"name": item.name, "unit": item.unit, "symbol": item.symbol, "description": item.description}


def described_files(library: Library) -> list[dict[str, Any]]:
    """Independent. Describe all files; of those that cannot be read the error."""
    return [described_file(source) for source in library.sources]


def described_file(source: Source) -> dict[str, Any]:
    """Independent. Describe a file and its first step."""
    about: dict[str, Any] = {"file": source.number, "label": source.label, "path": source.path}
    try:
        with source.opened() as (file, _):
            numbers = list(file.each_number())
            about |= {
                "format": file.format,
                "title": file.title,
                "contents": file.contents,
                "numbers": numbers,
                "warnings": file.warnings,
                "attributes": [value_of(item) for item in file.attrs.info.values()],
                "first": described_step(file.step(numbers[0])) if numbers else None,
            }
    except (Error, OSError) as problem:
        about |= {"numbers": [], "first": None, **error_content(problem)}
    return about


def described_step(step: Step) -> dict[str, Any]:
    """Independent. Describe a step: attributes with values, tables and fields."""
    return {
        "number": step.number,
        "warnings": step.warnings,
        "attributes": [
            {**value_of(item), "isNumber": is_number(step, name)} for name, item in step.attrs.info.items()
        ],
        "tables": [
            {
                "name": table.name,
                "rows": len(table),
                "columns": [
                    {**quantity(column), "type": column.type, "isNumber": column.type not in TEXTS}
                    for column in table.columns.values()
                ],
            }
            for table in step.tables.values()
        ],
        "fields": [{**quantity(item), "extents": list(item.extents)} for item in step.fields.values()],
    }


TEXTS: Final = ("string", "character")


def value_of(item: Any) -> dict[str, Any]:
    """Independent. Describe an attribute and its value; of long arrays the first elements."""
    flat = np.asarray(item.value).reshape(-1)
    texts = [text_of(one) for one in flat[:LONGEST_VALUE].tolist()]
    more = f", ... ({flat.size} in all)" if flat.size > LONGEST_VALUE else ""
    return {**quantity(item), "value": ", ".join(texts) + more}


def text_of(value: Any) -> str:
    """Independent. Return a value as text, numbers with 9 digits.

    >>> from quire.viewer.describe import text_of
    >>> text_of(0.1 + 0.2), text_of(2**63), text_of("QF")
    ('0.3', '9223372036854775808', 'QF')
    """
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)
