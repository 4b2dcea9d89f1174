"""One step of an open file."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from quire import _core
from quire.beam.request import SLICES, BeamRequest
from quire.errors import MissingError
from quire.io.attributes import Attributes, NamedItems, attribute_from_core, attributes_from_core
from quire.io.elements import Elements, Expansion, expansions_of, read_elements_all
from quire.io.field import Field
from quire.io.habits import OF_STEPS, Hinting
from quire.io.lazy import found_once
from quire.io.rows import Rows
from quire.io.streams import Streams
from quire.io.table import Column, Table

if TYPE_CHECKING:
    from quire.beam.result import Beam
    from quire.io.origin import Origin


class Step(Hinting, Mapping[str, Column]):
    """A step: attributes, tables and fields. A handle with the description of the step, without its
    values; a mapping of the columns of its only or first table.

    >>> with quire.open("beam.h5") as file:
    ...     step = file[1]
    ...     step.number, step.attrs["s"], list(step)
    ...     "x" in step, step["x"].unit, step.get("q"), list(step.tables), list(step.fields)
    (5, 10.0, ['x', 'px', 'y', 'py', 'z', 'pz', 'id'])
    (True, 'm', None, [''], ['rho'])
    """

    def __init__(
        self,
        core: _core.ReadStep,
        path: str,
        origin: Origin | None = None,
        page: int | None = None,
    ) -> None:
        self._core = core
        self._page = page
        self._origin = origin
        self._description = core.description
        self._path = path
        self._place = f"step {self._description.number}"

    @property
    def number(self) -> int:
        """The number of the step."""
        return self._description.number

    @found_once
    def attrs(self) -> Attributes:
        """Independent. Return all attributes by name, in file order.

        `attrs["s"]` is a value, `attrs.info["s"]` the `Attribute` with type, unit and other texts.
        """
        return attributes_from_core(self._place, self._path, self._description.attributes)

    @found_once
    def tables(self) -> Mapping[str, Table]:
        """Independent. Return all tables by name, in file order."""
        tables = (
            Table(self._core, table, self._place, self._path, self._origin, self._page)
            for table in self._description.tables
        )
        return NamedItems("table", self._place, self._path, ((table.name, table) for table in tables))

    @property
    def table(self) -> Table:
        """Independent. Return the only or first table. Raises a missing error if there is none."""
        for table in self.tables.values():
            return table
        raise MissingError(f"{self._place} has no table", file=self._path)

    @found_once
    def fields(self) -> Mapping[str, Field]:
        """Independent. Return all fields by name, in file order."""
        fields = (Field(self._core, field, self._place, self._path) for field in self._description.fields)
        return NamedItems("field", self._place, self._path, ((field.name, field) for field in fields))

    @found_once
    def streams(self) -> Streams:
        """Independent. Return the streams of the step, if it has any."""
        return Streams(self, self._core, self._path, self._description.streams)

    @found_once
    def expansions(self) -> Sequence[Expansion]:
        """Independent. Return the blocks of elements with coefficients, in file order."""
        return tuple(expansions_of(self.tables))

    def read_elements_all(
        self,
        ids: Any = None,
        variables: Sequence[str] | None = None,
        partition: str | Sequence[float] = "contiguous",
    ) -> Elements:
        """Collective. Read elements with their coefficients, for a restart on any number of ranks.

        Parameters
        ----------
        ids : ids of the elements for this rank, in any order; may be empty. If None on all ranks, `partition`
            selects the elements
        variables : names of variables, the same on all ranks; None is all
        partition : `contiguous` parts of equal size, in file order; `everything` on all ranks; or a weight
        for
            each rank

        Returns
        -------
        The blocks in file order, ids that the file does not contain, and ids that it contains twice (with the
        same planes).
        """
        return read_elements_all(self._core, ids, variables, partition)

    def beam(
        self,
        where: str | None = None,
        *,
        table: str = "",
        convention: str | None = None,
        species: str | None = None,
        slices: int | str = SLICES,
        screen: float | None = None,
        robust: bool = False,
        wavelength: float | None = None,
    ) -> Beam:
        """Independent. Compute the quantities of the particles of a table: sizes, emittances, Twiss
        parameters, energy, current; `repr` prints all of them.

        The rows are read in blocks, twice, in bounded memory. The result is the same on any number of ranks,
        see `quire.toolkit.beam`.

        Parameters
        ----------
        where : a condition that selects particles, such as "abs(x) < 1e-3"
        table : name of the table. Default: the only or first one
        convention : phase-space convention. Default: recognised from the columns and their units
        species : `electron`, `proton` ..., or mass and charge such as "938.272 MeV/c^2, 1". Default: as
            the file states or the convention implies
        slices : number of slices along the bunch, of equal length; "20:charge" has 20 of equal charge
        screen : position in z (m) of a plane to which the particles drift first; their times are
            those of arrival
        robust : whether to compute medians and emittances of the best particles, which needs more passes
        wavelength : wavelength in m at which to compute the bunching

        Raises UsageError if the convention or the species is not certain, ConflictError for units that do not
        fit.
        """
        from quire.beam.result import beam_of_step

        request = BeamRequest(where, table, convention, species, slices, screen, robust, wavelength)
        return beam_of_step(self, request)

    @property
    def columns(self) -> Mapping[str, Column]:
        """Independent. Return the columns of the only or first table, in file order; none without a table."""
        return self.table.columns if self.tables else {}

    def keys(self) -> KeysView[str]:
        """Independent. Return the names of the columns, those of `step[name]`."""
        return self.columns.keys()

    def values(self) -> ValuesView[Column]:
        """Independent. Return the columns."""
        return self.columns.values()

    def items(self) -> ItemsView[str, Column]:
        """Independent. Return names and columns."""
        return self.columns.items()

    def _instead_of(self, name: str) -> str | None:
        for there, text in ((self, "step"), (self.fields, "step.fields"), (self.attrs, "step.attrs")):
            if name in there:
                return f'{text}["{name}"]'
        return OF_STEPS.get(name)

    def to_pandas(self, names: Iterable[str] | str | None = None, rows: Rows | None = None) -> Any:
        """Independent. Read columns of the only or first table as a pandas DataFrame, see `Table.to_pandas`.

        frame = step.to_pandas(["x", "px"])
        """
        return self.table.to_pandas(names, rows)

    @property
    def warnings(self) -> list[str]:
        """Warnings from reading this step."""
        return self._description.warnings

    def __getitem__(self, column: str) -> Column:
        try:
            return self.table[column]
        except MissingError as missing:
            kind = "attribute" if column in self.attrs else "field" if column in self.fields else ""
            if not kind:
                raise
            raise MissingError(
                missing.message,
                file=self._path,
                object=column,
                advice=f"there is {'an' if kind == 'attribute' else 'a'} {kind} of this name: "
                f'.{"attrs" if kind == "attribute" else "fields"}["{column}"]',
            ) from None

    def __contains__(self, column: object) -> bool:
        return bool(self.tables) and column in self.table

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __bool__(self) -> bool:
        return True

    # A handle equals itself alone: a comparison of mappings would compare columns.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def _repr_html_(self) -> str:
        from quire.io.html import step_html

        return step_html(self)

    def __repr__(self) -> str:
        parts = [counted(len(self.attrs), "attribute")]
        for table in self.tables.values():
            size = f"{counted(len(table), 'row')} x {counted(len(table.columns), 'column')}"
            parts.append(f"table {table.name or 'of'} {size}")
        if self.fields:
            parts.append(counted(len(self.fields), "field"))
        if self.streams:
            parts.append(counted(len(self.streams), "stream"))
        return f"<Step {self.number}: {', '.join(parts)}>"


def counted(count: int, what: str) -> str:
    """Independent. Return `1 field` or `2 fields`."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


class DeclaredStep(Step):
    """The declaration of all steps of a file: a step without rows, elements and values.

    The `value` of an attribute is None, or an empty array.
    """

    def __init__(self, core: _core.ReadStep, path: str, origin: Origin) -> None:
        super().__init__(core, path, origin)
        self._place = "the declaration"

    @found_once
    def attrs(self) -> Attributes:
        """Independent. Return all attributes by name, in file order; without values."""
        items = (
            attribute if isinstance(attribute.value, np.ndarray) else replace(attribute, value=None)
            for attribute in map(attribute_from_core, self._description.attributes)
        )
        return Attributes(self._place, self._path, items)

    def __repr__(self) -> str:
        columns = sum(len(table.columns) for table in self.tables.values())
        return f"<DeclaredStep: {len(self.attrs)} attributes, {columns} columns, {len(self.fields)} fields>"
