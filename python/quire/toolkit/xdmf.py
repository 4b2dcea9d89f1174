"""Sidecars in XDMF, with which ParaView, VisIt and VTK read a data file without a copy.

Particles are point clouds and fields regular grids, in a collection over time. Values are referenced in the
data file, by path in containers (HDF5), else by byte offsets. XDMF lists axes slowest first, as extents in
Quire: Dimensions, origin and spacing are z, y, x.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree

import quire
from quire.errors import errors_in_family
from quire.io.formats import format_info
from quire.toolkit.replacing import refuse_overwriting, replacement
from quire.toolkit.selection import StepSelection, parse_steps, select_steps
from quire.toolkit.visible import (
    GridKey,
    NotShownError,
    ViewReport,
    grids,
    nothing_shown,
    position_names,
    require_one_file,
    require_positions,
    time_attribute,
)

if TYPE_CHECKING:
    from quire import Field, Step, Table
    from quire.io.location import Location

Element = ElementTree.Element

NUMBERS: Final = {
    "int8": ("Char", 1),
    "uint8": ("UChar", 1),
    "int16": ("Short", 2),
    "uint16": ("UShort", 2),
    "int32": ("Int", 4),
    "uint32": ("UInt", 4),
    "int64": ("Int", 8),
    "float32": ("Float", 4),
    "float64": ("Float", 8),
}
"""NumberType and Precision by type; the other types have none."""


@errors_in_family
def write_xdmf(
    source: str | Path,
    target: str | Path,
    *,
    steps: str | StepSelection | None = None,
    positions: Sequence[str] | None = None,
    time: str | None = None,
    overwrite: bool = False,
    **options: Any,
) -> ViewReport:
    """Independent. Write a sidecar for a data file, which must keep its path relative to the sidecar.

    Parameters
    ----------
    steps : numbers of steps, as on the command line: "1,4-8"
    positions : two or three columns of x, y and z. Default: those of these names, or coords_0, coords_1, ...
    time : attribute with the time of a step. Default: the first of `visible.TIMES` that all steps have and
        that increases, else the number of the step
    overwrite : whether an existing target is replaced
    options : options of the reader

    Raises
    ------
    MissingError : no column or attribute of a given name, or nothing that can be shown
    UnsupportedError : the file is compressed as a whole, so that values have no offsets, or a set of files
    """
    selection = steps if isinstance(steps, StepSelection) else parse_steps(steps)
    require_positions(positions)
    refuse_overwriting(source, target, overwrite)
    with quire.open(source, quire.SELF, **options) as file:
        require_one_file(file, source)
        name = file_name(os.path.relpath(source, Path(target).resolve().parent))
        sidecar = Sidecar(name, positions, time_attribute(file, selection, time), by_columns(file.format))
        for _, step in select_steps(file, selection):
            sidecar.add(step)
        sidecar.report.unreadable = dict(file.unreadable)
    if not sidecar.collections:
        raise nothing_shown(source, sidecar.report.left_out)
    with replacement(target) as beside:
        beside.write_bytes(sidecar.text())
    sidecar.report.files = [str(target)]
    return sidecar.report


def by_columns(format: str) -> str:
    """Independent. How a file of a format is written column by column, if it can be chosen."""
    ways = [
        f"quire convert --option {option.name}=column"
        for option in format_info(format).write_options
        if "column" in option.choices
    ]
    return f"write it by columns: {ways[0]}" if ways else "write it by columns"


class Sidecar:
    """The document, which grows step by step: one collection over time for each table and each grid."""

    def __init__(self, file: str, positions: Sequence[str] | None, time: str | None, by_columns: str) -> None:
        self.file = file
        self.by_columns = by_columns
        self.positions = positions
        self.time = time
        self.report = ViewReport()
        self.collections: dict[str, Element] = {}

    def text(self) -> bytes:
        """Independent. The document."""
        root = Element("Xdmf", Version="3.0")
        domain = ElementTree.SubElement(root, "Domain")
        domain.extend(self.collections.values())
        ElementTree.indent(root)
        text: bytes = ElementTree.tostring(root, "utf-8")
        return b'<?xml version="1.0" encoding="utf-8"?>\n' + text + b"\n"

    def add(self, step: Step) -> None:
        """Independent. What can be shown of a step."""
        self.report.steps += 1
        for table in step.tables.values():
            try:
                self.add_table(step, table)
            except NotShownError as why:
                self.leave_out(f"the table {table.name}" if table.name else "the table", why)
        for position, (key, fields) in enumerate(grids(step).items()):
            try:
                self.add_grid(step, key, fields, position)
            except NotShownError as why:
                self.leave_out(f"the fields {', '.join(item.name for item in fields)}", why)

    def leave_out(self, what: str, why: object) -> None:
        """Independent. Remember a sentence once."""
        sentence = f"{what}: {why}"
        if sentence not in self.report.left_out:
            self.report.left_out.append(sentence)

    def grid(self, collection: str, step: Step) -> Element:
        """Independent. A new grid at the time of a step, not in its collection yet."""
        if collection not in self.collections:
            self.collections[collection] = Element(
                "Grid", Name=collection, GridType="Collection", CollectionType="Temporal"
            )
        grid = Element("Grid", Name=f"step {step.number}", GridType="Uniform")
        value = step.number if self.time is None else step.attrs[self.time]
        ElementTree.SubElement(grid, "Time", Value=repr(float(value)))
        return grid

    def add_table(self, step: Step, table: Table) -> None:
        """Independent. A cloud of points with all columns that can be referred to."""
        names = position_names(table, self.positions)
        places = [self.column(table, name) for name in names]
        kinds = {table.columns[name].type for name in names}
        if not kinds <= {"float32", "float64"} or len(kinds) != 1:
            raise NotShownError("positions must be of one floating type")
        collection = table.name or "particles"
        grid = self.grid(collection, step)
        rows = len(table)
        ElementTree.SubElement(
            grid, "Topology", TopologyType="Polyvertex", NumberOfElements=str(rows), NodesPerElement="1"
        )
        if len(places) == 2:
            places.append(zeros(self.column(table, names[0]), rows))
        geometry = ElementTree.SubElement(grid, "Geometry", GeometryType="X_Y_Z")
        geometry.extend(places)
        for name in table.columns:
            try:
                add_attribute(grid, name, "Scalar", self.column(table, name))
            except NotShownError as why:
                self.leave_out(f"the column {name}", why)
        self.collections[collection].append(grid)

    def column(self, table: Table, name: str) -> Element:
        """Independent. A reference to the values of a column."""
        return self.item(table.columns[name].location(), [len(table)], table.columns[name].type)

    def add_grid(self, step: Step, key: GridKey, fields: Sequence[Field], position: int) -> None:
        """Independent. A regular grid with all its fields."""
        grid = self.grid("fields" if position == 0 else f"fields {position + 1}", step)
        describe(key, grid)
        for item in fields:
            try:
                self.add_field(grid, item)
            except NotShownError as why:
                self.leave_out(f"the field {item.name}", why)
        if grid.find("Attribute") is not None:
            self.collections["fields" if position == 0 else f"fields {position + 1}"].append(grid)

    def add_field(self, grid: Element, item: Field) -> None:
        """Independent. A scalar field, or the components of a vector joined."""
        extents = [int(extent) for extent in item.extents]
        parts = [self.item(item.location(c), extents, item.type) for c in range(item.components)]
        if len(parts) == 1:
            add_attribute(grid, item.name, "Scalar", parts[0])
        elif len(parts) == 3:
            arguments = " , ".join(f"${index}" for index in range(3))
            joined = Element(
                "DataItem",
                ItemType="Function",
                Function=f"JOIN({arguments})",
                Dimensions=dimensions([*extents, 3]),
            )
            joined.extend(parts)
            add_attribute(grid, item.name, "Vector", joined)
        else:
            for index, part in enumerate(parts):
                add_attribute(grid, f"{item.name}_{index}", "Scalar", part)

    def item(self, place: Location, extents: Sequence[int], type: str) -> Element:
        """Independent. A reference to values in the data file."""
        kind = type if place.path else place.type
        if kind not in NUMBERS:
            raise NotShownError(f"XDMF has no numbers of type {type}")
        number, precision = NUMBERS[kind]
        words: dict[str, Any] = {
            "Dimensions": dimensions(extents),
            "NumberType": number,
            "Precision": str(precision),
        }
        if place.path:
            item = Element("DataItem", Format="HDF", **words)
            item.text = reference(self.file, place.path)
            return item
        if not place.is_contiguous:
            raise NotShownError(f"its values are not contiguous in the file ({self.by_columns})")
        endian = "Little" if place.byte_order == "little" else "Big"
        item = Element("DataItem", Format="Binary", Endian=endian, Seek=str(place.offset), **words)
        if not is_kept_at_ends(self.file[-1:]):
            raise NotShownError("readers trim what the name of the file ends in")
        item.text = sound(self.file, "the name of the file")
        return item


def describe(key: GridKey, grid: Element) -> None:
    """Independent. Topology and geometry of a grid."""
    axes = len(key.extents)
    if axes not in (2, 3):
        raise NotShownError(f"XDMF has no grids of {axes} axes")
    kind = "RectMesh" if any(key.coordinates) else "CoRectMesh"
    ElementTree.SubElement(
        grid, "Topology", TopologyType=f"{axes}D{kind}", Dimensions=dimensions(key.extents)
    )
    if not any(key.coordinates):
        name = "ORIGIN_DXDYDZ" if axes == 3 else "ORIGIN_DXDY"
        geometry = ElementTree.SubElement(grid, "Geometry", GeometryType=name)
        geometry.append(inline(key.origin))
        geometry.append(inline(key.spacing))
        return
    geometry = ElementTree.SubElement(grid, "Geometry", GeometryType="VXVYVZ" if axes == 3 else "VXVY")
    # These are named x first.
    for axis in reversed(range(axes)):
        places = key.coordinates[axis] or tuple(
            key.origin[axis] + key.spacing[axis] * index for index in range(key.extents[axis])
        )
        geometry.append(inline(places))


def is_kept_at_ends(character: str) -> bool:
    """Independent. Whether readers keep it where a reference begins or ends, and do not trim it."""
    return character.isascii() and character.isprintable() and character != " "


def file_name(name: str) -> str:
    """Independent. A relative path of which readers lose nothing."""
    return name if is_kept_at_ends(name[:1]) else os.path.join(os.curdir, name)


def sound(text: str, what: str) -> str:
    """Independent. Return a text that is valid in XML. Raises NotShownError for others."""
    if any((one < " " and one not in "\t\n") or not is_encodable(one) for one in text):
        raise NotShownError(f"{what} has characters that XML cannot hold")
    return text


def is_encodable(character: str) -> bool:
    """Independent. Return whether a character is not a surrogate for an invalid byte."""
    return not "\ud800" <= character <= "\udfff" and character not in "\ufffe\uffff"


def reference(file: str, path: str) -> str:
    """Independent. Return the reference to values, the name of the file and a path separated by a colon."""
    for text, what in ((file, "the name of the file"), (path, "its path")):
        if ":" in text:
            raise NotShownError(f"{what} has a colon, which XDMF cannot quote ({text})")
    # HDF5 ignores a dot at the end, which protects the characters before it from being trimmed.
    return sound(f"{file}:{path}" if is_kept_at_ends(path[-1:]) else f"{file}:{path}/.", "its path")


def add_attribute(grid: Element, name: str, kind: str, item: Element) -> None:
    """Independent. Values at the points of a grid."""
    sound(name, "its name")
    attribute = ElementTree.SubElement(grid, "Attribute", Name=name, AttributeType=kind, Center="Node")
    attribute.append(item)


def zeros(item: Element, rows: int) -> Element:
    """Independent. As many zeros as another item has values, computed by the reader."""
    function = Element("DataItem", ItemType="Function", Function="$0 - $0", Dimensions=str(rows))
    function.append(item)
    return function


def inline(numbers: Sequence[float]) -> Element:
    """Independent. Some numbers in the sidecar itself."""
    item = Element("DataItem", Dimensions=str(len(numbers)), NumberType="Float", Precision="8", Format="XML")
    item.text = " ".join(repr(float(number)) for number in numbers)
    return item


def dimensions(extents: Sequence[int]) -> str:
    """Independent. Extents as XDMF writes them, slowest axis first."""
    return " ".join(str(extent) for extent in extents)
