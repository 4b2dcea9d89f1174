"""Writers of split files: a writer that is refused removes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quire
from quire.errors import ConflictError

ROWS = 100


def write(out: quire.Writer, number: int, first: float) -> None:
    with out.step(number) as step:
        step.put("x", np.arange(ROWS) + first)


def firsts(path: Path) -> list[float]:
    with quire.open(path) as file:
        return [float(step["x"][0]) for step in file]


@pytest.mark.parametrize(
    "second",
    [
        {"split": True},
        {"split": False},
        {"replacement": "whole", "split": True},
        {"compression": "gzip"},
    ],
)
@pytest.mark.parametrize("begun", ["created", "appended to"])
def test_a_second_writer_is_refused_and_removes_nothing(
    tmp_path: Path, begun: str, second: dict[str, Any]
) -> None:
    path = tmp_path / "beam-m.h5"
    with quire.create(path, format="h5part", split=True) as out:
        write(out, 0, 1.0)
        if begun == "created":
            with pytest.raises(ConflictError, match="another writer"):
                quire.create(path, format="h5part", **second)
            write(out, 1, 2.0)
    if begun != "created":
        with quire.append(path) as out:
            with pytest.raises(ConflictError, match="another writer"):
                quire.create(path, format="h5part", **second)
            write(out, 1, 2.0)
    assert firsts(path) == [1.0, 2.0]


def test_a_first_step_being_written_is_not_reported_as_orphaned(tmp_path: Path) -> None:
    path = tmp_path / "beam-m.h5"
    with quire.create(path, format="h5part", split=True) as out:
        step = out.step(0)
        step.declare("x", "float64")
        step.rows(ROWS)
        step.open()
        step.write(0, {"x": np.arange(float(ROWS)) + 1})
        with pytest.raises(ConflictError, match="another writer"):
            quire.create(path, format="h5part", split=True)
        step.commit()
    assert firsts(path) == [1.0]


def test_a_link_to_another_pair_is_not_overwritten(tmp_path: Path) -> None:
    """The other pair would combine its old values with the new metadata."""
    other = tmp_path / "other-m.h5"
    with quire.create(other, format="h5part", split=True) as out:
        write(out, 0, 1.0)
    link = tmp_path / "beam-m.h5"
    link.symlink_to(other.name)
    with pytest.raises(ConflictError, match=r"would lose .*other-r\.h5"):
        quire.create(link, format="h5part", split=True)
    assert firsts(other) == [1.0]


@pytest.mark.parametrize("format_name", ["h5part", "hdf5"])
def test_linked_raw_data_are_written_in_place(tmp_path: Path, format_name: str) -> None:
    path = tmp_path / "beam-m.h5"
    scratch = tmp_path / "scratch"
    for first in (1.0, 2.0):
        with quire.create(path, format=format_name, split=True) as out:
            write(out, 0, first)
        raw = tmp_path / "beam-r.h5"
        if not raw.is_symlink():
            raw.rename(scratch)
            raw.symlink_to(scratch.name)
        assert firsts(path) == [first]
    assert raw.is_symlink()


@pytest.mark.parametrize("moved", [False, True])
def test_a_pair_exists_during_its_replacement(tmp_path: Path, moved: bool) -> None:
    path = tmp_path / "beam-m.h5"
    ready = tmp_path / "beam-m.h5.quire-ready"
    for place, first in ((path, 1.0), (ready / path.name, 2.0)):
        place.parent.mkdir(exist_ok=True)
        with quire.create(place, split=True) as out:
            write(out, 0, first)
    path.rename(tmp_path / "beam-m.h5.quire-previous")
    raw = ready / "beam-r.h5"
    file = quire.open(path) if moved else None
    if moved:
        raw.replace(tmp_path / raw.name)
    assert firsts(path) == [2.0]
    if file is not None:
        # A file that was opened before can still be written.
        (ready / path.name).rename(path)
        assert file[0]["x"][0] == 2.0
        file.close()
    assert quire.finish_replacement(path)
    assert firsts(path) == [2.0]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["beam-m.h5", "beam-r.h5"]
