"""Truths that list a file by blocks: elements of one shape and the coefficients of their variables."""

from __future__ import annotations

import hashlib
import math
import zlib
from typing import Any

import numpy as np
import pytest
from tests.format.conformance.vectors import Truth

import quire
from quire.io.formats import format_info

Array = np.ndarray[Any, Any]


def compare(path: str, truth: Truth) -> None:
    """Compare metadata, and every block with all its coefficients."""
    with quire.open(path) as file:
        known = {option.name: option.choices for option in format_info(file.format).read_options}
    # Truths list every block, but the reader joins blocks of one kind into one table by default.
    options: dict[str, Any] = {"blocks": "each"} if "each" in known.get("blocks", ()) else {}
    with quire.open(path, **options) as file:
        step = whole_or_saved(file, truth)
        compare_metadata(step, truth)
        tables = [table for table in step.tables.values() if table.expansion is not None]
        assert len(tables) == len(truth["definitions"])
        for table, wanted in zip(tables, truth["definitions"], strict=True):
            compare_block(step, table, wanted)
        assert sum(len(block) for block in step.expansions) == truth["total_elements"]
        values = sum(len(table) * len(table.columns) for table in tables)
        assert values == truth["total_values"]
        assert ("directory" in truth["format"]) == bool(file.members)
        compare_parts(file, step, truth.get("partitions", []))
        compare_rows(tables, truth.get("decomposition", []))


def whole_or_saved(file: quire.File, truth: Truth) -> quire.Step:
    """Return the step; of a directory with missing parts, the rest that can be read."""
    damage = file.check().damage
    absent = [part["file"] for part in truth.get("partitions", []) if not part["present"]]
    if not absent:
        assert damage is None, damage
        return file[0]
    assert damage is not None
    assert any(name in str(damage) for name in absent)
    saved = file.salvage(0)
    assert saved is not None
    return saved


def compare_parts(file: quire.File, step: quire.Step, wanted: list[Truth]) -> None:
    """Compare the parts of a directory, which its index lists, and their elements."""
    # A directory without an index has only the parts that are found.
    assert not wanted or list(file.members[1:]) == [part["file"] for part in wanted]
    for part in wanted:
        if not part["present"]:
            continue
        blocks = [block for block in step.expansions if block.origin == part["file"]]
        assert len(blocks) == part["n_definitions"]
        listed = numbers(part["ids"])
        assert len(listed) == part["n_ids"]
        ids = [int(id) for block in blocks for id in block.ids]
        assert (ids == listed) == part["ids_match"]
        assert part["ids_match"] or any(part["file"] in text for text in step.warnings)


def compare_rows(tables: list[quire.Table], wanted: list[Truth]) -> None:
    """Compare the rows of a decomposition that are blocks."""
    rows = [row for row in wanted if row["hash"] != 0]
    assert not wanted or len(rows) == len(tables)
    for table, row in zip(tables, rows, strict=False):
        expansion = table.expansion
        assert expansion is not None
        assert expansion.origin == str(row["hash"])
        assert len(table) * len(table.columns) == row["values"]
        planes = (expansion.y_ids, expansion.z_ids, expansion.strip_ids)
        assert [len(ids) for ids in planes] == [row["y_ids"], row["z_ids"], row["s_ids"]]


def compare_metadata(step: quire.Step, truth: Truth) -> None:
    """Compare the metadata, all of them texts."""
    wanted = dict(truth["metadata"])
    wanted |= {f"Provenance/{name}": value for name, value in (truth.get("provenance") or {}).items()}
    found = dict(step.attrs)
    assert found == wanted


def compare_block(step: quire.Step, table: quire.Table, wanted: Truth) -> None:
    """Compare one block: its description, its elements and its coefficients."""
    expansion = table.expansion
    assert expansion is not None
    assert expansion.origin == (wanted["where"] or "")
    assert list(table.columns) == wanted["fields"]
    assert expansion.shape == wanted["shape"]
    assert list(expansion.basis) == wanted["basis"]
    assert list(expansion.lengths) == wanted["homogeneous_lengths"]
    assert expansion.strips == wanted["strips"]
    for found, name in (
        (expansion.y_ids, "y_ids"),
        (expansion.z_ids, "z_ids"),
        (expansion.strip_ids, "s_ids"),
    ):
        assert list(found) == wanted[name], name
    assert len(expansion.lengths) == wanted["homogeneous_dirs"]
    elements = step.tables[expansion.elements]
    assert len(elements) == wanted["n_elements"]
    assert elements["id"][:].tolist() == numbers(wanted["element_ids"])
    assert len(table) == wanted["coeffs_per_field"]
    counts = compare_modes(table, elements, wanted)
    for name in wanted["fields"]:
        compare_variable(name, table[name][:], counts, wanted)


def compare_modes(table: quire.Table, elements: quire.Table, wanted: Truth) -> list[int]:
    """Compare the order of the elements. Return the number of coefficients of each."""
    expansion = table.expansion
    assert expansion is not None
    of_elements = wanted["coeffs_per_element"]
    if wanted["uniform_order"]:
        assert list(expansion.modes) == wanted["modes"]
        assert len(elements.columns) == 1
        return [of_elements] * len(elements) if isinstance(of_elements, int) else list(of_elements)
    assert not expansion.modes
    directions = range(len(expansion.basis))
    found = np.stack([elements[f"modes_{direction}"][:] for direction in directions], axis=1)
    assert found.tolist() == wanted["modes"]
    return [of_elements] * len(elements) if isinstance(of_elements, int) else list(of_elements)


def compare_variable(name: str, values: Array, counts: list[int], wanted: Truth) -> None:
    """Compare the digest of all coefficients of a variable, and those of each element."""
    little = np.ascontiguousarray(values, dtype="<f8")
    entry = wanted["per_field"][name]
    assert len(little) == entry["n"], name
    assert hashlib.sha256(little.tobytes()).hexdigest() == entry["sha256"], name
    compare_figures(name, little, entry)
    places = np.cumsum([0, *counts])
    assert places[-1] == len(little), name
    for element, checksum in enumerate(wanted.get("element_crc32", {}).get(name, [])):
        part = little[places[element] : places[element + 1]]
        assert f"{zlib.crc32(part.tobytes()):08x}" == checksum, f"{name} of element {element}"
    if "values" in wanted:
        assert little.tolist() == wanted["values"][name], name


def compare_figures(name: str, values: Array, entry: Truth) -> None:
    """Compare the other figures of a truth about all coefficients of a variable."""
    for key, some in (("first_hex", values[:4]), ("last_hex", values[-2:])):
        assert [value.hex() for value in some.tolist()] == [float.fromhex(text).hex() for text in entry[key]]
    assert int((~np.isfinite(values)).sum()) == entry["non_finite"], name
    if entry["non_finite"] > 0:
        return
    assert float(values.min()) == entry["min"], name
    assert float(values.max()) == entry["max"], name
    assert math.fsum(values) == pytest.approx(entry["sum"], rel=1e-14), name
    assert math.fsum(values * values) == pytest.approx(entry["sum_sq"], rel=1e-14), name


def numbers(ranges: str) -> list[int]:
    """Numbers of a list of numbers and ranges."""
    found: list[int] = []
    for item in ranges.split(","):
        first, _, last = item.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found
