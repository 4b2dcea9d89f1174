"""New files that replace old ones when they are complete."""

from __future__ import annotations

import glob
import os
import re
import shutil
import time
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, BinaryIO

import quire
from quire.errors import ConflictError, Error, IndexWarning, MissingFileError, UsageError
from quire.io.communicator import SELF
from quire.io.file import locked
from quire.io.formats import is_series, makes_set, named_members, own_members
from quire.io.origin import TICK, sidecar_path

REPLACED = "overwrite=True replaces it"
"""Advice about a file that exists. Commands print the name of an argument as their option."""


def refuse_overwriting(source: str | Path, target: str | Path, overwrite: bool, format: str = "") -> None:
    """Independent. Raises ConflictError if the target is the source, a part of it, or exists and may not be
    replaced, UsageError if it has no name.
    """
    refuse_device(target)
    if not os.path.exists(target):
        refuse_series(target, overwrite, format)
        return
    if os.path.exists(source) and os.path.samefile(source, target):
        raise ConflictError("the target is the source itself", file=str(target), advice="name another file")
    for member in named_members(source):
        path = Path(source).with_name(member)
        if path.exists() and os.path.samefile(path, target):
            raise ConflictError("the target is a part of the source", file=str(target))
    if os.path.isdir(target):
        refuse_strange_directory(target)
    if not overwrite:
        raise ConflictError("the target exists already", file=str(target), advice=REPLACED)
    refuse_part(target)


def refuse_series(target: str | Path, overwrite: bool, format: str) -> None:
    """Independent. Raises ConflictError for a pattern of names that a file has, unless it may be replaced."""
    if overwrite or not is_series(target, format):
        return
    try:
        with quire.open(target, SELF) as file:
            first = file.path
    except MissingFileError:
        return
    except Error as problem:
        # Files that cannot be read are kept as well.
        first = problem.file or str(target)
    raise ConflictError(
        "files of this series exist already",
        file=str(first),
        advice="overwrite=True replaces those of the same steps, and keeps the others",
    )


def refuse_part(target: str | Path) -> None:
    """Independent. Raises ConflictError for a file that another file in its directory names as a part of its
    set.

    Only files with nearly the same name are opened, like those of a set: a directory may contain thousands.
    """
    final = Path(os.path.realpath(target))
    if not final.is_file():
        return
    try:
        beside = [entry.name for entry in os.scandir(final.parent) if entry.name.startswith(final.stem[:-1])]
    except OSError:
        return  # without permission to list the directory
    for name in sorted(beside):
        if name != final.name and final.name in named_members(final.with_name(name)):
            raise ConflictError(
                f"the target is a part of {name}, which could not be read without it",
                file=str(target),
                advice=f"choose another name, or replace {name} with all its parts",
            )


def refuse_dropping_rows(source: str | Path) -> None:
    """Independent. Raises ConflictError if a killed writer left an incomplete replacement of the source."""
    final = Path(source)
    partial = final.with_name(f"{final.name}.quire-partial") / final.name
    if partial.exists():
        raise ConflictError(
            "a file that was to replace this one was not completed, and may hold rows that are newer",
            file=str(partial),
            advice=f"recover that one first, to another name; recovering {source} without --rows drops it",
        )


def refuse_device(target: str | Path) -> None:
    """Independent. Raises ConflictError for an existing path that is neither a file nor a directory.

    With sufficient permissions a file would replace the device. Raises UsageError for the empty name, which
    is the current directory if links are followed.
    """
    if not os.fspath(target):
        raise UsageError("the name of the target is empty")
    if os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target):
        raise ConflictError(
            "the target is a device or a pipe, of which no file can take the place",
            file=str(target),
            advice="name a file; standard output is -, where a command has it",
        )


def refuse_strange_directory(path: str | Path) -> None:
    """Independent. Raises ConflictError for a directory with other files than those of one data file."""
    try:
        with quire.open(path, SELF) as file:
            known = {Path(member).name for member in file.members}
    except Error as error:
        raise ConflictError(
            "the target is a directory, and not a data file of any format",
            file=str(path),
            advice="choose another name, or remove it first",
        ) from error
    names = {entry.name for entry in os.scandir(path)}
    strange = sorted(name for name in names - known if ".quire-" not in name)
    if strange:
        raise ConflictError(
            f"the target is a directory that holds other files, too: {strange[0]}",
            file=str(path),
            advice="choose another name, or move them away first",
        )


