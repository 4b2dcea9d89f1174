"""Objects with very many attributes index them, and keep their order."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

import quire

FEW = 20
MANY = 1000
GROUPS = {"h5part": "Step#0", "hdf5": "/", "openpmd": "data/0"}
"""The object that has the attributes of a step, by format."""


def write(path: Path, format: str, count: int, version: str = "earliest") -> list[str]:
    """Independent. Write a step with so many attributes; return their names in the order of writing."""
    names = [f"attribute{i * 7919 % count}" for i in range(count)]
    with quire.create(path, format=format, library_version=version) as out, out.step(0) as step:
        for i, name in enumerate(names):
            step.set(name, i)
        step.put("x", np.array([1.0]), table="beam" if format == "openpmd" else "")
    return names


def header_version(path: Path, group: str) -> int:
    """Independent. Return the version of the header of an object."""
    with h5py.File(path) as file:
        return int(h5py.h5o.get_info(file[group].id).hdr.version)


@pytest.mark.parametrize("format", GROUPS)
@pytest.mark.parametrize(
    ("count", "version", "expected"), [(FEW, "earliest", 1), (MANY, "earliest", 2), (MANY, "v18", 2)]
)
def test_many_attributes_are_indexed_in_order(
    tmp_path: Path, format: str, count: int, version: str, expected: int
) -> None:
    path = tmp_path / f"many.{format}"
    names = write(path, format, count, version)
    assert header_version(path, GROUPS[format]) == expected
    with quire.open(path) as file:
        held = [name for name in (*file.attrs, *file[0].attrs) if name.startswith("attribute")]
    assert held == names
    with h5py.File(path) as file:
        assert [int(np.ravel(file[GROUPS[format]].attrs[name])[0]) for name in names] == list(range(count))


@pytest.mark.parametrize("format", ["h5part", "openpmd"])
def test_many_attributes_of_one_step_leave_the_others_as_they_were(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"steps.{format}"
    write(path, format, FEW)
    with quire.append(path) as out:
        for number, count in ((1, MANY), (2, FEW)):
            with out.step(number) as step:
                for i in range(count):
                    step.set(f"attribute{i}", i)
                step.put("x", np.array([1.0]), table="beam" if format == "openpmd" else "")
    assert [header_version(path, GROUPS[format].replace("0", str(n))) for n in range(3)] == [1, 2, 1]
    with quire.open(path) as file:
        counts = [sum(name.startswith("attribute") for name in step.attrs) for step in file]
    assert counts == [FEW, MANY, FEW]


def places(path: Path, names: list[str]) -> list[int]:
    """Independent. Return the numbers that HDF5 gave to attributes of the first step when they were made."""
    with h5py.File(path) as file:
        group = file[GROUPS["h5part"]].id
        return [int(h5py.h5a.get_info(group, name.encode()).corder) for name in names]


def test_attributes_are_rewritten_in_place(tmp_path: Path) -> None:
    """HDF5 counts the attributes that an object ever had, up to 65,535."""
    path = tmp_path / "many.h5part"
    names = write(path, "h5part", MANY)
    before = places(path, names)
    with quire.append(path, existing="overwrite") as out, out.step(0) as step:
        for i, name in enumerate(names):
            step.set(name, "a text" if i == 0 else 2 * i)
        step.put("x", np.array([1.0]))
    first, *others = places(path, names)
    assert first >= MANY  # it has another type
    assert others == before[1:]
    with quire.open(path) as file:
        found = dict(file[0].attrs)
    assert [found[name] for name in names] == ["a text", *(2 * i for i in range(1, MANY))]
