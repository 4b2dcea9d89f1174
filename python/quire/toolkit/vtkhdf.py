"""Views of data files in VTKHDF, the HDF5 format of VTK and ParaView (docs.vtk.org, VTKHDF format
specification, version 2.0).

Particles are PolyData with one vertex cell a step, fields on regular grids ImageData, and the leaf elements
of triangular and tetrahedral meshes UnstructuredGrid, all with steps. Each gets a file of its own: VTK 9.7
shows only the first step of collections. Values that are datasets of the data file are virtual datasets,
which refer to them; others are copied.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import quire
from quire.errors import UnsupportedError, errors_in_family
from quire.io.types import Array, type_of
from quire.toolkit.mesh_tags import tag_sets, tags_of
from quire.toolkit.replacing import refuse_overwriting, replacement
from quire.toolkit.selection import StepSelection, parse_steps, select_steps
from quire.toolkit.view_file import HERE, Piece, Place, ViewFile
from quire.toolkit.visible import (
    GridKey,
    NotShownError,
    ViewReport,
    grids,
    nothing_shown,
    position_names,
    require_positions,
    require_readable,
    several_files,
    time_attribute,
)

if TYPE_CHECKING:
    from quire import Field, File, Step, Table

ROOT: Final = "/VTKHDF"
COPIES: Final = "/copies"
VERSION: Final = np.array([2, 0], dtype=np.int64)

MOST_COPIED: Final = 1 << 28
"""Maximum number of bytes that are copied."""

SIGNATURE: Final = b"\x89HDF\r\n\x1a\n"
"""The first bytes of HDF5 files."""

TOPOLOGIES: Final = ("Vertices", "Lines", "Polygons", "Strips")
CELL_TYPES: Final = {3: 5, 4: 10}
"""VTK's numbers of triangles and tetrahedra, by their vertices."""

VERTICES: Final = re.compile(r"vertex_\d+")
"""Names of columns of elements that are rows of the table of the vertices, which is next to theirs."""

MOST_NUMBERS: Final = 6
"""Step numbers that are listed for an image."""

TYPES: Final = (
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "float32",
    "float64",
)
"""The types of arrays of VTK."""


@errors_in_family
def write_vtkhdf(
    source: str | Path,
    target: str | Path,
    *,
    steps: str | StepSelection | None = None,
    positions: Sequence[str] | None = None,
    time: str | None = None,
    overwrite: bool = False,
    **options: Any,
) -> ViewReport:
    """Independent. Write views of a data file, which must keep its path relative to them.

    The target is one view. If there are several, names of tables, or `fields`, are added to its name; the
    report lists the files.

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
    UnsupportedError : metadata and values in different files, or values that are no datasets and too many to
        be copied
    """
    selection = steps if isinstance(steps, StepSelection) else parse_steps(steps)
    require_positions(positions)
    refuse_overwriting(source, target, overwrite)
    with quire.open(source, quire.SELF, **options) as file:
        require_readable(file, source)
        values = Values(file, source, Path(target).resolve().parent)
        view = View(values, positions, time_attribute(file, selection, time))
        for _, step in select_steps(file, selection):
            view.add(step)
        view.report.unreadable = dict(file.unreadable)
    blocks = view.blocks()
    if not blocks:
        raise nothing_shown(source, view.report.left_out)
    path = Path(target)
    files = {path.with_stem(f"{path.stem}_{name}") if len(blocks) > 1 else path: name for name in blocks}
    for one in files:
        refuse_overwriting(source, one, overwrite)
    for one, name in files.items():
        content = ViewFile()
        blocks[name].write(content, view.times)
        values.add_copies(content)
        with replacement(one) as beside:
            beside.write_bytes(content.bytes())
    view.report.files = [str(one) for one in files]
    contents = view.contents_of_images()
    view.report.contents = {str(one): contents[name] for one, name in files.items() if name in contents}
    return view.report


