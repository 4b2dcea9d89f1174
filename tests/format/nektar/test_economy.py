"""The bytes read by a restart and written by a checkpoint: each once, and hardly more than the values."""

from __future__ import annotations

import base64
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.format.nektar.made import QUADRILATERALS, TRIANGLES, values_of
from tests.python.support.mpi import run_ranks

import quire
from quire.io.formats import format_info

pytestmark = pytest.mark.mpi

LAYOUTS = next(option.choices for option in format_info("nektar").write_options if option.name == "layout")
ADDRESSED = ("hdf5", "streams")
"""Layouts whose values are stored uncompressed, so that a rank reads only what it needs."""
VARIABLES = ("u", "v", "p")
ELEMENTS = 600
VALUES = ELEMENTS * (36 + 21) * len(VARIABLES)


def blocks_of(rank: int, size: int) -> list[quire.ElementBlock]:
    """Return every size-th element of two kinds, with incompressible noise."""
    blocks = []
    for place, (kind, count) in enumerate(((QUADRILATERALS, 36), (TRIANGLES, 21))):
        ids = np.arange(rank, ELEMENTS, size)
        noise = np.random.default_rng([place, rank]).random((len(VARIABLES), len(ids) * count))
        values = dict(zip(VARIABLES, noise, strict=True))
        blocks.append(quire.ElementBlock(ids=2 * ids + place, modes=np.array([6, 6]), values=values, **kind))
    return blocks


def write(comm: Any, folder: str) -> list[int]:
    """Write a checkpoint in each layout; return the bytes of this rank's payloads in XML."""
    mine = blocks_of(comm.rank, comm.size)
    for layout in LAYOUTS:
        path = str(Path(folder) / layout)
        with (
            quire.create(path, comm, "nektar", deadline=40, layout=layout) as out,
            out.step(0) as step,
        ):
            step.put_elements(mine)
    return [
        len(base64.b64encode(zlib.compress(np.concatenate(list(block.values.values())).tobytes())))
        for block in mine
    ]


def bytes_in(path: Path) -> int:
    """Return the size of a file, or of all files of a directory."""
    return sum(part.stat().st_size for part in path.iterdir()) if path.is_dir() else path.stat().st_size


def test_files_are_hardly_larger_than_their_values(tmp_path: Path) -> None:
    payloads = sum(sum(sizes) for sizes in run_ranks(write, 3, str(tmp_path)))
    elements = 2 * ELEMENTS
    for layout in LAYOUTS:
        # Ids are 32-bit numbers, or in text at most seven characters each, twice with an index. What does not
        # grow with the mesh (groups, tables, tags) has some KiB.
        payload = 8 * VALUES + 4 * elements if layout in ADDRESSED else payloads + 14 * elements
        size = bytes_in(tmp_path / layout)
        assert payload - 14 * elements <= size <= 1.01 * payload + 8192, (layout, size, payload)


def read_in_ways(comm: Any, folder: str) -> dict[str, list[int]]:
    """Read all elements in several ways; return the bytes of values that this rank has read in each."""
    # Like partitions of a mesh: different from those written, of neighbours, in random order.
    mine = np.random.default_rng(3).permutation(np.array_split(np.arange(2 * ELEMENTS), comm.size)[comm.rank])
    ways: dict[str, dict[str, Any]] = {
        "contiguous": {},
        "weights": {"partition": [1.0 + rank for rank in range(comm.size)]},
        "ids": {"ids": mine},
        "variable": {"variables": ["v"]},
    }
    counts: dict[str, list[int]] = {}
    for layout in ADDRESSED:
        for way, asked in ways.items():
            with quire.open(os.path.join(folder, layout), comm, deadline=40) as file:
                step = file[0]
                before = file.counters.bytes_read
                elements = step.read_elements_all(**asked)
                assert elements.missing.tolist() == elements.repeated.tolist() == []
                held = sum(len(array) for block in elements for array in block.values.values())
                counts[f"{layout} {way}"] = [file.counters.bytes_read - before, held]
    return counts


def test_all_ranks_together_read_every_byte_once(tmp_path: Path) -> None:
    run_ranks(write, 3, str(tmp_path))
    for ranks in (2, 4):
        results = run_ranks(read_in_ways, ranks, str(tmp_path))
        for way in results[0]:
            read, held = np.sum([result[way] for result in results], axis=0)
            wanted = VALUES // len(VARIABLES) if way.endswith("variable") else VALUES
            assert held == wanted, way
            least = 8 * wanted + 4 * 2 * ELEMENTS
            # One call reads nearby small pieces together, with the bytes between them.
            assert least <= read <= 1.02 * least, way


def test_small_blocks_in_xml_are_read_without_those_after_them(tmp_path: Path) -> None:
    """Like the files of many ranks: a reader that read more than a block would read most of the file."""
    blocks = []
    for id in range(200):
        payload = base64.b64encode(zlib.compress(values_of("u", id, 4).tobytes())).decode()
        tag = 'FIELDS="u" SHAPE="Quadrilateral" BASIS="Modified_A,Modified_A" NUMMODESPERDIR="UNIORDER:2,2"'
        blocks.append(f'<ELEMENTS {tag} ID="{id}" COMPRESSED="B64Z-LittleEndian">{payload}</ELEMENTS>')
    path = tmp_path / "many.fld"
    path.write_text(f"<NEKTAR>{''.join(blocks)}</NEKTAR>")
    size = path.stat().st_size
    with quire.open(path) as file:
        step = file[0]
        before = file.counters.bytes_read
        elements = step.read_elements_all(partition="everything")
        read = file.counters.bytes_read - before
        assert len(elements) == 1, "blocks of one kind are joined"
        values = elements[0].coefficients("u").reshape(200, 4)
        found = dict(zip(elements[0].ids.tolist(), values, strict=True))
    assert sorted(found) == list(range(200))
    assert all(np.array_equal(own, values_of("u", id, 4)) for id, own in found.items())
    # The tag of the block, once for the ids and once for the values, and the text of the longest block.
    assert read <= 2 * size, (read, size)
