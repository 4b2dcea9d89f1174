"""What a format can hold of a file, told before anything is written."""

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
    """What becomes of one part of a file or step that a format does not hold as it is."""

    kind: str
    """ "lost", "renamed", "reshaped" (held in another way, with the same values), "added" or, where that was
    asked for, "changed"."""
    object: str
    """What it is: "column", "attribute of the file"; empty for the file or step as a whole."""
    name: str
    now: str
    """The new name of what is renamed."""
    what: str
    """What happens to it, and why, without a name: the same text for all to which the same happens."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What another format will hold of a step: by the step's names, the quantities as they will be written.

    What is not there will be left out; a quantity may have another name, another type or other texts.
    """

    attributes: Mapping[str, Quantity]
    tables: Mapping[str, Mapping[str, Quantity]]
    """By table, the columns."""
    fields: Mapping[str, Quantity]
    changes: list[Change]
    """What will be otherwise than in the step and in the file, and why."""
    numbers_as_text: bool = False
    """Columns and fields become text, in which there is one NaN only."""


def fit(format: str, file: File, step: Step, options: Mapping[str, Any] | None = None) -> Fit:
    """Independent. What the format of this name can hold of a step, written with these options.

    Usage errors list the names.
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
    """Independent. The attributes of the file that the format can hold, as they will be written."""
    given = file._core.description
    return quantities(given.attributes, _core.fit_file_attributes(format, given))


def fit_numbers(format: str, numbers: Collection[int]) -> dict[str, str]:
    """Independent. The options without which the format takes no steps of such numbers, though it can."""
    return _core.fit_numbers(format, min(numbers), max(numbers)) if numbers else {}


def fit_names(format: str, names: Sequence[str]) -> list[str]:
    """Independent. The names that the columns of a table will have: valid ones, each only once."""
    return _core.fit_names(format, names)


def quantities(given: Iterable[_core.Quantity], adapted: Iterable[_core.Quantity]) -> dict[str, Quantity]:
    """Independent. The adapted quantities by the names of the given ones."""
    return {before.name: Quantity(after) for before, after in paired(given, adapted)}


def kept_attributes(field: Quantity) -> set[str]:
    """Independent. The names of the attributes that a fitted field still has."""
    core = field._quantity
    return {attribute.name for attribute in core.attributes} if isinstance(core, _core.Field) else set()


def paired(given: Iterable[Item], adapted: Iterable[Item]) -> list[tuple[Item, Item]]:
    """Independent. Which adapted item comes from which given one.

    Formats keep the order when they rename, and the names when they leave out.
    """
    given, adapted = list(given), list(adapted)
    if len(given) == len(adapted):
        return list(zip(given, adapted, strict=True))
    known = {item.name: item for item in adapted}
    return [(item, known[item.name]) for item in given if item.name in known]
