"""Values that are attached to the elements and vertices of a mesh (tag sets), as arrays over all of them.

A tag set is three tables: the entities with a value, by their id, and the position of their first value among
the values. The highest four bits of an id are the dimension of the entity plus one, the next four its number
inside an element, and the others the number of the element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from quire.toolkit.visible import NotShownError

if TYPE_CHECKING:
    from quire import Table
    from quire.io.types import Array

ELEMENT_BITS: Final = 56
VERTEX: Final = 1


@dataclass
class MeshTags:
    """Arrays with a value for each element or vertex, by name. Those without a value have NaN, or 0."""

    elements: dict[str, Array] = field(default_factory=dict)
    vertices: dict[str, Array] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    """Why a tag set, by its table, is not or not completely shown."""


def tag_sets(tables: Mapping[str, Table], path: str) -> Iterator[tuple[str, Table, Table]]:
    """Independent. Yield the name of each tag set of a mesh, and its tables of entities and values."""
    for name, entities in tables.items():
        parent, _, last = name.rpartition("/")
        values = tables.get(f"{parent}/values")
        is_set = parent.startswith(f"{path}/") and {"eid", "idx"} <= set(entities.columns)
        if last == "entities" and is_set and values is not None and "value" in values:
            yield parent, entities, values


def tags_of(tables: Mapping[str, Table], path: str, elements: Table, corners: Array, points: int) -> MeshTags:
    """Independent. Return the tags of a mesh: `corners` are the vertices of each element.

    Elements inherit the value of the closest element that contains them.
    """
    tags = MeshTags()
    for name, entities, values in tag_sets(tables, path):
        try:
            read_set(tags, name, (entities, values), elements, corners, points)
        except NotShownError as why:
            tags.left_out[name] = str(why)
    return tags


def read_set(
    tags: MeshTags, name: str, stored: tuple[Table, Table], elements: Table, corners: Array, points: int
) -> None:
    """Independent. Add a tag set. Raises NotShownError if it contradicts itself."""
    entities, values = stored
    ids, first = entities["eid"][:].astype(np.int64), entities["idx"][:].astype(np.int64)
    value = values["value"][:]
    if len(ids) < 1 or np.any(np.diff(first) < 0) or first[0] < 0 or first[-1] > len(value):
        raise NotShownError("its entities have values that do not exist")
    ids, begin, length = ids[:-1], first[:-1], np.diff(first)
    dimension, part = ids >> (ELEMENT_BITS + 4), (ids >> ELEMENT_BITS) & 0xF
    row = ids & ((1 << ELEMENT_BITS) - 1)
    if np.any((ids < 0) | (row >= len(elements))):
        raise NotShownError("its entities belong to elements that do not exist")
    short = name.rpartition("/")[2]
    of_elements, of_vertices = dimension == corners.shape[1], dimension == VERTEX
    if of_elements.any():
        table = spread(value, begin[of_elements], length[of_elements], row[of_elements], len(elements))
        tags.elements |= named(short, inherited(elements, *table))
    if of_vertices.any():
        if np.any(part[of_vertices] >= corners.shape[1]):
            raise NotShownError("its entities are vertices that an element does not have")
        vertex = corners[row[of_vertices], part[of_vertices]]
        table = spread(value, begin[of_vertices], length[of_vertices], vertex, points)
        tags.vertices |= named(short, table[0])
    if not np.all(of_elements | of_vertices):
        tags.left_out[name] = "values of edges and faces have no place"


def spread(value: Array, begin: Array, length: Array, row: Array, rows: int) -> tuple[Array, Array]:
    """Independent. Return the values by row and component, and whether a row has any."""
    width = int(length.max(initial=1))
    nothing = np.nan if value.dtype.kind == "f" else 0
    table = np.full((rows, width), nothing, value.dtype)
    for component in range(width):
        has = length > component
        table[row[has], component] = value[begin[has] + component]
    is_tagged = np.zeros(rows, np.bool_)
    is_tagged[row[length > 0]] = True
    return table, is_tagged


def inherited(elements: Table, table: Array, is_tagged: Array) -> Array:
    """Independent. Give elements without a value that of the element that they are a part of."""
    if not {"parent", "level"} <= set(elements.columns):
        return table
    parent, level = elements["parent"][:].astype(np.int64), elements["level"][:]
    is_part = (parent >= 0) & (parent < len(elements))
    for one in np.unique(level):
        here = np.flatnonzero((level == one) & is_part & ~is_tagged)
        table[here] = table[parent[here]]
        is_tagged[here] = is_tagged[parent[here]]
    return table


def named(name: str, table: Array) -> dict[str, Array]:
    """Independent. Return the components of values by name; a single one has the name of the set."""
    if table.shape[1] == 1:
        return {name: table[:, 0]}
    return {f"{name}_{component}": table[:, component] for component in range(table.shape[1])}
