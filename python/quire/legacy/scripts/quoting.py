"""Words as shells and Tcl read them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from quire.errors import UsageError
from quire.legacy.scripts.calls import Part

PLAIN: Final = re.compile(r"[\w@%+=:,./-]*", re.ASCII)
"""A text that needs no quotes."""

NOT_BETWEEN_QUOTES: Final = re.compile(r'[\\"$`!]')
"""What has a meaning between double quotes of a shell."""

SPECIAL_IN_TCL: Final = re.compile(r'[\\"$\[]')
REDIRECTION: Final = re.compile(r"[|<>&]|2>|.*&$")
"""What `exec` of Tcl takes for a redirection, also between quotes."""

EXTENDS: Final = {"sh": re.compile(r"\w"), "csh": re.compile(r"[\w\[:]"), "tcl": re.compile(r"[\w(:]")}
"""What after a variable would be read as a part of its name."""

NAME: Final = re.compile(r"\$[\w:\[\]]+")


def quoted(language: str, parts: Sequence[Part]) -> str:
    """Independent. Return a word as written in a language, with its variables. Raises UsageError for what
    the language cannot write.
    """
    limited = with_limits(language, parts)
    text = "".join(part.text for part in parts if not part.is_variable)
    has_variables = any(part.is_variable for part in parts)
    if language == "csh" and re.search("[!\n]", text):
        raise UsageError("csh reads ! and line ends also between quotes")
    if has_variables and PLAIN.fullmatch(text) and not any(part.is_quoted for part in parts):
        return "".join(part.text for part in limited)
    if language == "tcl":
        return of_tcl(limited, text, has_variables)
    if not has_variables:
        return shlex.quote(text)
    inner = "".join(part.text for part in limited)
    if language == "csh" and any('"' in part.text for part in limited if part.is_variable):
        raise UsageError("csh has no double quotes inside of double quotes")
    if not NOT_BETWEEN_QUOTES.search(text):
        return f'"{inner}"'
    return "".join(f'"{one.text}"' if one.is_variable else shlex.quote(one.text) for one in limited)


def of_tcl(parts: Sequence[Part], text: str, has_variables: bool) -> str:
    """Independent. Return a word of a command that `exec` starts."""
    if REDIRECTION.match(text):
        raise UsageError(f"exec of Tcl takes '{text}' for a redirection")
    if not has_variables:
        if text and PLAIN.fullmatch(text):
            return text
        if "\\" not in text and is_balanced(text):
            return f"{{{text}}}"
    escaped = (one.text if one.is_variable else SPECIAL_IN_TCL.sub(r"\\\g<0>", one.text) for one in parts)
    return f'"{"".join(escaped)}"'


def is_balanced(text: str) -> bool:
    """Independent. Return whether braces are closed in their order."""
    depth = 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if depth < 0:
            return False
    return depth == 0


def with_limits(language: str, parts: Sequence[Part]) -> list[Part]:
    """Independent. Return parts with braces around names that the next part would extend."""
    found = []
    for part, after in pairwise([*parts, Part("")]):
        is_open = part.is_variable and not after.is_variable and EXTENDS[language].match(after.text)
        text = f"${{{part.text[1:]}}}" if is_open and NAME.fullmatch(part.text) else part.text
        found.append(Part(text, part.is_variable, part.is_quoted))
    return found
