"""The grammar of the old command lines: specs/sdds-toolkit.md, section 2.1.

    -keyword=item,key=value,(an,item)   options and files in any order

Keywords, keys and enumerated words may be abbreviated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from quire.errors import MissingFileError, UsageError

COMMENT: Final = "="
"""A word that opens and closes a comment."""

WORDS_OF_FILE: Final = "@@"

SEPARATOR: Final = re.compile("[=:,]")
ESCAPE: Final = re.compile(r"\\([nt,\"\\])")
ESCAPED: Final = {"n": "\n", "t": "\t"}

EXPLAIN: Final = "--explain"


@dataclass(frozen=True)
class Option:
    """An option with its full keyword, its items, and as it was written."""

    keyword: str
    items: tuple[str, ...]
    written: str

    def wrong(self, what: str) -> UsageError:
        """Independent. Return an error about this option."""
        return UsageError(f"{self.written}: {what}")

    def item(self, place: int, what: str) -> str:
        """Independent. Return an item. Raises UsageError that says what is missing."""
        if place >= len(self.items):
            raise self.wrong(f"{what} is missing")
        return self.items[place]

    def text(self) -> str:
        """Independent. Return the only item, a text. Raises UsageError for several: it has a comma."""
        if len(self.items) > 1:
            raise self.wrong(f"a comma is written with a backslash, in quotes: '-{self.keyword}=\\,'")
        return self.item(0, "the text")

    def choice(self, place: int, choices: Sequence[str], what: str) -> str:
        """Independent. Return an item that is one of some words, or an abbreviation."""
        return self.resolved(self.item(place, what), choices, what)

    def is_one(self, word: str, choices: Sequence[str]) -> bool:
        """Independent. Return whether a word is one of some words, or an abbreviation."""
        return len(abbreviated(word, choices)) == 1

    def resolved(self, word: str, choices: Sequence[str], what: str) -> str:
        """Independent. Return the word that another one is or abbreviates. Raises UsageError."""
        found = abbreviated(word, choices)
        if len(found) == 1:
            return found[0]
        several = f", which may be {' or '.join(found)}" if found else f"; known are {', '.join(choices)}"
        raise self.wrong(f"unknown {what} '{word}'{several}")

    def qualified(self, first: int, keys: Sequence[str], flags: Sequence[str] = ()) -> Qualified:
        """Independent. Return what follows `first` positional items: qualifiers, `key=value`, and flags.

        Raises UsageError for others.
        """
        values: dict[str, str] = {}
        found: set[str] = set()
        for item in self.items[first:]:
            key, is_set, value = item.partition("=")
            if is_set:
                values[self.resolved(key.strip(), keys, "qualifier")] = unwrapped(value)
            else:
                found.add(self.resolved(key.strip(), flags, "qualifier"))
        return Qualified(values, found, self)


@dataclass(frozen=True)
class Qualified:
    """Qualifiers of an option by their full names."""

    values: Mapping[str, str]
    flags: set[str]
    option: Option

    def get(self, key: str, default: str = "") -> str:
        """Independent. Return the value of a qualifier."""
        return self.values.get(key, default)

    def number(self, key: str) -> float | None:
        """Independent. Return a number, None without it. Raises UsageError."""
        return None if key not in self.values else number(self.values[key], self.option)

    def integer(self, key: str) -> int | None:
        """Independent. Return an integer, None without it. Raises UsageError."""
        return None if key not in self.values else integer(self.values[key], self.option)


@dataclass(frozen=True)
class CommandLine:
    """A parsed command line."""

    program: str
    files: list[str]
    options: list[Option]
    pipe: frozenset[str] = frozenset()
    """The ends of the pipe: in, out."""
    words: list[str] = field(default_factory=list)

    def each(self, keyword: str) -> Iterator[Option]:
        """Independent. Yield the options of a keyword."""
        return (one for one in self.options if one.keyword == keyword)

    def last(self, keyword: str) -> Option | None:
        """Independent. Return the last option of a keyword, None if there is none."""
        return next((one for one in reversed(self.options) if one.keyword == keyword), None)

    def refuse(self, keywords: Sequence[str]) -> None:
        """Independent. Raise UsageError for an option of these, which are known and not translated."""
        for one in self.options:
            if one.keyword in keywords:
                raise one.wrong("it is not translated")

    def required(self, keyword: str) -> Option:
        """Independent. Return the last option of a keyword. Raises UsageError if there is none."""
        found = self.last(keyword)
        if found is None:
            raise UsageError(f"-{keyword} is needed")
        return found


def plain(word: str) -> str:
    """Independent. Return a keyword without case and underscores."""
    return word.lower().replace("_", "")


def abbreviated(word: str, choices: Sequence[str]) -> list[str]:
    """Independent. Return the choices that a word is, or else those that it abbreviates."""
    wanted = plain(word)
    exact = [one for one in choices if plain(one) == wanted]
    return exact or [one for one in choices if wanted and plain(one).startswith(wanted)]


def number(text: str, option: Option) -> float:
    """Independent. Return a number. Raises UsageError that names the option."""
    try:
        return float(text)
    except ValueError:
        raise option.wrong(f"'{text}' is no number") from None


def integer(text: str, option: Option) -> int:
    """Independent. Return an integer. Raises UsageError that names the option."""
    try:
        return int(text)
    except ValueError:
        raise option.wrong(f"'{text}' is no integer") from None


def unescaped(text: str) -> str:
    """Independent. Return a text with its escapes interpreted; other backslashes, of patterns, stay."""
    return ESCAPE.sub(lambda found: ESCAPED.get(found[1], found[1]), text)


def unwrapped(text: str) -> str:
    """Independent. Return an item without the parentheses around the whole of it."""
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def split_items(text: str) -> list[str]:
    """Independent. Return the items of a list between commas.

    A backslash protects a comma, and so do parentheses around a whole item or a value: `(a,b)`, `key=(a,b)`.
    """
    items: list[str] = []
    begin, place, depth = 0, 0, 0
    while place < len(text):
        letter = text[place]
        if letter == "\\":
            place += 1
        elif letter == "(" and (depth or place == begin or text[place - 1] == "="):
            depth += 1
        elif letter == ")" and depth:
            depth -= 1
        elif letter == "," and not depth:
            items.append(text[begin:place])
            begin = place + 1
        place += 1
    items.append(text[begin:])
    return [unescaped(unwrapped(one)) for one in items]


def parsed_option(word: str, keywords: Sequence[str], program: str) -> Option:
    """Independent. Return an option by its full keyword. Raises UsageError for unknown and ambiguous ones."""
    found = SEPARATOR.search(word)
    given = word[1 : found.start()] if found else word[1:]
    rest = word[found.end() :] if found else ""
    names = abbreviated(given, keywords)
    if len(names) != 1:
        reason = f"it may be -{' or -'.join(names)}" if names else f"{program} has no such option"
        raise UsageError(f"unknown option {word}: {reason}")
    return Option(names[0], tuple(split_items(rest)) if found else (), word)


def without_comments(words: Sequence[str]) -> list[str]:
    """Independent. Return words without those between two `=`."""
    kept: list[str] = []
    is_comment = False
    for word in words:
        if word == COMMENT:
            is_comment = not is_comment
        elif not is_comment:
            kept.append(word)
    return kept


def with_words_of_files(words: Sequence[str]) -> list[str]:
    """Independent. Return words, with those of the file for `@@file`, or values of an element of a data file
    for `@@file,column=NAME` and `@@file,parameter=NAME`.
    """
    found: list[str] = []
    for word in words:
        found += words_of_file(word) if word.startswith(WORDS_OF_FILE) else [word]
    return found


def words_of_file(word: str) -> list[str]:
    """Independent. Return the words that `@@...` means."""
    path, *items = split_items(word.removeprefix(WORDS_OF_FILE))
    if not items:
        try:
            return Path(path).read_text().split()
        except FileNotFoundError:
            raise MissingFileError("there is no such file of arguments", file=path) from None
    option = Option(word, tuple(items), word)
    given = option.qualified(0, ("column", "parameter"))
    import quire

    values: list[str] = []
    with quire.open(path, quire.SELF) as file:
        for step in file:
            if name := given.get("column"):
                values += [str(one) for one in step[name][:].tolist()]
            elif name := given.get("parameter"):
                values.append(str(step.attrs[name] if name in step.attrs else file.attrs[name]))
    return values


def parse(program: str, keywords: Sequence[str], words: Sequence[str], has_pipe: bool = True) -> CommandLine:
    """Independent. Parse a command line. Raises UsageError."""
    known = [*keywords, "pipe"] if has_pipe else keywords
    files: list[str] = []
    options: list[Option] = []
    pipe: set[str] = set()
    for word in with_words_of_files(without_comments(words)):
        if not word.startswith("-") or word == "-":
            files.append(word)
            continue
        option = parsed_option(word, known, program)
        if option.keyword == "pipe":
            ends = ("input", "output")
            pipe |= {option.choice(place, ends, "end of the pipe") for place in range(len(option.items))}
            pipe |= set() if option.items else set(ends)
        else:
            options.append(option)
    return CommandLine(program, files, options, frozenset(pipe), list(words))
