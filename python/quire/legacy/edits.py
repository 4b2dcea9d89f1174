"""The language of edits: specs/sdds-toolkit.md, section 2.5.

A command is a run of steps `[count]letter[data]`, which act on a cursor: `5d` deletes five characters,
`%/Q/Quad/` replaces the first Q, `ei/_x/` appends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from quire.errors import UsageError


class AbandonedError(Exception):
    """The rest of an edit is abandoned, since a text was not found."""


class Editor:
    """A text with a cursor and a buffer, and a command that is read letter by letter."""

    def __init__(self, command: str, text: str) -> None:
        self.command = command
        self.text = text
        self.place = 0
        """The cursor."""
        self.buffer = ""
        self._next = 0
        """The next letter of the command."""

    def edited(self) -> str:
        """Return the edited text. Raises UsageError for a wrong command."""
        try:
            while self._next < len(self.command):
                self.step()
        except AbandonedError:
            pass
        return self.text

    def fail(self, what: str) -> UsageError:
        """Return an error about the command."""
        return UsageError(f"edit '{self.command}': {what}")

    def step(self) -> None:
        """Carry out one step."""
        count = self.count()
        if self._next >= len(self.command):
            raise self.fail("a count is followed by a letter")
        letter = self.letter()
        if letter.isspace():
            return
        if letter not in STEPS:
            raise self.fail(f"there is no step '{letter}'")
        STEPS[letter](self, 1 if count is None else count)

    def count(self) -> int | None:
        """Read a count."""
        found = re.compile("[0-9]+").match(self.command, self._next)
        if found is None:
            return None
        self._next = found.end()
        return int(found[0])

    def letter(self) -> str:
        """Read one letter."""
        if self._next >= len(self.command):
            raise self.fail("it ends too early")
        self._next += 1
        return self.command[self._next - 1]

    def delimited(self, delimiter: str) -> str:
        """Read a text up to a delimiter."""
        end = self.command.find(delimiter, self._next)
        if end < 0:
            raise self.fail(f"a text has no closing {delimiter}")
        found = self.command[self._next : end]
        self._next = end + 1
        return found

    def peek(self) -> str:
        """Return the next letter of the command, empty at its end."""
        return self.command[self._next : self._next + 1]

    def words_on(self, count: int) -> int:
        """Return the place after `count` words from the cursor on."""
        place = self.place
        for _ in range(count):
            found = re.compile(r"\s*\S+").match(self.text, place)
            place = found.end() if found else len(self.text)
        return place

    def words_back(self, count: int) -> int:
        """Return the place `count` words before the cursor."""
        starts = [one.start() for one in re.finditer(r"\S+", self.text) if one.start() < self.place]
        return starts[-count] if count and len(starts) >= count else 0

    def cut(self, end: int) -> str:
        """Delete from the cursor on to a place, and return what was there."""
        removed = self.text[self.place : end]
        self.text = self.text[: self.place] + self.text[end:]
        return removed

    def insert(self, count: int) -> None:
        """Insert a text several times; the cursor is after it."""
        words = self.delimited(self.letter()) * count
        self.text = self.text[: self.place] + words + self.text[self.place :]
        self.place += len(words)

    def search(self, count: int, is_before: bool) -> None:
        """Move the cursor to a text, after it or before it."""
        is_required = self.peek() == "?"
        if is_required:
            self.letter()
        wanted = self.delimited(self.letter())
        for _ in range(count):
            found = self.text.find(wanted, self.place)
            if found < 0:
                if is_required:
                    raise AbandonedError
                return
            self.place = found + len(wanted)
        if is_before:
            self.place -= len(wanted)

    def kill_to(self, count: int, is_through: bool) -> None:
        """Cut up to a character, or through it, into the buffer."""
        wanted = self.letter()
        end = self.place
        for done in range(count):
            found = self.text.find(wanted, end if done == 0 else end + 1)
            if found < 0:
                return
            end = found
        self.buffer = self.cut(end + is_through)

    def replace(self, count: int) -> None:
        """Replace a text several times from the cursor on; the cursor is after the last one."""
        delimiter = self.letter()
        old, new = self.delimited(delimiter), self.delimited(delimiter)
        for _ in range(count):
            found = self.text.find(old, self.place)
            if found < 0:
                return
            self.text = self.text[:found] + new + self.text[found + len(old) :]
            self.place = found + len(new)

    def yank(self, count: int) -> None:
        """Insert the buffer several times; the cursor is after it."""
        words = self.buffer * count
        self.text = self.text[: self.place] + words + self.text[self.place :]
        self.place += len(words)

    def move(self, place: int) -> None:
        """Move the cursor."""
        self.place = max(0, min(place, len(self.text)))

    def kill(self, end: int) -> None:
        """Cut to a place into the buffer."""
        self.buffer = self.cut(end)


STEPS: Final[Mapping[str, Callable[[Editor, int], object]]] = {
    "f": lambda editor, count: editor.move(editor.place + count),
    "b": lambda editor, count: editor.move(editor.place - count),
    "F": lambda editor, count: editor.move(editor.words_on(count)),
    "B": lambda editor, count: editor.move(editor.words_back(count)),
    "d": lambda editor, count: editor.cut(editor.place + count),
    "D": lambda editor, count: editor.cut(editor.words_on(count)),
    "a": lambda editor, count: editor.move(0),
    "e": lambda editor, count: editor.move(len(editor.text)),
    "i": Editor.insert,
    "s": lambda editor, count: editor.search(count, False),
    "S": lambda editor, count: editor.search(count, True),
    "k": lambda editor, count: editor.kill(editor.place + count),
    "K": lambda editor, count: editor.kill(editor.words_on(count)),
    "z": lambda editor, count: editor.kill_to(count, False),
    "Z": lambda editor, count: editor.kill_to(count, True),
    "y": Editor.yank,
    "%": Editor.replace,
}
"""The steps by their letters."""


def edited(command: str, text: str) -> str:
    """Independent. Return a text edited by a command. Raises UsageError for a wrong command."""
    return Editor(command, text).edited()
