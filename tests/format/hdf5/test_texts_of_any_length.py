"""Variable-length texts and enumerations: checked before the library follows references of a damaged file."""

from __future__ import annotations

import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import quire
from quire.errors import BadFileError

TEXTS = ["a", "", "x" * 5000, "mitte \u00b5m", "end"]
LAYOUTS: dict[str, dict[str, Any]] = {
    "contiguous": {},
    "chunked": {"chunks": (2,), "maxshape": (None,)},
    "compressed": {"chunks": (4,), "compression": "gzip", "shuffle": True},
}
REFERENCES = {"length": (0, 9000), "heap": (4, 4096), "object": (12, 99)}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("version", ["earliest", "v110"])
def test_sound_texts_are_read(tmp_path: Path, layout: str, version: str) -> None:
    path = tmp_path / "texts.hdf5"
    with h5py.File(path, "w", libver=(version, "v110"), userblock_size=512) as file:
        file.create_dataset("t", data=TEXTS, dtype=h5py.string_dtype(), **LAYOUTS[layout])
        file.create_dataset("late", shape=(5,), dtype=h5py.string_dtype(), **LAYOUTS[layout])
        for number in range(20):  # more than the header holds
            file.attrs[f"a{number}"] = TEXTS
    with quire.open(path) as file:
        step = file[0]
        assert list(step["t"][:]) == TEXTS
        assert list(step["t"][1:4]) == TEXTS[1:4]
        assert list(step["late"][:]) == [""] * 5
        assert step.attrs["a19"].tolist() == TEXTS


@pytest.mark.parametrize("part", REFERENCES)
def test_wrong_references_in_data_sets_are_damage(tmp_path: Path, part: str) -> None:
    path = tmp_path / "texts.hdf5"
    with h5py.File(path, "w") as file:
        file.create_dataset("t", data=TEXTS, dtype=h5py.string_dtype())
    content = bytearray(path.read_bytes())
    place = content.index(struct.pack("<I", 5000))
    offset, wrong = REFERENCES[part]
    struct.pack_into("<I", content, place + offset, wrong)
    path.write_bytes(content)
    with quire.open(path) as file:
        assert list(file[0]["t"][:2]) == TEXTS[:2]
        with pytest.raises(BadFileError, match="text") as caught:
            file[0]["t"].read()
        assert caught.value.offset is not None


def test_references_of_empty_texts_are_followed_too(tmp_path: Path) -> None:
    path = tmp_path / "empty.hdf5"
    with h5py.File(path, "w") as file:
        file.create_dataset("t", data=["", "b", ""], dtype=h5py.string_dtype())
    content = bytearray(path.read_bytes())
    heap = struct.pack("<Q", content.index(b"GCOL"))
    empty = [place for place in range(len(content) - 16) if content[place : place + 12] == bytes(4) + heap]
    assert len(empty) == 2
    content[empty[-1] + 15] ^= 0x80  # of its index in the heap
    path.write_bytes(content)
    with quire.open(path) as file, pytest.raises(BadFileError, match="text"):
        file[0]["t"].read()


@pytest.mark.parametrize("length", [1, 60000])
def test_wrong_heaps_of_dense_attributes_are_damage(tmp_path: Path, length: int) -> None:
    path = tmp_path / "dense.hdf5"
    with h5py.File(path, "w", libver="v110") as file:
        for number in range(20):
            file.attrs[f"a{number}"] = ["x" * 500]
    content = bytearray(path.read_bytes())
    heap = content.index(b"GCOL")
    struct.pack_into("<Q", content, heap + 16 + 8, length)  # of the first text
    path.write_bytes(content)
    with pytest.raises(BadFileError):
        quire.open(path, format="hdf5")


def make_dense(path: Path) -> None:
    with h5py.File(path, "w", libver="v110") as file:
        file.create_dataset("t", data=TEXTS[:2] * 3, dtype=h5py.string_dtype(), chunks=(4,))
        for number in range(12):
            file.attrs[f"a{number}"] = ["name", "x" * number]


FLIPS = """
import contextlib, pathlib, sys, quire
path, places = pathlib.Path(sys.argv[1]), [int(place) for place in sys.argv[2:]]
whole = path.read_bytes()
for place in places:
    damaged = bytearray(whole)
    damaged[place] ^= 1 << place % 8
    path.write_bytes(damaged)
    with contextlib.suppress(quire.Error), quire.open(path, format="hdf5") as file:
        for table in file[0].tables.values():
            table.read()
"""


def test_flipped_bytes_of_texts_never_crash_the_library(tmp_path: Path) -> None:
    path = tmp_path / "flipped.hdf5"
    make_dense(path)
    whole = path.read_bytes()
    used = [place for place in range(len(whole)) if any(whole[max(place - 8, 0) : place + 8])]
    places = random.Random(5).sample(used, 400)
    done = subprocess.run(
        [sys.executable, "-c", FLIPS, str(path), *map(str, places)],
        timeout=60, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize("format", ["h5part", "hdf5"])
def test_names_of_numbers_are_left_out_with_one_warning_each(tmp_path: Path, format: str) -> None:
    path = tmp_path / "named.h5"
    states = h5py.enum_dtype({"idle": 0, "open": 7, "closed": -3}, "i2")
    with h5py.File(path, "w") as file:
        group = file.create_group("Step#0")
        group.create_dataset("state", data=np.array([0, 7, -3], "i2"), dtype=states)
        group["x"] = np.arange(3.0)
        group["truth"] = np.array([True, False, True])
        group.create_dataset("Block/f/0", data=np.zeros((1, 2, 3), "i2"), dtype=states)
        group.create_dataset("Block/f/1", data=np.zeros((1, 2, 3), "i2"), dtype=states)
        file.attrs.create("valve", 7, dtype=states)
    with quire.open(path, format=format) as file:
        step = file[0]
        assert step["state"][:].tolist() == [0, 7, -3]
        messages = [
            text for text in [*file.warnings, *step.warnings] if "closed = -3, idle = 0, open = 7" in text
        ]
        fields = ["f"] if format == "h5part" else ["Step#0/Block/f/0", "Step#0/Block/f/1"]
        column = "state" if format == "h5part" else "Step#0/state"
        wanted = ["the attribute valve", column, *fields]
        assert sorted(text.split(" are given")[0] for text in messages) == sorted(
            f"the values of {name}" for name in wanted
        )
        assert not any("truth" in text for text in step.warnings)