class Values:
    """References to the values of a data file, and copies of those that are no datasets of it."""

    def __init__(self, file: File, source: str | Path, folder: Path) -> None:
        self.path = str(source)
        self.home = Path(source).parent
        self.first = file.members[0] if file.members else Path(source).name
        self.folder = folder
        self.names: dict[str, str] = {}
        self.copies: dict[str, Array] = {}
        self.copied = 0

    def name_of(self, member: str) -> str:
        """Independent. Return the name of a file of the data, "" the first, from the folder of the views.

        Raises UnsupportedError for values that HDF5 does not find by the name of their file.
        """
        if member not in self.names:
            path = self.home / (member or self.first)
            with path.open("rb") as file:
                if file.read(len(SIGNATURE)) != SIGNATURE:
                    raise several_files(self.path)
            self.names[member] = os.path.relpath(path, self.folder)
        return self.names[member]

    def of_column(self, table: Table, name: str) -> Place:
        """Independent. Return the file and path of the values of a column. Copies them if necessary."""
        column = table.columns[name]
        if column.type not in TYPES:
            raise NotShownError(f"VTK has no numbers of type {column.type}")
        place = column.location()
        if place.path:
            return self.name_of(place.member), place.path
        return self.copy(len(table) * column.dtype.itemsize, column.read)

    def of_field(self, item: Field, component: int) -> Place:
        """Independent. Return the file and path of the values of a component. Copies them if necessary."""
        if item.type not in TYPES:
            raise NotShownError(f"VTK has no numbers of type {item.type}")
        place = item.location(component)
        if place.path:
            return self.name_of(place.member), place.path
        bytes = int(np.prod(item.extents)) * item.dtype.itemsize
        return self.copy(bytes, lambda: item[...] if item.components == 1 else item[..., component])

    def copy(self, bytes: int, read: Any) -> Place:
        """Independent. Keep values for the view. Raises UnsupportedError if there are too many."""
        self.count(bytes)
        path = f"{COPIES}/{len(self.copies)}"
        self.copies[path] = np.ascontiguousarray(read())
        return HERE, path

    def count(self, bytes: int) -> None:
        """Independent. Count bytes that are copied. Raises UnsupportedError if there are too many."""
        self.copied += bytes
        if self.copied > MOST_COPIED:
            raise UnsupportedError(
                f"the values are no HDF5 datasets, and more than {MOST_COPIED >> 20} MiB to be copied",
                file=self.path,
                advice="write them as HDF5 first by quire convert, or choose --steps",
            )

    def add_copies(self, file: ViewFile) -> None:
        """Independent. Store the copies to which the views of a file refer."""
        used = [path for path in file.own_places if path in self.copies]
        if used:
            file.add_group(COPIES)
        for path in used:
            file.add_values(path, self.copies[path])


@dataclass
class Stored:
    """A column or field over the steps: its type, components, and by step the file and path of each."""

    type: str
    components: int = 1
    places: dict[int, list[Place]] = field(default_factory=dict)

    def add(self, step: int, type: str, places: list[Place]) -> None:
        """Independent. Add the values of a step. The type becomes one that holds those of all steps."""
        self.type = type_of(np.promote_types(self.type, type), self.type)
        self.places[step] = places


@dataclass
class Cloud:
    """The particles of one table over the steps."""

    rows: dict[int, int] = field(default_factory=dict)
    positions: dict[int, list[str]] = field(default_factory=dict)
    columns: dict[str, Stored] = field(default_factory=dict)

    def write(self, file: ViewFile, times: Sequence[float]) -> None:
        """Independent. Write PolyData with steps."""
        file.add_group(ROOT, Version=VERSION, Type="PolyData")
        steps = write_steps(file, times)
        rows = self.write_points(file, times)
        for name in TOPOLOGIES:
            counts = rows if name == TOPOLOGIES[0] else [0] * len(rows)
            write_cells(file, f"{ROOT}/{name}", counts)
        file.add_integers(f"{steps}/CellOffsets", [[step, 0, 0, 0] for step in range(len(times))])
        # All steps use the same numbers of points, from the first on.
        file.add_integers(f"{steps}/ConnectivityIdOffsets", [[0, 0, 0, 0]] * len(times))

    def write_points(self, file: ViewFile, times: Sequence[float]) -> list[int]:
        """Independent. Write the points with their data; return their number in each step."""
        steps = f"{ROOT}/Steps"
        rows = [self.rows.get(step, 0) for step in range(len(times))]
        firsts = [0, *accumulate(rows)]
        file.add_integers(f"{ROOT}/NumberOfPoints", rows)
        file.add_integers(f"{steps}/PartOffsets", range(len(times)))
        file.add_integers(f"{steps}/NumberOfParts", [1] * len(times))
        file.add_integers(f"{steps}/PointOffsets", firsts[:-1])
        self.write_positions(file, firsts)
        for name, one in unique_names(self.columns).items():
            pieces = [
                Piece(places[0], [rows[step]], [firsts[step]], [rows[step]])
                for step, places in one.places.items()
                if rows[step]
            ]
            file.add_view(f"{ROOT}/PointData/{name}", one.type, [firsts[-1]], pieces)
            file.add_integers(f"{steps}/PointDataOffsets/{name}", firsts[:-1])
        return rows

    def write_positions(self, file: ViewFile, firsts: Sequence[int]) -> None:
        """Independent. Write the positions; that of the third axis is 0 if there are only two."""
        pieces = []
        kinds = {self.columns[name].type for names in self.positions.values() for name in names}
        for step, names in self.positions.items():
            rows = self.rows[step]
            for axis, name in enumerate(names):
                place = self.columns[name].places[step][0]
                pieces.append(Piece(place, [rows], [firsts[step], axis], [rows, 1]))
        kind = "float32" if kinds == {"float32"} else "float64"
        pieces = [piece for piece in pieces if piece.extents[0]]
        file.add_view(f"{ROOT}/Points", kind, [firsts[-1], 3], pieces, fill=0.0)


