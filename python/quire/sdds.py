"""Whole SDDS files in memory, similar to soliday-sdds, pysdds and sdds.

    beam = quire.sdds.load("beam.sdds")
    beam.columns["x"].pages[0], beam.columns["x"].unit, beam.parameters["s"].pages

Use `quire.open` and `quire.create` for files larger than memory, several ranks and other formats.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

import quire
from quire.errors import UsageError
from quire.io.attributes import Attribute
from quire.io.gather import gather, step_at
from quire.io.texts import Texts
from quire.io.types import type_names, type_of
from quire.toolkit.replacing import place_of

__all__ = ["TYPES", "DataSet", "Element", "load", "read", "save", "write"]

FORMAT: Final = "sdds"
STEP: Final = "Step"
"""The parameter that contains the numbers of pages."""

TYPES: Final = {
    "short": "int16", "ushort": "uint16", "long": "int32", "ulong": "uint32", "long64": "int64",
    "ulong64": "uint64", "float": "float32", "double": "float64", "longdouble": "float80",
    "character": "character", "string": "string",
}  # fmt: skip
"""The names of types in files, and their names in NumPy and Quire."""

BLOCK_BYTES: Final = 4 << 20
"""Number of small pages that are read together."""

Path = str | os.PathLike[str]


def type_name(name: str | None) -> str | None:
    """Independent. Return a type by its name in files or in Quire. Usage errors list the names."""
    if name is None or name in type_names():
        return name
    if name not in TYPES:
        raise UsageError(f'there is no type "{name}"', advice=f"the types are {', '.join(TYPES)}")
    return TYPES[name]


@dataclass(slots=True)
class Element:
    """A parameter, array or column: its definition and its values on all pages.

    >>> quire.sdds.Element("x", [[0.0, 1e-3]], unit="m").unit
    'm'
    """

    name: str
    pages: list[Any] = field(default_factory=list)
    type: str | None = None
    """Name of the type in Quire, for example "float64"; None: the type of the values."""
    unit: str = ""
    symbol: str = ""
    description: str = ""
    display: str = ""
    group: str = ""
    """Group name of related arrays."""
    fixed: bool = False
    """Whether a parameter has one value for all pages, which is stored in the header."""

    def __getitem__(self, page: int) -> Any:
        return self.pages[page]

    def __len__(self) -> int:
        return len(self.pages)

    def written_type(self) -> str | None:
        """Independent. Return the type to write: the given one, or "int32" for Python integers that fit."""
        if self.type is None and all(type(value) is int for value in self.pages):
            limits = np.iinfo(np.int32)
            fits = all(limits.min <= value <= limits.max for value in self.pages)
            return "int32" if fits else "int64"
        return self.type

    def texts(self) -> Texts:
        """Independent. Return the texts of the definition."""
        return Texts(self.unit, self.symbol, self.description, self.display)

    def attribute(self, value: Any, kind: str) -> Attribute:
        """Independent. Return the definition with a value of this type as an attribute."""
        return Attribute(self.name, value, kind, self.unit, self.symbol, self.description, self.display)


@dataclass(slots=True)
class DataSet:
    """A whole file: titles, and parameters, arrays and columns by name, with their values on all pages.

    >>> data = quire.sdds.DataSet(title="one page").column("x", [[0.0, 1e-3]], unit="m")
    >>> len(data), data.columns["x"].pages[0]
    (1, [0.0, 0.001])
    """

    title: str = ""
    contents: str = ""
    parameters: dict[str, Element] = field(default_factory=dict)
    arrays: dict[str, Element] = field(default_factory=dict)
    columns: dict[str, Element] = field(default_factory=dict)

    def parameter(self, name: str, pages: Sequence[Any], **definition: Any) -> DataSet:
        """Independent. Define a parameter by its values, one per page, and by unit, type and so on."""
        return self._define(self.parameters, name, pages, definition)

    def array(self, name: str, pages: Sequence[Any], **definition: Any) -> DataSet:
        """Independent. Define an array by its values, an array of any dimension for each page."""
        return self._define(self.arrays, name, pages, definition)

    def column(self, name: str, pages: Sequence[Any], **definition: Any) -> DataSet:
        """Independent. Define a column by its values, a sequence for each page."""
        return self._define(self.columns, name, pages, definition)

    def _define(
        self, elements: dict[str, Element], name: str, pages: Sequence[Any], definition: dict[str, Any]
    ) -> DataSet:
        kind = type_name(definition.pop("type", None))
        elements[name] = Element(name, list(pages), kind, **definition)
        return self

    def __len__(self) -> int:
        """Independent. Return the number of pages. Raises a usage error if elements differ."""
        counts = {element.name: len(element) for element in self._elements() if not element.fixed}
        if len(set(counts.values())) > 1:
            usual, _ = Counter(counts.values()).most_common(1)[0]
            odd = {name: count for name, count in counts.items() if count != usual}
            listed = ", ".join(f"{name} has {count}" for name, count in itertools.islice(odd.items(), 10))
            listed += f", and {len(counts) - len(odd)} have {usual}"
            raise UsageError(f"all elements need a value on each page: {listed}")
        return next(iter(counts.values()), 0)

    def _elements(self) -> Iterator[Element]:
        yield from self.parameters.values()
        yield from self.arrays.values()
        yield from self.columns.values()

    def page(self, index: int) -> dict[str, dict[str, Any]]:
        """Independent. Return one page as dictionaries: "parameters", "arrays" and "columns" by name."""
        return {
            kind: {name: element.pages[index] for name, element in elements.items()}
            for kind, elements in (
                ("parameters", self.parameters),
                ("arrays", self.arrays),
                ("columns", self.columns),
            )
        }

    def to_pandas(self, page: int = 0) -> Any:
        """Independent. Return the columns of one page as a pandas DataFrame with units in `attrs`."""
        from quire.io.foreign import require

        pandas = require("pandas", "a data frame")
        frame = pandas.DataFrame({name: element.pages[page] for name, element in self.columns.items()})
        frame.attrs["units"] = {name: element.unit for name, element in self.columns.items() if element.unit}
        return frame

    def __repr__(self) -> str:
        parts = [
            f"{len(elements)} {kind}"
            for kind, elements in (
                ("parameters", self.parameters),
                ("arrays", self.arrays),
                ("columns", self.columns),
            )
        ]
        pages = "1 page" if len(self) == 1 else f"{len(self)} pages"
        return f"<DataSet {self.title!r}: {pages}, {', '.join(parts)}>"


def load(path: Path, **options: Any) -> DataSet:
    """Independent. Read a whole file; the definitions of a file without pages.

    The parameters include Step if its values are not 0, 1, 2, ... `options` are those of `quire.open`.

    >>> quire.sdds.save(quire.sdds.DataSet().column("x", [[0.0, 1e-3]], unit="m"), "page.sdds")
    >>> quire.sdds.load("page.sdds").columns["x"].unit
    'm'
    """
    with quire.open(path, quire.SELF, format=FORMAT, **options) as file:
        data = DataSet(file.title, file.contents)
        numbers: list[int] = []
        while (found := take_pages(data, file, len(numbers))) is not None:
            numbers += found
        if not numbers and file.declared is not None:
            take_definitions(data, file.declared)
        if numbers != list(range(len(numbers))):
            data.parameters = {STEP: Element(STEP, numbers, "int64"), **data.parameters}
        for attribute in file.attrs.info.values():
            take(data.parameters, attribute, attribute.value)
            data.parameters[attribute.name].fixed = True
            data.parameters[attribute.name].pages *= max(1, len(numbers))
    return data


def take_pages(data: DataSet, file: quire.File, place: int) -> list[int] | None:
    """Independent. Add pages from this index on; returns their numbers, None if there are no more.

    Pages are read together if possible, since calls cost more than the values of small pages.
    """
    found = gather(file, place, BLOCK_BYTES)
    if found is None:
        step = step_at(file, place)
        if step is None:
            return None
        take_page(data, step)
        return [step.number]
    for attribute, pages in zip(found.first.attrs.info.values(), found.attributes, strict=True):
        element_of(data.parameters, attribute).pages.extend(pages)
    ends = list(itertools.accumulate(found.rows, initial=0))
    columns = [column for table in found.first.tables.values() for column in table.columns.values()]
    for column, values in zip(columns, found.columns, strict=True):
        parts = [values[low:high] for low, high in itertools.pairwise(ends)]
        element_of(data.columns, column).pages.extend(parts)
    return found.numbers


def take_page(data: DataSet, step: quire.Step) -> None:
    """Independent. Add a page of any structure."""
    for attribute in step.attrs.info.values():
        elements = data.arrays if np.ndim(attribute.value) else data.parameters
        take(elements, attribute, attribute.value)
    for item in step.fields.values():
        take(data.arrays, item, item.read(), item.group)
    for table in step.tables.values():
        for name, values in table.read().items():
            take(data.columns, table[name], values)


def take_definitions(data: DataSet, step: quire.Step) -> None:
    """Independent. Add the definitions of a file without pages."""
    for attribute in step.attrs.info.values():
        element_of(data.arrays if np.ndim(attribute.value) else data.parameters, attribute)
    for item in step.fields.values():
        element_of(data.arrays, item, item.group)
    for table in step.tables.values():
        for column in table.columns.values():
            element_of(data.columns, column)


def take(elements: dict[str, Element], item: Any, value: Any, group: str = "") -> None:
    """Independent. Add the value of a page to an element, which the first page defines."""
    element_of(elements, item, group).pages.append(value)


def element_of(elements: dict[str, Element], item: Any, group: str = "") -> Element:
    """Independent. Return the element of this name, which the first page defines."""
    if item.name not in elements:
        elements[item.name] = Element(
            item.name, [], item.type, item.unit, item.symbol, item.description, item.display, group
        )
    return elements[item.name]


def save(data: DataSet, path: Path, **options: Any) -> None:
    """Independent. Write all pages to a new file. An existing file is replaced when the new one is complete.

    `options` are those of `quire.create`: byte_order="big", major_order="column" and so on.

    >>> quire.sdds.save(quire.sdds.DataSet().parameter("s", [1.0, 2.0], unit="m"), "pages.sdds")
    """
    pages = len(data)
    fixed = {name: element for name, element in data.parameters.items() if element.fixed}
    for name, element in fixed.items():
        if not element.pages or any(value != element.pages[0] for value in element.pages):
            raise UsageError("a fixed parameter needs one value for all pages", object=name)
    options = {"format": FORMAT, "step_parameter": False, **options}
    place, placing = place_of(os.fspath(path), FORMAT, {})
    with place as beside, quire.create(beside, quire.SELF, **(options | placing)) as out:
        out.title, out.contents = data.title, data.contents
        for name, element in fixed.items():
            out.attrs[name] = attribute_of(element, element.pages[0])
        if pages == 0:
            declare(out, data)
        for page in range(pages):
            with out.step(page) as step:
                write_page(step, data, page)


def declare(out: quire.Writer, data: DataSet) -> None:
    """Independent. Declare the definitions in a file without pages."""
    parts = (data.columns, data.parameters, data.arrays)
    columns, parameters, arrays = (
        [one.attribute(None, one.type or "float64") for one in part.values() if not one.fixed]
        for part in parts
    )
    if columns or parameters or arrays:
        out.declare(columns, parameters, arrays)


def write_page(step: quire.WriteStep, data: DataSet, page: int) -> None:
    """Independent. Write the elements of one page."""
    for name, element in data.parameters.items():
        if not element.fixed:
            step.set(name, element.pages[page], element.texts(), element.written_type())
    for name, element in data.arrays.items():
        values = np.asarray(element.pages[page])
        step.put_field(name, values, unit=element.texts(), type=element.type, group=element.group)
    for name, element in data.columns.items():
        step.put(name, element.pages[page], element.texts(), element.type)


def attribute_of(element: Element, value: Any) -> Any:
    """Independent. Return a fixed parameter as an attribute of the file."""
    kind = element.written_type() or type_of(np.asarray(value).dtype, element.name)
    return element.attribute(value, kind)


def read(path: Path, **options: Any) -> dict[str, Any]:
    """Independent. Read a whole file as dictionaries.

    Returns "title", "contents", "units" (non-empty ones by name) and "pages", a list with
    "parameters", "arrays" and "columns" by name.

    >>> quire.sdds.write("page.sdds", {"pages": {"columns": {"x": [0.0, 1e-3]}}})
    >>> quire.sdds.read("page.sdds")["pages"][0]["columns"]["x"].tolist()
    [0.0, 0.001]
    """
    data = load(path, **options)
    elements = [*data.parameters.values(), *data.arrays.values(), *data.columns.values()]
    return {
        "title": data.title,
        "contents": data.contents,
        "units": {element.name: element.unit for element in elements if element.unit},
        "pages": [data.page(page) for page in range(max((len(element) for element in elements), default=0))],
    }


def write(path: Path, content: Mapping[str, Any], **options: Any) -> None:
    """Independent. Write a file from dictionaries like those of `read`.

    All parts are optional; "pages" may also be a single page. Types are those of the values. Parameters that
    are Python integers are written as long if they fit, else as long64.

    >>> page = {"parameters": {"s": 1.5}, "columns": {"x": [0.0, 1e-3]}}
    >>> quire.sdds.write("page.sdds", {"units": {"s": "m", "x": "m"}, "pages": page})
    """
    pages = content.get("pages", [])
    if isinstance(pages, Mapping):
        pages = [pages]
    known = {"title", "contents", "units", "pages"}
    if unknown := [name for name in content if name not in known]:
        raise UsageError(
            f'there is no part "{unknown[0]}"', advice=f"the parts are {', '.join(sorted(known))}"
        )
    data = DataSet(content.get("title", ""), content.get("contents", ""))
    units = content.get("units", {})
    for page in pages:
        for kind, elements in (
            ("parameters", data.parameters),
            ("arrays", data.arrays),
            ("columns", data.columns),
        ):
            for name, value in page.get(kind, {}).items():
                elements.setdefault(name, Element(name, unit=units.get(name, ""))).pages.append(value)
    save(data, path, **options)
