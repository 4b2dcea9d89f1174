"""Patterns of names and texts: specs/sdds-toolkit.md, section 2.4.

`*` any characters, `?` one, `[a-c]` and `[^a-c]` one of a set or not, `\\` quotes, and a `^` in front inverts
the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from quire.errors import MissingError
from quire.near import there_is_no

SPECIAL = "*?[]^\\"
INVERTED = "^"
IN_SET = re.compile(r"[\\^\[\]&|~]")
"""What is quoted in a set of a regular expression."""


def is_pattern(text: str) -> bool:
    """Independent. Return whether a name has special characters."""
    return any(letter in SPECIAL for letter in text)


@cache
def expression_of(pattern: str, ignores_case: bool = False) -> re.Pattern[str]:
    """Independent. Return the regular expression of a pattern, without the `^` in front."""
    return re.compile("".join(pieces(pattern)), (re.IGNORECASE if ignores_case else 0) | re.DOTALL)


def pieces(pattern: str) -> Iterator[str]:
    """Independent. Yield the pieces of the regular expression of a pattern."""
    place = 0
    while place < len(pattern):
        letter = pattern[place]
        end = pattern.find("]", place + 2) if letter == "[" else -1
        if letter == "*":
            yield ".*"
        elif letter == "?":
            yield "."
        elif end > 0:
            is_inverted = pattern[place + 1] == "^"
            inside = IN_SET.sub(r"\\\g<0>", pattern[place + 1 + is_inverted : end])
            yield f"[^{inside}]" if is_inverted else f"[{inside}]"
            place = end
        elif letter == "\\" and place + 1 < len(pattern):
            place += 1
            yield re.escape(pattern[place])
        else:
            yield re.escape(letter)
        place += 1


def matches(text: str, pattern: str, ignores_case: bool = False) -> bool:
    """Independent. Return whether a text matches a pattern."""
    is_inverted = pattern.startswith(INVERTED)
    plain = pattern[is_inverted:]
    return (expression_of(plain, ignores_case).fullmatch(text) is not None) != is_inverted


def chosen(patterns: Iterable[str], names: Sequence[str]) -> list[str]:
    """Independent. Return the names that match one of the patterns, in their order."""
    wanted = list(patterns)
    return [name for name in names if any(matches(name, one) for one in wanted)]


def required(patterns: Iterable[str], names: Sequence[str], what: str) -> list[str]:
    """Independent. Return the names of each pattern in turn. Raises MissingError if one matches none."""
    found: dict[str, None] = {}
    for pattern in patterns:
        some = chosen([pattern], names)
        if not some:
            raise MissingError(there_is_no(what, pattern, list(names)))
        found.update(dict.fromkeys(some))
    return list(found)


def condition(name: str, pattern: str, ignores_case: bool = False) -> str:
    """Independent. Return the infix condition that the text of a quoted name matches a pattern."""
    is_inverted = pattern.startswith(INVERTED)
    plain = pattern[is_inverted:]
    plain = any_case(plain) if ignores_case else plain
    text = plain.replace('"', '""')
    found = f'{name} like "{text}"' if is_pattern(plain) else f'{name} == "{text}"'
    return f"not ({found})" if is_inverted else found


def any_case(pattern: str) -> str:
    """Independent. Return a pattern that matches letters of both cases."""
    made: list[str] = []
    in_set = False
    ranges = re.findall(r"\\.|[A-Za-z]-[A-Za-z]|.", pattern, re.DOTALL)
    for piece in ranges:
        in_set = (in_set or piece == "[") and piece != "]"
        is_letters = piece[0].isalpha() and piece[0].isascii()
        both = piece.lower() + piece.upper()
        if not is_letters:
            made.append(piece)
        elif in_set:
            made.append(both)
        else:
            made.append("".join(f"[{one.lower()}{one.upper()}]" if one.isalpha() else one for one in piece))
    return "".join(made)