@dataclass
class Mesh:
    """The leaf elements of a mesh over the steps: vertices by element, and columns of the elements."""

    points: Cloud = field(default_factory=Cloud)
    cells: dict[int, Array] = field(default_factory=dict)
    columns: dict[str, dict[int, Array]] = field(default_factory=dict)

    def add(self, step: int, table: Table, vertices: Sequence[str], points: int) -> Array:
        """Independent. Add the elements of a step, and return the vertices of all.

        Raises NotShownError for vertices that do not exist.
        """
        columns = {name: table[name][:] for name, one in table.columns.items() if one.type in TYPES}
        corners = np.stack([columns.pop(name) for name in vertices], axis=1).astype(np.int64)
        if corners.size and not 0 <= corners.min() <= corners.max() < points:
            raise NotShownError("elements have vertices that do not exist")
        self.cells[step] = corners[is_leaf(table)]
        self.add_tags(step, table, columns)
        return corners

    def add_tags(self, step: int, table: Table, values: Mapping[str, Array]) -> None:
        """Independent. Add values of all elements of a step; those of the leaves are shown."""
        for name, one in values.items():
            self.columns.setdefault(name, {})[step] = one[is_leaf(table)]

    def write(self, file: ViewFile, times: Sequence[float]) -> None:
        """Independent. Write an UnstructuredGrid with steps."""
        file.add_group(ROOT, Version=VERSION, Type="UnstructuredGrid")
        steps = write_steps(file, times)
        self.points.write_points(file, times)
        nothing = next(iter(self.cells.values()))[:0]
        cells = [self.cells.get(step, nothing) for step in range(len(times))]
        corners = nothing.shape[1]
        counts = [len(one) for one in cells]
        firsts = [0, *accumulate(counts)][:-1]
        file.add_integers(f"{ROOT}/NumberOfCells", counts)
        file.add_integers(f"{ROOT}/NumberOfConnectivityIds", [corners * count for count in counts])
        file.add_values(f"{ROOT}/Connectivity", np.concatenate(cells).ravel())
        file.add_integers(f"{ROOT}/Offsets", [corners * n for count in counts for n in range(count + 1)])
        file.add_values(f"{ROOT}/Types", np.full(sum(counts), CELL_TYPES[corners], dtype=np.uint8))
        file.add_integers(f"{steps}/CellOffsets", [[first] for first in firsts])
        file.add_integers(f"{steps}/ConnectivityIdOffsets", [[corners * first] for first in firsts])
        file.add_group(f"{ROOT}/CellData")
        file.add_group(f"{steps}/CellDataOffsets")
        for name, by_step in unique_names(self.columns).items():
            if len(by_step) == len(self.cells):
                values = [by_step[step] for step in sorted(by_step)]
                file.add_values(f"{ROOT}/CellData/{name}", np.concatenate(values))
                file.add_integers(f"{steps}/CellDataOffsets/{name}", firsts)


def is_leaf(elements: Table) -> Array:
    """Independent. Return which elements are not divided further."""
    if "child" not in elements:
        return np.ones(len(elements), dtype=bool)
    child: Array = elements["child"][:]
    return child < 0


