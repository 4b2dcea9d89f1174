"""The calls of scripts of Tcl: programs that `exec` starts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from quire.legacy.scripts.calls import Call, Found, Part, UnclosedError, Word

EXEC: Final = re.compile(r"(?:^|(?<=[\[{;]))[ \t]*(exec)[ \t]", re.MULTILINE)
SILENT: Final = re.compile(r"^[ \t]*(?:#|puts\b)[^\n]*", re.MULTILINE)
CONTINUATION: Final = re.compile(r"\\\r?\n[ \t]*")
VARIABLE: Final = re.compile(r"\$(?:(?:::)?\w+(?:::\w+)*(?:\([^()\s]*\))?|\{[^{}]*\})")
ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}
REDIRECTION: Final = re.compile(r"[<>]|2>|[|<>]&|&$")
OPTIONS: Final = ("-keepnewline", "-ignorestderr", "--")


def scan_tcl(text: str, begin: int, end: int) -> Found:
    """Independent. Return the calls between two places. Raises UnclosedError."""
    found = Found(silent=[one.span() for one in SILENT.finditer(text, begin, end)])
    place = begin
    while start := EXEC.search(text, place, end):
        comment = next((last for first, last in found.silent if first <= start.start(1) < last), None)
        if comment is not None:
            place = comment
            continue
        scan = Scan(text, start.end(), end)
        scan.run(found)
        place = scan.place
    return found


@dataclass
class Scan:
    """The scan of the words after one `exec`."""

    text: str
    place: int
    end: int
    words: list[Word] = field(default_factory=list)

    def run(self, found: Found) -> None:
        """Independent. Find the calls, and add them."""
        while self.place < self.end:
            if continued := CONTINUATION.match(self.text, self.place):
                self.place = continued.end()
            elif self.text[self.place] in " \t\r":
                self.place += 1
            elif self.text[self.place] in "\n;]}":
                break
            else:
                self.words.append(self.word())
        found.codes += [part.code for one in self.words for part in one.parts if part.code is not None]
        while self.words and self.words[0].text in OPTIONS:
            self.words.pop(0)
        pipe: list[Call] = []
        call = Call([])
        for word in self.words:
            if word.text == "|":
                pipe.append(call)
                call = Call([])
            elif call.redirection or REDIRECTION.match(word.text):
                call.redirection = call.redirection or word.text
                if word.text.startswith("-"):
                    call.problem = "an option is after a redirection"
            else:
                call.words.append(word)
        found.pipes.append([one for one in [*pipe, call] if one.words])

    def word(self) -> Word:
        """Independent. Return the word that begins here. Raises UnclosedError."""
        word = Word(self.place)
        if self.text.startswith("{*}", self.place):
            word.problem = "{*} may be several words"
        if self.text[self.place] == "{":
            close = self.closed(self.place, "{", "}")
            text = CONTINUATION.sub(" ", self.text[self.place + 1 : close])
            word.parts.append(Part(text, is_quoted=True))
            self.place = close + 1
        elif self.text[self.place] == '"':
            self.quoted(word)
        while self.place < self.end and self.text[self.place] not in " \t\r\n;]}":
            if CONTINUATION.match(self.text, self.place):
                break
            self.piece(word, is_quoted=False)
        word.end = self.place
        return word

    def quoted(self, word: Word) -> None:
        """Independent. Add what is between double quotes. Raises UnclosedError."""
        begin = self.place
        self.place += 1
        word.parts.append(Part("", is_quoted=True))
        while self.place < self.end:
            if self.text[self.place] == '"':
                self.place += 1
                return
            self.piece(word, is_quoted=True)
        raise UnclosedError('"', begin)

    def piece(self, word: Word, *, is_quoted: bool) -> None:
        """Independent. Add a letter, a variable or a command substitution. Raises UnclosedError."""
        begin, letter = self.place, self.text[self.place]
        if continued := CONTINUATION.match(self.text, begin):
            word.parts.append(Part(" ", is_quoted=True))
            self.place = continued.end()
        elif letter == "\\":
            following = self.text[begin + 1 : begin + 2]
            word.parts.append(Part(ESCAPED.get(following, following), is_quoted=True))
            self.place += 2
        elif letter == "[":
            close = self.closed(begin, "[", "]")
            self.place = close + 1
            word.parts.append(Part(self.text[begin : self.place], True, is_quoted, (begin + 1, close)))
        elif found := VARIABLE.match(self.text, begin, self.end):
            self.place = found.end()
            word.parts.append(Part(found[0], True, is_quoted))
        else:
            word.parts.append(Part(letter, is_quoted=is_quoted))
            self.place += 1

    def closed(self, place: int, opening: str, closing: str) -> int:
        """Independent. Return where what opens is closed. Raises UnclosedError."""
        begin, depth = place, 0
        while place < self.end:
            letter = self.text[place]
            depth += (letter == opening) - (letter == closing)
            if not depth:
                return place
            place += 1 + (letter == "\\")
        raise UnclosedError(opening, begin)
