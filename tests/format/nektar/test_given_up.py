"""An aborted checkpoint is not accepted as one; errors name the rank and the object."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.python.cli.conftest import run as run  # a fixture
from tests.python.support.mpi import run_ranks

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

SMALL = Path(__file__).resolve().parents[2] / "data" / "nektar" / "tiny.fld"
LAYOUTS = ["hdf5", "xml", "directory", "streams"]


def blocks() -> list[Any]:
    with quire.open(SMALL, quire.SELF) as file:
        return list(file[0].read_elements_all(partition="everything").blocks)


def give_up(path: Path, options: dict[str, Any], *, is_put: bool) -> None:
    with quire.create(path, **options) as out, out.step(3) as step:
        if is_put:
            step.put_elements(blocks())
        raise RuntimeError("no more")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("replacement", ["suited", "direct"])
@pytest.mark.parametrize("is_put", [False, True])
def test_an_aborted_first_step_leaves_no_complete_file(
    tmp_path: Path, run: Run, layout: str, replacement: str, is_put: bool
) -> None:
    path = tmp_path / "given.chk"
    options: dict[str, Any] = {"layout": layout, "replacement": replacement}
    with pytest.raises(RuntimeError, match="no more"):
        give_up(path, options, is_put=is_put)
    with pytest.raises(quire.Error):
        quire.open(path)
    assert run("check", str(path)).code != 0
    with quire.create(path, **options) as out, out.step(4) as step:
        step.put_elements(blocks())
    assert quire.open(path)[0].number == 4


@pytest.mark.parametrize("layout", ["hdf5", "xml", "streams"])
def test_a_compressed_file_is_kept_until_its_replacement_has_a_step(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "given.chk.gz"
    options: dict[str, Any] = {"layout": layout}
    with pytest.raises(RuntimeError, match="no more"):
        give_up(path, options, is_put=True)
    assert list(tmp_path.iterdir()) == []
    with quire.create(path, **options) as out, out.step(4) as step:
        step.put_elements(blocks())
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match="no more"):
        give_up(path, options, is_put=True)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == before


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_without_a_step_is_valid(tmp_path: Path, layout: str) -> None:
    with quire.create(tmp_path / "none.chk", layout=layout):
        pass
    assert len(quire.open(tmp_path / "none.chk")[0].read_elements_all(partition="everything").blocks) == 0


@pytest.mark.parametrize("suffix", [".sdds", ".h5part", ".h5"])
def test_formats_without_elements_lose_the_expansion(tmp_path: Path, run: Run, suffix: str) -> None:
    lossy = run("convert", "--dry-run", str(SMALL), str(tmp_path / f"lost{suffix}"))
    assert lossy.code == 1
    assert "bases, numbers of modes and planes" in lossy.errors
    kept = run("convert", "--dry-run", str(SMALL), str(tmp_path / "kept.chk"))
    assert "bases" not in kept.output + kept.errors


def test_the_expansion_of_rows_is_shown(run: Run) -> None:
    shown = run("info", str(SMALL)).output
    with quire.open(SMALL) as file:
        for block in file[0].expansions:
            assert f"coefficients on {block.shape}s: {block.basis[0]}" in shown
    planes = run("info", str(SMALL.parent / "tiny-planes-hdf5.fld"))
    assert "Fourier 4; of length 1; z 0, 1" in planes.output
    answer = json.loads(run("info", "--json", str(SMALL.parent / "tiny-planes-hdf5.fld")).output)
    tables = answer["files"][0]["steps"][0]["tables"]
    assert [table["expansion"] and table["expansion"]["z_ids"] for table in tables] == [
        [0, 1],
        None,
        [2, 3],
        None,
    ]


@pytest.mark.parametrize("format", ["sdds", "h5part", "hdf5"])
def test_formats_without_elements_refuse_them(tmp_path: Path, format: str) -> None:
    out = quire.create(tmp_path / "none", format=format)
    with pytest.raises(quire.UnsupportedError, match="hold no elements"), out.step(0) as step:
        step.put_elements(blocks())
    out.close()


def write_a_directory(comm: Any, path: str) -> None:
    mine = [] if comm.rank == 0 else blocks()[comm.rank - 1 : comm.rank]
    with quire.create(path, comm, layout="directory") as out, out.step(0) as step:
        step.put_elements(mine)


@pytest.mark.mpi
def test_the_damaged_part_is_named(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "parts.chk"
    run_ranks(write_a_directory, 3, str(path), time_limit=40)
    part = max(path.glob("P*.fld"))
    text = bytearray(part.read_bytes())
    start = text.rindex(b"</ELEMENTS>")
    text[start - 40] = ord("A") if text[start - 40] != ord("A") else ord("B")
    part.write_bytes(text)
    for command in ("sum", "check"):
        done = run(command, str(path))
        assert done.code != 0
        assert part.name in done.output + done.errors


def put_a_wrong_basis(comm: Any, path: str, layout: str) -> str:
    mine = blocks()[:1]
    if comm.rank == 1:
        mine = [dataclasses.replace(mine[0], basis=("Modified_Z", *mine[0].basis[1:]))]
    out = quire.create(path, comm, layout=layout)
    with pytest.raises(quire.Error) as caught, out.step(0) as step:
        step.put_elements(mine)
    out.close()
    return str(caught.value)


@pytest.mark.mpi
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_rank_with_a_wrong_part_is_named(tmp_path: Path, layout: str) -> None:
    errors = run_ranks(put_a_wrong_basis, 2, str(tmp_path / "wrong.chk"), layout, time_limit=40)
    for text in errors:
        assert "Modified_Z" in text
        assert "[rank 1]" in text
        assert f"{blocks()[0].shape}_2" not in text
