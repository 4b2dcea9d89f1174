"""Truths that list a file by steps: columns, fields and attributes of each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from tests.format.conformance.exact import assert_same, old_text
from tests.format.conformance.vectors import Truth

import quire

# The elements that a truth lists, from all elements in their order.
ELEMENTS: dict[str, Callable[[Any, int], Any]] = {
    "values": lambda flat, count: flat,
    "head": lambda flat, count: flat[:count],
    "tail": lambda flat, count: flat[len(flat) - count :],
}

# Types that the model does not have are read as the nearest wider type.
WIDENED = {"float16": "float32"}


def compare(path: str, truth: Truth) -> None:
    """Compare a file with its truth. Raises the errors of the library if a valid file is not read."""
    if truth["expect"] == "error":
        compare_damaged(path, truth)
        return
    with quire.open(path) as file:
        assert file.numbers == [step["number"] for step in truth["steps"]]
        assert len(file) == truth.get("num_steps", len(truth["steps"]))
        compare_naming(file, truth)
        units = {**_units(file), **{k: v for step in file for k, v in _units(step).items()}}
        units |= {"title": file.title, "contents": file.contents}
        compare_attributes(file.attrs.info, truth["file_attributes"], units)
        for step, wanted in zip(file, truth["steps"], strict=True):
            compare_step(step, wanted, units)
        compare_attachments(file, truth.get("attachments", {}))
        assert file.check().damage is None


def compare_naming(file: quire.File, truth: Truth) -> None:
    """Compare the names of the groups of steps."""
    if "step_prefix" in truth and truth["steps"]:
        assert file.layout["step name"] == truth["step_prefix"]


def compare_attachments(file: quire.File, wanted: Mapping[str, Any]) -> None:
    """Compare names, sizes and bytes of the files inside the file."""
    assert {name: entry["size"] for name, entry in wanted.items()} == dict(file.attachments)
    for name, entry in wanted.items():
        assert hashlib.sha256(file.attachment(name)).hexdigest() == entry["sha256"], name


def compare_damaged(path: str, truth: Truth) -> None:
    """Assert that damage is reported, and that the objects that are readable by the truth are read."""
    readable = truth.get("readable", {})
    refusal: quire.BadFileError | None = None
    try:
        with quire.open(path) as file:
            report = file.check()
            assert report.damage is not None or report.warnings, "the damage was not reported"
            for name, wanted in readable.items():
                compare_readable(file, name, wanted)
    except quire.BadFileError as error:
        refusal = error
    if refusal is not None:
        assert not readable, f"something should have been readable: {refusal}"
        assert refusal.offset is not None, f"no byte offset: {refusal}"


def compare_readable(file: quire.File, name: str, wanted: Any) -> None:
    """Compare one object (`Step#0/x`, `Step#0/Block/ok`, or a step with the lengths of its columns)."""
    group, *rest = name.split("/")
    step = file.step(int(group.rpartition("#")[2]))
    if not rest:
        for column, length in wanted.items():
            assert len(single(step, column)) == length, column
    elif isinstance(wanted, dict) and "dims_xyz" in wanted:
        field = step.fields[rest[-1]]
        assert list(field.extents)[::-1] == wanted["dims_xyz"]
        assert_same(field[...], wanted["values"], name)
    elif isinstance(wanted, dict):
        assert_same(single(step, rest[-1]), wanted["values"], name)
    else:
        assert_same(single(step, rest[-1]), wanted, name)


def single(step: quire.Step, name: str) -> Any:
    """The values of a column, even if its length differs from the others of its step."""
    return step[name][:] if name in step else step.fields[name][...]


def compare_step(step: quire.Step, wanted: Truth, units: dict[str, str]) -> None:
    """Compare attributes, columns and fields of a step."""
    compare_attributes(step.attrs.info, wanted["attributes"], units)
    names = list(step.table.columns) if step.tables else []
    assert sorted(names) == sorted(wanted["datasets"]), "the columns"
    if names and wanted.get("num_particles") is not None:
        assert len(step.table) == wanted["num_particles"]
    for name, entry in wanted["datasets"].items():
        compare_array(step[name], step[name][:], entry)
    assert sorted(step.fields) == sorted(wanted["fields"]), "the fields"
    for name, entry in wanted["fields"].items():
        compare_field(step.fields[name], entry, units)


def compare_field(field: quire.Field, entry: Truth, units: dict[str, str]) -> None:
    """Compare extents, attributes and all components of a field."""
    assert list(field.extents)[::-1] == entry["dims_xyz"], field.name
    assert field.components == entry["num_components"], field.name
    compare_attributes(field.attrs.info, without_geometry(field, entry["attributes"]), units)
    values = field[...]
    for component, wanted in entry["components"].items():
        part = values if field.components == 1 else values[..., int(component)]
        compare_array(field, part, wanted)


def compare_array(found: Any, values: np.ndarray[Any, Any], entry: Truth) -> None:
    """Compare type, shape and values with those of the truth: the digest covers all of them."""
    assert found.type == WIDENED.get(entry["type"], entry["type"]), found.name
    assert list(values.shape) == entry["shape"], found.name
    if found.type != "string" and not any("nan" in str(entry.get(key, "")) for key in ELEMENTS):
        original = np.ascontiguousarray(values, dtype=np.dtype(entry["type"]).newbyteorder("<"))
        assert hashlib.sha256(original.tobytes()).hexdigest() == entry["sha256_le_bytes"], found.name
    flat = values.reshape(-1)
    for key, elements_of in ELEMENTS.items():
        if key in entry:
            assert_same(elements_of(flat, len(entry[key])), entry[key], found.name)


def without_geometry(field: quire.Field, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Compare the geometry, in the order x, y, z. Return the remaining attributes."""
    found: dict[str, Any] = {
        "__Origin__": field.origin and field.origin[::-1],
        "__Spacing__": field.spacing and field.spacing[::-1],
    }
    for axis, letter in enumerate("ZYX"):
        found[f"__{letter}_Coordinates__"] = field.coordinates and field.coordinates[axis]
    for name, values in found.items():
        assert (values is None) == (name not in wanted), name
        if values is not None:
            value = wanted[name]["value"]
            assert np.array_equal(np.ravel(values), np.ravel(value)), name
    return {name: value for name, value in wanted.items() if name not in found}


