"""Streams of fields are repacked to names of fields, however they were opened and split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.format.nektar.made import QUADRILATERALS, TRIANGLES, block_of
from tests.python.support.mpi import run_ranks
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.toolkit.difference import difference
from quire.toolkit.streams import repack


def run(*words: Any) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def write_fields(path: Path) -> Path:
    """One stream in one file."""
    with quire.create(path, format="nektar", layout="streams") as out, out.step(0) as step:
        step.put_elements(
            [
                block_of(TRIANGLES, [7, 2], np.array([3, 4])),
                block_of(QUADRILATERALS, [5], np.array([4, 4])),
            ]
        )
    return path


def write_half(path: Path) -> Path:
    """A set of files with a stream of fields and a truncated one: not recognised as fields."""
    single = write_fields(path.with_suffix(".chk"))
    with quire.open(single, format="sion") as file:
        [content] = [stream.readall() for stream in file[0].streams.values()]
    with quire.create(path, format="sion", files=2) as out, out.step(0) as step:
        step.stream(rank=0, chunk_size=100).write(content[:4])
        step.stream(rank=1, chunk_size=10000).write(content)
    return path


def write_pair(path: Path) -> Path:
    """The same fields, with a stream in its own file for each block."""
    contents = []
    for kind, ids, orders in ((TRIANGLES, [7, 2], [3, 4]), (QUADRILATERALS, [5], [4, 4])):
        single = path.with_suffix(".one.chk")
        with quire.create(single, format="nektar", layout="streams") as out, out.step(0) as step:
            step.put_elements([block_of(kind, ids, np.array(orders))])
        with quire.open(single, format="sion") as file:
            contents += [stream.readall() for stream in file[0].streams.values()]
    with quire.create(path, format="sion", files=2) as out, out.step(0) as step:
        for rank, content in enumerate(contents):
            step.stream(rank=rank, chunk_size=10000).write(content)
    return path


@pytest.mark.parametrize("option", ["merged=true", "merged=false", "format=sion"])
def test_read_options_of_streams_do_not_apply_to_fields(tmp_path: Path, option: str) -> None:
    source, target = write_fields(tmp_path / "case.chk"), tmp_path / "anew.chk"
    done = run("repack", source, target, "--read-option", option)
    assert done.exit_code == 0, done.stderr
    assert difference(source, target).same


def test_a_set_of_files_is_repacked_to_a_name_of_fields(tmp_path: Path) -> None:
    source, target = write_pair(tmp_path / "set.sion"), tmp_path / "one.chk"
    with quire.open(source) as file:
        assert file.format == "sion", "streams, as fields were not requested"
    done = run("repack", source, target)
    assert done.exit_code == 0, done.stderr
    with quire.open(target) as file:
        assert file.format == "nektar"
        assert {block.shape for block in file[0].expansions} == {"Triangle", "Quadrilateral"}


def test_other_streams_are_not_repacked_to_a_name_of_fields(tmp_path: Path) -> None:
    with quire.create(tmp_path / "plain.sion", format="sion") as out, out.step(0) as step:
        step.stream(rank=0, chunk_size=100).write(b"hello")
    for source in (tmp_path / "plain.sion", write_half(tmp_path / "half.sion")):
        done = run("repack", source, tmp_path / "plain.chk")
        assert done.exit_code == 1
        assert "files of the format nektar have no streams" in done.stderr
        assert not (tmp_path / "plain.chk").exists()


def repack_on(comm: Any, source: str, target: str) -> None:
    repack(source, target, comm=comm)


@pytest.mark.mpi
def test_ranks_agree_on_the_format(tmp_path: Path) -> None:
    source, target = write_pair(tmp_path / "set.sion"), tmp_path / "one.chk"
    run_ranks(repack_on, 2, str(source), str(target))
    with quire.open(target) as file:
        assert file.format == "nektar"
