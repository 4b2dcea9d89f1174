"""Truths that tell a file page by page."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.format.conformance.exact import assert_same
from tests.format.conformance.vectors import Truth

import quire

# The words of the truth for types in the words of the model.
TYPES = {
    "short": "int16",
    "ushort": "uint16",
    "long": "int32",
    "ulong": "uint32",
    "long64": "int64",
    "ulong64": "uint64",
    "float": "float32",
    "double": "float64",
    "longdouble": "float80",
    "character": "character",
    "string": "string",
}
TEXTS = {"unit": "units", "symbol": "symbol", "description": "description", "display": "format_string"}


def compare(path: str, truth: Truth) -> None:
    """Compare a file with its truth; raises the library's errors where a valid file is not read."""
    if truth["open"] == "fail":
        assert_refused(path)
        return
    with quire.open(path) as file:
        compare_header(file, truth)
        compare_pages(file, truth)


def assert_refused(path: str) -> None:
    """Assert that opening fails with an error that says where; strictly, if only a warning comes."""
    refusal: quire.BadFileError | None = None
    try:
        with quire.open(path) as file:
            assert file.warnings, "a damaged header was accepted without a word"
        quire.open(path, strict=True).close()
    except quire.BadFileError as error:
        refusal = error
    assert refusal is not None, "a damaged header was accepted"
    assert refusal.offset is not None, f"no byte offset: {refusal}"


def compare_header(file: quire.File, truth: Truth) -> None:
    """Compare what stands before the first page."""
    layout = file.layout
    assert layout["version"] == str(truth["version"])
    assert layout["mode"] == truth["mode"]
    if truth["byte_order"] in ("little", "big"):
        assert layout["byte order"].startswith(truth["byte_order"])
    for name, value in truth["data"].items():
        if name == "column_major_order":
            if truth["mode"] == "binary":
                assert (layout["major order"] == "column") == bool(value)
        else:
            assert layout[name] == str(int(value)), name
    assert file.title == (truth["description"]["text"] or "")
    assert file.contents == (truth["description"]["contents"] or "")


def compare_pages(file: quire.File, truth: Truth) -> None:
    """Compare every page, and how the pages end."""
    pages = truth["pages"]
    whole = [page for page in pages if page["status"] != "recoverable-error"]
    report = file.check()
    assert report.whole_steps == len(whole), f"{report.whole_steps} whole pages instead of {len(whole)}"
    assert (report.damage is None) == (truth["end"] == "eof"), f"end: {report.damage}"
    for index, page in enumerate(whole):
        compare_page(file, file[index], page, truth)
    if len(whole) < len(pages):
        salvaged = file.salvage(len(whole))
        assert salvaged is not None, "complete rows were not offered"
        compare_page(file, salvaged, pages[-1], truth)


def compare_page(file: quire.File, step: quire.Step, page: Truth, truth: Truth) -> None:
    """Compare one page."""
    compare_parameters(file, step, page, truth)
    for definition in truth["array_defs"]:
        field = step.fields[definition["name"]]
        compare_texts(field, definition)
        assert field.group == (definition["group_name"] or "")
        wanted = page["arrays"][definition["name"]]
        assert list(field.extents) == wanted["dims"], field.name
        assert_same(field[...], wanted["values"], field.name)
    if not truth["column_defs"]:
        return
    assert len(step.table) == page["rows"]
    for definition in truth["column_defs"]:
        column = step.table[definition["name"]]
        compare_texts(column, definition)
        assert_same(column[:], values_of(page["columns"][definition["name"]]), column.name)


def values_of(entry: Any) -> list[Any]:
    """The values of a column in a truth."""
    return list(entry["values"]) if isinstance(entry, dict) else list(entry)


def compare_parameters(file: quire.File, step: quire.Step, page: Truth, truth: Truth) -> None:
    """Compare the parameters, wherever the model keeps them."""
    for definition in truth["parameter_defs"]:
        name = definition["name"]
        wanted = page["parameters"][name]["value"]
        attribute = step.attributes.get(name) or file.attributes.get(name)
        if attribute is None:
            assert name == "Step", f"parameter {name} is missing"
            assert step.number == int(wanted), "the number of the step"
            continue
        assert attribute.type == TYPES[definition["type"]], name
        compare_texts(attribute, definition)
        assert_same(scalar(attribute), [wanted], name)


def scalar(attribute: quire.Attribute) -> Any:
    """The value of an attribute as an array of one element of its own type."""
    if attribute.type == "string":
        array = np.empty(1, dtype=object)
        array[0] = attribute.value
        return array
    if attribute.type == "character":
        return np.array([str(attribute.value).encode("utf-8", "surrogateescape")], dtype="S1")
    return np.array([attribute.value], dtype="longdouble" if attribute.type == "float80" else attribute.type)


def compare_texts(found: Any, definition: Truth) -> None:
    """Compare type, units and texts of a column, array or parameter with its definition."""
    assert found.type == TYPES[definition["type"]], definition["name"]
    for ours, theirs in TEXTS.items():
        assert getattr(found, ours) == (definition[theirs] or ""), f"{definition['name']}: {theirs}"
