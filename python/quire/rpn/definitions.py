"""Files with definitions of functions in reverse Polish notation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from quire.errors import UsageError
from quire.rpn.tokens import Token, tokens_of

DEFINE: Final = ("udf", "mudf")
COMMENT: Final = "/*"


@dataclass(frozen=True)
class Definitions:
    """Functions by name, and the words that are run before every expression, such as `3 sto n`.

    An expression of rows is run again in each row, so that a variable that it stores has there the value of
    the row before; others are run once. `values` are variables that expressions before have stored: infix,
    and whether they are texts.
    """

    functions: Mapping[str, list[Token]] = field(default_factory=dict)
    before: list[Token] = field(default_factory=list)
    of_rows: bool = True
    values: Mapping[str, tuple[str, bool]] = field(default_factory=dict)


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


def names_stored(tokens: Sequence[Token], functions: Mapping[str, Sequence[Token]]) -> Iterator[str]:
    """Independent. Yield the names of variables that words store, also in the functions that they call."""
    called = [functions[one.text] for one in tokens if one.text in functions]
    for some in (tokens, *called):
        yield from (after.text for word, after in pairwise(some) if word.text in ("sto", "ssto"))
