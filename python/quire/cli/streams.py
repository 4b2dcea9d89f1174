"""Standard input and output as `-`, and pipes: copied through temporary files, which have offsets."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from quire.cli.hints import of_other_kind
from quire.cli.output import remark
from quire.cli.parallel import communicator

if TYPE_CHECKING:
    from quire.errors import BadFileError

STANDARD = "-"

STANDARD_OUTPUT = (STANDARD, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
"""Names of standard output, which may be a file, a pipe or a terminal."""

OF_SHELL = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
"""The name that a shell gives to a pipe of its own: `<(...)` or `>(...)`."""


def communicator_for(*paths: str) -> Any:
    """Collective. Return the communicator of `parallel.communicator` for these files.

    Raises UsageError for standard input or output and for pipes, which several ranks cannot share.
    """
    comm = communicator()
    if comm is not None and comm.size > 1 and any(map(is_stream, paths)):
        from quire.errors import UsageError

        raise UsageError(
            "several ranks cannot share standard input or output, or a pipe: give names of files"
        )
    return comm


def is_pipe(path: str) -> bool:
    """Independent. Return whether a path is a pipe: a named one, or `<(...)` of a shell."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_standard_output(path: str) -> bool:
    """Independent. Return whether an output is standard output, by `-` or by its name in the system."""
    return path in STANDARD_OUTPUT


def is_stream(path: str) -> bool:
    """Independent. Return whether a path is standard input or output, a pipe, or a device of characters.

    Such an output gets its bytes in order, and nothing is replaced.
    """
    try:
        return path in STANDARD_OUTPUT or is_pipe(path) or stat.S_ISCHR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


class Readable(str):
    """The path of a file to read; `text` is the title of the beam in text of which the file was made."""

    text = ""


@contextmanager
def readable(path: str, as_stored: bool = False, is_only: bool = True) -> Iterator[str]:
    """Independent. Yield the path itself, or a temporary copy of standard input for `-`, or of a pipe.

    Particles that programs write as text are imported to a temporary file, unless the text is read as stored.
    Errors about what the only input does not contain name it. Raises UsageError for the empty path, which
    could be mistaken for the current directory.
    """
    from quire.errors import DataError, MissingError, TypeMismatchError, UsageError

    if not path:
        raise UsageError("the name of the file is empty")
    try:
        with local_file(path, as_stored) as local:
            try:
                yield local
            except MissingError as problem:
                raise of_other_kind(problem, local, path) or problem from None
    except (DataError, MissingError, TypeMismatchError) as problem:
        if is_only:
            problem.place(display_name(path))
        raise


@contextmanager
def local_file(path: str, as_stored: bool) -> Iterator[str]:
    """Independent. Yield a file with the contents of an input, as `readable`."""
    if path != STANDARD and not is_pipe(path):
        with contextlib.nullcontext(path) if as_stored else imported(path) as local:
            yield local
        return
    from quire.toolkit.replacing import naming

    name = STANDARD if OF_SHELL.fullmatch(path) else path  # the next command has another number
    with spool(display_name(path)) as spooled:
        # A signal ends the wait for a writer, and for its data.
        with source_of(path) as source, naming(tempfile.gettempdir()), spooled.open("wb") as copy:
            shutil.copyfileobj(source, copy)
        with contextlib.nullcontext(str(spooled)) if as_stored else imported(str(spooled), name) as local:
            yield local


NO_FORMAT = "belong to no known format"
"""Part of the error of a file that no format recognises."""

GZIP = b"\x1f\x8b"
HEAD_BYTES = 4096


