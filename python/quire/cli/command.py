"""Common to all commands: an error is printed as one line, without a traceback, and sets the exit code."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, ParamSpec

import typer

from quire.cli.hints import looks_like_expression
from quire.cli.output import printable, remark, use_utf8
from quire.cli.parallel import (
    abort_all,
    agreed_code,
    is_first_rank,
    launched_sizes,
    refuse_ranks,
    unmute,
)
from quire.cli.signals import code_of, ended_by_signals

if TYPE_CHECKING:
    from quire.errors import Error

Parameters = ParamSpec("Parameters")


class ExitCode(IntEnum):
    """The exit codes of all commands."""

    GOOD = 0
    NO = 1
    USAGE = 2
    BAD_FILE = 3
    INPUT_OUTPUT = 4
    DEFECT = 70
    INTERRUPTED = 130


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a full device."""

CODE_OF_KIND = {
    "usage": ExitCode.USAGE,
    "missing": ExitCode.NO,
    "bad file": ExitCode.BAD_FILE,
    "unsupported": ExitCode.NO,
    "type": ExitCode.NO,
    "data": ExitCode.NO,
    "conflict": ExitCode.NO,
    "io": ExitCode.INPUT_OUTPUT,
    "memory": ExitCode.INPUT_OUTPUT,
    "aborted": ExitCode.INPUT_OUTPUT,
    "deadline": ExitCode.INPUT_OUTPUT,
    "internal": ExitCode.DEFECT,
}


def explain(problem: Exception) -> tuple[str, ExitCode]:
    """Independent. Return the message and the exit code of an exception."""
    from quire.errors import BadFileError, Error, MissingFileError

    if isinstance(problem, MissingFileError):
        near = "" if "there is no directory" in problem.message else near_file(problem.file)
        return str(problem) + near, ExitCode.INPUT_OUTPUT
    if isinstance(problem, BadFileError) and os.path.isfile(problem.file or ""):  # a pipe has been read
        from quire.cli.streams import import_first

        problem = import_first(problem, problem.file, problem.file)
    if isinstance(problem, Error):
        return with_options(str(problem)) + of_shell(problem.message), CODE_OF_KIND.get(
            problem.kind, ExitCode.DEFECT
        )
    if isinstance(problem, OSError):
        name = problem.filename
        if name is None and problem.errno in FULL:
            name = "standard output"  # errors of files contain their name
        named = problem.strerror and name is not None
        near = near_file(os.fsdecode(name)) if named and problem.errno == errno.ENOENT else ""
        return f"{name}: {problem.strerror}{near}" if named else str(problem), ExitCode.INPUT_OUTPUT
    if isinstance(problem, MemoryError):
        return "there is not enough memory", ExitCode.INPUT_OUTPUT
    if isinstance(problem, ModuleNotFoundError) and (problem.name or "").startswith("quire.lab"):
        return (
            "this command needs quire.lab, which is not installed: pip install 'quire[lab]'",
            ExitCode.USAGE,
        )
    if isinstance(problem, ModuleNotFoundError) and (problem.name or "").startswith("quire."):
        return (
            f"the compiled module {problem.name} is missing: build with QUIRE_PYTHON=ON, as make setup does",
            ExitCode.USAGE,
        )
    if isinstance(problem, ModuleNotFoundError):
        from quire.io.foreign import installing

        name = (problem.name or "").partition(".")[0]
        return (
            f"this command needs the Python package '{name}', which is not installed: {installing(name)}",
            ExitCode.USAGE,
        )
    return (
        f"internal error of quire: {type(problem).__name__}: {problem} (QUIRE_DEBUG=1 shows where)",
        ExitCode.DEFECT,
    )


ARGUMENT = (
    r"\b(?<!option )(convention|key|nearest|overwrite|replace|rows|species|steps|table|versus)"
    r"=(\"?)([\w-]+)\2"
)
"""An argument of a function in a message of the library: `overwrite=True`, `steps="3"`."""


def with_options(message: str) -> str:
    """Independent. Return a message in which arguments of functions are options of the command line."""

    def option(found: re.Match[str]) -> str:
        if found[3] == "True":
            return "--overwrite"  # also of the attachment that `replace` replaces
        return f"--{found[1]} {found[3]}"

    return re.sub(ARGUMENT, option, message)


UNIT_OF_NUMBER = r'(?:(\w+): )?"(\w+)" at character \d+ is not expected: an operator is missing'
"""The message about what follows a number, such as a unit, in a condition or in the definition of a name."""


def of_shell(message: str) -> str:
    """Independent. Return a hint at what is often typed: a condition without quotes, of which only a name
    arrives, and a unit after a number.
    """
    from quire import units

    if re.match(r"'\w+' is not a condition", message):
        return "; quote conditions: a shell takes < and > as redirection"
    found = re.match(UNIT_OF_NUMBER, message)
    if found is None or not units.is_known(found[2]):
        return ""
    of_result = f"{found[1]}[unit]=... states the unit of the result"
    advice = of_result if found[1] else "a column is compared in its own unit"
    return f"; numbers have no unit here: {advice}"


