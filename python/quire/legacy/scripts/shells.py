"""The calls of scripts of sh and csh."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from quire.legacy.scripts.calls import Call, Found, Part, UnclosedError, Word

OPERATOR: Final = re.compile(r"\|\||\|&|&&|;;|<<<|<<-?|<>|>>?[&|!]*|<&?|[|&;()]")
CONTINUATION: Final = re.compile(r"\\\r?\n")
COMMENT: Final = re.compile("#[^\n]*")
KEYWORDS: Final = {
    "if",
    "then",
    "elif",
    "else",
    "do",
    "while",
    "until",
    "!",
    "{",
    "}",
    "time",
    "nice",
    "exec",
}
ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
SILENT: Final = {"echo", "printf", "man", "which", "print"}
"""Commands whose words are no calls."""

BLANKS: Final = " \t\r"
PATTERN: Final = "*?[{"
"""Letters that the shell may replace by names of files."""

VARIABLE: Final = {
    "sh": re.compile(r"\$(?:[A-Za-z_]\w*|[0-9@*#?$!-]|\{[^{}]*\})"),
    "csh": re.compile(
        r"\$(?:[#?]?\{[^{}]*\}|[#?]?(?:[A-Za-z_]\w*|[0-9]+)(?:\[[^]\s]*\])?(?::g?[rhtesq])*|[*<$])"
    ),
}
SEVERAL: Final = re.compile(r"\$(?:[@*]|argv(?!\[)|\{[@*]\}|\{\w+\[[@*]\]\})")
"""Variables of several words."""

ESCAPED: Final = {"sh": '$`"\\', "csh": "!"}
"""What a backslash protects between double quotes."""


def scan_shell(language: str, text: str, begin: int, end: int) -> Found:
    """Independent. Return the calls between two places. Raises UnclosedError."""
    return Scan(text, begin, end, language).run()


@dataclass
class Scan:
    """The scan of a part of a script."""

    text: str
    place: int
    end: int
    language: str
    found: Found = field(default_factory=Found)
    pipe: list[Call] = field(default_factory=list)
    call: Call = field(default_factory=lambda: Call([]))
    documents: list[str] = field(default_factory=list)
    """The last lines of the texts that follow the present line."""

    def run(self) -> Found:
        """Independent. Find all calls."""
        while self.place < self.end:
            letter = self.text[self.place]
            if letter in BLANKS:
                self.place += 1
            elif continued := CONTINUATION.match(self.text, self.place):
                self.place = continued.end()
            elif letter == "\n":
                self.place += 1
                if self.call.words or not self.pipe:  # not after the bar of a pipe
                    self.finish_pipe()
                self.skip_documents()
            elif comment := COMMENT.match(self.text, self.place, self.end):
                self.place = comment.end()
                self.found.silent.append(comment.span())
            elif operator := OPERATOR.match(self.text, self.place, self.end):
                self.operate(operator[0])
            else:
                self.add(self.word())
        self.finish_pipe()
        return self.found

    def operate(self, operator: str) -> None:
        """Independent. Pass an operator."""
        words = self.call.words
        if operator[0] in "<>":
            if words and words[-1].end == self.place and words[-1].text.isdigit():
                words.pop()  # the number of a stream
            self.call.redirection = operator
        self.place += len(operator)
        if operator[0] not in "<>":
            self.finish_call()
            if operator != "|":
                self.finish_pipe()

    def add(self, word: Word) -> None:
        """Independent. Add a word to the command, unless it is before its name or after a redirection."""
        self.found.codes += [part.code for part in word.parts if part.code is not None]
        if self.call.redirection:
            if self.call.redirection in ("<<", "<<-"):
                self.documents.append(word.text)
            if word.text.startswith("-"):
                self.call.problem = "an option is after a redirection"
        elif self.call.words or not (word.text in KEYWORDS or ASSIGNMENT.match(word.text)):
            self.call.words.append(word)

    def finish_call(self) -> None:
        """Independent. End a command."""
        if self.call.words:
            self.pipe.append(self.call)
            if self.call.words[0].text in SILENT:
                self.found.silent.append(self.call.span)
        self.call = Call([])

    def finish_pipe(self) -> None:
        """Independent. End commands that are joined by pipes."""
        self.finish_call()
        if self.pipe:
            self.found.pipes.append(self.pipe)
        self.pipe = []

    def skip_documents(self) -> None:
        """Independent. Pass the lines that the redirection `<<` takes."""
        for last in self.documents:
            line = re.compile(rf"^\t*{re.escape(last)}\r?$", re.MULTILINE)
            found = line.search(self.text, self.place, self.end)
            self.place = self.end if found is None else found.end()
        self.documents.clear()

    def word(self) -> Word:
        """Independent. Return the word that begins here. Raises UnclosedError."""
        word = Word(self.place)
        if self.text[self.place] == "~":
            word.problem = "~ is a folder that the shell fills in"
        while self.place < self.end:
            letter = self.text[self.place]
            if letter in BLANKS or letter == "\n" or OPERATOR.match(self.text, self.place, self.end):
                break
            if continued := CONTINUATION.match(self.text, self.place):
                self.place = continued.end()
            elif letter == "\\":
                word.parts.append(Part(self.text[self.place + 1 : self.place + 2], is_quoted=True))
                self.place += 2
            elif letter == "'":
                close = self.closing("'", self.place + 1)
                word.parts.append(Part(self.text[self.place + 1 : close], is_quoted=True))
                self.place = close + 1
            elif letter == '"':
                self.double_quoted(word)
            elif not self.substitution(word, is_quoted=False):
                word.parts.append(Part(letter))
                self.place += 1
                if letter in PATTERN and not word.text.startswith("-"):
                    word.problem = word.problem or f"the shell may replace '{letter}' by names of files"
        word.end = self.place
        return word

    def closing(self, mark: str, place: int) -> int:
        """Independent. Return where a mark is that no backslash protects. Raises UnclosedError."""
        begin = place - 1
        while place < self.end:
            if self.text[place] == mark:
                return place
            place += 2 if self.text[place] == "\\" and mark != "'" else 1
        raise UnclosedError(mark, begin)

    def double_quoted(self, word: Word) -> None:
        """Independent. Add what is between double quotes. Raises UnclosedError."""
        begin = self.place
        self.place += 1
        word.parts.append(Part("", is_quoted=True))
        while self.place < self.end:
            letter = self.text[self.place]
            following = self.text[self.place + 1 : self.place + 2]
            if letter == '"':
                self.place += 1
                return
            if continued := CONTINUATION.match(self.text, self.place):
                self.place = continued.end()
            elif letter == "\\" and following and following in ESCAPED[self.language]:
                word.parts.append(Part(following, is_quoted=True))
                self.place += 2
            elif not self.substitution(word, is_quoted=True):
                word.parts.append(Part(letter, is_quoted=True))
                self.place += 1
        raise UnclosedError('"', begin)

    def substitution(self, word: Word, *, is_quoted: bool) -> bool:
        """Independent. Add the variable or the command substitution that begins here, if one does."""
        begin = self.place
        code = None
        if self.text[begin] == "`":
            close = self.closing("`", begin + 1)
            code, self.place = (begin + 1, close), close + 1
        elif self.language == "sh" and self.text.startswith("$(", begin):
            close = self.parenthesis(begin + 1)
            is_arithmetic = self.text.startswith("$((", begin)
            code, self.place = None if is_arithmetic else (begin + 2, close), close + 1
        elif found := VARIABLE[self.language].match(self.text, begin, self.end):
            self.place = found.end()
            if SEVERAL.fullmatch(found[0]):
                word.problem = f"{found[0]} may be several words"
        else:
            return False
        word.parts.append(Part(self.text[begin : self.place], True, is_quoted, code))
        return True

    def parenthesis(self, place: int) -> int:
        """Independent. Return where a parenthesis is closed. Raises UnclosedError."""
        begin, depth = place, 0
        while place < self.end:
            letter = self.text[place]
            depth += (letter == "(") - (letter == ")")
            if not depth:
                return place
            place = self.closing(letter, place + 1) + 1 if letter in "'\"`" else place + 1 + (letter == "\\")
        raise UnclosedError("$(", begin)
