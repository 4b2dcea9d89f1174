"""Directories and files that replace each other."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.format.nektar.made import TRIANGLES, block_of
from tests.python.support.mpi import run_ranks

import quire
from quire.toolkit.recover import recover

SMALL = Path(__file__).resolve().parents[2] / "data" / "nektar" / "tiny.fld"


def blocks_of(path: Path) -> list[bytes]:
    with quire.open(path) as file:
        return [
            expansion.coefficients(variable).tobytes()
            for expansion in file[0].expansions
            for variable in expansion.variables
        ]


@pytest.mark.parametrize(
    ("old", "new"), [("directory", "directory"), ("xml", "directory"), ("directory", "xml")]
)
def test_one_layout_replaces_another(tmp_path: Path, old: str, new: str) -> None:
    target = tmp_path / "case.fld"
    quire.copy(SMALL, target, options={"layout": old})
    with pytest.raises(quire.ConflictError, match="overwrite=True"):
        quire.copy(SMALL, target, options={"layout": new})
    quire.copy(SMALL, target, overwrite=True, options={"layout": new})
    assert target.is_dir() == (new == "directory")
    assert blocks_of(target) == blocks_of(SMALL)
    assert [entry.name for entry in tmp_path.iterdir()] == ["case.fld"]


def test_the_target_of_a_copy_may_end_in_a_slash(tmp_path: Path) -> None:
    for overwrite in (False, True):
        quire.copy(SMALL, f"{tmp_path}/case.fld/", overwrite=overwrite, options={"layout": "directory"})
        assert [entry.name for entry in tmp_path.iterdir()] == ["case.fld"]
        assert blocks_of(tmp_path / "case.fld") == blocks_of(SMALL)


@pytest.mark.parametrize("layout", ["directory", "xml", "hdf5", "streams"])
def test_only_the_directory_of_the_checkpoint_is_created(tmp_path: Path, layout: str) -> None:
    for name in ("no/case.fld", *(["no/case.fld/"] if layout == "directory" else [])):
        with pytest.raises(quire.Error, match=f"there is no directory {tmp_path}/no to write it to"):
            quire.copy(SMALL, f"{tmp_path}/{name}", options={"layout": layout})
        for replacement in ("suited", "direct", "whole"):
            with pytest.raises(quire.Error, match=f"there is no directory {tmp_path}/no to write it to"):
                quire.create(
                    f"{tmp_path}/{name}", format="nektar", layout=layout, replacement=replacement
                ).close()
    assert list(tmp_path.iterdir()) == []


def test_a_directory_with_other_files_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "case.fld"
    quire.copy(SMALL, target, options={"layout": "directory"})
    (target / "notes.txt").write_text("mine")
    with pytest.raises(quire.ConflictError, match=r"other files, too: notes\.txt"):
        quire.copy(SMALL, target, overwrite=True)
    home = tmp_path / "home.fld"
    home.mkdir()
    with pytest.raises(quire.ConflictError, match="not a data file"):
        quire.copy(SMALL, home, overwrite=True)
    assert (target / "notes.txt").read_text() == "mine"


def test_the_rest_of_an_interrupted_swap_is_no_other_file(tmp_path: Path) -> None:
    target = tmp_path / "case.fld"
    quire.copy(SMALL, target, options={"layout": "directory"})
    (target / ".quire-new").write_text("")
    assert blocks_of(target) == blocks_of(SMALL)
    quire.copy(SMALL, target, overwrite=True, options={"layout": "directory"})
    assert ".quire-new" not in os.listdir(target)


def test_a_swap_that_was_interrupted_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "case.fld"
    quire.copy(SMALL, target, options={"layout": "directory"})
    entry = (target / "Info.xml").stat().st_ino

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(quire, "finish_replacement", die)
        with pytest.raises(KeyboardInterrupt):
            quire.copy(SMALL, target, overwrite=True, options={"layout": "directory"})
    assert (target / "Info.xml").stat().st_ino == entry
    recover(target)
    assert (target / "Info.xml").stat().st_ino != entry
    assert blocks_of(target) == blocks_of(SMALL)
    assert [entry.name for entry in tmp_path.iterdir()] == ["case.fld"]


def test_a_damaged_directory_is_replaced(tmp_path: Path) -> None:
    source = tmp_path / "case.fld"
    quire.copy(SMALL, source, options={"layout": "directory"})
    shutil.copytree(source, tmp_path / "whole.fld")
    recover(source, tmp_path / "copy.fld")
    assert (tmp_path / "copy.fld").is_dir()
    assert blocks_of(tmp_path / "copy.fld") == blocks_of(SMALL)
    recover(source, tmp_path / "whole.fld", overwrite=True)
    assert sorted(os.listdir(tmp_path / "whole.fld")) == sorted(os.listdir(source))


@pytest.mark.parametrize("layout", ["hdf5", "directory"])
def test_a_directory_of_other_files_is_never_replaced(tmp_path: Path, layout: str) -> None:
    """Everything in it would be removed, the home of the user included."""
    target = tmp_path / "case.chk"
    target.mkdir()
    letter = target / "letter.txt"
    letter.write_text("Dear reader")
    with pytest.raises(quire.ConflictError, match="directory"):
        quire.create(target, format="nektar", layout=layout, replacement="whole")
    letter.rename(tmp_path / "letter.txt")
    target.rmdir()
    quire.copy(SMALL, target, options={"layout": "directory", "replacement": "whole"})
    (tmp_path / "letter.txt").rename(letter)
    with pytest.raises(quire.ConflictError, match=r"letter\.txt"):
        quire.create(target, format="nektar", layout=layout, replacement="whole")
    letter.unlink()
    quire.copy(SMALL, target, overwrite=True, options={"layout": layout, "replacement": "whole"})
    with quire.open(target) as file:
        assert len(file) == 1


def write_directory(path: str | Path, **options: Any) -> None:
    with quire.open(SMALL) as file:
        blocks = list(file[0].read_elements_all())
    with quire.create(path, layout="directory", **options) as out, out.step(0) as step:
        step.put_elements(blocks)


@pytest.mark.parametrize("index", ["Info.xml", "PartitionInfo.xml"])
@pytest.mark.parametrize("replacement", ["direct", "whole", "suited"])
def test_directories_of_2013_are_replaced(tmp_path: Path, index: str, replacement: str) -> None:
    target = shutil.copytree(SMALL.parent / "tiny-dir.fld", tmp_path / "case.fld")
    for rank in range(3):
        (target / f"P{rank:07}.fld").rename(target / f"P{rank}.fld")
    text = (target / "Info.xml").read_text()
    (target / "Info.xml").rename(target / index)
    (target / index).write_text(text.replace("P000000", "P").replace("Partition", "MultipleFldFiles"))
    with quire.open(target) as file:
        assert file.check().damage is None
    write_directory(target, replacement=replacement)
    assert sorted(os.listdir(target)) == ["Info.xml", "P0000000.fld"]
    with quire.open(target) as file:
        assert file.check().damage is None


def test_a_directory_has_one_writer(tmp_path: Path) -> None:
    target = tmp_path / "case.chk"
    with quire.open(SMALL) as file:
        blocks = list(file[0].read_elements_all())
    out = quire.create(target, layout="directory", replacement="whole")
    for replacement in ("whole", "direct"):
        with pytest.raises(quire.ConflictError, match="another writer"):
            quire.create(target, layout="directory", replacement=replacement)
    for finish in (quire.finish_replacement, quire.repair, recover):
        with pytest.raises(quire.ConflictError, match="another writer"):
            finish(target)
    with out.step(0) as step:
        step.put_elements(blocks)
    out.close()
    assert blocks_of(target) == blocks_of(SMALL)
    assert [entry.name for entry in tmp_path.iterdir()] == ["case.chk"]


@pytest.mark.parametrize("ending", ["/", "//", "/."])
@pytest.mark.parametrize("replacement", ["whole", "direct"])
def test_the_name_of_a_directory_may_end_in_a_slash(tmp_path: Path, ending: str, replacement: str) -> None:
    target = tmp_path / "case.chk"
    write_directory(target)
    inode = target.stat().st_ino
    name = f"{target}{ending}"
    write_directory(name, format="nektar", replacement=replacement)
    assert (target.stat().st_ino == inode) == (replacement == "direct")
    assert blocks_of(target) == blocks_of(SMALL)
    assert [entry.name for entry in tmp_path.iterdir()] == ["case.chk"]
    target.rename(tmp_path / "case.chk.quire-previous")
    assert quire.finish_replacement(f"{target}/")
    assert blocks_of(target) == blocks_of(SMALL)


def test_the_suffix_before_a_slash_chooses_the_format(tmp_path: Path) -> None:
    write_directory(f"{tmp_path}/case.chk/", replacement="whole")
    assert sorted(os.listdir(tmp_path / "case.chk")) == ["Info.xml", "P0000000.fld"]
    assert os.listdir(tmp_path) == ["case.chk"]
    for replacement in ("whole", "direct"):
        with pytest.raises(quire.InputOutputError, match="Is a directory"):
            quire.create(f"{tmp_path}/other.chk/", layout="hdf5", replacement=replacement)
    assert os.listdir(tmp_path) == ["case.chk"]


def test_a_newer_directory_outlives_an_interrupted_replacement(tmp_path: Path) -> None:
    target = tmp_path / "case.chk"
    ready = tmp_path / "case.chk.quire-ready"
    ready.mkdir()
    write_directory(ready / "case.chk")
    (ready / "case.chk" / "Info.xml").write_text("older")
    write_directory(target)
    parts = {entry.name: entry.read_bytes() for entry in target.iterdir()}
    assert not quire.finish_replacement(target)
    recover(target)
    assert {entry.name: entry.read_bytes() for entry in target.iterdir()} == parts
    assert [entry.name for entry in tmp_path.iterdir()] == ["case.chk"]


@pytest.mark.parametrize("name", ["P0000000.fld", "Info.xml"])
def test_files_of_a_killed_writer_are_replaced(tmp_path: Path, name: str) -> None:
    """The next run writes its checkpoints without a manual cleanup."""
    target = tmp_path / "case.chk"
    target.mkdir()
    (target / name).touch()
    with quire.open(SMALL) as file:
        blocks = list(file[0].read_elements_all())
    with quire.create(target, layout="directory", replacement="whole") as out, out.step(0) as step:
        step.put_elements(blocks)
    assert blocks_of(target) == blocks_of(SMALL)


LAYOUTS = ["hdf5", "xml", "directory", "streams"]


def write_value(path: str | Path, layout: str, value: float, comm: Any = None, **options: Any) -> None:
    """Write the same elements with one value everywhere; the rank fail_on= raises in its step."""
    fail_on = options.pop("fail_on", None)
    with quire.open(SMALL, quire.SELF) as file:
        blocks = list(file[0].read_elements_all())
    for block in blocks:
        for values in block.values.values():
            values[:] = value
    with (
        quire.create(path, comm, "nektar", layout=layout, deadline=30, **options) as out,
        out.step(0) as step,
    ):
        step.put_elements(blocks if comm is None or comm.rank == 0 else [])
        if comm is not None and comm.rank == fail_on:
            raise RuntimeError("no more")


def value_of(path: Path) -> float:
    values = {value for block in blocks_of(path) for value in np.frombuffer(block)}
    assert len(values) == 1
    return float(values.pop())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_previous_checkpoint_is_kept_until_the_next_is_complete(tmp_path: Path, layout: str) -> None:
    target = tmp_path / "case.chk"
    write_value(target, layout, 1.0)
    with quire.open(SMALL) as file:
        blocks = list(file[0].read_elements_all())
    with quire.create(target, format="nektar", layout=layout) as out:
        step = out.step(0).put_elements(blocks)
        assert value_of(target) == 1.0
        step.commit()
        assert blocks_of(target) == blocks_of(SMALL)
        with pytest.raises(quire.ConflictError, match="another writer"):
            quire.create(target, format="nektar", layout=layout)
    assert blocks_of(target) == blocks_of(SMALL)
    assert [entry.name for entry in tmp_path.iterdir()] == ["case.chk"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_without_its_step_replaces_nothing(tmp_path: Path, layout: str) -> None:
    target = tmp_path / "case.chk"
    write_value(target, layout, 1.0)
    with quire.create(target, format="nektar", layout=layout) as out:
        out.step(0).abort("the run diverged")
    assert value_of(target) == 1.0
    assert [entry.name for entry in tmp_path.iterdir()] == ["case.chk"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_committed_step_is_kept_after_an_abort(tmp_path: Path, layout: str) -> None:
    target = tmp_path / "case.chk"
    write_value(target, layout, 1.0)
    with quire.open(SMALL) as file:
        blocks = list(file[0].read_elements_all())
    out = quire.create(target, format="nektar", layout=layout)
    out.step(0).put_elements(blocks).commit()
    out.abort("the run diverged")
    assert blocks_of(target) == blocks_of(SMALL)
    assert [entry.name for entry in tmp_path.iterdir()] == ["case.chk"]


@pytest.mark.parametrize("layout", ["hdf5", "xml", "streams"])
def test_a_file_has_one_writer(tmp_path: Path, layout: str) -> None:
    target = tmp_path / "case.chk"
    with quire.open(SMALL) as file:
        blocks = list(file[0].read_elements_all())
    for replacement in ("suited", "whole"):
        with quire.create(target, format="nektar", layout=layout, replacement="direct") as out:
            out.step(0).put_elements(blocks).commit()
            with pytest.raises(quire.ConflictError, match="another writer"):
                quire.create(target, format="nektar", layout=layout, replacement=replacement)
        assert blocks_of(target) == blocks_of(SMALL)


def test_a_name_too_long_for_a_temporary_file_is_written_in_place(tmp_path: Path) -> None:
    target = tmp_path / ("c" * 240 + ".chk")
    for value in (1.0, 2.0):
        write_value(target, "hdf5", value)
        assert value_of(target) == value


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_new_file_is_written_in_place(tmp_path: Path, layout: str) -> None:
    target = tmp_path / "case.chk"
    for empty in (False, True):
        if empty and layout == "directory":
            target.mkdir()
        elif empty:
            target.touch()
        out = quire.create(target, format="nektar", layout=layout)
        assert [entry.name for entry in tmp_path.iterdir()] == ["case.chk"]
        out.abort("enough")
        shutil.rmtree(target) if target.is_dir() else target.unlink()
    write_value(target, layout, 1.0)
    out = quire.create(target, format="nektar", layout=layout, replacement="direct")
    assert [entry.name for entry in tmp_path.iterdir()] == ["case.chk"]
    out.abort("enough")
    assert blocks_of(target) == []


def replace_twice(comm: Any, path: str, layout: str) -> bool:
    for value in (1.0, 2.0):
        write_value(path, layout, value, comm)
    try:
        write_value(path, layout, 3.0, comm, fail_on=1)
    except (RuntimeError, quire.AbortedError):
        return True
    return False


@pytest.mark.mpi
@pytest.mark.parametrize("layout", LAYOUTS)
def test_ranks_agree_to_keep_the_previous_checkpoint(tmp_path: Path, layout: str) -> None:
    target = tmp_path / "case.chk"
    assert run_ranks(replace_twice, 3, str(target), layout) == [True] * 3
    assert value_of(target) == 2.0
    assert [entry.name for entry in tmp_path.iterdir()] == ["case.chk"]


def test_the_target_of_a_link_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "case.chk"
    link.symlink_to("real/case.chk")
    write_value(link, "hdf5", 1.0)
    inode = link.stat().st_ino
    write_value(link, "hdf5", 2.0)
    assert value_of(tmp_path / "real" / "case.chk") == 2.0
    assert link.is_symlink()
    assert link.stat().st_ino != inode
    assert [entry.name for entry in (tmp_path / "real").iterdir()] == ["case.chk"]


def write_on(comm: Any, path: str, layout: str, transport: str) -> tuple[int, int]:
    """Write elements on rank 0 only; return how often this rank opened and synced the file."""
    for number in (1, 2):
        with (
            quire.create(path, comm, layout=layout, transport=transport) as out,
            out.step(number) as step,
        ):
            triangles = block_of(TRIANGLES, [1, 2], np.array([3, 4]))
            step.put_elements([triangles] if comm.rank == 0 else [])
        counters = out.counters
    return counters.opens, counters.syncs


@pytest.mark.mpi
@pytest.mark.parametrize("transport", ["posix", "mpi_independent", "aggregated"])
@pytest.mark.parametrize("layout", ["hdf5", "xml"])
def test_ranks_without_data_do_not_open_or_sync(tmp_path: Path, layout: str, transport: str) -> None:
    target = tmp_path / "case.chk"
    first, second = run_ranks(write_on, 2, str(target), layout, transport)
    assert first[0] > 0
    assert second == [0, 0]
    with quire.open(target) as file:
        assert file.numbers == [2]