@contextmanager
def naming(target: str | Path, beside: str | Path | None = None) -> Iterator[None]:
    """Independent. Set the target's name in system errors without a name, or with that of the temporary file.

    Errors of a full device occur in writes, where the name is not known.
    """
    try:
        yield
    except OSError as problem:
        is_ours = problem.filename is None or str(problem.filename) == str(beside)
        if is_ours and problem.errno is not None and not isinstance(problem, Error | BrokenPipeError):
            problem.filename = str(target)
        raise


@contextmanager
def replacement(target: str | Path, comm: Any = SELF, is_damaged: bool = False) -> Iterator[Path]:
    """Collective. Yield a temporary path that replaces the target at the end, or is removed after an
    exception.

    A failed copy leaves no partial file and does not change the existing target, which is locked against
    writers. A directory is replaced only if it is a single data file, or known to be a damaged one. Raises
    ConflictError for other directories, for devices, and while a writer has the target open.
    """
    refuse_device(target)
    final = Path(os.path.realpath(target))
    if final.is_dir() and not is_damaged:
        refuse_strange_directory(final)
    with locked(final, comm):
        yield from beside_locked(target, final, comm)


def beside_locked(target: str | Path, final: Path, comm: Any) -> Iterator[Path]:
    """Collective. The same for a path `final` that is locked already; `target` is its name for the user."""
    # Every rank must use the same name.
    owner = os.getpid() if comm is None else comm.bcast(os.getpid(), root=0)
    beside = name_beside(final, owner)
    is_root = comm is None or comm.rank == 0
    try:
        with naming(target, beside):
            yield beside
        if is_root:
            # If this process is killed, missing checksums are better than those of other bytes.
            checksums_of(final).unlink(missing_ok=True)
            swap(beside, final)
            if checksums_of(beside).exists():
                os.replace(checksums_of(beside), checksums_of(final))
            replace_index(beside, final)
    except BaseException as problem:
        if is_root:
            # An incomplete compressed file leaves its steps in another file, with a longer name.
            for leftover in beside.parent.glob(f"{glob.escape(beside.name)}*"):
                if leftover.is_dir():
                    shutil.rmtree(leftover, ignore_errors=True)
                else:
                    leftover.unlink(missing_ok=True)
        note_what_is_left(problem, target)
        if isinstance(problem, Error) and str(beside) in str(problem):
            raise about(problem, str(beside), str(target)) from None
        raise


def replace_index(beside: Path, final: Path) -> None:
    """Independent. Move the index of a new file to its place, if there is one; remove that of the old file if
    it was not asked for. A failure is a warning if the new one was asked for: the file is complete.
    """
    index, place = Path(sidecar_path(beside)), Path(sidecar_path(final))
    if not any(map(os.path.lexists, (index, place))):
        return
    from quire.io.sidecar import is_unasked

    is_asked, is_free = not is_unasked(index), is_unasked(place) or not os.path.lexists(place)
    if not index.exists() or not (is_asked or is_free):
        for unasked in filter(is_unasked, (index, place)):
            remove_quietly(unasked)
        return
    try:
        os.replace(index, place)
        wait_for_the_clock(final)
    except OSError as problem:
        remove_quietly(index)
        if is_asked:
            warnings.warn(
                f"{place}: the index of the new file cannot be moved there: {problem.strerror}",
                IndexWarning,
                stacklevel=2,
            )


