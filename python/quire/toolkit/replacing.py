"""New files that take the place of old ones when they are complete."""

from __future__ import annotations

import glob
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import quire
from quire.errors import ConflictError, Error, UsageError
from quire.io.file import locked
from quire.io.formats import makes_set, named_members, own_members


def refuse_overwriting(source: str | Path, target: str | Path, overwrite: bool) -> None:
    """Independent. Raises ConflictError if the target is the source, a part of it, or exists and may not be
    replaced, UsageError if it has no name.
    """
    refuse_device(target)
    if not os.path.exists(target):
        return
    if os.path.exists(source) and os.path.samefile(source, target):
        raise ConflictError("the target is the source itself", file=str(target))
    for member in named_members(source):
        path = Path(source).with_name(member)
        if path.exists() and os.path.samefile(path, target):
            raise ConflictError("the target is a part of the source", file=str(target))
    if os.path.isdir(target):
        refuse_strange_directory(target)
    if not overwrite:
        raise ConflictError("the target exists already; allow to replace it by --overwrite", file=str(target))
    refuse_part(target)


def refuse_part(target: str | Path) -> None:
    """Independent. Raises ConflictError for a file that another one beside it names as a part of its set.

    Only those are opened that have nearly all of its name in common, as the files of a set do: a directory
    may have thousands.
    """
    final = Path(os.path.realpath(target))
    if not final.is_file():
        return
    try:
        beside = [entry.name for entry in os.scandir(final.parent) if entry.name.startswith(final.stem[:-1])]
    except OSError:
        return  # who may not list a directory does not know
    for name in sorted(beside):
        if name != final.name and final.name in named_members(final.with_name(name)):
            raise ConflictError(
                f"the target is a part of {name}, which could not be read without it",
                file=str(target),
                advice=f"choose another name, or replace {name} with all its parts",
            )


def refuse_dropping_rows(source: str | Path) -> None:
    """Independent. Raises ConflictError if a killed writer left a part of what was to replace the source."""
    final = Path(source)
    partial = final.with_name(f"{final.name}.quire-partial") / final.name
    if partial.exists():
        raise ConflictError(
            "a file that was to replace this one was not completed, and may hold rows that are newer",
            file=str(partial),
            advice=f"recover that one first, to another name; recovering {source} without --rows drops it",
        )