@dataclass
class Image:
    """The fields on one regular grid over the steps."""

    key: GridKey
    fields: dict[str, Stored] = field(default_factory=dict)

    @property
    def steps(self) -> list[int]:
        """The positions of the steps that have fields on the grid."""
        return sorted({step for one in self.fields.values() for step in one.places})

    def write(self, file: ViewFile, times: Sequence[float]) -> None:
        """Independent. Write ImageData with steps."""
        missing = 3 - len(self.key.extents)
        extents = [1] * missing + list(self.key.extents)
        file.add_group(
            ROOT,
            Version=VERSION,
            Type="ImageData",
            WholeExtent=np.array([bound for one in reversed(extents) for bound in (0, one - 1)]),
            Origin=np.array([*reversed(self.key.origin), *[0.0] * missing]),
            Spacing=np.array([*reversed(self.key.spacing), *[1.0] * missing]),
            Direction=np.eye(3).ravel(),
        )
        steps = write_steps(file, times)
        # Axes of one element are left out of arrays: VTK expects as many as an image extends along.
        shape = [extent for extent in self.key.extents if extent > 1]
        for name, one in unique_names(self.fields).items():
            vector = [one.components] if one.components > 1 else []
            pieces = [
                Piece(
                    place,
                    list(self.key.extents),
                    [step, *[0] * len(shape), *([component] if vector else [])],
                    [1, *shape, *([1] if vector else [])],
                )
                for step, places in one.places.items()
                for component, place in enumerate(places)
            ]
            file.add_view(f"{ROOT}/PointData/{name}", one.type, [len(times), *shape, *vector], pieces)
            file.add_integers(f"{steps}/PointDataOffsets/{name}", range(len(times)))


class View:
    """What is shown of the steps: a cloud of points for each table, an image for each grid."""

    def __init__(self, values: Values, positions: Sequence[str] | None, time: str | None) -> None:
        self.values = values
        self.positions = positions
        self.time = time
        self.times: list[float] = []
        self.numbers: list[int] = []
        """The number of each step, as they follow one another."""
        self.clouds: dict[str, Cloud] = {}
        self.meshes: dict[str, Mesh] = {}
        self.images: dict[GridKey, Image] = {}
        self.report = ViewReport()

    def add(self, step: Step) -> None:
        """Independent. Add what can be shown of a step."""
        self.times.append(float(step.number if self.time is None else step.attrs[self.time]))
        self.numbers.append(step.number)
        self.report.steps += 1
        meshes = mesh_tables(step.tables)
        for name, (points, elements) in meshes.items():
            try:
                self.add_mesh(name, points, elements, step.tables)
            except NotShownError as why:
                self.leave_out(f"the mesh {name}", why)
        shown = {name for name in step.tables if any(is_part(name, mesh, step.tables) for mesh in meshes)}
        for table in step.tables.values():
            if table.name in shown or any(table is one for pair in meshes.values() for one in pair):
                continue
            try:
                self.add_table(table, self.clouds)
            except NotShownError as why:
                self.leave_out(f"the table {table.name}" if table.name else "the table", why)
        for key, fields in grids(step).items():
            try:
                self.add_fields(key, fields)
            except NotShownError as why:
                self.leave_out(f"the fields {', '.join(item.name for item in fields)}", why)

    def leave_out(self, what: str, why: object) -> None:
        """Independent. Report a sentence once."""
        sentence = f"{what}: {why}"
        if sentence not in self.report.left_out:
            self.report.left_out.append(sentence)

    def add_mesh(self, name: str, points: Table, elements: Table, tables: Mapping[str, Table]) -> None:
        """Independent. Add a mesh of a step, with its tags."""
        vertices = [one for one in elements.columns if VERTICES.fullmatch(one)]
        if len(vertices) not in CELL_TYPES:
            raise NotShownError("its elements are neither triangles nor tetrahedra")
        self.values.count(sum(one.dtype.itemsize for one in elements.columns.values()) * len(elements))
        mesh = self.meshes.get(name, Mesh())
        step = len(self.times) - 1
        corners = mesh.add(step, elements, vertices, len(points))
        self.add_table(points, {points.name: mesh.points})
        tags = tags_of(tables, name, elements, corners, len(points))
        mesh.add_tags(step, elements, tags.elements)
        for tag, values in tags.vertices.items():
            place = self.values.copy(values.nbytes, partial(np.asarray, values))
            mesh.points.columns.setdefault(tag, Stored(values.dtype.name)).add(
                step, values.dtype.name, [place]
            )
        for table, why in tags.left_out.items():
            self.leave_out(f"the tags {table}", why)
        self.meshes[name] = mesh

    def add_table(self, table: Table, clouds: dict[str, Cloud]) -> None:
        """Independent. Add the points of a step."""
        names, step = position_names(table, self.positions), len(self.times) - 1
        found: dict[str, Place] = {}
        for name in table.columns:
            try:
                found[name] = self.values.of_column(table, name)
            except NotShownError as why:
                if name in names:
                    raise
                self.leave_out(f"the column {name}", why)
        cloud = clouds.setdefault(table.name, Cloud())
        cloud.rows[step], cloud.positions[step] = len(table), names
        for name, place in found.items():
            type = table.columns[name].type
            cloud.columns.setdefault(name, Stored(type)).add(step, type, [place])

    def add_fields(self, key: GridKey, fields: Sequence[Field]) -> None:
        """Independent. Add fields of a step that have one grid."""
        if len(key.extents) > 3:
            raise NotShownError(f"VTK has no images of {len(key.extents)} axes")
        if any(key.coordinates):
            raise NotShownError("an image of VTK is a regular grid, and this one has coordinates")
        image, step = self.images.setdefault(key, Image(key)), len(self.times) - 1
        for item in fields:
            known = image.fields.get(item.name, Stored(item.type, item.components))
            try:
                if known.components != item.components:
                    raise NotShownError("the number of its components changes")
                places = [self.values.of_field(item, component) for component in range(item.components)]
            except NotShownError as why:
                self.leave_out(f"the field {item.name}", why)
                continue
            image.fields.setdefault(item.name, known).add(step, item.type, places)

    def blocks(self) -> dict[str, Cloud | Mesh | Image]:
        """Independent. Return what is shown, by name."""
        clouds = {name or "particles": cloud for name, cloud in self.clouds.items()}
        return unique_names({**clouds, **self.meshes, **self.numbered_images()})

    def numbered_images(self) -> dict[str, Image]:
        """Independent. Return the image of each grid, by name."""
        images = [image for image in self.images.values() if image.fields]
        return {f"fields_{place}" if place else "fields": one for place, one in enumerate(images)}

    def contents_of_images(self) -> dict[str, str]:
        """Independent. Return the fields of each image and their steps, if there is more than one grid."""
        named = self.numbered_images()
        return {
            name: f"{', '.join(one.fields)} in {steps_text([self.numbers[place] for place in one.steps])}"
            for name, one in named.items()
            if len(named) > 1
        }


