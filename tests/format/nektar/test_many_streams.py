"""Multifiles of more streams than are looked at to find out whether they hold fields."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.format.nektar.made import QUADRILATERALS, block_of

import quire

LOOKED_AT = 4096
WITHOUT_BLOCKS = (1).to_bytes(4, "little") + bytes(8)


def stream_of(folder: Path, ids: list[int]) -> bytes:
    """Return the stream of a task with these elements."""
    path = folder / "one.fld"
    with quire.create(path, format="nektar", layout="streams", replacement="whole") as out:
        out.step(0).put_elements([block_of(QUADRILATERALS, ids, np.array([4, 4]))]).commit()
    with quire.open(path, format="sion") as file:
        return bytes(file[0].streams[0].read())


def write_streams(path: Path, filled: dict[int, bytes]) -> None:
    """Write some more streams than are looked at; those that are not filled have no blocks."""
    with quire.create(path, format="sion", block_size=64) as out, out.step(0) as step:
        for rank in range(LOOKED_AT + 20):
            step.stream(rank=rank, chunk_size=2048).write(filled.get(rank, WITHOUT_BLOCKS))


def ids_in(path: Path, format: str = "") -> list[int]:
    with quire.open(path, format=format or None) as file:
        assert file.format == "nektar"
        assert file.check().damage is None
        return sorted(int(id) for block in file[0].expansions for id in block.ids)


def test_the_elements_of_all_streams_are_read(tmp_path: Path) -> None:
    path = tmp_path / "run.fld"
    write_streams(path, {0: stream_of(tmp_path, [1]), LOOKED_AT + 19: stream_of(tmp_path, [5, 7])})
    assert ids_in(path) == [1, 5, 7]


@pytest.mark.parametrize(("first", "format"), [(LOOKED_AT - 1, "nektar"), (LOOKED_AT, "sion")])
def test_fields_after_many_streams_without_blocks(tmp_path: Path, first: int, format: str) -> None:
    path = tmp_path / "run.fld"
    write_streams(path, {first: stream_of(tmp_path, [5, 7])})
    with quire.open(path) as file:
        assert file.format == format
    assert ids_in(path, "nektar") == [5, 7]
