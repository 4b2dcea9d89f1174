"""quire open-in: start a program for visualization with a data file."""

from __future__ import annotations

import glob
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from quire.cli import completion
from quire.cli.command import command
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import remark, say
from quire.cli.selecting import Index, Steps
from quire.cli.sidecars import Positions, Time, parse_positions, write_sidecar


@dataclass(frozen=True)
class Program:
    """A program for visualization: how it is started, and what it reads."""

    arguments: Sequence[str]
    """What precedes the files."""
    kinds: Sequence[str]
    """The sidecars that it reads."""
    source: str
    """Where it comes from."""
    reader: str
    """What is chosen if the program asks for a reader of XDMF."""


PROGRAMS: Final[Mapping[str, Program]] = {
    "paraview": Program(
        (),
        ("xdmf", "vtkhdf"),
        "www.paraview.org, or the package paraview of Linux distributions",
        "choose 'XDMF Reader' if it asks, since the Xdmf3 readers show no points",
    ),
    "visit": Program(("-o",), ("xdmf",), "visit-dav.github.io", "choose 'Xdmf' if it asks for a reader"),
}

COPIES: Final = "--vtkhdf copies values that are not contiguous in the file"

OF_SIDECARS: Final = ("positions", "time", "steps", "overwrite")
"""Options of sidecars, besides those of the reader."""

SUFFIXES: Final = {"xdmf": ".xmf", "vtkhdf": ".vtkhdf"}

Vtkhdf = Annotated[
    bool, typer.Option("--vtkhdf", help="Write VTKHDF, which copies values that the program cannot read.")
]
NoStart = Annotated[bool, typer.Option("--no-start", help="Only write the sidecar, and print the command.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Write the sidecar again.")]


@command
def open_in(
    program: Annotated[
        str,
        typer.Argument(
            metavar="PROGRAM", autocompletion=completion.words("paraview", "visit"), help="paraview or visit."
        ),
    ],
    file: Annotated[str, typer.Argument(metavar="FILE", help="A data file.")],
    vtkhdf: Vtkhdf = False,
    no_start: NoStart = False,
    steps: Steps = None,
    index: Index = None,
    positions: Positions = None,
    time: Time = None,
    overwrite: Overwrite = False,
    read_option: ReadOptions = None,
) -> None:
    """Open a file in ParaView or VisIt.

    A sidecar is written beside the file, and the program is started with it. The sidecar, FILE.xmf or
    FILE.vtkhdf, refers to the values of the file, as that of `quire export` does. One that is newer than
    the file is used again, with the steps it was made of. The command ends when the program does.

    Example: quire open-in paraview beam.h5 --no-start

    Example: quire open-in paraview beam.h5 --vtkhdf --no-start
    """
    from quire.errors import MissingError
    from quire.toolkit.selection import parse_steps

    kind = "vtkhdf" if vtkhdf else "xdmf"
    about = program_of(program, kind)
    options: dict[str, Any] = {"positions": parse_positions(positions), "time": time}
    chosen = any(one is not None for one in (steps, index, *options.values()))
    options |= {"steps": parse_steps(steps, index=index), "overwrite": overwrite}
    sidecars = made_or_current(kind, file, chosen, about, options | parse_options(read_option))
    words = [program, *about.arguments, *sidecars]
    found = shutil.which(program)
    if kind == "xdmf":
        remark(f"in {program}: {about.reader}")
    if no_start or found is None:
        say(shlex.join(words))
    if no_start:
        return
    if found is None:
        raise MissingError(
            f"{program} is not found on PATH",
            advice=f"install it ({about.source}), or open {sidecars[0]} on a machine that has it, with "
            "the data file beside it",
        )
    run([found, *words[1:]])


def program_of(name: str, kind: str) -> Program:
    """Return a program by its name. Raises UsageError for others, and for a kind that it does not read."""
    from quire.errors import UsageError

    if name not in PROGRAMS:
        raise UsageError(
            f"there is no program '{name}'",
            advice=f"quire open-in {' or '.join(PROGRAMS)} FILE; quire view FILE shows a file in a browser",
        )
    if kind not in PROGRAMS[name].kinds:
        raise UsageError(f"{name} has no reader for VTKHDF", advice="leave out --vtkhdf")
    return PROGRAMS[name]


def made_or_current(
    kind: str, file: str, chosen: bool, about: Program, options: dict[str, Any]
) -> Sequence[str]:
    """Return the sidecars of a file: those that are there and newer than it, or new ones.

    Raises ConflictError for older ones, and for any if `chosen` options could differ from theirs, unless they
    may be overwritten.
    """
    from quire.errors import ConflictError, MissingError, UnsupportedError

    target = f"{file}{SUFFIXES[kind]}"
    stem = glob.escape(os.path.splitext(target)[0])
    present = sorted({*glob.glob(glob.escape(target)), *glob.glob(f"{stem}_*{SUFFIXES[kind]}")})
    if present and not options["overwrite"]:
        newest = time_of_change(file, options)
        is_old = any(os.stat(one).st_mtime_ns < newest for one in present)
        if is_old or chosen:
            raise ConflictError(
                f"{present[0]} exists already, and " + ("is older than the file" if is_old else "may differ"),
                file=file,
                advice="--overwrite writes it again",
            )
        remark(f"{present[0]} is used as it is, with the steps it was made of; --overwrite writes it again")
        return present
    can_copy = kind == "xdmf" and "vtkhdf" in about.kinds
    try:
        report = write_sidecar(kind, file, target, False, **options)
    except (MissingError, UnsupportedError):
        if can_copy and os.path.exists(file):
            remark(COPIES)
        raise
    if can_copy and report.left_out:
        remark(COPIES)
    return report.files


def time_of_change(file: str, options: Mapping[str, Any]) -> int:
    """Return when the file, or a member of its set, was changed last, in nanoseconds."""
    import quire

    own = {name: one for name, one in options.items() if name not in OF_SIDECARS}
    with quire.open(file, **own) as opened:
        paths = [Path(file), *(Path(file).parent / member for member in opened.members)]
    return max(path.stat().st_mtime_ns for path in paths if path.exists())


def run(words: Sequence[str]) -> None:
    """Run a program until it ends. Raises InputOutputError if it fails."""
    from quire.errors import InputOutputError

    code = subprocess.run(words, check=False).returncode
    if code:
        raise InputOutputError(f"{words[0]} ended with exit code {code}")
