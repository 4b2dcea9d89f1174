"""Maps of a column over two others, or of a plane of a field: rows of a grid, or of contour lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar, Unpack, cast

import numpy as np

from quire.errors import DataError, UsageError
from quire.io.foreign import require
from quire.io.texts import Texts
from quire.io.types import Array
from quire.numeric import maps
from quire.numeric.maps import Grid, Line, Method
from quire.toolkit.field_values import FieldAxis, FieldRequest, values_of
from quire.toolkit.selection import select_names
from quire.verbs.numbers import about, computed, doubles
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import MadeTable, NewColumn, StepLike, texts_of

S = TypeVar("S", bound=StepChain)

Limits = tuple[float | None, float | None]
LEVEL, LINE = "level", "line"


@dataclass(frozen=True)
class Surface:
    """Values over a plane, with what is along both axes and what they are: name, unit and texts of each."""

    grid: Grid
    quantities: Sequence[Any]


@dataclass(frozen=True)
class MapRequest:
    """What is mapped, and how; see `map_`."""

    columns: Sequence[str] = ()
    field: str = ""
    at: Mapping[str, str] | None = None
    sums: Sequence[str] = ()
    component: int | None = None
    points: int | Sequence[int] | None = None
    limits: Sequence[Limits] = ()
    method: Method = "linear"
    levels: int | Sequence[float] | None = None

    def __post_init__(self) -> None:
        if self.field and self.columns:
            raise UsageError("a map is of three columns, or of a field (--field)")
        if not self.field and len({*self.columns}) < 3:
            raise UsageError("a map needs three different columns, or a field (--field)")
        if not self.field and (self.at or self.sums or self.component is not None):
            raise UsageError(
                "slices (--slice), sums (--sum) and components (--component) are those of a field (--field)"
            )
        if self.points is not None and len(self.counts) not in (1, 2):
            raise UsageError(
                f"a grid has numbers of points (--points) along two axes, not {len(self.counts)}"
            )
        if self.points is None and (self.limits or self.method != "linear"):
            raise UsageError("--range and --method need a number of points (--points)")
        if len(self.limits) > 2:
            raise UsageError(f"there are {len(self.limits)} ranges (--range) for 2 axes")
        if self.levels is not None:
            require("contourpy", "contour lines")

    @property
    def counts(self) -> Sequence[int]:
        """The numbers of points that are given, those of `points`."""
        return [self.points] if isinstance(self.points, int) else self.points or (0,)

    def surface(self, step: StepLike, table: Any) -> Surface:
        """Independent. Return the values of a step. Raises DataError if they are not those of a plane."""
        with about(step):
            if self.field:
                found = self.plane(step)
                if self.points is None:
                    return found
                x, y = np.meshgrid(found.grid.x, found.grid.y, indexing="ij")
                places = [x.reshape(-1), y.reshape(-1), found.grid.values.reshape(-1)]
                return Surface(self.interpolated(places), found.quantities)
            columns = doubles(table, self.columns)
            rows = [columns[name] for name in self.columns]
            grid = maps.exact_grid(*rows) if self.points is None else self.interpolated(rows)
            return Surface(grid, [table[name] for name in self.columns])

    def plane(self, step: StepLike) -> Surface:
        """Independent. Return a plane of a field."""
        (name,) = select_names([self.field], list(step.fields), "field")[:1]
        request = FieldRequest(dict(self.at or {}), self.sums, self.component)
        found = values_of(step.fields[name], request)
        if len(found.axes) != 2:
            left = ", ".join(axis.name for axis in found.axes) or "none"
            raise UsageError(
                f"a map has two axes of a field; these are left: {left}",
                advice="take a plane by --slice z=0, or sum over an axis by --sum z",
            )
        up, across = found.axes
        called = name if self.component is None else f"{name}_{self.component}"
        quantities = [
            NewColumn(one, np.empty(0), Texts(of.unit, of.symbol))
            for one, of in ((across.name, across), (up.name, up), (called, cast("FieldAxis", found)))
        ]
        return Surface(Grid(across.positions, up.positions, np.ascontiguousarray(found.values.T)), quantities)

    def interpolated(self, rows: Sequence[Array]) -> Grid:
        """Independent. Return a grid that is interpolated between rows of x, y and z."""
        counts = self.counts
        ranges: list[Limits] = [*self.limits, *[(None, None)] * (2 - len(self.limits))]
        x, y, z = rows
        return maps.interpolated_grid(x, y, z, (counts[0], counts[-1]), ranges, self.method)

    def heights(self, surface: Surface) -> Sequence[float]:
        """Independent. Return the levels of contour lines, none without any."""
        if isinstance(self.levels, int):
            return maps.even_levels(surface.grid.values, self.levels)
        return self.levels or ()

    def made(self, surface: Surface) -> list[NewColumn]:
        """Independent. Return the columns of the result."""
        if self.levels is None:
            return rows_of(surface.grid, surface.quantities)
        heights = self.heights(surface)
        lines = maps.contour_lines(surface.grid, heights) if len(heights) else []
        return rows_of_lines(lines, surface.quantities)


class MapKeywords(TypedDict, total=False):
    """The keyword arguments of `map_`."""

    field: str
    at: Mapping[str, str] | None
    sums: Names
    component: int | None
    points: int | Sequence[int] | None
    limits: Sequence[Limits]
    method: Method
    levels: int | Sequence[float] | None


def map_(chain: S, *columns: Names, **how: Unpack[MapKeywords]) -> S:
    """Independent. Make a row of each point of a grid of the column z over x and y, or of a plane of a field,
    or of each point of its contour lines.

    Parameters
    ----------
    columns : x, y and z
    field : a field, instead of columns, of which two axes are left by `at`, places by axis (`{"z": "0"}` is
        a position, `{"z": "@5"}` a node), and `sums`, axes over which it is summed; `component` is that of a
        vector, by default its magnitude
    points : number of values along x and along y, or one number for both, between which z is interpolated;
        without it the rows must form a grid, in any order
    limits : with `points`, the limits of x and of y; None, the default, is the least or greatest value
    method : with `points`, `linear` or `cubic` (NaN outside of the rows) or `nearest`
    levels : contour lines at these values, or at so many at even distances: the columns are `level`, `line`
        (the number of the line in the step), x and y

    Rows of a grid are ordered by x, then y. Raises DataError if rows form no grid.

    >>> import quire
    >>> rows = quire.new("x=1,0,0,1", "y=0,0,2,2", "z=5,1,2,6").map("x", "y", "z").read()
    >>> rows["x"].tolist(), rows["z"].tolist()
    ([0.0, 0.0, 1.0, 1.0], [1.0, 2.0, 5.0, 6.0])
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     list(chain.map(field="rho", sums=["z"]).read())
    ['x', 'y', 'rho']
    """
    if "sums" in how:
        how["sums"] = listed(how["sums"])
    return mapped(chain, MapRequest(listed(*columns), **how))


def mapped(chain: S, request: MapRequest) -> S:
    """Independent. Make the rows of maps, as `map_` does."""

    def changed(step: StepLike) -> StepLike:
        table = MadeTable([], 0) if request.field else chain.table_of(step)
        columns = request.made(request.surface(step, table))
        return computed(step, table, columns, len(columns[0].read()))

    return chain.through(lambda steps: map(changed, steps))


def surface_axes(surface: Surface) -> list[FieldAxis]:
    """Independent. Return what is along both axes."""
    pairs = zip(surface.quantities, (surface.grid.x, surface.grid.y), strict=False)
    return [FieldAxis(one.name, places, one.unit, one.symbol) for one, places in pairs]


def single_surface(chain: StepChain, request: MapRequest) -> Surface:
    """Collective. Return the map of the only step. Raises UsageError for several steps, DataError for
    none.
    """
    found: Surface | None = None
    for step in chain:
        if found is not None:
            raise UsageError("a picture shows the map of one step: select it by --steps")
        table = None if request.field else chain.table_of(step)
        found = request.surface(step, table)
    if found is None:
        raise DataError("there is no step to draw")
    return found


def rows_of(grid: Grid, columns: Sequence[Any]) -> list[NewColumn]:
    """Independent. Return the columns of a grid, that of y fastest."""
    x, y, z = columns
    return [
        NewColumn(x.name, np.repeat(grid.x, len(grid.y)), texts_of(x)),
        NewColumn(y.name, np.tile(grid.y, len(grid.x)), texts_of(y)),
        NewColumn(z.name, grid.values.reshape(-1), texts_of(z)),
    ]


def rows_of_lines(lines: Sequence[Line], columns: Sequence[Any]) -> list[NewColumn]:
    """Independent. Return the columns of the points of contour lines."""
    x, y, z = columns
    lengths = [len(one.x) for one in lines]
    nothing = np.empty(0)
    return [
        NewColumn(LEVEL, np.repeat(np.array([one.level for one in lines], np.float64), lengths), z.unit),
        NewColumn(LINE, np.repeat(np.arange(len(lines), dtype=np.int64), lengths)),
        NewColumn(x.name, np.concatenate([nothing, *(one.x for one in lines)]), texts_of(x)),
        NewColumn(y.name, np.concatenate([nothing, *(one.y for one in lines)]), texts_of(y)),
    ]
