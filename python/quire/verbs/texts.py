"""Make columns of texts from numbers and other texts."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from quire.errors import DataError, MissingError, UsageError
from quire.io.types import Array
from quire.near import there_is_no
from quire.verbs.numbers import computed
from quire.verbs.step_chain import StepChain
from quire.verbs.steplike import NewColumn, StepLike, in_memory

S = TypeVar("S", bound=StepChain)


class Formatter(string.Formatter):
    """The formats of Python, of which those of integers also print floating-point numbers that are whole."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Independent. Return a value in its format."""
        is_whole = isinstance(value, float | np.floating) and value == np.trunc(value)
        if is_whole and format_spec[-1:] in tuple("dxob"):
            value = int(value)
        if not format_spec and isinstance(value, np.longdouble):  # Python formats it as a float.
            return str(value)
        return str(super().format_field(value, format_spec))


@dataclass(frozen=True)
class Pattern:
    """A format in the syntax of Python, such as `Q{n:03d}`, with the names that it uses."""

    name: str
    format: str

    @classmethod
    def parse(cls, text: str) -> Pattern:
        """Independent. Parse `NAME=FORMAT`. Raises UsageError."""
        name, is_set, form = text.partition("=")
        if not (name and is_set):
            raise UsageError(f"'{text}' is no definition; write NAME=FORMAT, such as 'name=Q{{n:03d}}'")
        return cls(name, form)

    @property
    def names(self) -> list[str]:
        """The names in braces. Raises UsageError for others than names, such as `{a.b}` and `{}`."""
        try:
            found = names_in(self.format)
        except ValueError as problem:
            raise UsageError(f"'{self.format}' is no format: {problem}", object=self.name) from None
        for name in found:
            if not name or set(name) & set(".[]!"):
                raise UsageError(f"'{{{name}}}' is no name of a column or an attribute", object=self.name)
        return list(dict.fromkeys(found))

    def made(self, values: Mapping[str, Any], rows: int) -> Array:
        """Independent. Return the text of each row. Raises DataError for a format that a value has not."""
        columns = {name: array.tolist() if isinstance(array, np.ndarray) else [array] * rows
                   for name, array in values.items()}  # fmt: skip
        found = np.empty(rows, object)
        for row in range(rows):
            given = {name: column[row] for name, column in columns.items()}
            try:
                found[row] = Formatter().vformat(self.format, (), given)
            except (ValueError, TypeError) as problem:
                raise DataError(
                    f"'{self.format}' does not fit the values of row {row}: {problem}", object=self.name
                ) from None
        return found


def names_in(form: str) -> list[str]:
    """Independent. Return the names in the braces of a format, and in those inside of them: `{x:{width}}`."""
    found = []
    for _, name, inner, _ in Formatter().parse(form):
        if name is not None:
            found += [name, *names_in(inner or "")]
    return found


def text(chain: S, *definitions: str) -> S:
    """Independent. Add columns of texts: `NAME=FORMAT`, with the names of columns and attributes in braces.

    A format is one of Python: `Q{n:03d}`, `{x:.3f} mm`, `{name}_{step}`. `row` is the number of the row from
    0, and `step` that of the step.

    >>> import quire
    >>> quire.new("n=1,2").text("name=Q{n:03d}").read()["name"].tolist()
    ['Q001', 'Q002']
    """
    patterns = [Pattern.parse(one) for one in definitions]
    wanted = list(dict.fromkeys(name for one in patterns for name in one.names))

    def with_texts(step: StepLike, table: Any) -> StepLike:
        counters = {"row": np.arange(len(table)), "step": step.number}
        attributes = {name: one.value for name, one in step.attrs.info.items() if np.ndim(one.value) == 0}
        known: dict[str, Any] = counters | attributes
        for name in wanted:
            if name not in table.columns and name not in known:
                raise MissingError(there_is_no("column or attribute", name, [*table, *known]))
        found = known | in_memory(table, [name for name in wanted if name in table.columns])
        made = [
            NewColumn(
                one.name, one.made({name: found[name] for name in one.names}, len(table)), type="string"
            )
            for one in patterns
        ]
        return computed(step, table, made, len(table), others=list(table))

    return chain.each(with_texts)
