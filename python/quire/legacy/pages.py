"""The pages of a file as old programs see them.

Parameters are attributes of the step, also those with one value for the whole file. Expressions know no
units, as in the old programs, and pages keep their numbers when others are left out.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

import numpy as np

import quire
from quire import _core
from quire.io.attributes import Attribute, attributes_from_core
from quire.io.types import Array
from quire.legacy.steps import with_step
from quire.toolkit.copied_table import CopiedTable
from quire.verbs.chain import Chain
from quire.verbs.step_chain import Steps, Verb
from quire.verbs.steplike import MadeStep, MadeTable, StepLike, TableLike, in_memory, quantity_of

TEXTS: Final = ("string", "character")
"""Types of texts."""

FORMAT: Final = "sdds"

BLANK: Final = b"SDDS1\n&data mode=ascii, &end\n"


@dataclass(frozen=True)
class Blank:
    """The description of a file without attributes, in which copies look for names that are taken."""

    description: _core.FileDescription

    @classmethod
    @cache
    def make(cls) -> Blank:
        """Independent. Return the description of a file that defines nothing."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(BLANK)
            file.flush()
            with quire.open(file.name, quire.SELF) as opened:
                return cls(opened._core.description)


@dataclass
class Header:
    """What belongs to the whole file."""

    title: str
    contents: str


class Pages(Chain):
    """The pages of a file, with the verbs of the toolkit as methods."""

    def __init__(
        self,
        file: Any,
        selected: Steps,
        table: str = "",
        memory: int | None = None,
        verbs: Sequence[Verb] = (),
    ) -> None:
        super().__init__(file, selected, table, memory, verbs)
        self.header = Header(file.title, file.contents)

    @classmethod
    def of(cls, path: str, stack: ExitStack) -> Pages:
        """Independent. Return the pages of a file, which `stack` closes."""
        file = stack.enter_context(quire.open(path, quire.SELF))

        def pages() -> Iterator[StepLike]:
            of_file = dict(file.attrs.info)
            variables: dict[str, Any] = {}
            for place, step in enumerate(file, start=1):
                attributes = of_file | with_step(file, step)
                table = chosen_table(step)
                page = Page(step, table, place, variables)
                yield made_page(page, table, attributes.values())

        return cls(file, pages)

    def _with(self, memory: int | None, verbs: Sequence[Verb]) -> Pages:
        made = super()._with(memory, verbs)
        made.header = self.header
        return made

    def with_header(self, header: Header) -> Pages:
        """Independent. Return the same pages with other texts of the file."""
        made = self._with(self.memory, self._verbs)
        made.header = header
        return made

    @property
    def title(self) -> str:
        """The description of the file."""
        return self.header.title

    @property
    def contents(self) -> str:
        """The contents of the file."""
        return self.header.contents

    @property
    def attrs(self) -> Any:
        """The attributes of the file: none, since those of the source are attributes of the steps."""
        return attributes_from_core("the file", self._file.path, [])

    @property
    def _core(self) -> Blank:
        """What copies ask for the attributes of the file: none."""
        return Blank.make()

    def table_of(self, step: StepLike) -> Any:
        """Independent. Return the only table of a page."""
        return chosen_table(step)

    def each_page(self, change: Callable[[Page], StepLike | None]) -> Pages:
        """Independent. Return each page changed; None leaves a page out."""

        def changed(steps: Iterator[StepLike]) -> Iterator[StepLike]:
            for place, step in enumerate(steps, start=1):
                made = change(Page.of(step, place))
                if made is not None:
                    yield made

        return self.through(changed)

    def pages(self) -> Iterator[Page]:
        """Independent. Iterate over the pages."""
        for place, step in enumerate(self, start=1):
            yield Page.of(step, place)


def chosen_table(step: StepLike) -> Any:
    """Independent. Return the only table of a step; one without columns and rows if there is none."""
    return step.table if step.tables else MadeTable([], 0)


@dataclass(frozen=True)
class Page:
    """A page: its step, its table, and its number from 1 in the file that was read."""

    step: StepLike
    table: Any
    number: int
    variables: dict[str, Any] = field(default_factory=dict)
    """What equations stored on this page and on those before, by name: all pages share it."""

    @classmethod
    def of(cls, step: StepLike, place: int) -> Page:
        """Independent. Return a step as a page, with its number in the file, or else its place."""
        variables = getattr(step, "variables", {})
        return cls(step, chosen_table(step), getattr(step, "page_number", place), variables)

    @property
    def parameters(self) -> Mapping[str, Attribute]:
        """The parameters by name: attributes with one value."""
        return {name: one for name, one in self.step.attrs.info.items() if np.ndim(one.value) == 0}

    @property
    def arrays(self) -> Mapping[str, Any]:
        """The arrays by name: attributes with several values, and fields."""
        several = {name: one for name, one in self.step.attrs.info.items() if np.ndim(one.value) > 0}
        return several | dict(self.step.fields)

    @property
    def unitless(self) -> UnitlessTable:
        """The table for expressions."""
        return UnitlessTable(self.table, self.parameters.values(), self.number)

    def columns(self, names: Sequence[str] | None = None) -> dict[str, Array]:
        """Independent. Return columns in memory."""
        return in_memory(self.table, names)

    def with_table(self, table: TableLike) -> StepLike:
        """Independent. Return the page with another table."""
        return made_page(self, table, self.step.attrs.info.values())

    def with_attributes(self, attributes: Iterable[Attribute]) -> StepLike:
        """Independent. Return the page with further attributes, which replace those of the same name."""
        known = dict(self.step.attrs.info) | {one.name: one for one in attributes}
        return made_page(self, self.table, known.values())


def made_page(
    page: Page, table: TableLike, attributes: Iterable[Attribute], fields: Mapping[str, Any] | None = None
) -> StepLike:
    """Independent. Return a page with this table and these attributes, by default with the same fields."""
    step = page.step
    made = MadeStep(step.number, attributes, [table], step.warnings, getattr(step, "group_of", None))
    made.fields = step.fields if fields is None else fields
    if made.fields:
        described = [(table.name, [quantity_of(table[name]) for name in table])]
        quantities = [one._quantity for one in made.fields.values()]
        core = made._description.attributes
        made._description = _core.StepDescription.declaration([], described, quantities).with_definitions(
            table.name, [], core
        )
    numbered: Any = made
    numbered.page_number = page.number
    numbered.variables = page.variables
    return made


class UnitlessTable(CopiedTable):
    """A table whose expressions know neither units nor other steps than this page."""

    def __init__(self, table: TableLike, parameters: Iterable[Attribute], page: int) -> None:
        self.name = table.name
        self.columns = table.columns
        self._table = table
        self._parameters = list(parameters)
        self._page = page

    def __len__(self) -> int:
        return len(self._table)

    def scope(self) -> Any:
        """Independent. Return the names of expressions, without units."""
        from quire.verbs.steplike import core_attribute_of

        columns = [_core.Quantity(one.name, one.type) for one in self.columns.values()]
        attributes = [core_attribute_of(replace(one, unit="")) for one in self._parameters]
        return columns, attributes, {"step": self._page, "page": self._page, "rows": len(self)}

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block."""
        return self._table.rows_per_block(names)

    def blocks(
        self, names: Iterable[str], rows_per_block: int | None = None, rows: Any = None, progress: Any = None
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`."""
        return self._table.blocks(names, rows_per_block, rows, progress)
