"""Truths of unstructured meshes: their records, tags and attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from tests.format.conformance import steps
from tests.format.conformance.steps import compare_attribute
from tests.format.conformance.vectors import Truth

import quire

# The names of the members of records in tables.
MEMBERS: dict[str, str | tuple[str, ...]] = {
    "P": ("x", "y", "z"),
    "parent_idx": "parent",
    "child_idx": "child",
    "level_idx": "level",
    "vertex_indices": "vertex_",
    "neighbor_indices": "neighbour_",
}


def compare(path: str, truth: Truth) -> None:
    """Compare all meshes and steps of a file with its truth."""
    if truth["num_steps"] > 0:  # steps are the default, meshes require an option
        steps.compare(path, truth)
    options: dict[str, Any] = {"meshes": True} if truth["num_steps"] > 0 else {}
    expected = set()
    attributes = set()
    with quire.open(path, **options) as file:
        steps.compare_attributes(file.attrs.info, truth["file_attributes"], {})
        assert file.numbers == [0]
        step = file[0]
        for kind, meshes in truth["meshes"].items():
            for name, mesh in meshes.items():
                tables, names = compare_mesh(step, f"{kind}/{name}", mesh)
                expected |= tables
                attributes |= names
        assert set(step.tables) == expected
        assert set(step.attrs) == attributes
        assert not step.fields
        assert file.check().damage is None


def compare_mesh(step: quire.Step, path: str, mesh: Truth) -> tuple[set[str], set[str]]:
    """Compare one mesh; returns the names of its tables and of its attributes."""
    assert set(mesh) == {"attributes", "undefined_attributes", "vertices", "elems", "tags"}
    attributes = compare_attributes(step.attrs.info, path, mesh["attributes"])
    for name in mesh["undefined_attributes"]:
        assert step.attrs.info[f"{path}/{name}"].type == "int64"
        attributes.add(f"{path}/{name}")
    vertices, elements = mesh["vertices"], mesh["elems"]
    compare_records(step.tables[f"{path}/Vertices"], vertices["type"], vertices)
    records = {member: elements[f"{member}_values"] for member in elements["type"]}
    assert len(records) + 1 == len(elements)
    compare_records(step.tables[f"{path}/Elems"], elements["type"], records)
    tables = {f"{path}/Vertices", f"{path}/Elems"}
    for name, tag in mesh["tags"].items():
        own = f"{path}/Tags/{name}"
        attributes |= compare_attributes(step.attrs.info, own, tag["attributes"])
        compare_tag(step, own, tag)
        tables |= {f"{own}/{table}" for table in ("elems", "entities", "values")}
    return tables, attributes


def compare_tag(step: quire.Step, path: str, tag: Truth) -> None:
    """Compare one tag set; values of float64 arrive as the integers of their bits."""
    assert set(tag) - {"values_as_float64"} == {"attributes", "elems", "entities", "values_int64"}
    for table in ("elems", "entities"):
        found = step.tables[f"{path}/{table}"]
        assert list(found.columns) == ["eid", "idx"]
        assert {column.type for column in found.columns.values()} == {"int64"}
        # Identifiers are written as hexadecimal texts of 64 bits without a sign.
        wanted = [[int(str(number), 0) % 2**64 for number in pair] for pair in tag[table]]
        pairs = [found[name].read().astype("u8") for name in ("eid", "idx")]
        assert np.stack(pairs, axis=-1).tolist() == wanted, f"{path}/{table}"
    column = step.tables[f"{path}/values"]["value"]
    assert column.type == "int64"
    assert column.read().tolist() == tag["values_int64"]
    if "values_as_float64" in tag:
        assert column.read().view("f8").tolist() == tag["values_as_float64"]


def compare_records(table: quire.Table, types: Mapping[str, str], records: Mapping[str, Any]) -> None:
    """Compare all members of all records, elements of arrays one column each."""
    names: list[str] = []
    for member, type_name in types.items():
        element, _, count = type_name.partition("x")
        named = MEMBERS.get(member, member)
        values = np.array(records[member], dtype=element)
        columns = [element_name(named, i) for i in range(int(count))] if count else [str(named)]
        assert values.shape == ((len(table), len(columns)) if count else (len(table),)), member
        for name, wanted in zip(columns, values.reshape(len(table), -1).T, strict=True):
            assert table[name].type == element, name
            np.testing.assert_array_equal(table[name].read(), wanted, err_msg=name)
        names += columns
    assert list(table.columns) == names


def element_name(named: str | tuple[str, ...], index: int) -> str:
    """The column of an element of an array."""
    return f"{named}{index}" if isinstance(named, str) else named[index]


def compare_attributes(
    found: Mapping[str, quire.Attribute], path: str, wanted: Mapping[str, Truth]
) -> set[str]:
    """Compare the attributes of a group; returns their names."""
    for name, entry in wanted.items():
        compare_attribute(found[f"{path}/{name}"], entry)
    return {f"{path}/{name}" for name in wanted}
