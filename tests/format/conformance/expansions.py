"""Truths that tell a file block by block: elements of one shape and the coefficients of their variables."""

from __future__ import annotations

import hashlib
import zlib
from typing import Any

import numpy as np
from tests.format.conformance.vectors import Truth

import quire
from quire.io.formats import format_info

Array = np.ndarray[Any, Any]


def compare(path: str, truth: Truth) -> None:
    """Compare metadata, and every block with all its coefficients."""
    with quire.open(path) as file:
        known = {option.name: option.choices for option in format_info(file.format).read_options}
    # Truths tell every block, also where blocks of one kind are one table unless asked for each.
    options: dict[str, Any] = {"blocks": "each"} if "each" in known.get("blocks", ()) else {}
    with quire.open(path, **options) as file:
        step = file[0]
        compare_metadata(step, truth)
        tables = [table for table in step.tables.values() if table.expansion is not None]
        assert len(tables) == len(truth["definitions"])
        for table, wanted in zip(tables, truth["definitions"], strict=True):
            compare_block(step, table, wanted)
        report = file.check()
        assert report.damage is None, report.damage


def compare_metadata(step: quire.Step, truth: Truth) -> None:
    """Compare the metadata, all of them texts."""
    wanted = dict(truth["metadata"])
    wanted |= {f"Provenance/{name}": value for name, value in (truth.get("provenance") or {}).items()}
    found = {name: attribute.value for name, attribute in step.attributes.items()}
    assert found == wanted


def compare_block(step: quire.Step, table: quire.Table, wanted: Truth) -> None:
    """Compare one block: what is said of it, its elements and its coefficients."""
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
    elements = step.tables[expansion.elements]
    assert elements["id"][:].tolist() == numbers(wanted["element_ids"])
    assert len(table) == wanted["coeffs_per_field"]
    counts = compare_modes(table, elements, wanted)
    for name in wanted["fields"]:
        compare_variable(name, table[name][:], counts, wanted)


def compare_modes(table: quire.Table, elements: quire.Table, wanted: Truth) -> list[int]:
    """Compare the order of the elements; how many coefficients each has."""
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
    places = np.cumsum([0, *counts])
    assert places[-1] == len(little), name
    for element, checksum in enumerate(wanted.get("element_crc32", {}).get(name, [])):
        part = little[places[element] : places[element + 1]]
        assert f"{zlib.crc32(part.tobytes()):08x}" == checksum, f"{name} of element {element}"
    if "values" in wanted:
        assert little.tolist() == wanted["values"][name], name


def numbers(ranges: str) -> list[int]:
    """Numbers of a list of numbers and ranges."""
    found: list[int] = []
    for item in ranges.split(","):
        first, _, last = item.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found