def steps_text(numbers: Sequence[int]) -> str:
    """Independent. Return step numbers as a short text."""
    shown = numbers if len(numbers) <= MOST_NUMBERS else [*numbers[:3], "...", numbers[-1]]
    return f"step{'s' * (len(numbers) > 1)} {', '.join(map(str, shown))}"


def mesh_tables(tables: Mapping[str, Table]) -> dict[str, tuple[Table, Table]]:
    """Independent. Return the tables of vertices and elements of each mesh, by the path of both."""
    found = {}
    for name, elements in tables.items():
        path = name.rpartition("/")[0]
        beside = [one for other, one in tables.items() if path and other.rpartition("/")[0] == path]
        points = [one for one in beside if {"x", "y", "z"} <= set(one.columns)]
        if len(points) == 1 and any(VERTICES.fullmatch(column) for column in elements.columns):
            found[path] = (points[0], elements)
    return found


def is_part(name: str, mesh: str, tables: Mapping[str, Table]) -> bool:
    """Independent. Return whether a table belongs to the tags of a mesh."""
    return any(name.startswith(f"{tags}/") for tags, _, _ in tag_sets(tables, mesh))


def write_steps(file: ViewFile, times: Sequence[float]) -> str:
    """Independent. Write the group of the steps and that of the values; return the path of the first."""
    steps = file.add_group(f"{ROOT}/Steps", NSteps=len(times))
    file.add_group(f"{steps}/PointDataOffsets")
    file.add_group(f"{ROOT}/PointData")
    file.add_values(f"{steps}/Values", np.array(times, dtype=np.float64))
    return steps


def write_cells(file: ViewFile, path: str, points: Sequence[int]) -> None:
    """Independent. Write cells of one kind: one in each step with all of its points, or none at all."""
    cells = [int(any(points))] * len(points)
    file.add_group(path)
    file.add_integers(f"{path}/NumberOfConnectivityIds", points)
    file.add_integers(f"{path}/NumberOfCells", cells)
    # The offsets of a step have one number more than it has cells.
    file.add_integers(
        f"{path}/Offsets",
        [end for count, cell in zip(points, cells, strict=True) for end in ([0, count] if cell else [0])],
    )
    file.add_count(f"{path}/Connectivity", max(points, default=0))


def unique_names(found: Mapping[str, Any]) -> dict[str, Any]:
    """Independent. Return items by names without slashes, which would be paths."""
    named: dict[str, Any] = {}
    for name, item in found.items():
        plain = name.replace("/", "_")
        while plain in named:
            plain += "_"
        named[plain] = item
    return named
