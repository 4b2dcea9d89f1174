"""HDF5 files of other writers, created with another library, for each rule of the specification."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.format.nektar.made import QUADRILATERALS

import quire
from quire.errors import UsageError
from quire.toolkit.difference import difference

DATA = Path(__file__).resolve().parents[2] / "data" / "nektar"
SMALL = DATA / "tiny-hdf5.fld"
MIXED = DATA / "tiny-mixed-2hom-hdf5.fld"
Group = Any


def changed(tmp_path: Path, change: Callable[[Group], None], sample: Path = SMALL) -> Path:
    """Return a copy of a sample with a change."""
    path = tmp_path / "changed.fld"
    shutil.copyfile(sample, path)
    with h5py.File(path, "r+") as file:
        change(file["NEKTAR"])
    return path


def stored(root: Group, **how: Any) -> None:
    """Store all datasets in another way; `types` are the types of some."""
    types = how.pop("types", {})
    for name in [name for name in root if isinstance(root[name], h5py.Dataset)]:
        values = root[name][:]
        del root[name]
        root.create_dataset(name, data=values.astype(types.get(name, values.dtype)), **how)


def with_texts(root: Group, kind: Any) -> None:
    """Give the texts of all groups another type."""
    for group in (root[name] for name in root if isinstance(root[name], h5py.Group)):
        for name, value in list(group.attrs.items()):
            if name in ("SHAPE", "NUMMODESPERDIR", "FIELDS"):
                plain = [text if isinstance(text, str) else text.decode() for text in np.atleast_1d(value)]
                made = np.array(plain, dtype=kind) if name == "FIELDS" else np.array(plain[0], dtype=kind)
                group.attrs.create(name, made)


def other_integers(root: Group) -> None:
    """Give bases and the version other widths."""
    root.attrs.create("FORMAT_VERSION", 1, dtype="u8")
    for group in (root[name] for name in root if isinstance(root[name], h5py.Group)):
        if "BASIS" in group.attrs:
            group.attrs.create("BASIS", group.attrs["BASIS"].astype(">u2"))


WIDE = {"ELEMENTIDS": ">i8", "DATA": ">f8", "DECOMPOSITION": ">u8", "POLYORDERS": "u1"}
CHANGES: dict[str, Callable[[Group], None]] = {
    "chunks": lambda root: stored(root, chunks=(2,)),
    "chunks that end after the values": lambda root: stored(root, chunks=(5,), maxshape=(None,)),
    "compressed": lambda root: stored(root, chunks=(2,), compression="gzip", shuffle=True),
    "other types": lambda root: stored(root, types=WIDE),
    "growing": lambda root: stored(root, chunks=(2,), maxshape=(None,)),
    "texts of one length": lambda root: with_texts(root, "S20"),
    "UTF-8": lambda root: with_texts(root, h5py.string_dtype("utf-8")),
    "other integers": other_integers,
    "more groups and attributes": lambda root: root.create_group("Else").attrs.create("x", 1),
}


@pytest.mark.parametrize("sample", [SMALL, MIXED], ids=["uniform", "mixed"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_variant_has_the_same_elements(tmp_path: Path, change: str, sample: Path) -> None:
    path = changed(tmp_path, CHANGES[change], sample)
    for blocks in ("joined", "each"):
        with quire.open(path, blocks=blocks) as file:
            assert file.format == "nektar"
            assert file.check().damage is None
            assert file[0].warnings == []
    found = difference(sample, path)
    assert found.same, found.problems


def test_metadata_may_be_missing_or_numeric(tmp_path: Path) -> None:
    def drop(root: Group) -> None:
        del root["Metadata"]

    with quire.open(changed(tmp_path, drop)) as file:
        assert dict(file[0].attrs) == {}
        assert file[0].number == 0

    def as_number(root: Group) -> None:
        root["Metadata"].attrs["ChkFileNum"] = 12

    with quire.open(changed(tmp_path, as_number)) as file:
        assert file[0].number == 12


def rebased(root: Group, bases: dict[str, list[int]], version: str | None) -> None:
    """Give the groups other numbers of bases, by their shapes."""
    for group in (root[name] for name in root if name.isdecimal()):
        for shape, numbers in bases.items():
            if group.attrs["SHAPE"] == shape:
                group.attrs.create("BASIS", np.array(numbers, dtype="i4"))
    provenance = root["Metadata/Provenance"].attrs
    del provenance["NektarVersion"]
    if version is not None:
        provenance["NektarVersion"] = version


@pytest.mark.parametrize(
    ("triangle", "version", "basis", "warns"),
    [
        ([4, 5], "4.4.1", "Legendre", False),
        ([4, 5], "5.2.0", "GLL_Lagrange", False),
        ([4, 5], None, "GLL_Lagrange", True),
        # A numbering that triangles require holds for the whole file.
        ([16, 5], "4.4.1", "", False),
        ([12, 5], "4.4.1", "Legendre", False),
    ],
)
def test_one_numbering_of_bases_holds_for_a_file(
    tmp_path: Path, triangle: list[int], version: str | None, basis: str, warns: bool
) -> None:
    bases = {"Triangle": triangle, "Quadrilateral": [10, 10]}
    path = changed(tmp_path, lambda root: rebased(root, bases, version))
    with quire.open(path) as file:
        if not basis:
            with pytest.raises(quire.BadFileError, match="are not bases of a Triangle"):
                _ = file[0]
            return
        found = {block.shape: block.basis for block in file[0].expansions}
        assert found["Quadrilateral"] == (basis, basis)
        assert any("version" in text for text in file[0].warnings) == warns


def rework(root: Group) -> None:
    """Convert the file to the rework of 2018, which stores the offset of every part."""
    rows = root["DECOMPOSITION"][:].reshape(-1, 7)
    ends = np.zeros(6, dtype=np.uint64)
    table = []
    for row in rows:
        orders, y, z, strips = 2, 3, 4, 5
        places = [(ends[part], row[part]) for part in (0, 1, y, z, strips, orders)]
        table.append([row[6], *(number for place in places for number in place)])
        ends += row[:6]
    root["DATA_DECOMPOSITION"] = np.array(table, dtype=np.uint64).ravel()
    root["FIELD_DECOMPOSITION"] = np.array([0, len(rows)], dtype=np.uint64)
    root["ELEM_IDS"], root["ELEM_DATA"] = root["ELEMENTIDS"][:], root["DATA"][:]
    for name in ("Y", "Z", "S"):
        if f"HOMOGENEOUS{name}IDS" in root:
            root[f"HOMOGENEOUS{name}_IDS"] = root[f"HOMOGENEOUS{name}IDS"][:]
            del root[f"HOMOGENEOUS{name}IDS"]
    for name in ("DECOMPOSITION", "ELEMENTIDS", "DATA"):
        del root[name]


@pytest.mark.parametrize("sample", [SMALL, MIXED], ids=["uniform", "mixed"])
def test_the_rework_of_2018_is_read(tmp_path: Path, sample: Path) -> None:
    path = changed(tmp_path, rework, sample)
    found = difference(sample, path)
    assert found.same, found.problems


def set_row(root: Group, row: int, column: int, value: int) -> None:
    """Change a number of the decomposition."""
    root["DECOMPOSITION"][7 * row + column] = value


def move_element(root: Group) -> None:
    """Give an element of one block to another."""
    set_row(root, 0, 0, 1)
    set_row(root, 1, 0, 2)


def drop(root: Group, name: str) -> None:
    """Remove a link."""
    del root[name]


def set_types(root: Group, name: str, value: Any) -> None:
    """Change an attribute of all types of blocks."""
    for group in (root[link] for link in root if isinstance(root[link], h5py.Group)):
        if "BASIS" in group.attrs:
            group.attrs[name] = value


def without_version(root: Group) -> None:
    """Leave the version out, as files of branches before July 2016 do."""
    del root.attrs["FORMAT_VERSION"]


DAMAGES: dict[str, tuple[Callable[[Group], None], str]] = {
    "no version": (without_version, "missing"),
    "version 2": (lambda root: root.attrs.modify("FORMAT_VERSION", np.uint32(2)), "version 2"),
    "version in letters": (lambda root: root.attrs.create("FORMAT_VERSION", "one"), "FORMAT_VERSION"),
    "a negative basis": (lambda root: set_types(root, "BASIS", [-1, 4]), "BASIS: the int64 value -1"),
    "bases in letters": (lambda root: set_types(root, "BASIS", "Modified_A"), "BASIS"),
    "mesh": (lambda root: root.create_group("GEOMETRY"), "mesh"),
    "too many elements": (lambda root: set_row(root, 0, 0, 3), "assigns more than"),
    "too few values": (lambda root: set_row(root, 1, 1, 7), "more values than the decomposition"),
    "elements moved": (move_element, "values, not"),
    "no group": (lambda root: set_row(root, 0, 6, 4711), "4711"),
    "no data": (lambda root: drop(root, "DATA"), "DATA"),
    "no decomposition": (lambda root: drop(root, "DECOMPOSITION"), "missing"),
    "orders of a uniform file": (lambda root: set_row(root, 0, 2, 4), "POLYORDERS"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_contradictions_are_refused(tmp_path: Path, damage: str) -> None:
    change, words = DAMAGES[damage]
    with quire.open(changed(tmp_path, change)) as file:
        found = file.check().damage
        assert found is not None
        assert words in str(found)


@pytest.mark.parametrize("part", [0.2, 0.5, 0.99])
def test_a_truncated_file_is_reported_as_such(tmp_path: Path, part: float) -> None:
    whole = SMALL.read_bytes()
    path = tmp_path / "cut.fld"
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(quire.BadFileError, match="the file is cut") as caught:
        quire.open(path, tolerant=True)
    assert "option" not in caught.value.advice


def test_all_datasets_share_the_chunk_cache(tmp_path: Path) -> None:
    path = tmp_path / "large.fld"
    elements, block = 2000, 200
    ids = np.sort(np.random.default_rng(5).choice(1 << 31, elements, replace=False)).astype("u4")
    values = np.random.default_rng(6).random(elements * 36)
    with quire.create(path, format="nektar") as out, out.step(0) as step:
        step.put_elements(
            [quire.ElementBlock(ids=ids, modes=np.array([6, 6]), values={"u": values}, **QUADRILATERALS)]
        )
    with h5py.File(path, "r+") as file:
        root = file["NEKTAR"]
        for name, type, chunk in (("DATA", "f8", values.size // 4), ("ELEMENTIDS", "u8", elements)):
            whole = root[name][:].astype(type)
            del root[name]
            root.create_dataset(name, data=whole, chunks=(chunk,), compression="gzip")
        compressed = sum(root[name].id.get_storage_size() for name in ("DATA", "ELEMENTIDS"))
    line, other = values.nbytes // 4, 1 << 14
    for size, is_once in ((line + other, True), (line, False), (0, False)):
        with quire.open(path, chunk_cache=size) as file:
            coefficients, numbers = file[0].tables.values()
            begin = file.counters.bytes_read
            for first in range(0, elements, block):
                part = slice(36 * first, 36 * (first + block))
                np.testing.assert_array_equal(coefficients["u"][part], values[part])
                part = slice(first, first + block)
                np.testing.assert_array_equal(numbers["id"][part], ids[part])
            times = (file.counters.bytes_read - begin) / compressed
        assert times < 1.4 if is_once else times > 2


def test_the_chunk_cache_applies_to_hdf5_files_only(tmp_path: Path) -> None:
    path = changed(tmp_path, CHANGES["compressed"])
    for size in (0, 1 << 20):
        assert difference(SMALL, path, chunk_cache=size).same
    with pytest.raises(UsageError, match="HDF5 files only"):
        quire.open(DATA / "tiny.fld", chunk_cache=1 << 20)


def unwritten(root: Group, name: str) -> None:
    """Create a dataset again without values, as the reference does before it writes anything."""
    values = root[name]
    shape, dtype = values.shape, values.dtype
    del root[name]
    root.create_dataset(name, shape=shape, dtype=dtype)


@pytest.mark.parametrize("name", ["DATA", "ELEMENTIDS", "POLYORDERS", "DECOMPOSITION", "HOMOGENEOUSZIDS"])
def test_a_dataset_that_was_never_written_is_damage(tmp_path: Path, name: str) -> None:
    path = changed(tmp_path, lambda root: unwritten(root, name), MIXED)
    with pytest.raises(quire.BadFileError, match="never written") as caught, quire.open(path) as file:
        file[0].read_elements_all()
    assert name in str(caught.value)
    with quire.open(path) as file:
        assert "never written" in str(file.check().damage)


@pytest.mark.parametrize("chunk", [8, 35])
@pytest.mark.parametrize("compression", [None, "gzip"])
def test_chunks_that_were_never_written_give_a_warning(
    tmp_path: Path, chunk: int, compression: str | None
) -> None:
    def in_part(root: Group) -> None:
        values = root["DATA"][:]
        del root["DATA"]
        made = root.create_dataset(
            "DATA", shape=values.shape, dtype="f8", chunks=(chunk,), compression=compression
        )
        made[:chunk] = values[:chunk]

    with quire.open(changed(tmp_path, in_part)) as file:
        assert any("parts of the dataset DATA were never written" in text for text in file[0].warnings)


@pytest.mark.parametrize("name", ["DATA", "ELEMENTIDS"])
def test_a_far_too_large_extent_is_damage(tmp_path: Path, name: str) -> None:
    def endless(root: Group) -> None:
        values = root[name][:]
        del root[name]
        made = root.create_dataset(name, shape=(1 << 44,), dtype=values.dtype, chunks=(len(values),))
        made[: len(values)] = values

    path = changed(tmp_path, endless)
    with pytest.raises(quire.BadFileError, match="claims 17592186044416 elements") as caught:
        quire.open(path)[0].read_elements_all()
    assert name in str(caught.value)


def with_row(root: Group, row: int, hash: int) -> None:
    """Change the group of a row of the decomposition."""
    root["DECOMPOSITION"][7 * row + 6] = hash


def with_ids(root: Group, ids: list[int], dtype: str) -> None:
    """Store other ids."""
    del root["ELEMENTIDS"]
    root.create_dataset("ELEMENTIDS", data=np.array(ids, dtype=dtype))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda root: with_row(root, 1, 0), "a row without a group"),
        (lambda root: with_ids(root, [0, 1, 5, 2**32], "u8"), "4294967296 does not fit"),
        (lambda root: with_ids(root, [0, 1, 5, -1], "i4"), "negative"),
        (lambda root: with_ids(root, [0, 1, 5, -1], "i8"), "negative"),
    ],
)
def test_rows_and_ids_that_no_block_can_have_are_refused(
    tmp_path: Path, change: Callable[[Group], None], words: str
) -> None:
    path = changed(tmp_path, change)
    with pytest.raises(quire.BadFileError, match=words), quire.open(path) as file:
        file[0].read_elements_all()
    with quire.open(path) as file:
        assert words in str(file.check().damage)


@pytest.mark.parametrize("dtype", ["u8", "i4", "u2"])
def test_ids_of_other_widths_are_read(tmp_path: Path, dtype: str) -> None:
    with quire.open(changed(tmp_path, lambda root: with_ids(root, [0, 1, 5, 7], dtype))) as file:
        elements = file[0].read_elements_all(partition="everything")
        assert [int(id) for block in elements for id in block.ids] == [0, 1, 5, 7]
        assert file.check().damage is None
