"""Parameters that are reductions of columns: specs/sdds-toolkit.md, section 5.3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from quire.errors import UsageError
from quire.io.attributes import Attribute
from quire.io.texts import Texts
from quire.legacy.acts.equations import parameter
from quire.legacy.pages import TEXTS, Page, Pages
from quire.legacy.patterns import is_pattern, matches, required
from quire.numeric.reduction_table import Options, reduction
from quire.numeric.reductions import reduce
from quire.numeric.rows import Rows
from quire.verbs.steplike import StepLike

UNIT: Final = {"y*x": "{y}*{x}", "y/x": "({y})/({x})", "y": "{y}", "x": "{x}", "none": ""}


@dataclass(frozen=True)
class Process:
    """A reduction of columns by its old name. Numbers may be `@NAME` of a parameter."""

    columns: str
    mode: str
    result: str
    function_of: str = ""
    weight_by: str = ""
    match: str = ""
    """`column=pattern` of the rows that are used."""
    symbol: str | None = None
    description: str | None = None
    default: float | None = None
    position: bool = False
    inverts: str = ""
    """offset, factor or both, which are then subtracted and divided by."""
    overwrites: bool = False
    numbers: dict[str, str | float] = field(default_factory=dict)
    """Qualifiers with numbers: those of `Rows` and `Options`."""

    def results(self, page: Page) -> Iterator[Attribute]:
        """Independent. Yield the parameters of a page. Raises MissingError for unknown columns."""
        names = required([self.columns], list(page.table), "column")
        if is_pattern(self.columns):
            names = [name for name in names if page.table[name].type not in TEXTS]
        if len(names) > 1 and "%s" not in self.result:
            raise UsageError(
                f"'{self.columns}' matches several columns: write %s in the name '{self.result}'"
            )
        for name in names:
            yield self.of_column(page, name)

    def of_column(self, page: Page, column: str) -> Attribute:
        """Independent. Return the parameter of one column."""
        found = reduction(self.mode)
        key, _, pattern = self.match.partition("=")
        used = [one for one in (column, self.function_of, self.weight_by, key) if one]
        arrays = page.columns(required(used, list(page.table), "column"))
        if key:
            is_used = np.array([matches(str(one), pattern) for one in arrays[key].tolist()], bool)
            arrays = {name: values[is_used] for name, values in arrays.items()}
        rows, options = self.qualifiers(page)
        value = reduce(
            found.name,
            arrays[column],
            arrays[self.weight_by] if self.weight_by else None,
            arrays[self.function_of] if self.function_of else None,
            rows,
            options,
        )
        if self.default is not None and isinstance(value, float) and np.isnan(value):
            value = self.default
        result = self.result.replace("%s", column)
        like = page.table[self.function_of if self.position else column]
        is_text = like.type in TEXTS and found.name != "count"
        x = page.table[self.function_of].unit if self.function_of else ""
        unit = UNIT[found.unit_of(options)].format(y=page.table[column].unit, x=x)
        texts = Texts(
            unit if unit not in ("*", "()/()") else "",
            self.symbol or "",
            f"{self.mode} of {column}" if self.description is None else self.description,
        )
        if is_text:
            return parameter(result, str(value), like.type, texts)
        return parameter(result, float(value), "float64", texts)

    def qualifiers(self, page: Page) -> tuple[Rows, Options]:
        """Independent. Return which rows are reduced, and how values are changed before."""
        given = {name: self.number(page, one) for name, one in self.numbers.items()}
        whole = {name: int(given[name]) for name in ("head", "tail") if name in given}
        limits: dict[str, Any] = {name: given[name] for name in given if name in OF_ROWS} | whole
        options: dict[str, Any] = {name: value for name, value in given.items() if name in OF_OPTIONS}
        if self.inverts in ("offset", "both") and "offset" in options:
            options["offset"] = -options["offset"]
        if self.inverts in ("factor", "both") and "factor" in options:
            options["factor"] = 1 / options["factor"]
        return Rows(**limits), Options(position=self.position, **options)

    @staticmethod
    def number(page: Page, given: str | float) -> float:
        """Independent. Return a number, or that of the parameter of this name."""
        return float(page.parameters[given].value if isinstance(given, str) else given)


OF_ROWS: Final = {"head", "tail", "head_fraction", "tail_fraction", "lower", "upper", "bottom", "top"}
OF_OPTIONS: Final = {"offset", "factor", "percent", "bin_size"}


def process(pages: Pages, request: Process) -> Pages:
    """Independent. Add the results as parameters."""

    def reduced(page: Page) -> StepLike:
        made = list(request.results(page))
        for one in made:
            if one.name in page.parameters and not request.overwrites:
                raise UsageError(
                    "there is a parameter of this name already", object=one.name, advice="add overwrite"
                )
        return page.with_attributes(made)

    return pages.each_page(reduced)
