"""Truths that list a file by pages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from tests.format.conformance.exact import assert_same, text
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
    """Compare a file with its truth. Raises the errors of the library if a valid file is not read."""
    if "reference" in truth:
        assert_answered(path, truth)
    elif truth["open"] == "fail":
        if not is_plain_under_another_name(Path(path)):
            assert_refused(path)
    else:
        give_back_last_byte(Path(path), truth)
        with quire.open(path) as file:
            compare_header(file, truth)
            compare_pages(path, file, truth)


def assert_answered(path: str, truth: Truth) -> None:
    """Assert that a file on which the reference crashes or hangs is refused, or read if so required."""
    wanted = truth.get("recommended", "reject")
    damaged = False
    try:
        with quire.open(path) as file:
            damaged = file.check().damage is not None
    except quire.BadFileError:
        damaged = True
    assert damaged == ("reject" in wanted or "error" in wanted), wanted


def is_plain_under_another_name(path: Path) -> bool:
    """Whether a file has the suffix of a compressed one but is plain. The reference relies on the suffix."""
    if path.suffix not in (".xz", ".lzma") or path.read_bytes()[:4] != b"SDDS":
        return False
    with quire.open(path) as file:
        assert file.check().damage is None
    return True


def assert_refused(path: str) -> None:
    """Assert that opening fails with a byte offset, in strict mode if there is only a warning otherwise."""
    refusal: quire.BadFileError | None = None
    try:
        with quire.open(path) as file:
            assert file.warnings, "a damaged header was accepted without a warning"
        quire.open(path, strict=True).close()
    except quire.BadFileError as error:
        refusal = error
    assert refusal is not None, "a damaged header was accepted"
    assert refusal.offset is not None, f"no byte offset: {refusal}"


def compare_header(file: quire.File, truth: Truth) -> None:
    """Compare the header before the first page."""
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


def compare_pages(path: str, file: quire.File, truth: Truth) -> None:
    """Compare every page, and how the pages end."""
    pages = truth["pages"]
    whole = [page for page in pages if page["status"] != "recoverable-error"]
    report = file.check()
    assert report.whole_steps == len(whole), f"{report.whole_steps} whole pages instead of {len(whole)}"
    if truth["end"] == "eof":
        # The reference does not detect some cuts.
        is_wanted = "error" in (truth.get("recommended") or "")
        assert report.damage is None or is_wanted, f"end: {report.damage}"
    elif report.damage is None:
        # The pages may end with a tolerated defect, which is reported and refused in strict mode.
        assert report.warnings, "damage was accepted without a warning"
        assert is_strictly_damaged(path), "damage was accepted"
    for index, page in enumerate(whole):
        if page["status"] == "autorecovered":
            compare_cut(path, file, file[index], page, truth)
        else:
            compare_page(file, file[index], page, truth)
    if len(whole) < len(pages):
        salvaged = file.salvage(len(whole))
        assert salvaged is not None, "complete rows were not offered"
        compare_cut(path, file, salvaged, pages[-1], truth)


def compare_cut(path: str, file: quire.File, step: quire.Step, page: Truth, truth: Truth) -> None:
    """Compare the rows of a page that was cut."""
    if are_swapped_rows(truth):
        assert len(step.table) >= page["rows"]
        return
    if truth["mode"] == "ascii" and not Path(path).read_bytes().endswith(b"\n"):
        # The value before the cut may be incomplete: Quire drops this row, the reference accepts it.
        rows = len(step.table)
        assert rows in (page["rows"], page["rows"] - 1)
        columns = {name: {"values": values_of(entry)[:rows]} for name, entry in page["columns"].items()}
        page = {**page, "rows": rows, "columns": columns}
    compare_page(file, step, page, truth)


def give_back_last_byte(path: Path, truth: Truth) -> None:
    """Correct the last parameter of a file without a last line end: the reference drops its last byte."""
    varying = [one for one in truth["parameter_defs"] if one["fixed_value"] is None]
    is_last = varying and truth["pages"] and not truth["array_defs"] and not truth["column_defs"]
    content = path.read_bytes() if truth["mode"] == "ascii" and is_last else b"\n"
    if content.endswith(b"\n"):
        return
    line = content.rpartition(b"\n")[2].decode("utf-8", "surrogateescape")
    entry = truth["pages"][-1]["parameters"][varying[-1]["name"]]
    kind = TYPES[varying[-1]["type"]]
    if kind == "string":
        entry["value"] = line
    elif kind.startswith("float"):
        entry["value"] = float(line).hex()
    elif kind != "character":
        entry["value"] = int(line)


def is_strictly_damaged(path: str) -> bool:
    """Whether the strict reader refuses the file or a page of it."""
    try:
        with quire.open(path, strict=True) as file:
            return file.check().damage is not None
    except quire.BadFileError:
        return True


def are_swapped_rows(truth: Truth) -> bool:
    """Whether a cut page of the truth lacks one row and has the others swapped, as the reference reads it."""
    foreign = "big" if sys.byteorder == "little" else "little"
    return bool(truth["mode"] == "binary" and truth["byte_order"] == foreign)


def compare_page(file: quire.File, step: quire.Step, page: Truth, truth: Truth) -> None:
    """Compare one page."""
    compare_parameters(file, step, page, truth)
    for definition in truth["array_defs"]:
        field = step.fields[definition["name"]]
        compare_texts(field, definition)
        assert field.group == (definition["group_name"] or "")
        wanted = page["arrays"][definition["name"]]
        assert list(field.extents) == wanted["dims"], field.name
        assert_same(as_reference(field[...], wanted["values"], definition), wanted["values"], field.name)
    if not truth["column_defs"]:
        return
    assert len(step.table) == page["rows"]
    for definition in truth["column_defs"]:
        column = step.table[definition["name"]]
        compare_texts(column, definition)
        found = column[:]
        wanted = values_of(page["columns"][definition["name"]])
        assert_same(as_reference(found, wanted, definition), wanted, column.name)


def as_reference(found: Any, wanted: list[Any], definition: Truth) -> Any:
    """Strings as the interface of the reference returns them.

    It ends them at a zero byte, damages those that it trims, and keeps a line end that ends a string early.
    """
    if definition["type"] != "string":
        return found
    texts = [str(value).partition("\0")[0] for value in np.asarray(found).reshape(-1)]
    is_trimmed = definition.get("field_length", 0) < 0
    for place, (ours, theirs) in enumerate(zip(texts, map(text, wanted), strict=True)):
        assert not is_trimmed or ours == ours.strip(), definition["name"]
        spoilt = is_trimmed and 0 <= len(ours) - len(theirs) <= 1 and ours[:1] == theirs[:1]
        if spoilt or theirs in (ours + "\n", ours + "\r\n"):
            texts[place] = theirs
    return np.array(texts, dtype=object)


def values_of(entry: Any) -> list[Any]:
    """The values of a column in a truth."""
    return list(entry["values"]) if isinstance(entry, dict) else list(entry)


def compare_parameters(file: quire.File, step: quire.Step, page: Truth, truth: Truth) -> None:
    """Compare the parameters, which may be attributes of the step or of the file."""
    for definition in truth["parameter_defs"]:
        name = definition["name"]
        wanted = page["parameters"][name]["value"]
        attribute = step.attrs.info.get(name) or file.attrs.info.get(name)
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
        array[0] = str(attribute.value).partition("\0")[0]
        return array
    if attribute.type == "character":
        return np.array([str(attribute.value).encode("utf-8", "surrogateescape")], dtype="S1")
    return np.array([attribute.value], dtype="longdouble" if attribute.type == "float80" else attribute.type)


def compare_texts(found: Any, definition: Truth) -> None:
    """Compare type, units and texts of a column, array or parameter with its definition."""
    assert found.type == TYPES[definition["type"]], definition["name"]
    for ours, theirs in TEXTS.items():
        assert getattr(found, ours) == (definition[theirs] or ""), f"{definition['name']}: {theirs}"