def may_be_text(path: str) -> bool:
    """Independent. Return whether a file may be text, also compressed by gzip: most data files are not, and
    need no reader of texts.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
    except (OSError, ValueError):
        return False  # the reader of the library reports it
    return head.startswith(GZIP) or b"\0" not in head


@contextmanager
def imported(path: str, name: str = "") -> Iterator[str]:
    """Independent. Yield the path itself, or a temporary data file for a text with the beam of a program.

    Several ranks, which open one file, import none. For another table of text the error names the command
    that imports it, with the name of the input if that is not its path.
    """
    from quire.errors import BadFileError

    comm = communicator()
    if not may_be_text(path) or (comm is not None and comm.size > 1):
        yield path
        return
    from quire.toolkit.text_beams import the_only
    from quire.toolkit.text_import import import_text

    beam = the_only(path, name)
    if beam is None:
        try:
            yield path
        except BadFileError as problem:
            raise import_first(problem, path, name or path) from None
        return
    remark(f"{path}: {beam.title}")
    with spool(path) as spooled:
        import_text(path, spooled, beam.layout(path), format=default_format())
        local = Readable(spooled)
        local.text = beam.title
        yield local


def import_first(problem: BadFileError, path: str, name: str) -> BadFileError:
    """Independent. Return the error of a text that no format knows: if it is a table, with the command that
    imports it.
    """
    from quire.errors import BadFileError, Error
    from quire.toolkit.text_beams import import_command
    from quire.toolkit.text_import import TextLayout, TextSource

    if NO_FORMAT not in problem.message or problem.file != path:
        return problem
    try:
        text = TextSource(path, TextLayout())
        is_table = text.looks_like_table
    except (Error, OSError, EOFError):
        return problem
    if not is_table:
        return problem
    decimal = ["--decimal", ","] if text.has_decimal_commas else []
    return BadFileError(
        "this is a table of text, which no format knows",
        file=path,
        advice=f"import it by: {import_command(name, *decimal)}",
    )


def default_format() -> str:
    """Independent. Return the first format, which holds tables of any columns."""
    import quire

    return quire.formats()[0]


@contextmanager
def source_of(path: str) -> Iterator[BinaryIO]:
    """Independent. Open standard input for `-`, else a pipe."""
    if path != STANDARD:
        with open(path, "rb") as pipe:
            yield pipe
        return
    if sys.stdin is None:
        from quire.errors import UsageError

        raise UsageError("standard input is closed")
    yield sys.stdin.buffer


@contextmanager
def writable(path: str) -> Iterator[str]:
    """Independent. Yield the path itself, or for standard output, a pipe or a device a temporary file that is
    copied there at the end.

    Raises UsageError for a terminal.
    """
    if not is_stream(path):
        yield path
        return
    with output_stream(path) as out:
        if out.isatty():
            from quire.errors import UsageError

            raise UsageError("data files are not written to a terminal; redirect standard output")
        with spool("standard output" if is_standard_output(path) else path) as spooled:
            yield str(spooled)
            with spooled.open("rb") as copy:
                shutil.copyfileobj(copy, out)


@contextmanager
def output_stream(path: str) -> Iterator[BinaryIO]:
    """Independent. Open standard output, a pipe or a device for writing.

    A pipe is opened before the work begins: if that fails, its reader gets the end of the file.
    """
    if is_standard_output(path):
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from quire.toolkit.replacing import naming

    with naming(path), open(path, "wb") as out:
        yield out


@contextmanager
def spool(name: str) -> Iterator[Path]:
    """Independent. Yield a temporary file for a stream; errors contain the name of the stream."""
    from quire.errors import Error
    from quire.toolkit.replacing import about

    with tempfile.TemporaryDirectory(prefix="quire-") as folder:
        spooled = Path(folder, Path(name).name.replace(" ", "-"))
        try:
            yield spooled
        except Error as problem:
            raise about(problem, str(spooled), name) from None
        except KeyboardInterrupt as interruption:
            # The temporary file is removed.
            notes = getattr(interruption, "__notes__", [])
            notes[:] = [note for note in notes if str(spooled) not in note]
            raise


def display_name(path: str) -> str:
    """Independent. Return the name of a file for messages: pipes of the shell are numbers."""
    if path in (STANDARD, "/dev/stdin"):
        return "standard input"
    pipe = OF_SHELL.fullmatch(path)
    return f"pipe {pipe[1]}" if pipe else os.fspath(path)
