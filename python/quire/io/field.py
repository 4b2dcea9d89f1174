"""Fields: n-dimensional arrays that are read by boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from quire import _core
from quire.errors import Placing, TypeMismatchError, UsageError
from quire.io.attributes import Attributes, attributes_from_core
from quire.io.boxes import PACKED, Box, Memory, Slab, axes_of, flat_memory, slab_of
from quire.io.grid import Grid
from quire.io.habits import Hinting, instead_of_array
from quire.io.location import Location
from quire.io.memory import empty
from quire.io.quantity import Quantity
from quire.io.refusal import requested
from quire.io.request import BoxRequest
from quire.io.types import Array, dtype_of, type_of


class Field(Hinting, Quantity):
    """An n-dimensional array with one or more components; several components are the last axis.

    >>> with quire.open("beam.h5") as file:
    ...     rho = file[0].fields["rho"]
    ...     rho.extents, rho[0].shape, float(rho[:].sum())
    ((16, 16, 16), (16, 16), 2000.0)
    """

    def __init__(self, step: _core.ReadStep, core: _core.Field, place: str, path: str) -> None:
        super().__init__(core)
        self._step = step
        self._core = core
        self._path = path
        self._attrs = attributes_from_core(f'field "{core.name}" of {place}', path, core.attributes)

    @property
    def extents(self) -> tuple[int, ...]:
        """Elements along each axis, slowest first, without the component axis."""
        return self._core.extents

    @property
    def components(self) -> int:
        """Number of components of each element."""
        return self._core.components

    @property
    def group(self) -> str:
        """Name of the group of related fields; may be empty."""
        return self._core.group

    @property
    def attrs(self) -> Attributes:
        """Independent. Return the attributes of the field by name, in file order.

        `attrs["s"]` is a value, `attrs.info["s"]` the `Attribute` with type, unit and other texts.
        """
        return self._attrs

    @property
    def origin(self) -> tuple[float, ...] | None:
        """The position of the first element along each axis, slowest first; None if not known."""
        return tuple(self._core.origin) or None

    @property
    def spacing(self) -> tuple[float, ...] | None:
        """The distance of elements along each axis, slowest first; None if not known."""
        return tuple(self._core.spacing) or None

    @property
    def coordinates(self) -> tuple[Array | None, ...] | None:
        """The position of each index along each axis, slowest first; None (for an axis or all) if not
        known.
        """
        axes = self._core.coordinates
        return tuple(np.array(axis) if axis else None for axis in axes) if axes else None

    @property
    def grid(self) -> Grid:
        """Extents, components, origin, spacing and coordinates, to be given to a writer."""
        return Grid(
            self.extents,
            components=self.components,
            origin=self.origin,
            spacing=self.spacing,
            coordinates=self.coordinates,
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array that `field[...]` returns."""
        return self._shape(self.extents)

    @property
    def ndim(self) -> int:
        """The number of axes of that array, as in NumPy."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of values of that array, as in NumPy."""
        return math.prod(self.shape)

    def _shape(self, counts: Sequence[int]) -> tuple[int, ...]:
        return (*counts, self.components) if self.components > 1 else tuple(counts)

    def location(self, component: int = 0) -> Location:
        """Independent. Return the location of the values of a component in the file."""
        return Location(*self._step.locate_field(self.name, component))

    def _instead_of(self, name: str) -> str | None:
        return instead_of_array("field", name)

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        return True

    def read(
        self,
        box: Box | None = None,
        out: Array | None = None,
        boxes: Sequence[Box] | None = None,
    ) -> Array:
        """Independent, whatever the transport. Read the elements of one or more boxes.

        `box` contains a slice, a pair (first, count) or an index for each axis, slowest first; None is the
        whole field. Slices may have steps; small gaps are read and discarded, in one pass over the file.
        `boxes` is a list of disjoint boxes, whose elements are returned in the order of the file. `out` is an
        array of that shape to read into, for example the inner part of a larger one with ghost cells.
        """
        with Placing(self._path, self.name):
            return self._request(box, out, boxes).read(self._step)

    def read_all(
        self,
        box: Box | None = None,
        out: Array | None = None,
        boxes: Sequence[Box] | None = None,
    ) -> Array:
        """Collective. Read as `read` does, by collective transfers if the transport has them.

        Ranks may read different boxes and fields. All ranks return, or all raise the error of the lowest rank
        that failed, also for a wrong argument.
        """
        with Placing(self._path, self.name):
            return requested(self._step, lambda: self._request(box, out, boxes)).read_all(self._step)

    def _request(
        self, box: Box | None, out: Array | None = None, boxes: Sequence[Box] | None = None
    ) -> BoxRequest:
        if boxes is not None:
            if box is not None:
                raise UsageError("give a box or several boxes", object=self.name)
            parts = [axes_of(box, self.extents, self.name) for box in boxes]
            count = sum(int(np.prod([axis.count for axis in axes], dtype=np.int64)) for axes in parts)
            return self._memory([slab_of(axes) for axes in parts], self._shape([count]), out)
        axes = axes_of([slice(None)] * len(self.extents) if box is None else box, self.extents, self.name)
        shape = self._shape([axis.count for axis in axes])
        backwards = tuple(slice(None, None, -1 if axis.step < 0 and axis.count else 1) for axis in axes)
        if all(part.step == 1 for part in backwards):
            return self._memory([slab_of(axes)], shape, out)
        if out is None:
            request = self._memory([slab_of(axes)], shape, None)
            return replace(request, result=request.result[backwards])
        self._check_out(out, shape)
        return replace(self._memory([slab_of(axes)], shape, out[backwards]), result=out)

    def _memory(self, slabs: list[Slab], shape: tuple[int, ...], out: Array | None) -> BoxRequest:
        """Return a request for slabs, with arrays for their elements."""
        if out is not None:
            self._check_out(out, shape)
        direct = (
            out if out is not None and out.dtype.isnative else empty(shape, self._dtype_for(out), self.name)
        )
        lines = self._lines(direct)
        if lines is None:
            direct = empty(shape, self._dtype_for(out), self.name)
            lines = self._lines(direct)
        assert lines is not None
        arrays = [(type_of(line.dtype), line) for line, _ in lines]
        target = direct if out is None else out
        return BoxRequest(self.name, slabs, arrays, lines[0][1], direct, target, target)

    def _lines(self, array: Array) -> list[tuple[Array, Memory]] | None:
        """Return one-dimensional views of the components and selections in them; None if there are none."""
        if array.dtype.hasobject or array.flags.c_contiguous:
            if not array.flags.c_contiguous:
                return None
            elements = array.reshape(-1, self.components)
            return [(elements[:, component], PACKED) for component in range(self.components)]
        parts = (
            [array[..., component] for component in range(self.components)]
            if self.components > 1
            else [array]
        )
        lines = [flat_memory(part) for part in parts]
        return [line for line in lines if line is not None] if None not in lines else None

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

    def __getitem__(self, key: Any) -> Any:
        with Placing(self._path, self.name):
            return self._slice(key)

    def _slice(self, key: Any) -> Any:
        items = self._full_key(key)
        axes = len(self.extents)
        values = self._request(items[:axes]).read(self._step)
        picks = tuple(slice(None) if isinstance(item, slice) else 0 for item in items[:axes])
        return values[(*picks, *items[axes:])]

    def _full_key(self, key: Any) -> list[Any]:
        """Return one item for each axis of the shape, with the ellipsis expanded."""
        items = list(key) if isinstance(key, tuple) else [key]
        axes = len(self.shape)
        ellipses = [index for index, item in enumerate(items) if item is Ellipsis]
        if len(ellipses) > 1:
            raise UsageError("an index has at most one ellipsis", object=self.name)
        given = len(items) - len(ellipses)
        if given > axes:
            raise UsageError(f"the index has {given} axes, the field {axes}", object=self.name)
        at = ellipses[0] if ellipses else len(items)
        return items[:at] + [slice(None)] * (axes - given) + items[at + 1 :]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise UsageError("values of a file cannot be used without a copy", object=self.name)
        values = self.read()
        return values if dtype is None else values.astype(dtype, copy=False)

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        size = " x ".join(str(extent) for extent in self.extents)
        components = f", {self.components} components" if self.components > 1 else ""
        return f"<Field {self.name}{unit}: {size} {self.type}{components}>"
