"""Installs shims: small executables with the names of old programs."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from quire.errors import ConflictError, MissingError
from quire.legacy.names import PROGRAMS, no_shim

MARK: Final = "# A shim of Quire for an old program; quire shims writes and removes it."

SHIM: Final = """#!/bin/sh
{mark}
exec {python} -m quire.legacy {program} "$@"
"""


def install(folder: str | Path, programs: Sequence[str] = (), *, shadow: bool = False) -> list[Path]:
    """Independent. Write the shims of some programs, by default of all, into a folder, which is made.

    Nothing is written, and ConflictError raised, if the folder has a file of such a name that is no shim, or
    if a program of such a name is found on PATH elsewhere, which the shim could hide, unless `shadow` permits
    that. Raises MissingError for unknown programs.

    >>> import quire.legacy.install
    >>> [path.name for path in quire.legacy.install.install("old", ["sdds2stream"])]
    ['sdds2stream']
    """
    wanted = known(programs)
    place = Path(folder)
    for program in wanted:
        if (place / program).exists() and not is_shim(place / program):
            raise ConflictError("there is a file of this name that is no shim", file=str(place / program))
        real = program_on_path(program)
        if real is not None and not shadow:
            raise ConflictError(
                f"there is a program {program} already, which the shim could hide",
                file=str(real),
                advice="--shadow permits that",
            )
    place.mkdir(parents=True, exist_ok=True)
    return [written(place / program) for program in wanted]


def known(programs: Sequence[str]) -> list[str]:
    """Independent. Return the programs, all if none is given. Raises MissingError for unknown ones."""
    for program in programs:
        if program not in PROGRAMS:
            raise MissingError(no_shim(program))
    return list(programs or PROGRAMS)


def written(path: Path) -> Path:
    """Independent. Write one shim, and return its path."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(SHIM.format(mark=MARK, python=shlex.quote(sys.executable), program=path.name))
    beside.chmod(0o755)
    beside.replace(path)
    return path


def is_shim(path: Path) -> bool:
    """Independent. Return whether a file is a shim."""
    try:
        with path.open("rb") as file:
            return MARK.encode() in file.read(len(SHIM) + len(MARK))
    except OSError:
        return False


def program_on_path(program: str) -> Path | None:
    """Independent. Return the first program of a name on PATH that is no shim, None if there is none."""
    return next(
        (
            Path(found)
            for folder in os.get_exec_path()
            if (found := shutil.which(program, path=folder)) and not is_shim(Path(found))
        ),
        None,
    )


def remove(folder: str | Path, programs: Sequence[str] = ()) -> Iterator[Path]:
    """Independent. Remove shims from a folder, and yield their paths. Other files stay.

    >>> import quire.legacy.install
    >>> _ = quire.legacy.install.install("old", ["sdds2stream"])
    >>> [path.name for path in quire.legacy.install.remove("old")]
    ['sdds2stream']
    """
    for program in known(programs):
        path = Path(folder) / program
        if is_shim(path):
            path.unlink()
            yield path
