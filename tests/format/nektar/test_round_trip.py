"""Every sample is preserved bit for bit in every layout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.format.conformance.vectors import Vector, vectors
from tests.python.support.mpi import mpiexec

import quire
from quire.toolkit.checksum import checksum
from quire.toolkit.difference import difference
from quire.toolkit.value_difference import Rules

LAYOUTS = ("hdf5", "streams", "xml", "directory", "streams", "hdf5")
SMALL = Path(__file__).resolve().parents[2] / "data" / "nektar" / "tiny.fld"


def samples() -> list[Vector]:
    """Return the files whose expected contents include blocks."""
    return [vector for vector in vectors() if "nektar" in vector.folder]


Array = np.ndarray[Any, Any]


def kinds_of(step: quire.Step, any_mixed: bool) -> dict[tuple[Any, ...], list[quire.Expansion]]:
    """Return the blocks of a step by the kinds that some layouts join."""
    kinds: dict[tuple[Any, ...], list[quire.Expansion]] = {}
    for block in step.expansions:
        modes = () if any_mixed or block.is_mixed else tuple(block.modes)
        kind = (block.shape, block.basis, block.lengths, block.y_ids, block.z_ids, block.strip_ids)
        kinds.setdefault((*kind, block.variables, modes), []).append(block)
    return kinds


def modes_of(block: quire.Expansion) -> Array:
    """Return a row for each element."""
    return block.modes if block.is_mixed else np.tile(block.modes, (len(block), 1))


def by_id(blocks: list[quire.Expansion], variable: str) -> list[tuple[int, tuple[int, ...], bytes]]:
    """Return id, modes and coefficients of all elements."""
    elements = []
    for block in blocks:
        ends = np.cumsum(block.counts())[:-1]
        values = np.split(block.coefficients(variable), ends)
        for id, modes, own in zip(block.ids, modes_of(block), values, strict=True):
            elements.append((int(id), tuple(modes), own.tobytes()))
    return sorted(elements)


def assert_same_blocks(path: Path, other: Path) -> None:
    """Compare all elements of two files, and their metadata except for versions that had to change.

    In HDF5 all blocks are mixed if one is.
    """
    with quire.open(path) as first, quire.open(other) as second:
        one, two = first[0], second[0]
        assert one.number == two.number
        any_mixed = any(block.is_mixed for block in one.expansions)
        blocks, others = kinds_of(one, any_mixed), kinds_of(two, any_mixed)
        assert list(blocks) == list(others)
        for kind, found in blocks.items():
            for variable in found[0].variables:
                assert by_id(found, variable) == by_id(others[kind], variable)
        for name, attribute in one.attrs.info.items():
            if name != "Provenance/NektarVersion":
                assert two.attrs[name] == attribute.value, name
        assert second.check().damage is None


@pytest.mark.golden
@pytest.mark.parametrize("vector", samples(), ids=lambda vector: vector.name)
def test_every_layout_keeps_every_bit(vector: Vector, tmp_path: Path) -> None:
    before = vector.data
    for number, layout in enumerate(LAYOUTS):
        copy = tmp_path / f"{number}.fld"
        report = quire.copy(before, copy, options={"layout": layout})
        assert all("NektarVersion" in loss for loss in report.losses)
        assert_same_blocks(vector.data, copy)
        found = difference(vector.data, copy, Rules(ignore=("Provenance/NektarVersion",)))
        assert found.same, found.problems
        before = copy


def twins() -> list[tuple[Vector, Vector]]:
    """Return pairs of samples with the same elements, by their names."""
    groups: dict[str, list[Vector]] = {}
    for vector in samples():
        groups.setdefault(re.sub(r"[-_](hdf5|dir)", "", vector.name), []).append(vector)
    return [(group[0], other) for group in groups.values() for other in group[1:]]


@pytest.mark.golden
@pytest.mark.parametrize("pair", twins(), ids=lambda pair: f"{pair[0].name}-{pair[1].name}")
def test_twins_of_two_layouts_are_the_same(pair: tuple[Vector, Vector]) -> None:
    found = difference(pair[0].data, pair[1].data, Rules(attributes=False))
    assert all(column.compared > 0 and column.different == 0 for column in found.columns)
    # The reference writes six digits of lengths into XML.
    assert all("the lengths of" in problem for problem in found.problems), found.problems
    assert found.same == (checksum(pair[0].data).whole == checksum(pair[1].data).whole)


def test_large_blocks_are_split(tmp_path: Path) -> None:
    quire.copy(SMALL, tmp_path / "s.fld", options={"layout": "xml", "largest_block": 100})
    with quire.open(SMALL) as file, quire.open(tmp_path / "s.fld", blocks="each") as split:
        whole = file[0].read_elements_all()
        parts = split[0].read_elements_all()
    assert (len(whole), len(parts)) == (2, 4)
    assert joined([part.ids for part in parts]) == joined([block.ids for block in whole])
    for name in ("u", "p"):
        found = joined([part.coefficients(name) for part in parts])
        assert found == joined([block.coefficients(name) for block in whole])


def joined(arrays: list[np.ndarray[Any, Any]]) -> bytes:
    """Return the concatenated bytes of arrays."""
    return np.concatenate(arrays).tobytes()


@pytest.mark.mpi
def test_a_file_is_split_again_by_any_number_of_ranks(tmp_path: Path) -> None:
    folder, streams = tmp_path / "parts.fld", tmp_path / "streams.fld"
    convert_on(3, SMALL, folder, "directory")
    assert {part.name for part in folder.glob("P*.fld")} == {f"P000000{rank}.fld" for rank in range(3)}
    assert_same_blocks(SMALL, folder)
    convert_on(2, folder, streams, "streams")
    with quire.open(streams, format="sion") as file:
        assert file[0].streams.ranks == [0, 1]
    assert_same_blocks(SMALL, streams)
    assert difference(SMALL, streams).same
    assert difference(folder, streams).same
    assert len({checksum(path).whole for path in (SMALL, folder, streams)}) == 1


def convert_on(ranks: int, source: Path, target: Path, layout: str) -> None:
    """Convert with the command, which starts the ranks."""
    command = [sys.executable, "-m", "quire", "convert", str(source), str(target)]
    command += ["--option", f"layout={layout}", f"--ranks={ranks}"]
    variables = {"PYTHONPATH": str(Path(quire.__file__).parent.parent), "QUIRE_MPIEXEC": mpiexec()}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=os.environ | variables
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.mpi
def test_streams_are_repacked_to_a_name_of_fields(tmp_path: Path) -> None:
    source, anew = tmp_path / "case.fld", tmp_path / "anew.chk"
    quire.copy(SMALL, source, options={"layout": "streams"})
    for ranks in (1, 2):
        command = [mpiexec(), "-n", str(ranks), sys.executable, "-m", "quire", "repack", "--overwrite"]
        done = subprocess.run([*command, str(source), str(anew)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        with quire.open(anew) as fields, quire.open(anew, format="sion") as streams:
            assert fields.format == "nektar"
            assert len(streams[0].streams) == 1
        assert_same_blocks(source, anew)