def refuse_device(target: str | Path) -> None:
    """Independent. Raises ConflictError for what is there and neither a file nor a directory.

    Who may do so would put a file in the place of the device. UsageError for the empty name, which stands
    for this directory where links are followed.
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
    """Independent. Raises ConflictError for a directory with anything but the files of one data file."""
    try:
        with quire.open(path) as file:
            known = {Path(member).name for member in file.members}
    except Error as error:
        raise ConflictError(
            "the target is a directory, and no data file of any format",
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
    """Independent. Let an error of the system that names no file, or the one beside the target, name this.

    So it does when a disk is full: that is found while bytes are written, where the name is not known.
    """
    try:
        yield
    except OSError as problem:
        is_ours = problem.filename is None or str(problem.filename) == str(beside)
        if is_ours and problem.errno is not None and not isinstance(problem, Error | BrokenPipeError):
            problem.filename = str(target)
        raise


@contextmanager
def replacement(target: str | Path, comm: Any = None, is_damaged: bool = False) -> Iterator[Path]:
    """Collective. A path beside the target that takes its place at the end, or goes away after an exception.

    So a copy that fails leaves neither half a file nor harms the file that it was to replace, and nobody
    writes that one meanwhile. A directory is replaced only if it is one data file and nothing else, or is
    known to be a damaged one. Raises ConflictError for others, for devices, and while a writer has it open.
    """
    refuse_device(target)
    final = Path(os.path.realpath(target))
    if final.is_dir() and not is_damaged:
        refuse_strange_directory(final)
    with locked(final, comm):
        yield from beside_locked(target, final, comm)


def beside_locked(target: str | Path, final: Path, comm: Any) -> Iterator[Path]:
    """Collective. The same of what is locked already, `final`, to which the name `target` leads."""
    # Every rank must use the same name.
    owner = os.getpid() if comm is None else comm.bcast(os.getpid(), root=0)
    beside = name_beside(final, owner)
    is_root = comm is None or comm.rank == 0
    try:
        with naming(target, beside):
            yield beside
        if is_root:
            # No checksums are better than those of other bytes, should this be killed on the way.
            checksums_of(final).unlink(missing_ok=True)
            swap(beside, final)
            if checksums_of(beside).exists():
                os.replace(checksums_of(beside), checksums_of(final))
    except BaseException as problem:
        if is_root:
            # A compressed file that could not be completed leaves its steps beside it, under a longer name.
            for leftover in beside.parent.glob(f"{glob.escape(beside.name)}*"):
                if leftover.is_dir():
                    shutil.rmtree(leftover, ignore_errors=True)
                else:
                    leftover.unlink(missing_ok=True)
        if isinstance(problem, Error) and str(beside) in str(problem):
            raise about(problem, str(beside), str(target)) from None
        raise


@contextmanager
def plain_replacement(target: Path) -> Iterator[BinaryIO]:
    """Independent. A new file of any bytes that takes the target's place at the end, or goes away after an
    exception; a link in that place is replaced, never followed.
    """
    beside = name_beside(target, os.getpid())
    # What a link leads to stays.
    with nullcontext() if target.is_symlink() else locked(target):
        try:
            with naming(target, beside), beside.open("xb") as out:
                yield out
            os.replace(beside, target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise


def place_of(
    target: str | Path, format: str, options: dict[str, Any], comm: Any = None
) -> tuple[AbstractContextManager[Path], dict[str, Any]]:
    """Collective. Where a new file is written until it is complete, and the options of its writer.

    Files of a set know their names: the writer itself puts them in their place, or one file in the place of
    all of them.
    """
    is_root = comm is None or comm.rank == 0
    # Through a link another name may lead to the first file of a set than that which the set knows.
    is_set = is_root and bool(named_members(os.path.realpath(target)))
    if comm is not None:
        is_set = comm.bcast(is_set, root=0)
    if is_set or makes_set(format, options):
        return nullcontext(Path(target)), options | {"replacement": "whole"}
    return replacement(target, comm), options


def name_beside(final: Path, owner: int | str) -> Path:
    """Independent. What a new file is called until it takes its place: the suffix may say the format."""
    return final.with_name(f".quire-{owner}-{final.name}")


def leftover_files(target: str | Path) -> list[str]:
    """Independent. Sentences about what nobody needs: files that were to take the target's place, and whose
    process has ended, and what a replacement could not remove.

    They are only named: on a file system of many machines the process may run on another one.
    """
    final = Path(os.path.realpath(target))
    sentences = []
    for path in sorted(final.parent.glob(f".quire-*-{glob.escape(final.name)}")):
        owner = path.name.removeprefix(".quire-").removesuffix(f"-{final.name}")
        if re.fullmatch(r"[1-9]\d{0,8}", owner) and not is_running(int(owner)):
            sentences.append(
                f"{path} may have been left by a process that was killed ({owner}): "
                "remove it, if nothing on another machine writes it"
            )
    for path in sorted(final.parent.glob(f"{glob.escape(final.name)}.quire-left.*")):
        sentences.append(
            f"{path} belongs to an older file, and could not be removed: remove it, nothing needs it"
        )
    return sentences


def is_running(process: int) -> bool:
    """Independent. Whether there is such a process on this machine."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # of somebody else
    return True


def checksums_of(path: Path) -> Path:
    """Independent. Where the checksums of what is written there are kept, if they are."""
    return path.with_name(f"{path.name}.quire-sums")


def swap(beside: Path, final: Path) -> None:
    """Independent. Give a new file, or a directory, the name of one that may be there.

    What belonged to the old one alone goes at last, as the raw data of a pair of files.
    """
    if any(os.path.lexists(f"{final}.quire-{state}") for state in ("ready", "previous")):
        # Else what an interrupted replacement left would later take the place of what comes now.
        quire.finish_replacement(final)
    members = own_members(final)
    take_place(beside, final)
    for name in set(members).difference(named_members(final)):
        final.with_name(name).unlink(missing_ok=True)


def take_place(beside: Path, final: Path) -> None:
    """Independent. Rename a new file, or a directory, to what nobody is replacing.

    No call replaces a directory at once. So the new one first goes, durable, where an interrupted replacement
    is found: from then on `quire recover` finishes what was begun, as this does.
    """
    if not beside.is_dir() and not final.is_dir():
        if final.exists():
            # Who may not read the old file may not read the new one.
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
    quire.finish_replacement(final)


def sync_file(path: Path) -> None:
    """Independent. Make the bytes of a file durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def about(problem: Error, path: str, name: str) -> Error:
    """Independent. The same error about a file by the name that the user knows."""
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
