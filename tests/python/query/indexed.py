"""Tables, conditions and files for tests of indexes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from hypothesis import strategies as st

import quire
from quire.io import search, sidecar, zones
from quire.io.value_list import digest
from quire.toolkit import indexing

SMALL_BLOCK = 4
SMALL_LIST = 24

TYPES = ("f8", "f4", "i8", "u8", "i4", "u1", "g")
SPECIAL: dict[str, list[Any]] = {
    "f": [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-300, -1.5],
    "i": [0, -1, 1 << 53, (1 << 53) + 1, -(1 << 62) - 1, (1 << 63) - 1, -(1 << 63)],
    "u": [0, 1, 1 << 53, (1 << 53) + 1, (1 << 64) - 1, (1 << 63) + 1],
}


@contextmanager
def small_blocks() -> Iterator[None]:
    """Blocks and lists of a few rows, so that small tables have many."""
    with (
        mock.patch.object(sidecar, "BLOCK_ROWS", SMALL_BLOCK),
        mock.patch.object(indexing, "BLOCK_ROWS", SMALL_BLOCK),
        mock.patch.object(zones, "NEAR_ROWS", SMALL_BLOCK),
        mock.patch.object(sidecar, "MOST_ROWS", SMALL_LIST),
        mock.patch.object(indexing, "MOST_ROWS", SMALL_LIST),
        mock.patch.object(search, "MOST_ROWS", SMALL_LIST),
    ):
        yield


@contextmanager
def lists_preferred() -> Iterator[None]:
    """Searches by lists wherever there is one."""
    with mock.patch.object(search, "ADVANTAGE", 0.0):
        yield


def listable(values: dict[str, Any]) -> list[str]:
    """The columns that can have lists."""
    return [name for name, column in values.items() if column.dtype.itemsize <= 8]


def numbers(kind: np.dtype[Any]) -> st.SearchStrategy[Any]:
    """Values of a type, many of them special or equal."""
    special = [value for value in SPECIAL[kind.kind] if kind.kind == "f" or is_in(value, kind)]
    if kind.kind == "f":
        small = st.integers(-3, 3).map(float)
    else:
        small = st.integers(0 if kind.kind == "u" else -3, 3)
    return st.one_of(small, st.sampled_from(special))


def is_in(value: int, kind: np.dtype[Any]) -> bool:
    """Whether an integer is in the range of a type."""
    limits = np.iinfo(kind)
    return int(limits.min) <= value <= int(limits.max)


@st.composite
def columns(draw: st.DrawFn) -> dict[str, Any]:
    """Two columns of one length, often with values that are clustered."""
    rows = draw(st.one_of(st.integers(0, 40), st.sampled_from([SMALL_BLOCK, 2 * SMALL_BLOCK, 1])))
    found = {}
    for name in "xy":
        kind = np.dtype(draw(st.sampled_from(TYPES)))
        values = np.array(draw(st.lists(numbers(kind), min_size=rows, max_size=rows)), kind)
        found[name] = np.sort(values) if draw(st.booleans()) else values
    return found


@st.composite
def conditions(draw: st.DrawFn, values: dict[str, Any]) -> str:
    """A condition with constants that occur in the data, and others."""

    def operand() -> str:
        name = draw(st.sampled_from("xy"))
        form = draw(st.sampled_from(["{}", "{}", "{}", "abs({})", "({} * 2)", "({} - 1)", "-{}", "x + y"]))
        form = draw(st.sampled_from([form] * 9 + ["max({})", "min({})", "count({} > 0)"]))
        return form.format(name)

    def constant() -> str:
        some = [value for column in values.values() for value in column.tolist()]
        value = draw(st.one_of(st.sampled_from(some) if some else st.just(0), st.integers(-4, 4)))
        if isinstance(value, int):
            return str(value) if abs(value) < 1 << 63 else "9223372036854775807"
        value = float(value)
        return repr(value)  # "inf" and "nan" are names of constants

    def comparison() -> str:
        if draw(st.integers(0, 9)) == 0:
            return f"isnan({draw(st.sampled_from('xy'))})"
        if draw(st.integers(0, 9)) == 0:
            return f"{operand()} between {constant()} and {constant()}"
        if draw(st.integers(0, 9)) == 0:
            members = ", ".join(constant() for _ in range(draw(st.integers(1, 3))))
            return f"{operand()} in ({members})"
        relation = draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
        sides = [operand(), draw(st.sampled_from([constant, constant, operand]))()]
        return f" {relation} ".join(sides if draw(st.booleans()) else sides[::-1])

    text = comparison()
    for _ in range(draw(st.integers(0, 2))):
        joined = draw(st.sampled_from(["and", "or", "and not", "or not"]))
        text = f"({text}) {joined} ({comparison()})"
    return text


@contextmanager
def forged(place: Path) -> Iterator[tuple[bytearray, Any]]:
    """The bytes of an index, and its records, which may be changed: its directory then has their checksum."""
    content = bytearray(place.read_bytes())
    *_, offset, length, _, flags = sidecar.HEADER.unpack(content[: sidecar.HEADER.size])
    directory = json.loads(content[offset : offset + length])
    begin, count = directory["records"]
    records = np.frombuffer(content[begin : begin + count * sidecar.RECORD.itemsize], sidecar.RECORD).copy()
    yield content, records
    directory["records_digest"] = digest(records.tobytes()).hex()
    content[begin : begin + records.nbytes] = records.tobytes()
    text = json.dumps(directory).encode()
    content[offset:] = text
    fields = sidecar.MAGIC, sidecar.VERSION, sidecar.HEADER.size, offset, len(text), digest(text), flags
    content[: sidecar.HEADER.size] = sidecar.HEADER.pack(*fields)
    place.write_bytes(content)


def rows_of(path: Path, condition: str, step: int = 0) -> list[int] | str:
    """The rows of a step that satisfy a condition, or the error."""
    with quire.open(path) as file:
        try:
            found: list[int] = file[step].table.where(condition).numbers().tolist()
            return found
        except quire.Error as problem:
            return problem.message


def write(path: Path, *steps: dict[str, Any]) -> None:
    """Write tables."""
    with quire.create(path) as out:
        for number, values in enumerate(steps):
            with out.step(number) as step:
                for name, column in values.items():
                    step.put(name, column)
