"""Fields of a step that is being written, for the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quire import _core
from quire.errors import UsageError
from quire.io.arguments import text
from quire.io.boxes import PACKED, Memory, Slab, axes_of, flat_memory
from quire.io.grid import Geometry, Grid, geometry_of
from quire.io.quantity import Quantity
from quire.io.texts import Unit, Words, core_attribute, core_quantity, words_of
from quire.io.types import Array, dtype_of, host_array, ready_array


@dataclass(frozen=True, slots=True)
class FieldTraits:
    """The properties of a field except its values."""

    name: str
    type: str
    words: Words
    group: str
    extents: list[int]
    components: int
    attributes: list[tuple[_core.Quantity, list[int], Any]]
    geometry: Geometry

    @classmethod
    def of(
        cls,
        name: str,
        type: str,
        grid: Grid,
        unit: Unit = None,
        group: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        like: Quantity | None = None,
        lossy: bool = False,
    ) -> FieldTraits:
        """Independent. Return the given properties; the grid has extents. Others are those of `like`."""
        dtype_of(type)
        own = [core_attribute(key, value, None, None, lossy) for key, value in dict(attributes or {}).items()]
        family = text("group", group) if group is not None else str(getattr(like, "group", ""))
        shape = [int(extent) for extent in grid.extents or ()]
        components = 1 if grid.components is None else grid.components
        words = words_of(unit, like)
        return cls(name, type, words, family, shape, components, own, geometry_of(grid, like))

    @classmethod
    def declared(
        cls,
        name: str,
        type: str | None,
        grid: Grid,
        unit: Unit = None,
        group: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        like: Quantity | None = None,
        lossy: bool = False,
    ) -> FieldTraits:
        """Independent. Return the same without values: `like` also gives type, shape and components.

        Raises UsageError if type or extents are missing.
        """
        wanted = type or (like.type if like is not None else None)
        shape = grid.extents if grid.extents is not None else getattr(like, "extents", None)
        if wanted is None or shape is None:
            raise UsageError("a declared field needs a type and extents", object=name)
        count = grid.components if grid.components is not None else getattr(like, "components", 1)
        whole = replace(grid, extents=shape, components=count)
        return cls.of(name, wanted, whole, unit, group, attributes, like, lossy)

    def row(self) -> Any:
        """Independent. Return the field for the core."""
        quantity = core_quantity(self.name, self.type, self.words)
        return (quantity, self.group, self.extents, self.attributes, *self.geometry)


@dataclass(frozen=True, slots=True)
class PutField:
    """A field with this rank's values, which are pending until the commit."""

    traits: FieldTraits
    selection: list[Slab]
    values: Array

    def hand_over(self, core: _core.WriteStep, lossy: bool) -> None:
        """Independent. Pass it to the core, converted if needed."""
        traits = self.traits
        parts, memory = self._lines()
        ready = [ready_array(part, traits.type, lossy, traits.name) for part in parts]
        core.put_field(traits.row(), self.selection, traits.type, ready, memory)

    def _lines(self) -> tuple[list[Array], Memory]:
        """Return one-dimensional views of the components, and selections of their elements."""
        values, count = self.values, self.traits.components
        is_ready = (
            values.dtype.isnative
            and not values.dtype.hasobject
            and values.dtype == dtype_of(self.traits.type)
        )
        if is_ready and not values.flags.c_contiguous:
            parts = [values[..., component] for component in range(count)] if count > 1 else [values]
            lines = [flat_memory(part) for part in parts]
            found = [line for line in lines if line is not None]
            if len(found) == len(lines):
                return [line for line, _ in found], found[0][1]
        elements = values.reshape(-1, count)
        return [elements[:, component] for component in range(count)], PACKED


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """A field whose values are written part by part after the step is opened."""

    traits: FieldTraits
    start: list[int]
    count: list[int]

    @classmethod
    def of(cls, traits: FieldTraits, grid: Grid) -> DeclaredField:
        """Independent. Return the field with this rank's box, by default the whole field. Raises
        UsageError.
        """
        if grid.start is not None or grid.boxes is not None:
            raise UsageError("the part of a declared field is given by box", object=traits.name)
        if grid.box is None:
            return cls(traits, [0] * len(traits.extents), traits.extents)
        axes = axes_of(grid.box, traits.extents, traits.name)
        if any(axis.step != 1 and axis.count > 1 for axis in axes):
            raise UsageError(
                "a field that is written in parts has a box without steps",
                object=traits.name,
                advice="put the whole field",
            )
        return cls(traits, [axis.first for axis in axes], [axis.count for axis in axes])

    def hand_over(self, core: _core.WriteStep, lossy: bool) -> None:
        """Independent. Declare it to the core."""
        core.declare_field(self.traits.row(), self.traits.components, self.start, self.count)

    def part(
        self, start: Sequence[int], values: Any, lossy: bool
    ) -> tuple[list[int], list[int], list[tuple[str, Any]]]:
        """Independent. Return the part at `start` for the core. Raises UsageError."""
        traits = self.traits
        array = host_array(values, traits.name)
        shape = shape_of(array, traits.components, traits.name)
        if not len(start) == len(shape) == len(traits.extents):
            raise UsageError(
                f"the part has {len(shape)} axes, its start {len(start)}, the field {len(traits.extents)}",
                object=traits.name,
            )
        if any(place < 0 for place in start):
            raise UsageError(f"a part cannot start at {tuple(start)}", object=traits.name)
        elements = array.reshape(-1, traits.components)
        ready = [
            (traits.type, ready_array(elements[:, component], traits.type, lossy, traits.name))
            for component in range(traits.components)
        ]
        return [int(place) for place in start], shape, ready


def shape_of(array: Array, components: int, name: str) -> list[int]:
    """Independent. Return the shape of a box in memory, where several components are the last axis."""
    if components > 1 and (array.ndim == 0 or array.shape[-1] != components):
        raise UsageError(
            f"the last axis of shape {array.shape} does not have the {components} components", object=name
        )
    return list(array.shape[:-1] if components > 1 else array.shape)
