"""The commands of quire with their descriptions, from the parsers of the command line.

Needs typer, but neither NumPy nor the compiled module, so that the man pages are made before these exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

from quire.cli.main import Quire, app
from quire.cli.shell import Description, description_of, first_sentence


@dataclass(frozen=True)
class CommandEntry:
    """A command: its words, such as `quire bench run`, and what describes it."""

    words: tuple[str, ...]
    described: Description

    @property
    def page(self) -> str:
        """Return the name of its page of the manual."""
        return "-".join(self.words)

    @property
    def summary(self) -> str:
        """Return one sentence about the command."""
        return first_sentence(self.described.paragraphs[0])


def entries() -> Iterator[CommandEntry]:
    """Yield the program and all commands, those with commands of their own before these."""
    program: Any = typer.main.get_command(app)
    yield from entries_below(program, typer.Context(program, info_name="quire"), ("quire",))


def entries_below(command: Any, context: Any, words: tuple[str, ...]) -> Iterator[CommandEntry]:
    """Yield a command and those below it."""
    yield CommandEntry(words, description_of(command, context))
    for name, one in getattr(command, "commands", {}).items():
        yield from entries_below(one, typer.Context(one, info_name=name, parent=context), (*words, name))


def groups() -> dict[str, list[str]]:
    """Return the names of the commands in the groups of the help."""
    return {title: list(names) for title, names in Quire.groups.items()}
