"""Checksums of elements that several ranks write in parts of rows.

The files of different numbers of ranks differ (each rank states what it holds), and so do their
tables of checksums: an entry is a piece of one rank. What they cover is the same.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.format.nektar.made import QUADRILATERALS, VARIABLES, block_of, values_of
from tests.python.support.mpi import run_ranks

import quire

pytestmark = pytest.mark.mpi

ELEMENTS = 12
ORDERS = np.array([4, 4])
HEAD = 32  # bytes before the entries of a table


def write_rows(comm: Any, path: str, layout: str) -> None:
    """Write the elements in the order of their ids, each rank an equal part."""
    first, last = (ELEMENTS * rank // comm.size for rank in (comm.rank, comm.rank + 1))
    with quire.create(path, comm=comm, format="nektar", layout=layout, checksums=True) as out:
        out.step(0).put_elements([block_of(QUADRILATERALS, range(first, last), ORDERS)]).commit()


def damage_of(comm: Any, path: str) -> int | None:
    """Return the offset of the first damage."""
    with quire.open(path, comm) as file:
        damage = file.check().damage
    return None if damage is None else damage.offset


def pieces_of(path: Path) -> list[tuple[int, bytes]]:
    """Return the offsets and the bytes of all entries of the table of a single file."""
    table = Path(f"{path}.quire-sums").read_bytes()
    content = path.read_bytes()
    entries = [struct.unpack("<4Q", table[at : at + 32]) for at in range(HEAD, len(table), 32)]
    return [(offset, content[offset : offset + length]) for _, offset, length, _ in entries]


@pytest.mark.parametrize("layout", ["hdf5", "xml", "streams"])
def test_any_number_of_ranks_finds_a_changed_part_of_rows(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "run.fld"
    run_ranks(write_rows, 3, str(path), layout)
    content = path.read_bytes()
    # A rank writes one piece for each variable, or one of text for all of them.
    is_text = layout == "xml"
    size = ORDERS.prod() * 8 * ELEMENTS // 3
    pieces = pieces_of(path)
    values = [at for at in pieces if (b"<ELEMENTS" in at[1] if is_text else len(at[1]) == size)]
    assert len(values) == (3 if is_text else 3 * len(VARIABLES))
    found = None
    for offset, piece in values:
        changed = bytearray(content)
        changed[offset + len(piece) // 2] ^= 1
        path.write_bytes(changed)
        found = damage_of(quire.SELF, str(path))
        # Text that is not valid any more is found before its checksum is compared.
        assert found == offset or (is_text and found is not None)
    assert run_ranks(damage_of, 2, str(path)) == [found] * 2
    path.write_bytes(content)
    assert run_ranks(damage_of, 2, str(path)) == [None] * 2


def test_the_checksums_cover_whole_columns_from_any_number_of_ranks(tmp_path: Path) -> None:
    count = ORDERS.prod()
    columns = [
        np.concatenate([values_of(name, id, count) for id in range(ELEMENTS)]).tobytes() for name in VARIABLES
    ]
    for ranks in (1, 2, 3):
        path = tmp_path / f"{ranks}.fld"
        run_ranks(write_rows, ranks, str(path), "hdf5")
        pieces = pieces_of(path)
        ends = [offset + len(piece) for offset, piece in pieces]
        assert [offset for offset, _ in pieces[1:]] == ends[:-1]
        # After two pieces of each rank that describe its elements: its part of each variable.
        values = [piece for _, piece in pieces[2 * ranks :]]
        assert len(values) == len(VARIABLES) * ranks
        for variable, column in enumerate(columns):
            assert b"".join(values[variable :: len(VARIABLES)]) == column
