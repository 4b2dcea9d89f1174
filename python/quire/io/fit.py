"""Adaptation of a file to another format, reported before anything is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from quire import _core
from quire.io.formats import option_texts
from quire.io.quantity import Quantity

if TYPE_CHECKING:
    from quire.io.file import File
    from quire.io.step import Step

Item = TypeVar("Item", bound="_core.Table | _core.Quantity")


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one part of a file or step that a format cannot store unchanged."""

    kind: str
    """ "lost", "renamed", "reshaped" (stored in another way, with the same values), "added" or, on request,
    "changed"."""
    object: str
    """Kind of object: "column", "attribute of the file"; empty for the whole file or step."""
    name: str
    now: str
    """The new name of a renamed object."""
    what: str
    """The change and its reason, without the name: the same text for all objects with the same change."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The contents of a step in another format: quantities as they will be written, by their names in the
    step.

    Missing quantities will be left out. A quantity may have another name, another type or other texts.
    """

    attributes: Mapping[str, Quantity]
    tables: Mapping[str, Mapping[str, Quantity]]
    """The columns of each table."""
    fields: Mapping[str, Quantity]
    changes: list[Change]
    """Differences to the step and the file, with reasons."""
    numbers_as_text: bool = False
    """Columns and fields are written as text, which has only one NaN."""


def fit(format: str, file: File, step: Step, options: Mapping[str, Any] | None = None) -> Fit:
    """Independent. Return what a format can store of a step with these options.

    Usage errors list the names of formats.
    """
    given = step._description
    words = option_texts(dict(options or {}))
    adapted, changes, numbers_as_text = _core.fit(format, file._core.description, given, words)
    tables = {
        table.name: quantities(table.columns, kept.columns)
        for table, kept in paired(given.tables, adapted.tables)
    }
    return Fit(
        attributes=quantities(given.attributes, adapted.attributes),
        tables=tables,
        fields=quantities(given.fields, adapted.fields),
        changes=[Change(*change) for change in changes],
        numbers_as_text=numbers_as_text,
    )


def fit_file(format: str, file: File) -> dict[str, Quantity]:
    """Independent. Return the attributes of the file that the format can store, as they will be written."""
    given = file._core.description
    return quantities(given.attributes, _core.fit_file_attributes(format, given))


def fit_numbers(format: str, numbers: Collection[int]) -> dict[str, str]:
    """Independent. Return the options that the format needs to store steps with these numbers."""
    return _core.fit_numbers(format, min(numbers), max(numbers)) if numbers else {}


def fit_names(format: str, names: Sequence[str]) -> list[str]:
    """Independent. Return valid and unique names for the columns of a table."""
    return _core.fit_names(format, names)


def quantities(given: Iterable[_core.Quantity], adapted: Iterable[_core.Quantity]) -> dict[str, Quantity]:
    """Independent. Return the adapted quantities by the names of the given ones."""
    return {before.name: Quantity(after) for before, after in paired(given, adapted)}


def kept_attributes(field: Quantity) -> set[str]:
    """Independent. Return the names of the remaining attributes of an adapted field."""
    core = field._quantity
    return {attribute.name for attribute in core.attributes} if isinstance(core, _core.Field) else set()


def paired(given: Iterable[Item], adapted: Iterable[Item]) -> list[tuple[Item, Item]]:
    """Independent. Return pairs of given and adapted items.

    Formats keep the order of renamed items, and the names if items are left out.
    """
    given, adapted = list(given), list(adapted)
    if len(given) == len(adapted):
        return list(zip(given, adapted, strict=True))
    known = {item.name: item for item in adapted}
    return [(item, known[item.name]) for item in given if item.name in known]
