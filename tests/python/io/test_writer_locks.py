"""What changes a file keeps its writers out, and is kept out by them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for
from tests.python.support.mpi import run_ranks

import quire
from quire.io.formats import FormatInfo, format_infos
from quire.toolkit.convert import copy
from quire.toolkit.difference import difference
from quire.toolkit.recover import recover
from quire.toolkit.replacing import plain_replacement, replacement

ROWS = 1000


def write(out: quire.Writer, number: int) -> None:
    with out.step(number) as step:
        step.put("x", np.full(ROWS, number + 1.0))


def begin_step(out: quire.Writer, number: int) -> quire.WriteStep:
    """A step of which some bytes are in the file and others are not."""
    step = out.step(number)
    step.declare("x", "float64")
    step.rows(ROWS)
    step.open()
    step.write(0, {"x": np.full(ROWS // 2, number + 1.0)})
    return step


def end_step(step: quire.WriteStep, number: int) -> None:
    step.write(ROWS // 2, {"x": np.full(ROWS // 2, number + 1.0)})
    step.commit()


def values(path: str | Path) -> list[float]:
    with quire.open(path) as file:
        return [float(value) for step in file for value in set(step["x"][:])]


def convert_onto(path: Path) -> None:
    source = path.with_name(f"source-{path.name}")
    with quire.create(source, format=quire.formats()[0]) as out:
        write(out, 7)
    copy(source, path, format=quire.formats()[0], overwrite=True)


def replace(path: Path) -> None:
    with replacement(path) as beside:
        beside.write_bytes(b"else")


def replace_plainly(path: Path) -> None:
    with plain_replacement(path) as out:
        out.write(b"else")


CHANGES: dict[str, Callable[[Path], Any]] = {
    "repair": quire.repair,
    "recover": recover,
    "recover_rows": lambda path: recover(path, rows=True),
    "drop": lambda path: quire.repair(path, dropped=[0]),
    "convert": convert_onto,
    "replacement": replace,
    "plain_replacement": replace_plainly,
    "create": quire.create,
    "create_whole": lambda path: quire.create(path, replacement="whole"),
    "append": quire.append,
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_a_file_beside_a_live_writer_is_refused(
    path: Path, format_name: str, change: str
) -> None:
    with quire.create(path, format=format_name) as out:
        write(out, 0)
        step = begin_step(out, 1)
        with pytest.raises(quire.ConflictError, match=rf"another writer .*process {os.getpid()}") as caught:
            CHANGES[change](path)
        assert caught.value.file == str(path)
        end_step(step, 1)
        write(out, 2)
    assert values(path) == [1.0, 2.0, 3.0]


def write_streams(out: quire.Writer) -> Callable[[], None]:
    """Write a part of two streams; returns what writes the rest."""
    step = out.step(0)
    streams = [step.stream(rank=rank, chunk_size=2 * ROWS) for rank in range(2)]
    step.open()

    def write_all() -> None:
        for stream in streams:
            stream.write(bytes([1]) * ROWS)

    def end() -> None:
        write_all()
        step.commit()

    write_all()
    return end


def put_elements(out: quire.Writer) -> Callable[[], None]:
    """Begin a step of one element; returns what commits it."""
    basis = ("Modified_A", "Modified_A")
    block = quire.ElementBlock("Quadrilateral", basis, np.array([2, 2]), np.array([0]), {"u": np.ones(4)})
    step = out.step(0)
    step.put_elements([block])
    return lambda: step.commit()


def write_rows(out: quire.Writer) -> Callable[[], None]:
    """Write a part of a step; returns what writes the rest."""
    step = begin_step(out, 0)
    return lambda: end_step(step, 0)


def begin_only_step(path: Path, info: FormatInfo, options: dict[str, Any]) -> Iterator[None]:
    """Create a file directly at its path, begin its only step, and after the pause commit it."""
    begin = write_streams if info.holds_streams else write_rows if info.tables else put_elements
    with quire.create(path, format=info.name, replacement="direct", **options) as out:
        end = begin(out)
        yield
        end()


def one_step_kinds() -> Iterator[tuple[FormatInfo, dict[str, Any]]]:
    """The formats whose files hold one step, also as sets of files."""
    for info in format_infos():
        if info.one_step:
            yield info, {}
        if info.one_step and any(option.name == "files" for option in info.write_options):
            yield info, {"files": 2}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", list(one_step_kinds()), ids=lambda kind: "-".join((kind[0].name, *kind[1])))
def test_so_is_what_changes_a_file_of_one_step_that_is_not_committed(
    tmp_path: Path, kind: tuple[FormatInfo, dict[str, Any]], change: str
) -> None:
    path, alone = (path_for(tmp_path / name, kind[0].name) for name in ("live", "alone"))
    for folder in (path.parent, alone.parent):
        folder.mkdir()
    for _ in begin_only_step(alone, *kind):
        pass
    for _ in begin_only_step(path, *kind):
        with pytest.raises(
            (quire.ConflictError, quire.BadFileError), match="writer has the file open"
        ) as caught:
            CHANGES[change](path)
        # What cannot be recognised yet is not opened for a change.
        is_unknown = isinstance(caught.value, quire.BadFileError)
        assert not is_unknown or change.startswith("recover")
        assert caught.value.file == str(path)
        assert is_unknown or f"process {os.getpid()}" in str(caught.value)
    assert difference(path, alone).same


@pytest.mark.parametrize("change", ["recover", "convert", "replacement", "create", "append"])
@pytest.mark.parametrize("there", [False, True])
def test_so_is_what_changes_a_file_that_a_writer_will_replace(
    tmp_path: Path, change: str, there: bool
) -> None:
    path = path_for(tmp_path, quire.formats()[0])
    if there:
        with quire.create(path) as out:
            write(out, 0)
    with quire.create(path, replacement="whole") as out:
        write(out, 1)
        with pytest.raises(quire.ConflictError, match="another writer"):
            CHANGES[change](path)
    assert values(path) == [2.0]


@pytest.mark.parametrize("change", ["convert", "replacement", "plain_replacement", "create"])
@pytest.mark.parametrize("there", [False, True])
def test_so_is_what_replaces_a_file_that_a_writer_will_compress(
    tmp_path: Path, change: str, there: bool
) -> None:
    path = Path(f"{path_for(tmp_path, quire.formats()[0])}.gz")
    if there:
        with quire.create(path) as out:
            write(out, 0)
    with quire.create(path) as out:
        write(out, 1)
        with pytest.raises(quire.ConflictError, match="another writer"):
            CHANGES[change](path)
    assert values(path) == [2.0]


@pytest.mark.parametrize("options", [{}, {"replacement": "whole"}])
def test_a_file_that_is_being_replaced_is_locked(
    path: Path, format_name: str, options: dict[str, Any]
) -> None:
    with quire.create(path, format=format_name) as out:
        write(out, 0)
    with replacement(path) as beside:
        with pytest.raises(quire.ConflictError, match="another writer"):
            quire.append(path)
        with pytest.raises(quire.ConflictError, match="another writer"):
            quire.create(path, format=format_name, **options)
        with quire.create(beside, format=format_name) as out:
            write(out, 1)
    assert values(path) == [2.0]
    with quire.append(path) as out:
        write(out, 2)
    assert values(path) == [2.0, 3.0]


def test_a_file_that_came_while_its_replacement_was_written_stays_if_it_is_written(
    path: Path, format_name: str
) -> None:
    """A program that asks for no lock may put a file there meanwhile, and another one continue it."""
    other = path.with_name(f"other{path.suffix}")
    with quire.create(other, format=format_name) as out:
        write(out, 0)
    replacing = quire.create(path, format=format_name, replacement="whole")
    write(replacing, 1)
    other.rename(path)
    with path.open("r+b") as there:
        fcntl.flock(there, fcntl.LOCK_EX)
        with pytest.raises(quire.ConflictError, match="another writer"):
            replacing.close()
    assert values(path) == [1.0]


def test_a_check_of_a_live_file_says_so_and_advises_nothing(path: Path, format_name: str) -> None:
    with quire.create(path, format=format_name) as out:
        write(out, 0)
        step = begin_step(out, 1)
        with quire.open(path, tolerant=True) as file:
            report = file.check()
            warnings = [*file.warnings, *report.warnings]
        assert report.is_being_written
        assert report.numbers == [0]
        assert not report.salvageable
        assert report.damage is None or report.damage.advice == ""
        assert not [text for text in warnings if "recover" in text]
        end_step(step, 1)
    with quire.open(path) as file:
        assert not file.check().is_being_written


def test_reading_a_live_file_advises_no_repair(path: Path, format_name: str) -> None:
    with quire.create(path, format=format_name) as out:
        write(out, 0)
        step = begin_step(out, 1)
        try:
            with quire.open(path) as file:
                advice = "".join(file.warnings)
                assert len(file) == 1
                file[1]
        except quire.BadFileError as problem:
            advice = problem.advice
            assert "a writer has the file open" in advice
        except IndexError:
            pass
        assert "recover" not in advice
        end_step(step, 1)


def test_a_lock_ends_at_close_although_a_forked_process_lives(path: Path) -> None:
    asked, ask = os.pipe()
    out = quire.create(path)
    write(out, 0)
    child = os.fork()
    if child == 0:
        os.close(ask)
        os.read(asked, 1)  # until the parent closes its end
        os._exit(0)
    try:
        out.close()
        with quire.open(path) as file:
            assert not file.check().is_being_written
        quire.repair(path)
    finally:
        os.close(ask)
        os.waitpid(child, 0)
        os.close(asked)


def test_a_forked_process_that_ends_releases_no_lock(path: Path) -> None:
    with quire.create(path) as out:
        write(out, 0)
        child = os.fork()
        if child == 0:
            del out
            os._exit(0)
        os.waitpid(child, 0)
        with pytest.raises(quire.ConflictError, match="another writer has the file open"):
            quire.repair(path)


def change_beside_writer(comm: Any, path: str) -> list[str]:
    """What the ranks of repair and of a replacement raise while the last rank alone writes the file."""
    raised = []
    out = quire.create(path, quire.SELF) if comm.rank == comm.size - 1 else None
    comm.Barrier()
    try:
        quire.repair(path, comm, deadline=20)
    except quire.ConflictError as problem:
        raised.append(problem.message.partition(" (")[0])
    try:
        with replacement(path, comm):
            raised.append("nothing")
    except quire.ConflictError as problem:
        raised.append(problem.message.partition(" (")[0])
    comm.Barrier()
    if out is not None:
        out.close()
    return raised


@pytest.mark.mpi
def test_the_conflict_is_raised_on_all_ranks(tmp_path: Path) -> None:
    path = path_for(tmp_path, quire.formats()[0])
    assert run_ranks(change_beside_writer, 3, str(path)) == [["another writer has the file open"] * 2] * 3


LOSSES: dict[str, Callable[[Path], Any]] = {
    "removed": Path.unlink,
    "replaced": lambda path: path.with_suffix(".other").rename(path),
    "truncated": lambda path: os.truncate(path, 10),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_close_raises_if_another_program_took_the_file_away(path: Path, format_name: str, loss: str) -> None:
    path.with_suffix(".other").write_bytes(b"of another program")
    out = quire.create(path, format=format_name)
    write(out, 0)
    LOSSES[loss](path)
    with pytest.raises(quire.ConflictError, match="while this writer had it open") as caught:
        out.close()
    assert caught.value.file == str(path)