def remove_quietly(path: Path) -> None:
    """Independent. Remove a file that does no harm if it stays."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def wait_for_the_clock(path: str | os.PathLike[str]) -> None:
    """Independent. Wait until a change of the file would change its times."""
    try:
        status = os.stat(path)
    except OSError:
        return  # opening it raises the error
    if abs(time.time() - max(status.st_mtime, status.st_ctime)) < 1:
        time.sleep(TICK / 1e9)


@contextmanager
def plain_replacement(target: Path) -> Iterator[BinaryIO]:
    """Independent. Yield a new file of any bytes that replaces the target at the end, or is removed after an
    exception. An existing symbolic link is replaced, not followed.
    """
    beside = name_beside(target, os.getpid())
    # The file that a link refers to is not changed.
    with nullcontext() if target.is_symlink() else locked(target, SELF):
        try:
            with naming(target, beside):
                with beside.open("xb") as out:
                    yield out
                os.replace(beside, target)
        except BaseException as problem:
            beside.unlink(missing_ok=True)
            note_what_is_left(problem, target)
            raise


def note_what_is_left(problem: BaseException, target: str | Path) -> None:
    """Independent. Add to an interruption what it leaves of a target that appears when it is complete."""
    if isinstance(problem, KeyboardInterrupt):
        problem.add_note(f"{target} {'is unchanged' if os.path.lexists(target) else 'was not written'}")


@contextmanager
def of_whole_steps(target: str | Path) -> Iterator[Path]:
    """Independent. Yield a path whose files a writer itself replaces, one for each step of a series."""
    try:
        yield Path(target)
    except KeyboardInterrupt as interruption:
        interruption.add_note(f"{target} has whole steps only")
        raise


def place_of(
    target: str | Path, format: str, options: dict[str, Any], comm: Any = SELF
) -> tuple[AbstractContextManager[Path], dict[str, Any]]:
    """Collective. Yield the path of a new file until it is complete, and the options of its writer.

    Files of a set contain their names, and a series has one for each step: the writer itself replaces the
    old files.
    """
    is_root = comm is None or comm.rank == 0
    # The name of the first file of a set may differ from that in the set if it is a link.
    is_set = is_root and bool(named_members(os.path.realpath(target)))
    if comm is not None:
        is_set = comm.bcast(is_set, root=0)
    if is_set or makes_set(format, options) or is_series(target, format):
        return of_whole_steps(target), options | {"replacement": "whole"}
    return replacement(target, comm), options


def name_beside(final: Path, owner: int | str) -> Path:
    """Independent. Return the name of a new file until it is complete, with the same suffix."""
    return final.with_name(f".quire-{owner}-{final.name}")


def leftover_files(target: str | Path) -> list[str]:
    """Independent. Return messages about obsolete files: incomplete replacements of ended processes, and old
    files that a replacement could not remove.

    They are not removed, since on a shared file system the process may run on another machine.
    """
    final = Path(os.path.realpath(target))
    sentences = []
    for path in sorted(final.parent.glob(f".quire-*-{glob.escape(final.name)}")):
        owner = path.name.removeprefix(".quire-").removesuffix(f"-{final.name}")
        if re.fullmatch(r"[1-9]\d{0,8}", owner) and not is_running(int(owner)):
            sentences.append(
                f"{path} may have been left by a process that was killed ({owner}): "
                "remove it, unless another machine writes it"
            )
    for path in sorted(final.parent.glob(f"{glob.escape(final.name)}.quire-left.*")):
        sentences.append(
            f"{path} belongs to an older file and could not be removed: remove it, it is not needed"
        )
    return sentences


def is_running(process: int) -> bool:
    """Independent. Return whether this process exists on this machine."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # of another user
    return True


def checksums_of(path: Path) -> Path:
    """Independent. Return the path of the checksums of a file that is being written."""
    return path.with_name(f"{path.name}.quire-sums")


def swap(beside: Path, final: Path) -> None:
    """Independent. Rename a new file or directory to a path that may exist.

    Files that belonged only to the old one, such as the raw data of a pair, are removed last.
    """
    if any(os.path.lexists(f"{final}.quire-{state}") for state in ("ready", "previous")):
        # Otherwise an interrupted replacement would later replace the new file.
        quire.finish_replacement(final, SELF)
    members = own_members(final)
    take_place(beside, final)
    for name in set(members).difference(named_members(final)):
        final.with_name(name).unlink(missing_ok=True)


def take_place(beside: Path, final: Path) -> None:
    """Independent. Rename a new file or directory to a path without a pending replacement.

    Directories cannot be replaced atomically. The new one is therefore first moved, durably, to the name of
    an interrupted replacement, which `quire recover` can finish from then on.
    """
    if not beside.is_dir() and not final.is_dir():
        if final.exists():
            # The new file gets the permissions of the old one.
            shutil.copymode(final, beside)
        os.replace(beside, final)
        return
    if not final.exists():
        os.rename(beside, final)
        return
    for path in beside.iterdir() if beside.is_dir() else [beside]:
        sync_file(path)
    ready = final.with_name(f"{beside.name}.ready")
    ready.mkdir()
    os.rename(beside, ready / final.name)
    os.rename(ready, final.with_name(f"{final.name}.quire-ready"))
    sync_directory(final)
    quire.finish_replacement(final, SELF)


def sync_file(path: Path) -> None:
    """Independent. Make the bytes of a file durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def about(problem: Error, path: str, name: str) -> Error:
    """Independent. Return the same error with the user's name of the file."""
    return type(problem)(
        problem.message.replace(path, name),
        file=problem.file.replace(path, name),
        object=problem.object,
        offset=problem.offset,
        rank=problem.rank,
        advice=problem.advice.replace(path, name),
        text=str(problem).replace(path, name),
    )


def sync_directory(path: str | Path) -> None:
    """Independent. Make the entry of a renamed file durable."""
    descriptor = os.open(Path(path).resolve().parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