def compare_attributes(
    found: Mapping[str, quire.Attribute], wanted: Mapping[str, Any], units: dict[str, str]
) -> None:
    """Compare attributes; those that name the unit of a quantity may have become its unit."""
    for name, entry in wanted.items():
        if name not in found:
            assert units.get(name) == old_text(entry), f"attribute {name} is missing"
            continue
        compare_attribute(found[name], entry)
    unknown = set(found) - set(wanted)
    assert not unknown, f"attributes that are not in the file: {unknown}"


def compare_attribute(attribute: quire.Attribute, entry: Truth) -> None:
    """Compare type and value; an array of one element is a scalar in this format."""
    if "as_legacy_string" in entry:
        assert attribute.value == entry["as_legacy_string"], attribute.name
        return
    if attribute.type == "string" and entry["type"] == "int8":  # the texts of old writers
        assert attribute.value == old_text(entry), attribute.name
        return
    assert attribute.type == WIDENED.get(entry["type"], entry["type"]), attribute.name
    if entry.get("shape", [1]) not in ([], [1]):
        assert list(np.shape(attribute.value)) == entry["shape"], attribute.name
    if entry["type"] == "string":
        value = attribute.value
        texts = [value] if isinstance(value, str) else list(np.asarray(value).reshape(-1))
        expected = [entry["value"]] if isinstance(entry["value"], str) else list(entry["value"])
        assert texts == expected, attribute.name
        return
    assert_same(np.atleast_1d(np.asarray(attribute.value)), entry["value"], attribute.name)


def _units(owner: quire.File | quire.Step) -> dict[str, str]:
    quantities: list[Any] = list(owner.attrs.info.values())
    if isinstance(owner, quire.Step) and owner.tables:
        quantities += list(owner.table.columns.values())
    return {quantity.name + "Unit": quantity.unit for quantity in quantities if quantity.unit}
