"""Every sample through every layout, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.format.conformance.vectors import Vector, vectors

import quire

pytestmark = pytest.mark.golden

LAYOUTS = ("hdf5", "xml", "directory")
SMALL = Path(__file__).resolve().parents[2] / "data" / "nektar" / "tiny.fld"


def samples() -> list[Vector]:
    """Return the files whose truths tell blocks."""
    return [vector for vector in vectors() if "nektar" in vector.folder]


def assert_same_blocks(path: Path, other: Path) -> None:
    """Compare all blocks of two files, and their metadata but for versions that had to change."""
    with quire.open(path) as first, quire.open(other) as second:
        one, two = first[0], second[0]
        assert one.number == two.number
        assert len(one.expansions) == len(two.expansions)
        for left, right in zip(one.expansions, two.expansions, strict=True):
            for name in ("shape", "basis", "lengths", "y_ids", "z_ids", "strip_ids", "variables"):
                assert getattr(left, name) == getattr(right, name), name
            assert np.array_equal(left.ids, right.ids)
            rows = [e.modes if e.is_mixed else np.tile(e.modes, (len(e), 1)) for e in (left, right)]
            assert np.array_equal(rows[0], rows[1])
            for variable in left.variables:
                assert left.coefficients(variable).tobytes() == right.coefficients(variable).tobytes()
        for name, attribute in one.attributes.items():
            if name != "Provenance/NektarVersion":
                assert two.attributes[name].value == attribute.value, name
        assert second.check().damage is None


@pytest.mark.parametrize("vector", samples(), ids=lambda vector: vector.name)
def test_every_layout_keeps_every_bit(vector: Vector, tmp_path: Path) -> None:
    before = vector.data
    for layout in LAYOUTS:
        copy = tmp_path / f"{layout}.fld"
        report = quire.copy(before, copy, layout=layout)
        assert report.losses == []
        assert_same_blocks(vector.data, copy)
        before = copy


def test_large_blocks_are_split(tmp_path: Path) -> None:
    quire.copy(SMALL, tmp_path / "s.fld", layout="xml", largest_block=100)
    with quire.open(SMALL) as file, quire.open(tmp_path / "s.fld") as split:
        whole = file[0].read_elements()
        parts = split[0].read_elements()
    assert (len(whole), len(parts)) == (2, 4)
    assert joined([part.ids for part in parts]) == joined([block.ids for block in whole])
    for name in ("u", "p"):
        found = joined([part.coefficients(name) for part in parts])
        assert found == joined([block.coefficients(name) for block in whole])


def joined(arrays: list[np.ndarray[Any, Any]]) -> bytes:
    """Return the bytes of arrays one behind the other."""
    return np.concatenate(arrays).tobytes()
