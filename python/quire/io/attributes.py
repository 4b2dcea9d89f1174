"""Attributes, and mappings from names whose errors suggest similar names."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from quire import _core
from quire.errors import MissingError, TypeMismatchError
from quire.io.types import dtype_of, host_array, ready_array, type_of
from quire.near import listed_names, near_names

Value = Any  # int, float, str, np.longdouble, or an array of any shape


@dataclass(frozen=True, eq=False, slots=True)
class Attribute:
    """A small value of a file, a step or a field, the same on every rank.

    `value` is an int, float or str (np.longdouble for float80), or an array; an array of one element stays an
    array. Text is UTF-8; other bytes are read as lone surrogates and written back unchanged.

    >>> with quire.open("beam.h5") as file:
    ...     file[1].attrs.info["s"], file[1].attrs["s"]
    (<Attribute s = 10.0 m (float64)>, 10.0)
    """

    name: str
    value: Value
    type: str
    unit: str = ""
    symbol: str = ""
    description: str = ""
    display: str = ""

    def __repr__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"<Attribute {self.name} = {self.value!r}{unit} ({self.type})>"


def attribute_from_core(core: _core.Attribute) -> Attribute:
    """Independent. Return the attribute as a Python object."""
    return Attribute(
        core.name, _value_of(core), core.type, core.unit, core.symbol, core.description, core.display
    )


def _value_of(core: _core.Attribute) -> Value:
    elements = core.elements
    if isinstance(elements, list):
        if not core.shape:
            return elements[0]
        array = np.empty(len(elements), dtype=object)
        array[:] = elements
        return array.reshape(core.shape)
    numbers = np.frombuffer(elements, dtype=dtype_of(core.type))
    if core.shape:
        return numbers.reshape(core.shape).copy()
    if core.type == "character":
        return elements.decode("utf-8", "surrogateescape")
    return numbers[0] if core.type == "float80" else numbers[0].item()


def core_value(name: str, value: Value, wanted: str | None, lossy: bool) -> tuple[str, list[int], Any]:
    """Independent. Return type, shape and elements of a value for the core."""
    if isinstance(value, bool | np.bool_):
        raise TypeMismatchError("files have no Boolean type", object=name, advice="use 0 and 1")
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        array = np.array(value, dtype=object)
    elif isinstance(value, int):
        array = _integer(name, value)
    else:
        array = host_array(value, name)
    chosen = wanted or type_of(array.dtype, name)
    shape = list(array.shape)
    elements = ready_array(array.reshape(-1), chosen, lossy, name)
    return chosen, shape, elements if isinstance(elements, list) else elements.tobytes()


def _integer(name: str, value: int) -> np.ndarray[Any, Any]:
    try:
        return np.array(value, dtype=np.uint64 if value > np.iinfo(np.int64).max else np.int64)
    except OverflowError:
        raise TypeMismatchError(f"the integer {value} needs more than 64 bits", object=name) from None


Item = TypeVar("Item")


class NamedItems(Mapping[str, Item], Generic[Item]):
    """A mapping from names, in file order. Errors for missing keys list similar names."""

    def __init__(self, what: str, place: str, file: str, items: Iterable[tuple[str, Item]]) -> None:
        self._what = what
        self._place = place
        self._file = file
        self._items = dict(items)

    def __getitem__(self, name: str) -> Item:
        try:
            return self._items[name]
        except KeyError:
            pass
        except TypeError:
            raise TypeMismatchError(
                f"{self._what}s are looked up by name, not by a {type(name).__name__}", file=self._file
            ) from None
        near = near_names(str(name), list(self._items))
        advice = f"the nearest: {', '.join(near)}" if near else f"there are: {self._listed()}"
        raise MissingError(
            f'{self._place} has no {self._what} "{name}"', file=self._file, object=str(name), advice=advice
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    # The views of the dictionary are much faster than those of Mapping.
    def keys(self) -> KeysView[str]:
        """Independent. Return the names."""
        return self._items.keys()

    def values(self) -> ValuesView[Item]:
        """Independent. Return the objects."""
        return self._items.values()

    def items(self) -> ItemsView[str, Item]:
        """Independent. Return names and objects."""
        return self._items.items()

    def _listed(self) -> str:
        return listed_names(list(self._items))

    def __repr__(self) -> str:
        return f"<{self._what}s of {self._place}: {self._listed()}>"


class Attributes(NamedItems[Value]):
    """The values of the attributes of a file, a step or a field by name, in file order.

    `info` has the `Attribute` objects of the same names, with type, unit and other texts.
    """

    def __init__(self, place: str, file: str, attributes: Iterable[Attribute]) -> None:
        self._info = NamedItems("attribute", place, file, ((item.name, item) for item in attributes))
        values = ((name, item.value) for name, item in self._info.items())
        super().__init__("attribute", place, file, values)

    @property
    def info(self) -> Mapping[str, Attribute]:
        """Independent. Return the attributes with type, unit and other texts, by name, in file order."""
        return self._info

    def _repr_html_(self) -> str:
        from quire.io.html import attributes_html

        return attributes_html(self)


def attributes_from_core(place: str, file: str, attributes: Iterable[_core.Attribute]) -> Attributes:
    """Independent. Return all attributes of an object by name."""
    return Attributes(place, file, map(attribute_from_core, attributes))


class WrittenAttributes:
    """The attributes of a file or step that is being written: `attrs[name] = value` sets one."""

    def __init__(self, setter: Callable[[str, Value], object]) -> None:
        self._set = setter

    def __setitem__(self, name: str, value: Value) -> None:
        """Independent. Set an attribute, as `set(name, value)`."""
        self._set(name, value)

    def __repr__(self) -> str:
        return "<attributes to be set by attrs[name] = value>"
