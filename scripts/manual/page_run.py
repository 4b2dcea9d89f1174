"""Run the blocks of a page in their order, in one folder, as a reader would."""

from __future__ import annotations

import doctest
import os
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from manual.blocks import FILE_NOTE, Block, Command, blocks_of
from manual.transcripts import COLUMNS, agree, run_command

SHOWN_ONLY = {"", "text", "toml", "cmake", "json", "cpp", "c", "fortran"}
"""Languages of blocks that are no session and no program of Python; the tests compile C and C++."""
FLAGS = doctest.ELLIPSIS


@dataclass(frozen=True)
class Difference:
    """Output that is not that of the page."""

    command: Command | None
    line: int
    """In the page, from 1."""
    printed: list[str]
    text: str

    def __str__(self) -> str:
        """Return the place, the block, and what it printed."""
        return f"line {self.line}: {self.text}\n" + "\n".join(f"    {one}" for one in self.printed)


@dataclass
class PageRun:
    """The state of a page: its folder, the programs for its shell, and the names of its Python blocks."""

    folder: Path
    programs: Path
    names: dict[str, Any] = field(default_factory=dict)

    def differences(self, page: str) -> Iterator[Difference]:
        """Run the blocks of a page, and yield what differs."""
        os.environ["COLUMNS"] = COLUMNS  # the width of help
        with chdir(self.folder):
            for block in blocks_of(page):
                if block.note.startswith(FILE_NOTE):
                    path = Path(block.note.removeprefix(FILE_NOTE))
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(block.text)
                elif block.not_run is None:
                    yield from self.run(block)

    def run(self, block: Block) -> Iterator[Difference]:
        """Run a block."""
        exec(block.remarks.get("first", ""), self.names)
        if block.language == "console":
            for command in block.commands():
                printed = run_command(command, self.folder, self.programs)
                if not agree(command.output, printed):
                    yield Difference(command, command.first, printed, command.text)
        elif block.language == "pycon":
            yield from self.run_session(block)
        elif block.language == "python":
            yield from self.run_program(block)
        elif block.language not in SHOWN_ONLY:
            yield Difference(None, block.first, [], f"the language '{block.language}' is not known")

    def run_program(self, block: Block) -> Iterator[Difference]:
        """Run a block of Python that prints nothing, or whose output is not shown."""
        try:
            with redirect_stdout(StringIO()):
                exec(compile("\n" * block.first + block.text, "page", "exec"), self.names)
        except Exception as problem:
            yield Difference(None, block.first, [f"{type(problem).__name__}: {problem}"], block.text)

    def run_session(self, block: Block) -> Iterator[Difference]:
        """Run a session of Python."""
        test = doctest.DocTestParser().get_doctest(block.text, {}, "page", "page", block.first)
        test.globs = self.names
        output: list[str] = []
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        if runner.run(test, out=output.append, clear_globs=False).failed:
            yield Difference(None, block.first, "".join(output).splitlines(), "a session of Python")


def with_output(page: str, differences: list[Difference]) -> str:
    """Return a page whose console blocks show what was printed."""
    lines = page.splitlines()
    for one in sorted(differences, key=lambda one: one.line, reverse=True):
        if one.command is None:
            continue
        command = next(line for line in reversed(lines[: one.line]) if line.lstrip().startswith("$ "))
        indent = command[: len(command) - len(command.lstrip())]
        shown = [f"{indent}{line}".rstrip() for line in one.printed]
        lines[one.line : one.line + len(one.command.output)] = shown
    return "\n".join(lines) + "\n"
