"""Rewrites the calls of old programs in a script, and leaves everything else as it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final, cast

from quire.errors import Error, UsageError
from quire.legacy.grammar import WORDS_OF_FILE
from quire.legacy.names import PROGRAMS, no_shim
from quire.legacy.programs.rpnl import ONLY_NOW
from quire.legacy.running import translator
from quire.legacy.scripts.calls import LANGUAGES, Call, Found, Part, Span, UnclosedError
from quire.legacy.scripts.quoting import quoted
from quire.legacy.scripts.shells import scan_shell
from quire.legacy.scripts.tcl import scan_tcl
from quire.legacy.translation import STANDARD, Command, Translation, Writing

TOOLKIT: Final = r"(?:sdds[a-z0-9]+|[a-z0-9]+2sdds|rpnl|editstring)"
MENTION: Final = re.compile(rf"(?<![\w.$/-])(?:[\w.~/${{}}]*/)?(?P<name>{TOOLKIT})(?![\w.=/-])")

INTERPRETER: Final = re.compile(r"#!.*?(?:(?P<csh>t?csh)\b|(?:tclsh|wish|expect))|exec\s+\S*(?:tclsh|wish)")
SUFFIXES: Final = {".tcl": "tcl", ".tk": "tcl", ".csh": "csh", ".tcsh": "csh"}

FIRST_NUMBER: Final = 731_000_000
PLACEHOLDER: Final = re.compile("Quire([0-9]+)v")
ANY_TEXT: Final = "*?*"
"""Wildcards after a variable in place of those that it may have; no script has them so."""
PATTERN: Final = re.compile(r"(Quire[0-9]+v)\*\?\*")
MATCHES: Final = "-mat"
"""How options begin whose texts may have wildcards, which make another comparison."""
FILLED: Final = re.compile(r"Quire(?P<name>[0-9]+)v(?:\*\?\*)?|(?P<number>-?731[0-9]{6})")
CONTINUED: Final = re.compile(r"[\\|]\r?\n(?P<indent>[ \t]*)")
JOINED: Final = re.compile(r"[\s\\]*\|[\s\\]*")
"""What may be between calls that become one chain."""


@dataclass(frozen=True)
class Chain:
    """Calls between which are pipes, and what they are together."""

    calls: list[Call]
    translation: Translation | Command

    @property
    def span(self) -> Span:
        """Where the calls are."""
        return self.calls[0].span[0], self.calls[-1].span[1]


@dataclass(frozen=True)
class Remark:
    """What is said about a line: why a call is left as it was, or what is assumed of a call."""

    line: int
    text: str
    is_left: bool


@dataclass(frozen=True)
class Converted:
    """A rewritten script."""

    text: str
    rewritten: int
    """Calls that are commands of Quire now."""
    remarks: list[Remark]

    @property
    def left(self) -> int:
        """The number of places that are left as they were."""
        return sum(one.is_left for one in self.remarks)


def language_of(text: str, suffix: str) -> str:
    """Independent. Return the language of a script, sh, csh or tcl: by its first lines, or its suffix."""
    for line in text.splitlines()[:4]:
        if found := INTERPRETER.match(line):
            return "csh" if found["csh"] else "tcl"
    return SUFFIXES.get(suffix.lower(), "sh")


def convert(text: str, language: str = "sh") -> Converted:
    """Independent. Rewrite the calls of a script in sh, csh or Tcl as commands of Quire.

    What is no such call is kept byte for byte. Raises UsageError for other languages.

    >>> from quire.legacy.scripts.conversion import convert
    >>> convert("sddssort $f out.sdds -col=x  # sorted\\n").text
    'quire run $f / sort x / write out.sdds --overwrite --quiet  # sorted\\n'
    """
    if language not in LANGUAGES:
        raise UsageError(f"'{language}' is no language of scripts; known are {', '.join(LANGUAGES)}")
    return Conversion(text, language).run()


@dataclass
class Conversion:
    """The state of a conversion."""

    text: str
    language: str
    remarks: list[Remark] = field(default_factory=list)
    rewritten: int = 0
    variables: list[Part] = field(default_factory=list)
    """The variables of calls; their numbers are in the placeholders."""
    known: list[Span] = field(default_factory=list)
    """What needs no further remark: calls, comments and printed texts."""
    codes: dict[Span, str] = field(default_factory=dict)

    def run(self) -> Converted:
        """Independent. Rewrite the script."""
        text = self.changed((0, len(self.text)))
        for found in MENTION.finditer(self.text):
            if not any(begin <= found.start() < end for begin, end in self.known):
                self.leave(found.start(), f"{found['name']} is not called here by a plain command")
        return Converted(text, self.rewritten, sorted(self.remarks, key=lambda one: one.line))

    def leave(self, place: int, reason: str) -> None:
        """Independent. Note why something is left."""
        self.remarks.append(Remark(self.line(place), reason, True))

    def line(self, place: int) -> int:
        """Independent. Return the number of the line of a place."""
        return self.text.count("\n", 0, place) + 1

    def scan(self, span: Span) -> Found:
        """Independent. Find the calls of a part."""
        if self.language == "tcl":
            return scan_tcl(self.text, *span)
        return scan_shell(self.language, self.text, *span)

    def changed(self, span: Span) -> str:
        """Independent. Return a part with its calls rewritten."""
        if span in self.codes:
            return self.codes[span]
        begin, end = span
        try:
            found = self.scan(span)
        except UnclosedError as problem:
            self.leave(problem.begin, f"{problem.message}: nothing is rewritten")
            self.known.append(span)
            return self.text[begin:end]
        self.known += found.silent
        edits = [edit for pipe in found.pipes for edit in self.edits(pipe)]
        covered = [place for place, _ in edits]
        edits += [
            (code, self.changed(code))
            for code in found.codes
            if not any(first <= code[0] and code[1] <= last for first, last in covered)
        ]
        parts: list[str] = []
        for (first, last), new in sorted(edits):
            parts += [self.text[begin:first], new]
            begin = last
        self.codes[span] = "".join([*parts, self.text[begin:end]])
        return self.codes[span]

    def edits(self, pipe: Sequence[Call]) -> list[tuple[Span, str]]:
        """Independent. Return the calls of a pipe that are rewritten; neighbours become one chain."""
        chains: list[Chain] = []
        for before, call in zip([None, *pipe], pipe, strict=False):
            one = self.translation(call, is_piped=len(pipe) > 1)
            if one is None:
                continue
            is_next = before is not None and JOINED.fullmatch(self.text, before.span[1], call.span[0])
            last = chains[-1] if is_next and chains and chains[-1].calls[-1] is before else None
            both = joined(last.translation, one) if last is not None else None
            if last is not None and both is not None and not both.has_command:
                self.leave(last.span[0], "steps are numbered anew before the parameter Step is used")
                chains.pop()
            elif last is None or both is None:
                chains.append(Chain([call], one))
            else:
                chains[-1] = Chain([*last.calls, call], both)
        found = []
        for chain in chains:
            try:
                new = chain.translation.silent().command(self.quote, self.blank(chain.span))
            except UsageError as problem:
                self.leave(chain.span[0], problem.message)
            else:
                found.append((chain.span, new))
                self.rewritten += len(chain.calls)
        return found

    def translation(self, call: Call, *, is_piped: bool) -> Translation | Command | None:
        """Independent. Return what a call is in Quire, None for what is left."""
        program = call.words[0].text.rpartition("/")[2]
        if not re.fullmatch(TOOLKIT, program):
            return None
        self.known.append(call.span)
        try:
            if program not in PROGRAMS:
                raise UsageError(no_shim(program))
            one = self.translated(program, call)
            replaces = isinstance(one, Translation) and isinstance(one.end, Writing) and one.end.backup
            if replaces and (is_piped or call.redirection or self.language == "tcl"):
                raise UsageError("the file is replaced: name an output, and rename it afterwards")
        except Error as problem:
            self.leave(call.span[0], self.readable(problem.message))
            return None
        return one

    def translated(self, program: str, call: Call) -> Translation | Command:
        """Independent. Return the translation of a call, with placeholders for its variables: names at first,
        then numbers where only these are understood.
        """
        words = self.words_of(program, call)
        known: set[int] = set()
        while True:
            try:
                made, numbers = understood(program, words, known)
                text = made.command(str, "\n") if made.has_command else ""
                wanted = {int(one) for one in re.findall("@Quire([0-9]+)v", text)}
            except Error as problem:
                wanted = {int(one) for one in PLACEHOLDER.findall(problem.message)} - known
                if not wanted:
                    raise
            if not wanted:
                break
            known |= wanted
        if not text:
            raise UsageError("no command does the same; --explain prints a program in Python")
        self.require_kept(program, words, text, numbers)
        for one in sorted(known):
            assumed = f"{self.variables[one].text} is taken for a number"
            self.remarks.append(Remark(self.line(call.span[0]), assumed, False))
        self.remarks += [Remark(self.line(call.span[0]), one, False) for one in made.notes]
        return of_patterns(program, words, numbers, text) or made

    def words_of(self, program: str, call: Call) -> list[str]:
        """Independent. Return the arguments of a call with placeholders. Raises UsageError for those whose
        value is not known.
        """
        problem = next((one.problem for one in call.words if one.problem), call.problem)
        if problem:
            raise UsageError(problem)
        words = []
        for word in call.words[1:]:
            texts = []
            for part in word.parts:
                if part.is_variable:
                    written = self.substituted(part)
                    texts.append(f"Quire{len(self.variables)}v")
                    self.variables.append(replace(part, text=written))
                else:
                    texts.append(part.text)
            words.append("".join(texts))
        if any(word.startswith(WORDS_OF_FILE) for word in words):
            raise UsageError("the words of a file are not known")
        if program == "rpnl" and ONLY_NOW & set(" ".join(words).split()):
            raise UsageError("random numbers and standard input have no command")
        return words

    def substituted(self, part: Part) -> str:
        """Independent. Return a variable as it is written, or a substitution with its commands rewritten."""
        if part.code is None:
            return part.text
        before = len(part.text) - 1 - (part.code[1] - part.code[0])
        return part.text[:before] + self.changed(part.code) + part.text[-1]

    def require_kept(self, program: str, words: Sequence[str], text: str, numbers: Mapping[int, str]) -> None:
        """Independent. Raises UsageError unless the translation has all variables, and does not depend on the
        values of numbers.
        """
        for one in map(int, PLACEHOLDER.findall(" ".join(words))):
            if numbers.get(one, f"Quire{one}v") not in text:
                raise UsageError(f"the translation depends on the value of {self.variables[one].text}")
        if not numbers:
            return
        try:
            made = translator(program)(filled(words, dict.fromkeys(numbers, "0")))
        except Error:
            return  # zero is out of limits that are written
        expected = text
        for number in numbers.values():
            expected = expected.replace(number, "0")
        if not made.has_command or made.command(str, "\n") != expected:
            names = ", ".join(self.variables[one].text for one in numbers)
            raise UsageError(f"the translation depends on the value of {names}")

    def parts_of(self, text: str) -> list[Part]:
        """Independent. Return a text with placeholders as parts."""
        found: list[Part] = []
        begin = 0
        for one in FILLED.finditer(text):
            found.append(Part(text[begin : one.start()]))
            number = int(one["name"] or abs(int(one["number"])) - FIRST_NUMBER)
            found.append(self.variables[number])
            begin = one.end()
        return [part for part in [*found, Part(text[begin:])] if part.text]

    def quote(self, text: str) -> str:
        """Independent. Return a word with placeholders as it is written in the script."""
        return quoted(self.language, self.parts_of(text))

    def readable(self, message: str) -> str:
        """Independent. Return a message with the variables as they are written."""
        return " ".join("".join(part.text for part in self.parts_of(message.split("\n")[0])).split())

    def blank(self, span: Span) -> str:
        """Independent. Return what is between the verbs of a chain: a line end if the old call had some."""
        continued = CONTINUED.search(self.text, *span)
        return f" \\\n{continued['indent']}" if continued else " "


def filled(words: Sequence[str], numbers: Mapping[int, str]) -> list[str]:
    """Independent. Return words with numbers for some placeholders."""
    return [PLACEHOLDER.sub(lambda one: numbers.get(int(one[1]), one[0]), word) for word in words]


def understood(
    program: str, words: Sequence[str], known: Collection[int]
) -> tuple[Translation | Command, dict[int, str]]:
    """Independent. Return a translation with numbers for some placeholders, and these: of the signs for which
    lower limits are below upper ones.
    """
    problem: Error | None = None
    for signs in product(("", "-"), repeat=len(known)):
        numbers = {one: f"{sign}{FIRST_NUMBER + one}" for one, sign in zip(known, signs, strict=True)}
        try:
            return translator(program)(filled(words, numbers)), numbers
        except Error as one:
            problem = problem or one
    raise cast("Error", problem)


def of_patterns(
    program: str, words: Sequence[str], numbers: Mapping[int, str], text: str
) -> Translation | Command | None:
    """Independent. Return the translation that is right for variables with wildcards and without, None if it
    is the one for names.
    """
    try:
        made = translator(program)(
            [
                PLACEHOLDER.sub(rf"\g<0>{ANY_TEXT}", one) if one.lower().startswith(MATCHES) else one
                for one in filled(words, numbers)
            ]
        )
    except Error:
        return None
    found = made.command(str, "\n") if made.has_command else text
    return made if PATTERN.sub(r"\1", found) != text else None


def joined(left: Translation | Command, right: Translation | Command) -> Translation | None:
    """Independent. Return two translations between which is a pipe as one, None if they need two commands."""
    if not isinstance(left, Translation) or not isinstance(right, Translation):
        return None
    if not isinstance(left.end, Writing) or left.end != Writing(STANDARD) or right.source != STANDARD:
        return None
    return replace(right, source=left.source, acts=[*left.acts, *right.acts])