def near_file(path: str | None) -> str:
    """Independent. Return a hint at a file that does not exist: at one with nearly the same name, if there is
    one, or at the directory that is missing.
    """
    import difflib

    from quire.io.origin import SUFFIX

    if not path:
        return ""
    if looks_like_expression(path):
        return "; this looks like an expression, and a file is expected"
    folder, name = os.path.split(path)
    try:
        names = [entry.name for entry in os.scandir(folder or ".") if not entry.name.endswith(SUFFIX)]
    except FileNotFoundError:
        return f"; there is no directory {folder}"
    except OSError:
        return ""
    near = difflib.get_close_matches(name, names, 1, 0.75) or [
        one for one in sorted(names) if name and one.startswith(f"{name}.")
    ]
    return f"; did you mean {os.path.join(folder, near[0])}?" if near and near[0] != name else ""


# Errors of expressions end in the expression, with carets under the place.
POINTED = r"\n(    [^\n]*\n {4,}\^+)"


def complain(line: str) -> None:
    """Independent. Print an error as one line on standard error, followed by the place in an expression."""
    pointed = re.search(POINTED, line)
    text = line if pointed is None else line[: pointed.start()] + line[pointed.end() :]
    place = "" if pointed is None else f"\n{pointed[1]}"
    remark(f"quire: {' '.join(text.split())}{place}")


def fail(problem: Exception) -> ExitCode:
    """Collective. Report an exception. Aborts the other ranks if they may not raise it."""
    from quire.errors import Error

    line, code = explain(problem)
    # Errors of the library are the same on all ranks, so the first rank reports them.
    # # Where the number of ranks is unknown, each rank reports its own.
    if is_first_rank() or not isinstance(problem, Error) or not launched_sizes():
        complain(line)
    if not isinstance(problem, Error):
        abort_all(code)
        return code
    return ExitCode(agreed_code(code, is_cause=problem.kind != "aborted"))


def discard_output() -> None:
    """Independent. Discard standard output after its reader has closed it, without an error at exit."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


@contextlib.contextmanager
def even_unread() -> Iterator[None]:
    """Independent. Print what explains an exit code. It stays the same if the reader, such as `grep -q`, has
    closed standard output before.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()


def command(function: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """Decorate a command that runs in one process. Several ranks of mpiexec are refused.

    Exceptions are printed as one line on standard error and set the exit code. With QUIRE_DEBUG=1 they are
    raised with their traceback.
    """
    name = function.__module__.rpartition(".")[2].rstrip("_")

    @functools.wraps(function)
    def alone(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        refuse_ranks(f"quire {name}")
        function(*args, **kwargs)

    return command_of_ranks(alone)


def command_of_ranks(function: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """Decorate a command that runs on one or more ranks. The first rank prints the result.

    Exceptions as in `command`.
    """

    @functools.wraps(function)
    def guarded(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        try:
            unmute()
            use_utf8()
            with ended_by_signals(), remarked_warnings():
                function(*args, **kwargs)
                sys.stdout.flush()
        except (typer.Exit, typer.Abort):
            raise
        except BrokenPipeError:
            discard_output()
        except KeyboardInterrupt as interruption:
            report_interruption(interruption)
            raise typer.Exit(code_of(interruption)) from None
        except Exception as problem:
            is_of_usage = hasattr(problem, "format_message")  # those of the verbs of a chain
            if is_of_usage or os.environ.get("QUIRE_DEBUG") == "1":
                raise
            raise typer.Exit(fail(problem)) from None

    return guarded


def report_interruption(interruption: KeyboardInterrupt) -> None:
    """Independent. Print on the first rank that a command was interrupted, and what is left of its files."""
    left = dict.fromkeys(getattr(interruption, "__notes__", ())) or ["no file was changed"]
    if is_first_rank():
        # The terminal may be gone, as after SIGHUP.
        with contextlib.suppress(OSError):
            complain(f"interrupted: {printable('; '.join(left))}")


def report_unreadable(path: str, unreadable: Mapping[int, Error]) -> None:
    """Independent. Report damaged steps that were skipped; exits with the code of a bad file if any."""
    if not unreadable:
        return
    if is_first_rank():
        for number, problem in unreadable.items():
            place = f" at byte {problem.offset}" if problem.offset is not None else ""
            remark(f"damaged: {path}: step {number}{place}: {printable(problem.message)}")
    raise typer.Exit(ExitCode.BAD_FILE)


@contextlib.contextmanager
def remarked_warnings() -> Iterator[None]:
    """Independent. Print warnings of units and indexes on standard error, each once, by the first rank."""
    import warnings

    from quire.errors import IndexWarning, UnitWarning

    ours = (IndexWarning, UnitWarning)
    seen: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *place: object) -> None:
        if not issubclass(category, ours):
            before(message, category, *place)  # type: ignore[arg-type]
        elif str(message) not in seen and is_first_rank():
            seen.add(str(message))
            remark(f"quire: warning: {printable(str(message))}")

    with warnings.catch_warnings():
        before = warnings.showwarning
        for one in ours:
            warnings.simplefilter("always", one)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def answer(yes: bool) -> None:
    """Independent. Exit with code 0 for yes and 1 for no."""
    raise typer.Exit(ExitCode.GOOD if yes else ExitCode.NO)
