"""Files with definitions of functions in reverse Polish notation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from quire.errors import UsageError
from quire.rpn.tokens import Token, tokens_of

DEFINE: Final = ("udf", "mudf")
COMMENT: Final = "/*"


@dataclass(frozen=True)
class Definitions:
    """Functions by name, and the words that are run before every expression, such as `3 sto n`."""

    functions: Mapping[str, list[Token]] = field(default_factory=dict)
    before: list[Token] = field(default_factory=list)


def parse_definitions(text: str, path: str = "") -> Definitions:
    """Independent. Parse a file: `udf`, the name in the next line, then the body up to an empty line.

    Lines that begin with `/*` are comments. Raises UsageError.
    """
    functions: dict[str, list[Token]] = {}
    before: list[Token] = []
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(COMMENT)]
    place = 0
    while place < len(lines):
        words = lines[place].split()
        place += 1
        if not words or words[0] not in DEFINE:
            before += tokens_of(lines[place - 1])
            continue
        names = words[1:] or (lines[place].split() if place < len(lines) else [])
        place += 0 if words[1:] else 1
        if len(names) != 1:
            raise UsageError("udf is followed by one name, and the lines of the function", file=path)
        body: list[Token] = []
        while place < len(lines) and lines[place].strip():
            body += tokens_of(lines[place])
            place += 1
        functions[names[0]] = body
    return Definitions(functions, before)
