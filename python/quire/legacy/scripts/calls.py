"""The calls of a script: words with the variables in them, and where they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from quire.errors import UsageError

LANGUAGES: Final = ("sh", "csh", "tcl")

Span = tuple[int, int]


class UnclosedError(UsageError):
    """A quote or a bracket that is not closed."""

    def __init__(self, opening: str, begin: int) -> None:
        super().__init__(f"{opening} is not closed")
        self.begin = begin


@dataclass(frozen=True)
class Part:
    """A part of a word: a text without its quotes, or a variable or command substitution as written."""

    text: str
    is_variable: bool = False
    is_quoted: bool = False
    code: Span | None = None
    """Where the commands of a substitution are."""


@dataclass
class Word:
    """A word of a command."""

    begin: int
    end: int = 0
    parts: list[Part] = field(default_factory=list)
    problem: str = ""
    """Why its value is not known."""

    @property
    def text(self) -> str:
        """The value, with variables as they are written."""
        return "".join(one.text for one in self.parts)


@dataclass
class Call:
    """A command: its words up to the first redirection."""

    words: list[Word]
    redirection: str = ""
    problem: str = ""
    """Why it cannot be rewritten."""

    @property
    def span(self) -> Span:
        """Where the words are."""
        return self.words[0].begin, self.words[-1].end


@dataclass
class Found:
    """What is found in a part of a script."""

    pipes: list[list[Call]] = field(default_factory=list)
    """Commands that are joined by pipes."""
    codes: list[Span] = field(default_factory=list)
    """Where the commands of substitutions are."""
    silent: list[Span] = field(default_factory=list)
    """Comments, and commands that print texts."""
