"""Expansions: coefficients of variables on elements, by block and by id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire import _core
from quire.errors import MissingError, UsageError
from quire.io.arguments import text
from quire.io.refusal import tried
from quire.io.table import Table
from quire.io.types import Array

ElementLayout = _core.ElementLayout
"""The layout of one checkpoint, kept for the next ones of a series (see `put_elements`).

`distributions` counts the checkpoints for which the ranks exchanged their layout, `reused` those for
which it was unchanged."""


@dataclass(frozen=True, repr=False)
class ElementBlock:
    """Elements of one shape, with the same bases and planes, and the coefficients of their variables.

    `modes` has one number for each direction, or, if elements have different orders, one row for each
    element. `values` contains for each variable the coefficients of all elements: those of element i are at
    `[offsets[i], offsets[i + 1])`, plane by plane. `table` and `origin` name the place it was read from.

    >>> with quire.open("elements.chk") as file:
    ...     block = file[0].read_elements_all().blocks[0]
    >>> block.shape, block.basis, block.modes.tolist(), block.ids.tolist()
    ('Quadrilateral', ('Modified_A', 'Modified_A'), [2, 2], [0, 1])
    >>> block.values["u"].tolist()  # of element i from offsets[i] on
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    """

    shape: str
    basis: tuple[str, ...]
    modes: Array
    ids: Array
    values: Mapping[str, Array]
    lengths: tuple[float, ...] = ()
    y_ids: tuple[int, ...] = ()
    z_ids: tuple[int, ...] = ()
    strips: bool = False
    strip_ids: tuple[int, ...] = ()
    table: str = ""
    origin: str = ""

    def __repr__(self) -> str:
        orders = "mixed orders" if self.is_mixed else f"modes {tuple(int(mode) for mode in self.modes)}"
        names = ", ".join(self.values)
        return f"<ElementBlock {self.shape}: {len(self.ids)} elements, {orders}, variables {names}>"

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(self.values)

    @property
    def is_mixed(self) -> bool:
        """Whether every element has an order of its own."""
        return np.ndim(self.modes) == 2

    @property
    def offsets(self) -> Array:
        """Independent. Return the begin of the coefficients of each element, and the end of the last."""
        counts = coefficient_counts(self._expansion(), np.asarray(self.modes), len(self.ids))
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])

    def coefficients(self, variable: str) -> Array:
        """Independent. The coefficients of one variable, element after element."""
        if variable not in self.values:
            raise MissingError(f'there is no variable "{variable}"; there are {", ".join(self.values)}')
        return self.values[variable]

    def element(self, id: int) -> dict[str, Array]:
        """Independent. The coefficients of one element, by variable."""
        (places,) = np.nonzero(np.asarray(self.ids) == id)
        if len(places) == 0:
            raise MissingError(f"there is no element {id}")
        first, last = self.offsets[places[0] : places[0] + 2]
        return {name: values[first:last] for name, values in self.values.items()}

    def __len__(self) -> int:
        return len(self.ids)

    def _expansion(self) -> _core.Expansion:
        modes = [] if self.is_mixed else [int(mode) for mode in self.modes]
        return _core.Expansion(
            self.shape,
            self.basis,
            modes,
            self.lengths,
            self.y_ids,
            self.z_ids,
            self.strips,
            self.strip_ids,
        )

    def _as_part(self) -> tuple[_core.Expansion, Array, list[Array], list[str], list[Array]]:
        columns = []
        if self.is_mixed:
            modes = np.asarray(self.modes, dtype=np.uint32)
            columns = [np.ascontiguousarray(modes[:, direction]) for direction in range(modes.shape[1])]
        ids = _identifiers(self.ids)
        arrays = [_in_a_row(name, values) for name, values in self.values.items()]
        return self._expansion(), ids, columns, list(self.values), arrays


@dataclass(frozen=True, repr=False)
class Elements(Sequence[ElementBlock]):
    """The elements of a rank: blocks in file order, ids missing in the file, and ids that it contains
    twice.

    >>> with quire.open("elements.chk") as file:
    ...     mine = file[0].read_elements_all(ids=[1, 9])
    >>> [block.ids.tolist() for block in mine], mine.missing.tolist()
    ([[1]], [9])
    """

    blocks: list[ElementBlock]
    missing: Array
    repeated: Array

    def __len__(self) -> int:
        return len(self.blocks)

    def __getitem__(self, index: Any) -> Any:
        return self.blocks[index]

    def __repr__(self) -> str:
        elements = sum(len(block.ids) for block in self.blocks)
        return f"<Elements: {elements} in {len(self.blocks)} blocks, {len(self.missing)} missing>"


def coefficient_counts(expansion: _core.Expansion, modes: Array, elements: int) -> Array:
    """Independent. Return the number of coefficients of each element, in all its planes."""
    if modes.ndim == 1:
        return np.full(elements, _core.element_coefficients(expansion, [int(mode) for mode in modes]))
    kinds, kind_of = np.unique(modes, axis=0, return_inverse=True)
    counts = [_core.element_coefficients(expansion, [int(mode) for mode in kind]) for kind in kinds]
    chosen: Array = np.asarray(counts, dtype=np.int64)[np.reshape(kind_of, -1)]
    return chosen


class Expansion:
    """One block of a file: a handle to its two tables. Values are read on request.

    >>> with quire.open("elements.chk") as file:
    ...     (block,) = file[0].expansions
    ...     block.shape, len(block), block.variables
    ('Quadrilateral', 2, ('u',))
    """

    def __init__(self, table: Table, elements: Table) -> None:
        if table.expansion is None:
            raise UsageError("the table does not contain coefficients on elements", object=table.name)
        self.table = table
        """Table of the coefficients, with a column for each variable."""
        self.elements = elements
        """Table of the elements: their ids, and their modes if they have different orders."""
        self._core = table.expansion

    @property
    def shape(self) -> str:
        """The shape of all elements: Segment, Triangle, Quadrilateral, Tetrahedron, ..."""
        return self._core.shape

    @property
    def basis(self) -> tuple[str, ...]:
        """The bases of each direction of the elements, followed by those of the homogeneous directions."""
        return self._core.basis

    @property
    def is_mixed(self) -> bool:
        """Whether every element has an order of its own."""
        return not self._core.modes

    @property
    def modes(self) -> Array:
        """Independent. Return the number of modes of each direction; a row for each element if they
        differ.
        """
        if not self.is_mixed:
            return np.asarray(self._core.modes, dtype=np.int64)
        names = [f"modes_{direction}" for direction in range(len(self.basis))]
        columns = self.elements.read(names)
        return np.stack([columns[name] for name in names], axis=1).astype(np.int64)

    @property
    def ids(self) -> Array:
        """Independent. Return the ids of the elements, in file order."""
        ids: Array = self.elements["id"][:]
        return ids

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(self.table.columns)

    @property
    def lengths(self) -> tuple[float, ...]:
        """The lengths of the homogeneous directions."""
        return self._core.lengths

    @property
    def y_ids(self) -> tuple[int, ...]:
        """The index along y of each line, with two homogeneous directions."""
        return self._core.y_ids

    @property
    def z_ids(self) -> tuple[int, ...]:
        """The index along z of each plane or line."""
        return self._core.z_ids

    @property
    def strip_ids(self) -> tuple[int, ...]:
        """The strips."""
        return self._core.strip_ids

    @property
    def origin(self) -> str:
        """The part of the file that contains the block, for messages: a file of a set, a group."""
        return self._core.origin

    @property
    def points(self) -> tuple[str, str]:
        """The types and numbers of points, as stored; usually empty."""
        return self._core.points, self._core.point_counts

    def coefficients(self, variable: str) -> Array:
        """Independent. The coefficients of one variable, element after element."""
        values: Array = self.table[variable][:]
        return values

    def counts(self) -> Array:
        """Independent. Return the number of coefficients of each element."""
        return coefficient_counts(self._core, self.modes, len(self))

    def element(self, id: int) -> dict[str, Array]:
        """Independent. The coefficients of one element, by variable."""
        (places,) = np.nonzero(self.ids == id)
        if len(places) == 0:
            raise MissingError(f"there is no element {id} in {self.table.name}")
        counts = self.counts()
        first = int(counts[: places[0]].sum())
        return self.table.read(rows=(first, int(counts[places[0]])))

    def __len__(self) -> int:
        return len(self.elements)

    def __repr__(self) -> str:
        return f"<Expansion {self.table.name}: {len(self)} elements, {', '.join(self.variables)}>"


def expansions_of(tables: Mapping[str, Table]) -> Iterator[Expansion]:
    """Independent. Return the expansions among the tables of a step, in file order."""
    for table in tables.values():
        if table.expansion is not None:
            yield Expansion(table, tables[table.expansion.elements])


def read_elements_all(
    step: _core.ReadStep,
    ids: Any = None,
    variables: Sequence[str] | None = None,
    partition: str | Sequence[float] = "contiguous",
) -> Elements:
    """Collective. See `Step.read_elements_all`."""
    asked, refusal = tried(lambda: _asked(ids, variables, partition))
    blocks, missing, repeated = step.read_elements_all(*(asked or (None, False, [], [])), refusal)
    return Elements([_block(*block) for block in blocks], missing, repeated)


def _asked(
    ids: Any, variables: Sequence[str] | None, partition: str | Sequence[float]
) -> tuple[Array | None, bool, list[float], list[str]]:
    """Return the arguments of `read_elements_all` for the core."""
    weights = [] if isinstance(partition, str) else [float(weight) for weight in partition]
    if isinstance(partition, str) and partition not in ("contiguous", "everything"):
        raise UsageError(f'there is no partition "{partition}"', advice="contiguous, everything or weights")
    wanted = None if ids is None else _identifiers(ids)
    names = [text("the name of a variable", name) for name in variables or ()]
    return wanted, isinstance(partition, str) and partition == "everything", weights, names


def _identifiers(ids: Any) -> Array:
    """Return ids for the core. Raises UsageError for values that cannot be ids."""
    given = np.asarray(ids)
    if given.size == 0:
        return np.empty(0, np.uint32)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise UsageError("the ids of elements must be a sequence of integers", object="ids")
    if given.min() < 0 or given.max() > np.iinfo(np.uint32).max:
        outside = given[(given < 0) | (given > np.iinfo(np.uint32).max)][0]
        raise UsageError(f"no element has the id {outside}", object="ids", advice="0 to 4294967295")
    return np.ascontiguousarray(given, dtype=np.uint32)


def _in_a_row(variable: str, values: Any) -> Array:
    """Return coefficients for the core. Raises UsageError for arrays that do not have one dimension."""
    given = np.asarray(values)
    if given.ndim == 1:
        return np.ascontiguousarray(given, dtype=np.float64)
    raise UsageError(
        f"the coefficients have the shape {given.shape} instead of one dimension, element after element",
        object=variable,
        advice="values.reshape(-1), where each row is an element",
    )


def _block(
    core: _core.Expansion,
    table: str,
    variables: list[str],
    ids: Array,
    modes: Array,
    offsets: Array,
    values: list[Array],
) -> ElementBlock:
    mixed = modes.reshape(len(ids), len(core.basis)) if not core.modes else None
    return ElementBlock(
        shape=core.shape,
        basis=core.basis,
        modes=np.asarray(core.modes, dtype=np.int64) if mixed is None else mixed,
        ids=ids,
        values=dict(zip(variables, values, strict=True)),
        lengths=core.lengths,
        y_ids=core.y_ids,
        z_ids=core.z_ids,
        strips=core.strips,
        strip_ids=core.strip_ids,
        table=table,
        origin=core.origin,
    )
