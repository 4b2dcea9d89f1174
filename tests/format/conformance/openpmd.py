"""Truths of openPMD files: every dataset, constant and attribute is found in the steps, with its unit."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from tests.format.conformance.exact import text
from tests.format.conformance.objects import compare_digest
from tests.format.conformance.vectors import Truth

import quire

Array = np.ndarray[Any, Any]

STRUCTURE = {
    "openPMD",
    "basePath",
    "meshesPath",
    "particlesPath",
    "iterationEncoding",
    "iterationFormat",
    "externalFieldPath",
}
"""Attributes of the root that are shown as the layout of the file."""
UNIT = {"unitSI", "unitDimension", "unitSymbol"}
"""Attributes that become the unit of a column or field."""
AXES = ("x", "y", "z", "t", "r")

# Length, mass, time, current, temperature, amount, luminous intensity; and the factor.
SYMBOLS: dict[str, tuple[tuple[float, ...], float]] = {
    "m": ((1, 0, 0, 0, 0, 0, 0), 1.0),
    "nm": ((1, 0, 0, 0, 0, 0, 0), 1e-9),
    "kg": ((0, 1, 0, 0, 0, 0, 0), 1.0),
    "s": ((0, 0, 1, 0, 0, 0, 0), 1.0),
    "C": ((0, 0, 1, 1, 0, 0, 0), 1.0),
    "T": ((0, 1, -2, -1, 0, 0, 0), 1.0),
    "V": ((2, 1, -3, -1, 0, 0, 0), 1.0),
    "GV": ((2, 1, -3, -1, 0, 0, 0), 1e9),
    "eV": ((2, 1, -2, 0, 0, 0, 0), 1.602176634e-19),
    "c": ((1, 0, -1, 0, 0, 0, 0), 299792458.0),
}


def belongs(truth: Truth) -> bool:
    """Whether the truth is that of an openPMD file in HDF5."""
    return "openPMD" in truth.get("objects", {}).get("/", {}).get(
        "attributes", {}
    ) and "__openPMD" not in str(truth.get("format"))


def compare(path: str, truth: Truth) -> None:
    """Compare every object of the truth."""
    objects = truth["objects"]
    root = objects["/"]["attributes"]
    with quire.open(path) as file:
        assert file.format == "openpmd"
        for name, entry in root.items():
            if name in STRUCTURE:
                assert file.layout[name] == entry["value"], name
            elif not (name == "openPMDextension" and entry["value"] == 0):
                assert_value(file.attrs[name], entry, name)
        found = iterations(objects, root)
        assert file.numbers == sorted(found)
        for number, place in found.items():
            Iteration(file.step(number), objects, place, root).compare()


def iterations(objects: Truth, root: Truth) -> dict[int, str]:
    """The paths of the iterations by their numbers."""
    base = root["basePath" if "basePath" in root else "externalFieldPath"]["value"]
    if "%T" not in base:
        return {0: base.strip("/")}
    pattern = re.compile(re.escape(base.split("%T")[0]) + r"(\d+)")
    return {int(match[1]): name.strip("/") for name in objects if (match := pattern.fullmatch(name))}


class Iteration:
    """One step and its part of the truth."""

    def __init__(self, step: quire.Step, objects: Truth, place: str, root: Truth) -> None:
        self.step = step
        self.root = root
        prefix = "/" + place + "/" if place else "/"
        self.objects = {
            name.removeprefix(prefix): entry for name, entry in objects.items() if name.startswith(prefix)
        }
        self.attributes = objects["/" + place].get("attributes", {}) if place else {}
        self.compared = 0

    def compare(self) -> None:
        """Compare attributes, species and meshes; every object with values must belong to one of them."""
        for name, entry in self.attributes.items():
            assert_value(self.step.attrs[name], entry, name)
        for kind, compare in (
            ("particlesPath", self.compare_particle_object),
            ("meshesPath", self.compare_mesh),
        ):
            if kind not in self.root:
                continue
            prefix = self.root[kind]["value"].strip("/") + "/"
            for name in [name for name in self.objects if name.startswith(prefix)]:
                compare(name.removeprefix(prefix), self.objects[name], prefix)
        if "externalFieldPath" in self.root:
            for name, entry in self.objects.items():
                self.compare_mesh(name, entry, "")
        assert self.compared == sum(has_values(entry) for entry in self.objects.values())

    def compare_particle_object(self, name: str, entry: Truth, prefix: str) -> None:
        """Compare a species, record or component."""
        species, _, rest = name.partition("/")
        if rest == "particlePatches" or rest.startswith("particlePatches/"):
            species, rest = species + "/particlePatches", rest.removeprefix("particlePatches").strip("/")
        own = dict(entry.get("attributes", {}))
        if has_values(entry):
            self.compared += 1
            own = {key: one for key, one in own.items() if key not in ("value", "shape")}
            column = column_name(rest)
            if rest.startswith("positionOffset/") and self.is_zero(prefix + species + "/positionOffset/"):
                assert column not in self.step.tables[species]
            else:
                unit = self.step.tables[species][column].unit
                self.compare_unit(unit, name, prefix, species + "/" + rest)
                compare_values(self.step.tables[species][column][:], entry, name)
        for key, one in own.items():
            if key in UNIT or (key == "timeOffset" and float_of(one["value"]) == 0):
                continue
            assert_value(self.step.attrs["/".join(filter(None, (species, rest, key)))], one, name)

    def is_zero(self, record: str) -> bool:
        """Whether all components of a record are the constant zero."""
        components = [entry["attributes"] for name, entry in self.objects.items() if name.startswith(record)]
        return all("value" in one and float_of(one["value"]["value"]) == 0 for one in components)

    def compare_unit(self, unit: str, name: str, prefix: str, place: str) -> None:
        """Compare a unit with dimension and factor in the truth."""
        own = self.objects[prefix + name].get("attributes", {})
        record = self.objects.get((prefix + name).rpartition("/")[0], {}).get("attributes", {})
        if "unitSymbol" in own:
            assert unit == own["unitSymbol"]["value"], name
        stated = own.get("unitDimension", record.get("unitDimension", {})).get("value", [0] * 7)
        factor = own.get("unitSI", {}).get("value", 1)
        raw = place + "/unitSI"
        if raw in self.step.attrs:
            assert float(self.step.attrs[raw]) == float_of(factor), name
        else:
            assert meaning(unit) == (tuple(map(float_of, stated)), float_of(factor)), f"{name}: {unit}"

    def compare_mesh(self, name: str, entry: Truth, prefix: str) -> None:
        """Compare a mesh or one of its components."""
        mesh, _, component = name.partition("/")
        fields = self.step.fields
        own = dict(entry.get("attributes", {}))
        found = next((one for one in (mesh, name) if one in fields), None)
        field = None if found is None else fields[found]
        if has_values(entry):
            assert field is not None, name
            self.compared += 1
            own = {key: one for key, one in own.items() if key not in ("value", "shape")}
            self.compare_unit(field.unit, name, prefix, name)
            compare_values(component_values(field, component, name), entry, name)
        elif field is None:  # each component is a field
            field = next(fields[other] for other in fields if other.startswith(mesh + "/"))
        for key, one in own.items():
            if key not in UNIT:
                compare_field_attribute(field, component, key, one)


def has_values(entry: Truth) -> bool:
    """Whether an object is a dataset or a constant."""
    attributes = entry.get("attributes", {})
    return bool(entry["kind"] == "dataset" or ("value" in attributes and "shape" in attributes))


def column_name(path: str) -> str:
    """The short name of a record component."""
    record, _, component = path.partition("/")
    if not component:
        return record
    if component not in AXES:
        return path
    return {"position": component, "momentum": "p" + component}.get(record, f"{record}_{component}")


def meaning(unit: str) -> tuple[tuple[float, ...], float]:
    """Dimension and factor of a text: a number and symbols with powers; a slash divides by the next one."""
    dimension, factor, sign = np.zeros(7), 1.0, 1
    for token in re.findall(r"/|[^\s/]+", unit):
        if token == "/":
            sign = -1
            continue
        symbol, _, power = token.partition("^")
        if symbol in SYMBOLS:
            powers, own = SYMBOLS[symbol]
            dimension = dimension + sign * np.array(powers) * float(power or 1)
            factor = factor * own if sign > 0 else factor / own
        else:
            factor *= float(symbol)
        sign = 1
    return tuple(float(power) for power in dimension), factor


def component_values(field: quire.Field, component: str, name: str) -> Array:
    """The values of a component as its dataset holds them."""
    values = np.asarray(field[...])
    if field.components == 1:
        return values
    labels = list(field.attrs["componentLabels"]) if "componentLabels" in field.attrs else ["x", "y", "z"]
    if field.name != name or (not component and "geometry" not in field.attrs):
        return np.asarray(values[..., labels.index(component)])
    if "geometry" in field.attrs and field.attrs["geometry"] == "thetaMode":
        return np.moveaxis(values, -1, 0)
    return np.ascontiguousarray(values).view(np.complex128)[..., 0]


def compare_values(values: Array, entry: Truth, name: str) -> None:
    """Compare with the digest of a dataset, or with the value of a constant."""
    if entry["kind"] == "dataset":
        compare_digest(values, entry, name)
        return
    attributes = entry["attributes"]
    assert list(values.shape) == list(attributes["shape"]["value"]), name
    assert (values == float_of(attributes["value"]["value"])).all(), name


def compare_field_attribute(field: quire.Field, component: str, name: str, entry: Truth) -> None:
    """Compare an attribute of a mesh or its component with that of the field, or with what it implies."""
    held = next((key for key in (f"{component}/{name}", name) if key in field.attrs), None)
    if held is not None:
        assert_value(field.attrs[held], entry, name)
        return
    axes = len(field.extents)
    implied: dict[str, Any] = {
        "geometry": "cartesian",
        "dataOrder": "C",
        "axisLabels": list("xyz"[:axes][::-1]),
        "gridSpacing": field.spacing,
        "gridGlobalOffset": field.origin,
        "gridUnitSI": 1.0,
        "timeOffset": 0.0,
        "position": [0.0] * axes,
    }
    assert_value(implied[name], entry, name)


def float_of(value: Any) -> float:
    """A number of a truth."""
    if isinstance(value, str):
        long = re.fullmatch(r"np\.longdouble\('(.*)'\)", value)
        return float(long[1]) if long else float.fromhex(value)
    return float(value)


def assert_value(found: Any, entry: Mapping[str, Any], name: str) -> None:
    """Compare the value of an attribute, whatever the type in which it is stored."""
    wanted = entry["value"]
    wanted = wanted if isinstance(wanted, list) else [wanted]
    if entry["type"].startswith("string"):
        assert [found] if isinstance(found, str) else list(found) == [text(one) for one in wanted], name
        return
    values = [float(one) for one in np.atleast_1d(np.asarray(found))]
    expected = [float_of(one) for one in wanted]
    assert len(values) == len(expected), name
    for value, other in zip(values, expected, strict=True):
        assert value == other or (math.isnan(value) and math.isnan(other)), name
