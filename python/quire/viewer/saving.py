"""The numbers of a picture as a file, for the page to save."""

from __future__ import annotations

import json
import re
import struct
import tempfile
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np

import quire
from quire.errors import UsageError
from quire.io.fit import fit_names
from quire.io.formats import FormatInfo, format_infos
from quire.viewer.asked import LONGEST_TEXT, Asked

Array = np.ndarray[Any, Any]

LARGEST_TABLE: Final = 1 << 26
"""Bytes of a request with numbers."""

MOST_COLUMNS: Final = 1024

LENGTHS: Final = struct.Struct("<II")

UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
"""Characters that texts in files cannot have: NUL, and halves of surrogate pairs."""


def table_formats() -> list[FormatInfo]:
    """Independent. Return the formats that hold tables of any columns, texts among them."""
    return [info for info in format_infos() if info.tables and info.suffixes]


def described_formats() -> list[dict[str, str]]:
    """Independent. Describe the formats for the page."""
    return [{"name": one.name, "title": one.title, "suffix": one.suffixes[0]} for one in table_formats()]


def table_file(body: bytes) -> bytes:
    """Independent. Return the file of the columns in a request: two lengths, JSON about them, and numbers.

    Raises UsageError for another body or format, and errors of writing.
    """
    about, numbers = unpacked(body)
    name = about.text("format")
    known = {one.name: one for one in table_formats()}
    if name not in known:
        raise UsageError("this is no format of tables", object=name, advice=f"choose {', '.join(known)}")
    columns = described_columns(about)
    if not columns or numbers.size % len(columns):
        raise UsageError("the columns have different lengths, or there is none")
    values = numbers.reshape(len(columns), -1)
    require_storable(about, columns)
    names = fit_names(name, unique([Asked(one).text("name") for one in columns]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{known[name].suffixes[0]}"
        with quire.create(path, format=name) as out:
            out.title = about.text("title")
            out.attrs["command"] = about.text("command")
            with out.step(0) as step:
                for one, fitted, column in zip(columns, names, values, strict=True):
                    put(step, fitted, values_of(one, column), texts_of(one, fitted))
        return path.read_bytes()


def put(step: quire.WriteStep, name: str, values: Array, texts: quire.Texts) -> None:
    """Independent. Write a column; a text that all rows have is an attribute."""
    if values.dtype.hasobject and len(values) and (values == values[0]).all():
        step.set(name, str(values[0]), texts)
    else:
        step.put(name, values, texts)


def unpacked(body: bytes) -> tuple[Asked, Array]:
    """Independent. Return what a request says, and its numbers. Raises UsageError."""
    refusal = UsageError("the request is no table")
    if len(body) < LENGTHS.size:
        raise refusal
    head, size = LENGTHS.unpack_from(body)
    begin = LENGTHS.size + head
    if begin + size != len(body) or size % 8:
        raise refusal
    try:
        content = json.loads(body[LENGTHS.size : begin])
    except (ValueError, RecursionError):
        raise refusal from None
    if not isinstance(content, dict):
        raise refusal
    return Asked(content), np.frombuffer(body, "<f8", size // 8, begin)


def described_columns(about: Asked) -> list[Mapping[str, Any]]:
    """Independent. Return the descriptions of columns. Raises UsageError."""
    found = about.content.get("columns")
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise UsageError("'columns' are no descriptions of columns")
    if len(found) > MOST_COLUMNS:
        raise UsageError(f"there are {len(found)} columns; at most {MOST_COLUMNS} are saved")
    return found


def require_storable(about: Asked, columns: Sequence[Mapping[str, Any]]) -> None:
    """Independent. Raises UsageError for texts with characters that cannot be stored."""
    texts = [about.text("title"), about.text("command")]
    for one in columns:
        texts += [Asked(one).text(part) for part in ("name", "unit", "symbol", "description")]
        texts += texts_in(one) or ()
    for text in texts:
        if found := UNSTORABLE.search(text):
            raise UsageError(
                f"the text {text[:60]!r} has the character {found[0]!r}, which cannot be stored",
                advice="rename the column, or leave it out",
            )


def unique(names: Sequence[str]) -> list[str]:
    """Independent. Return names of which those that are there already have a number.

    >>> from quire.viewer.saving import unique
    >>> unique(["x", "z", "z", "z_2"])
    ['x', 'z', 'z_3', 'z_2']
    """
    found: list[str] = []
    taken, seen = set(names), set[str]()
    for name in names:
        numbered = (f"{name}_{number}" for number in count(2))
        new = next(one for one in numbered if one not in taken) if name in seen else name
        found.append(new)
        taken.add(new)
        seen.add(new)
    return found


def texts_in(described: Mapping[str, Any]) -> list[str] | None:
    """Independent. Return the different texts of a column, None for one of numbers. Raises UsageError."""
    texts = described.get("texts")
    if texts is not None and not (isinstance(texts, list) and all(isinstance(one, str) for one in texts)):
        raise UsageError("'texts' are no list of texts")
    return texts


def values_of(described: Mapping[str, Any], numbers: Array) -> Array:
    """Independent. Return the values of a column: numbers, or the texts with these numbers."""
    texts = texts_in(described)
    if texts is not None:
        if not ((numbers >= 0) & (numbers < len(texts)) & (numbers == np.floor(numbers))).all():
            raise UsageError("a text has no place in its list")
        # NumPy's own texts would all be as long as the longest.
        return np.array(texts, object)[numbers.astype(np.int64)]
    whole = bool(described.get("isWhole")) and bool((np.abs(numbers) < 1 << 53).all())
    return numbers.astype(np.int64) if whole else numbers


def texts_of(described: Mapping[str, Any], fitted: str) -> quire.Texts:
    """Independent. Return unit, symbol and description of a column; its name if the format has another."""
    of = Asked(described)
    name, description = of.text("name"), of.text("description")
    if fitted != name:
        description = f"{name}: {description}" if description else name
    unit = of.text("unit")
    return quire.Texts("" if unit == "1" else unit, of.text("symbol"), description[:LONGEST_TEXT])
