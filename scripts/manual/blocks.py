"""The blocks of code of a page in Markdown, in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

FILE_NOTE = "file="
"""In the note of a block: it is the content of this file, which the next blocks use."""
PROMPT = "$ "
MORE = "> "
"""Begins further lines of a command, as the shell prints it."""
INDENT = "    "
REMARK = re.compile(r"<!-- (not run|first|rows): (.+?) -->")
"""The comment before a block: the reason why tests leave it out, or Python that they run first. Before a
table: the file that the code of its last column is."""
CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Command:
    """A command of a console block, and the output below it."""

    text: str
    output: list[str]
    first: int
    """The number of the first line of the output in the page, from 0."""


@dataclass(frozen=True)
class Block:
    """A block: its language, what follows the language, its lines without indentation, and its place."""

    language: str
    note: str
    lines: list[str]
    first: int
    """The number of its first line in the page, from 0."""
    remarks: Mapping[str, str]
    """From the comment before the block: `not run` with a reason, `first` with Python to run before, or
    `rows` with a file."""

    @property
    def not_run(self) -> str | None:
        """Return the reason if the block is marked as one that does not run."""
        return self.remarks.get("not run")

    @property
    def text(self) -> str:
        """Return the lines as one text."""
        return "".join(f"{line}\n" for line in self.lines)

    def commands(self) -> Iterator[Command]:
        """Yield the commands of a console block."""
        number = 0
        while number < len(self.lines):
            parts = [self.lines[number].removeprefix(PROMPT)]
            number += 1
            while number < len(self.lines) and (
                parts[-1].endswith("\\") or self.lines[number].startswith(MORE)
            ):
                parts.append(self.lines[number].removeprefix(MORE))
                number += 1
            first = number
            while number < len(self.lines) and not self.lines[number].startswith(PROMPT):
                number += 1
            yield Command("\n".join(parts), self.lines[first:number], self.first + first)


def blocks_of(page: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page, the indented ones, and the marked tables."""
    lines = page.splitlines()
    number = 0
    while number < len(lines):
        fence = re.match(r"(```+)(\S*) ?(.*)", lines[number])
        begin = number
        if fence:
            number += 1
            while number < len(lines) and lines[number] != fence[1]:
                number += 1
            content = lines[begin + 1 : number]
            yield Block(fence[2], fence[3], content, begin + 1, remarks_before(lines, begin))
        elif lines[number].startswith(INDENT) and (begin == 0 or not lines[begin - 1].strip()):
            while number < len(lines) and (lines[number].startswith(INDENT) or not lines[number].strip()):
                number += 1
            content = [line.removeprefix(INDENT) for line in lines[begin:number]]
            while not content[-1].strip():
                content.pop()
            language = "console" if content[0].startswith(PROMPT) else ""
            yield Block(language, "", content, begin, remarks_before(lines, begin))
            continue
        elif lines[number].startswith("|") and "rows" in (remarks := remarks_before(lines, begin)):
            while number < len(lines) and lines[number].startswith("|"):
                number += 1
            content = [code for row in lines[begin:number] for code in last_column(row)]
            yield Block("table", f"{FILE_NOTE}{remarks['rows']}", content, begin, remarks)
            continue
        number += 1


def last_column(row: str) -> list[str]:
    """Return the pieces of code in the last column of a row of a table."""
    return CODE.findall(row.rstrip().removesuffix("|").rpartition("|")[2])


def remarks_before(lines: list[str], begin: int) -> dict[str, str]:
    """Return what the comment before a block says."""
    while begin > 0 and not lines[begin - 1].strip():
        begin -= 1
    found = REMARK.fullmatch(lines[begin - 1].strip()) if begin > 0 else None
    return {found[1]: found[2]} if found else {}
