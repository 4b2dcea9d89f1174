"""Runs old programs: pipes, files that are replaced, errors and exit codes."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, Final, cast

from quire.cli.streams import is_standard_output, is_stream, readable, writable
from quire.errors import ConflictError, UsageError
from quire.legacy.grammar import EXPLAIN, CommandLine
from quire.legacy.names import PROGRAMS, no_shim
from quire.legacy.translation import STANDARD, Command, Translation, Writing

FAILED: Final = 1
"""The exit code of every error."""


def source_and_target(line: CommandLine) -> tuple[str, str, str]:
    """Independent. Return input, output and backup of a filter: specs/sdds-toolkit.md, section 2.2.

    One file without a pipe is replaced, and kept under the name of the backup. Raises UsageError.
    """
    files = list(line.files)
    source = STANDARD if "input" in line.pipe else ""
    target = STANDARD if "output" in line.pipe else ""
    if not source and files:
        source = files.pop(0)
    if not target and files:
        target = files.pop(0)
    if files:
        raise UsageError(f"there are too many files: {', '.join(files)}")
    if not source:
        raise UsageError("the input is missing: give a file, or -pipe=in")
    if not target and source == STANDARD:
        raise UsageError("the output is missing: give a file, or -pipe=out")
    if not target or (source != STANDARD and target != STANDARD and same_file(source, target)):
        return source, source, f"{source}~"
    return source, target, ""


def sources_and_target(line: CommandLine, options: Mapping[str, str]) -> tuple[str, list[str], Writing]:
    """Independent. Return the first input of a program with several, the others, and where it writes.

    Of two files without a pipe the first one is replaced. Raises UsageError.
    """
    found = list(line.files)
    source = STANDARD if "input" in line.pipe else found.pop(0) if found else ""
    target = STANDARD if "output" in line.pipe else ""
    if not target and len(found) > 1:
        target = found.pop()
    if not source or not found:
        raise UsageError("two files are needed")
    if not target and source == STANDARD:
        raise UsageError("the output is missing: give a file, or -pipe=out")
    is_other = target and (STANDARD in (source, target) or not same_file(source, target))
    return source, found, Writing(target or source, options, backup="" if is_other else f"{source}~")


def target_of(line: CommandLine, options: Mapping[str, str]) -> Writing:
    """Independent. Return where a program without input writes. Raises UsageError."""
    if "input" in line.pipe:
        raise UsageError(f"{line.program} reads no file: -pipe=in has no meaning")
    if len(line.files) + ("output" in line.pipe) != 1:
        raise UsageError("one output is needed: a file, or -pipe=out")
    return Writing(line.files[0] if line.files else STANDARD, options)


def sources(line: CommandLine) -> list[str]:
    """Independent. Return the inputs of a program that prints. Raises UsageError without any."""
    if "output" in line.pipe and "input" not in line.pipe:
        raise UsageError(f"{line.program} writes no file: -pipe=out has no meaning")
    found = [STANDARD, *line.files] if line.pipe else list(line.files)
    if not found:
        raise UsageError("the input is missing: give a file, or -pipe=in")
    return found


def source_of_printing(line: CommandLine) -> tuple[str, str]:
    """Independent. Return the input of a program that prints, and the file that it prints to, or `-` for
    standard output. Raises UsageError.
    """
    files = list(line.files)
    source = STANDARD if "input" in line.pipe or (line.pipe and not files) else ""
    if not source and files:
        source = files.pop(0)
    if not source:
        raise UsageError("the input is missing: give a file, or -pipe=in")
    if len(files) > 1 or (files and "output" in line.pipe):
        raise UsageError(f"there are too many files: {', '.join(files)}")
    return source, files[0] if files else STANDARD


def same_file(left: str, right: str) -> bool:
    """Independent. Return whether two paths are one file."""
    return os.path.exists(right) and os.path.exists(left) and os.path.samefile(left, right)


def writing(line: CommandLine, options: Mapping[str, str] | None = None) -> tuple[str, Writing]:
    """Independent. Return the input of a filter, and where it writes."""
    source, target, backup = source_and_target(line)
    return source, Writing(target, options or {}, backup=backup)


def write_pages(pages: Any, target: str, options: Mapping[str, str], replaces: bool = True) -> None:
    """Independent. Write pages to a file, or to standard output for `-`. By default the mode of the input,
    binary or text, is kept.
    """
    from quire.legacy.pages import FORMAT
    from quire.toolkit.convert import copy_open_file
    from quire.toolkit.copier import StepCopier
    from quire.toolkit.replacing import refuse_overwriting
    from quire.toolkit.request import Observer, Request

    kept = {"mode": pages.layout["mode"]} if pages.layout.get("mode") in ("ascii", "binary") else {}
    request = Request(
        format=FORMAT,
        options={"step_parameter": "false"} | kept | dict(options),
        overwrite=replaces,
        renumber=True,
        transport="posix",
    )
    observer = Observer(change=report, warning=lambda text: report("warning", text))
    if target != STANDARD and not replaces and os.path.lexists(target):
        raise ConflictError("the output exists already", file=target, advice="-overWrite replaces it")
    with writable(target) as path:
        refuse_overwriting(pages.path, path, True, FORMAT)
        copy_open_file(pages, path, StepCopier(request, FORMAT, None, observer))


def report(kind: str, text: str) -> None:
    """Independent. Print a remark on standard error."""
    print(f"{kind}: {text}", file=sys.stderr)


def carry_out(translation: Translation | Command) -> int:
    """Independent. Do what a translation says. Returns the exit code."""
    for text in translation.warnings:
        report("warning", text)
    if isinstance(translation, Command):
        from quire.cli.main import built

        name, *words = translation.words
        return FAILED if built(name).main(words, standalone_mode=False) else 0
    change_pages(translation)
    return 0


def change_pages(translation: Translation) -> None:
    """Independent. Apply acts to pages, and write or print the result."""
    from quire.legacy.pages import Pages

    end = translation.end
    backup = end.backup if isinstance(end, Writing) else ""
    with ExitStack() as stack:
        local = "" if translation.new else stack.enter_context(readable(translation.source, as_stored=True))
        if backup:
            keep(local, backup)
            report("warning", f"{translation.source} is replaced; the former file is {backup}")

        def opened(path: str) -> Pages:
            return Pages.of(stack.enter_context(readable(path, as_stored=True)), stack)

        pages = translation.new.pages() if translation.new else Pages.of(backup or local, stack)
        for act in translation.acts:
            pages = act.apply(pages, opened)
        if isinstance(end, Writing):
            write_pages(pages, end.target, end.options, end.replaces)
            if pages.failures:
                raise ConflictError("; ".join(sorted(pages.failures)))
        else:
            with printed_to(translation.target, local):
                for text in end.apply(pages, opened):
                    sys.stdout.write(text)
                sys.stdout.flush()


def keep(path: str, backup: str) -> None:
    """Independent. Keep a copy of a file under another name, which it replaces."""
    from quire.toolkit.replacing import replacement

    with replacement(backup) as beside:
        shutil.copy2(path, beside)


@contextmanager
def printed_to(path: str, source: str) -> Iterator[None]:
    """Independent. Let what is printed of a source go to a file, which replaces an older one when it is
    complete, or to standard output, a pipe or a device. Raises ConflictError for the source itself, and while
    a writer has the file open.
    """
    from quire.toolkit.replacing import refuse_overwriting, replacement

    if is_standard_output(path):
        yield
        return
    with ExitStack() as stack:
        beside: str | Path = path
        if not is_stream(path):
            refuse_overwriting(source, path, overwrite=True)
            beside = stack.enter_context(replacement(path))
        file = stack.enter_context(open(beside, "w", encoding="utf-8", errors="surrogateescape"))
        stack.enter_context(redirect_stdout(file))
        yield


def translator(program: str) -> Callable[[Sequence[str]], Translation | Command]:
    """Independent. Return the function that translates the arguments of a program. Raises UsageError for
    those without a shim.
    """
    if program not in PROGRAMS:
        raise UsageError(no_shim(program))
    module = importlib.import_module(f"quire.legacy.programs.{program}")
    return cast("Callable[[Sequence[str]], Translation | Command]", module.translate)


def run(program: str, words: Sequence[str]) -> int:
    """Independent. Run an old program, or print what it is in Quire with `--explain`. Returns the exit
    code.
    """
    given = [word for word in words if word != EXPLAIN]
    translation = translator(program)(given)
    if len(given) < len(words):
        print(translation.explained())
        for text in translation.notes:
            report("note", text)
        return 0
    return carry_out(translation)


def main(program: str, words: Sequence[str] | None = None) -> int:
    """Independent. Run an old program; returns its exit code. Errors are one line on standard error."""
    from quire.cli.command import POINTED, discard_output, explain, remarked_warnings
    from quire.cli.output import use_utf8
    from quire.cli.signals import code_of, ended_by_signals, raised_interruptions

    use_utf8()
    try:
        with raised_interruptions(), ended_by_signals(), remarked_warnings():
            code = run(program, sys.argv[1:] if words is None else words)
            sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        return 0
    except KeyboardInterrupt as interruption:
        return code_of(interruption)
    except Exception as problem:
        if os.environ.get("QUIRE_DEBUG") == "1":
            raise
        message, _ = explain(problem)
        pointed, sentence = re.search(POINTED, message), re.sub(POINTED, "", message)
        place = "" if pointed is None else f"\n{pointed[1]}"
        print(
            f"{program or 'quire.legacy'}: {' '.join(sentence.split())}{place}",
            file=sys.stderr,
        )
        return FAILED
    return code
