"""Files that must be written byte for byte, by the mark in the index of their folder."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.format.conformance.vectors import Vector, vectors

import quire
from quire.toolkit.convert import copy

pytestmark = pytest.mark.golden

# The largest number has too few digits in the text of the reference to be read back.
LARGEST = b"1.797693134862316e+308"


def has_mark(path: Path) -> bool:
    """Whether the index of its folder marks a file."""
    index = path.parent / "index.json"
    entries = json.loads(index.read_text()) if index.exists() else []
    return isinstance(entries, list) and any(
        entry.get("canonical") and entry["name"] == path.name for entry in entries
    )


def can_be_copied(vector: Vector) -> bool:
    """Whether the model represents a file completely: no structure without a step, no unfinished page."""
    pages = vector.load().get("pages", [])
    whole = bool(pages) and all(page["status"] == "ok" for page in pages)
    return whole and LARGEST not in vector.data.read_bytes()


def marked() -> list[Path]:
    """The files with the mark."""
    return [vector.data for vector in vectors() if has_mark(vector.data) and can_be_copied(vector)]


def options_like(file: quire.File) -> dict[str, Any]:
    """The options with which a file was written."""
    layout = file.layout
    options: dict[str, Any] = {"canonical": "true", "mode": layout["mode"]}
    if layout["mode"] == "ascii":
        options["lines_per_row"] = layout["lines_per_row"]
        options["no_row_counts"] = "true" if layout["no_row_counts"] == "1" else "false"
    else:
        options["byte_order"] = layout["byte order"].partition(" ")[0].replace("undeclared", "native")
        options["major_order"] = layout["major order"]
    if layout["fixed_row_count"] == "1":
        options["fixed_row_count"] = "500"
    return options


def parts(content: bytes) -> tuple[list[bytes], bytes]:
    """The lines of the header in a normalized order, and the data.

    Quire writes attributes of the file first and prints their texts anew; the number of a step has no
    texts; the parallel layer of the reference declares the byte order differently, and each of its runs
    counts pages from 1.
    """
    end = content.index(b"\n", content.index(b"\n&data ") + 1) + 1
    header = re.sub(rb"!# (little|big)-endian\n|endian=(little|big), ", b"", content[:end])
    header = re.sub(rb"(&parameter name=Step, ).*(type=\w+, &end)", rb"\1\2", header)
    header = re.sub(rb"fixed_value=.*(?=&end)", b"fixed", header)
    return sorted(header.splitlines()), re.sub(rb"! page number \d+\n", b"! page\n", content[end:])


@pytest.mark.parametrize("path", marked(), ids=lambda path: path.name)
def test_a_copy_has_the_bytes_of_the_reference(path: Path, tmp_path: Path) -> None:
    with quire.open(path) as file:
        options = options_like(file)
    target = tmp_path / "copy.sdds"
    copy(path, target, lossy=True, options=options)
    header, data = parts(path.read_bytes())
    found_header, found_data = parts(target.read_bytes())
    assert found_header == header
    assert found_data == data
