"""Options without effect are refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quire

USELESS = [
    ("sdds", {"lines_per_row": 2}, "lines_per_row"),
    ("sdds", {"no_row_counts": True}, "no_row_counts"),
    ("sdds", {"mode": "ascii", "major_order": "column"}, "major_order"),
    ("sdds", {"mode": "ascii", "byte_order": "big"}, "byte_order"),
    ("sdds", {"compression_level": 3}, "compression_level"),
    ("sion", {"collsize": 4}, "collsize"),
    ("sion", {"mode": "collective", "origins": "kept"}, "origins"),
    ("nektar", {"layout": "hdf5", "largest_block": 1000}, "largest_block"),
    ("nektar", {"kept_text": 1000}, "kept_text"),
    ("nektar", {"layout": "xml", "alignment": 512}, "alignment"),
]


@pytest.mark.parametrize(("format", "options", "name"), USELESS)
def test_an_option_without_effect_is_named(
    tmp_path: Path, format: str, options: dict[str, Any], name: str
) -> None:
    def write() -> None:
        with quire.create(tmp_path / "new", format=format, **options) as out, out.step(0) as step:
            step.put("x", np.zeros(3))

    with pytest.raises(quire.UsageError, match=name):
        write()


def test_presets_have_no_effect_and_are_never_refused(tmp_path: Path) -> None:
    options: dict[str, Any] = {"lines_per_row": 1, "no_row_counts": False, "byte_order": "native"}
    with quire.create(tmp_path / "new", format="sdds", **options) as out, out.step(0) as step:
        step.put("x", np.zeros(3))
    assert len(quire.open(tmp_path / "new")[0]["x"]) == 3


def test_options_that_agree_with_an_existing_file_are_accepted(tmp_path: Path) -> None:
    """The layout of the existing file is used, and options may repeat it."""
    path = tmp_path / "text"
    with quire.create(path, format="sdds", mode="ascii", lines_per_row=2) as out, out.step(0) as step:
        step.put("x", np.zeros(3))
        step.put("y", np.zeros(3))
    with quire.append(path, lines_per_row=2) as out, out.step(1) as step:
        step.put("x", np.ones(3))
        step.put("y", np.ones(3))
    with quire.open(path) as file:
        assert len(file) == 2


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("set.sion.gz", {"files": 2}),
        ("set.sion.gz", {"copies": 1, "files": 2}),
        ("part.fld.gz", {"layout": "directory"}),
    ],
)
def test_several_files_are_not_compressed_into_one(
    tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    """The compressed file would contain only the first of them."""

    def write() -> None:
        with quire.create(tmp_path / name, **options) as out, out.step(0) as step:
            for rank in range(4):
                step.stream(rank=rank).write(b"1234")

    with pytest.raises(quire.UsageError, match="cannot be compressed"):
        write()


def test_a_path_with_a_nul_opens_no_other_file(tmp_path: Path) -> None:
    """The system would cut the path there, and another file would be truncated."""
    path = tmp_path / "kept.sdds"
    path.write_bytes(b"kept")
    for call in (quire.create, quire.append, quire.open):
        with pytest.raises((quire.Error, ValueError)):
            call(f"{path}\0.sdds")
    assert path.read_bytes() == b"kept"
