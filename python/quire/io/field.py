"""Fields: n-dimensional arrays of which boxes are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from quire import _core
from quire.errors import Placing, TypeMismatchError, UsageError
from quire.io.attributes import Attribute, attributes_from_core
from quire.io.location import Location
from quire.io.quantity import Quantity
from quire.io.rows import Rows, Selection, position, select
from quire.io.types import Array, dtype_of, type_of

Box = Sequence[Rows]
"""One slice or pair (first, count) for each axis, slowest first."""


class Field(Quantity):
    """An n-dimensional array with one or more components; several make one more axis, the last."""

    def __init__(self, step: _core.ReadStep, core: _core.Field, place: str, path: str) -> None:
        super().__init__(core)
        self._step = step
        self._core = core
        self._path = path
        self._attributes = attributes_from_core(f'field "{core.name}" of {place}', path, core.attributes)

    @property
    def extents(self) -> tuple[int, ...]:
        """Elements along each axis, slowest first, without the component axis."""
        return self._core.extents

    @property
    def components(self) -> int:
        """How many numbers each element has."""
        return self._core.components

    @property
    def group(self) -> str:
        """Fields of one group belong together; may be empty."""
        return self._core.group

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """Independent. The field's own attributes."""
        return self._attributes

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array that `field[...]` returns."""
        return self._shape(self.extents)

    def _shape(self, counts: Sequence[int]) -> tuple[int, ...]:
        return (*counts, self.components) if self.components > 1 else tuple(counts)

    def location(self, component: int = 0) -> Location:
        """Independent. Where the values of a component stand in the file."""
        return Location(*self._step.locate_field(self.name, component))

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        return True

    def read(self, box: Box | None = None, out: Array | None = None) -> Array:
        """Independent; collective with a collective transport. The elements of a box.

        `box` has a slice or a pair (first, count) for each axis, without steps; the whole field if nothing.
        `out` is an array of the box's shape to read into.
        """
        with Placing(self._path, self.name):
            return self._read(box, out)

    def _read(self, box: Box | None, out: Array | None) -> Array:
        axes = [Selection(0, 1, extent) for extent in self.extents] if box is None else self._axes(box)
        if any(not axis.is_contiguous for axis in axes):
            raise UsageError("a box has no steps", object=self.name, advice="slice the field instead")
        shape = self._shape([axis.count for axis in axes])
        if out is not None:
            self._check_out(out, shape)
        is_direct = out is not None and out.flags.c_contiguous and out.dtype.isnative
        direct = out if out is not None and is_direct else np.empty(shape, self._dtype_for(out))
        elements = direct.reshape(-1, self.components)
        arrays = [(type_of(direct.dtype), elements[:, c]) for c in range(self.components)]
        self._step.read_field(self.name, [axis.first for axis in axes], [axis.count for axis in axes], arrays)
        if out is None or direct is out:
            return direct
        out[...] = direct
        return out

    def _dtype_for(self, out: Array | None) -> np.dtype[Any]:
        return self.dtype if out is None else out.dtype.newbyteorder("=")

    def _check_out(self, out: Any, shape: tuple[int, ...]) -> None:
        if not isinstance(out, np.ndarray):
            raise TypeMismatchError(f"out is a {type(out).__name__}", object=self.name)
        if out.shape != shape:
            raise UsageError(f"out has the shape {out.shape}, the box has {shape}", object=self.name)
        if not out.flags.writeable:
            raise UsageError("out is read-only", object=self.name)
        if dtype_of(type_of(out.dtype, self.name)) != out.dtype.newbyteorder("="):
            raise TypeMismatchError(f"out of NumPy type {out.dtype} cannot be read into", object=self.name)

    def _axes(self, box: Box) -> list[Selection]:
        if len(box) != len(self.extents):
            raise UsageError(f"the box has {len(box)} axes, the field {len(self.extents)}", object=self.name)
        return [select(rows, extent) for rows, extent in zip(box, self.extents, strict=True)]

    def __getitem__(self, key: Any) -> Any:
        with Placing(self._path, self.name):
            return self._slice(key)

    def _slice(self, key: Any) -> Any:
        items = self._full_key(key)
        axes: list[Selection] = []
        picks: list[slice | int] = []
        for item, extent in zip(items[: len(self.extents)], self.extents, strict=True):
            if isinstance(item, slice):
                selection = select(item, extent)
                picks.append(selection.within_span())
            else:
                selection = Selection(position(item, extent, "element"), 1, 1)
                picks.append(0)
            axes.append(selection)
        whole = self.read([(axis.first, axis.span) for axis in axes])
        return whole[(*picks, *items[len(self.extents) :])]

    def _full_key(self, key: Any) -> list[Any]:
        """One item for each axis of the shape, the ellipsis filled in."""
        items = list(key) if isinstance(key, tuple) else [key]
        axes = len(self.shape)
        ellipses = [index for index, item in enumerate(items) if item is Ellipsis]
        if len(ellipses) > 1:
            raise UsageError("an index has one ellipsis at most", object=self.name)
        given = len(items) - len(ellipses)
        if given > axes:
            raise UsageError(f"the index has {given} axes, the field {axes}", object=self.name)
        at = ellipses[0] if ellipses else len(items)
        return items[:at] + [slice(None)] * (axes - given) + items[at + 1 :]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise UsageError("values of a file can only be had as a copy", object=self.name)
        values = self.read()
        return values if dtype is None else values.astype(dtype, copy=False)

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        size = " x ".join(str(extent) for extent in self.extents)
        components = f", {self.components} components" if self.components > 1 else ""
        return f"<Field {self.name}{unit}: {size} {self.type}{components}>"
