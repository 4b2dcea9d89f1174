"""The tokens of reverse Polish notation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from quire.errors import UsageError

TOKEN: Final = re.compile(r'"[^"]*"?|&?`(?:[^`]|``)*`?|[^\s,;"`]+')
NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
PLAIN_NAME: Final = re.compile("[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*")
RESERVED: Final = {"and", "or", "not", "in", "between", "like", "true", "false"}
WIDEST_ECHO: Final = 100
"""Characters of an expression that an error shows."""


@dataclass(frozen=True)
class Token:
    """A word, and its position in the text."""

    text: str
    position: int


def tokens_of(text: str, begin: int = 0) -> list[Token]:
    """Independent. Split a text from `begin` on at blanks, commas and semicolons."""
    found = [Token(one[0], one.start()) for one in TOKEN.finditer(text, begin)]
    for token in found:
        for quote, what in (('"', "text"), ("`", "name")):
            opened = token.text.lstrip("&")
            if opened.startswith(quote) and (len(opened) < 2 or not opened.endswith(quote)):
                raise error_at(f"the {what} that begins here has no closing {quote}", text, token)
    return found


def error_at(message: str, text: str, token: Token) -> UsageError:
    """Independent. Return an error that shows a token in the text."""
    first = max(0, token.position - WIDEST_ECHO // 2) if token.position > WIDEST_ECHO // 2 else 0
    line = re.sub(r"\s", " ", text[first : first + WIDEST_ECHO])
    begin = token.position - first
    carets = "^" * max(1, min(len(token.text), len(line) - begin))
    return UsageError(f"{message}\n    {line}\n    {' ' * begin}{carets}")


def name_text(name: str) -> str:
    """Independent. Return a name as written in infix."""
    if PLAIN_NAME.fullmatch(name) and name not in RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def number_text(text: str) -> str:
    """Independent. Return a number as written in infix; large integers with a decimal point."""
    plain = text.removeprefix("+")
    is_long = plain.lstrip("-").isdigit() and len(plain) > 18
    return f"{plain}.0" if is_long else plain


def matching(tokens: Sequence[Token], place: int) -> tuple[int, int] | None:
    """Independent. Return the places of `:` and `$` that belong to the `?` at `place`; None without them."""
    depth, middle = 0, 0
    for at in range(place, len(tokens)):
        word = tokens[at].text
        depth += (word == "?") - (word == "$")
        if word == ":" and depth == 1 and not middle:
            middle = at
        if depth == 0:
            return (middle, at) if middle else None
    return None
