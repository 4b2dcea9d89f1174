"""Old equations and conditions as expressions of Quire: specs/sdds-toolkit.md, section 4."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from quire.legacy.acts.equations import Entries
from quire.legacy.grammar import Option, Qualified
from quire.rpn.definitions import Definitions
from quire.rpn.tokens import Token, name_text

RPN: Final = "rpn-1986: "
"""Old results were computed with the constants of the old table."""

ENTRIES: Final = ("type", "units", "symbol", "description", "format_string")

TYPES: Final = {
    "short": "int16", "ushort": "uint16", "long": "int32", "ulong": "uint32", "long64": "int64",
    "ulong64": "uint64", "float": "float32", "double": "float64", "longdouble": "float80",
    "character": "character", "string": "string",
}  # fmt: skip


def type_of(word: str, option: Option) -> str:
    """Independent. Return a type by its old name."""
    return TYPES[option.resolved(word, list(TYPES), "type")]


def entries_of(given: Qualified) -> Entries:
    """Independent. Return the entries of a definition."""
    values = {key: given.values[key] for key in ENTRIES if key in given.values}
    if "type" in values:
        values["type"] = type_of(values["type"], given.option)
    return Entries(**values)


def infix(text: str) -> str:
    """Independent. Return an old infix expression: `;` is between arguments, which `,` would end."""
    return text.replace(";", ",")


def expression(text: str, is_infix: bool) -> str:
    """Independent. Return an equation as an expression; `@NAME` stays."""
    if text.startswith("@"):
        return text.removeprefix("@") if text.startswith("@@") else text
    return infix(text) if is_infix else RPN + text


@dataclass
class Environment:
    """The definitions of equations in files."""

    functions: dict[str, list[Token]] = field(default_factory=dict)
    before: list[Token] = field(default_factory=list)

    @classmethod
    def of_variable(cls) -> Environment:
        """Independent. Return the definitions of the file that RPN_DEFNS names."""
        found = cls()
        if path := os.environ.get("RPN_DEFNS"):
            found.read(path)
        return found

    def read(self, path: str) -> None:
        """Independent. Add the definitions of a file; words that Quire knows keep its translation."""
        from quire.io.expression import read_definitions
        from quire.rpn.compiler import SIMPLE

        made = read_definitions(path)
        self.functions |= {name: body for name, body in made.functions.items() if name not in SIMPLE}
        self.before += made.before

    @property
    def definitions(self) -> Definitions | None:
        """The definitions for equations, None without any."""
        return Definitions(self.functions, self.before) if self.functions or self.before else None


def limit(text: str) -> str:
    """Independent. Return a limit of a filter: a number, or the name of a parameter."""
    try:
        float(text)
    except ValueError:
        return f"@{name_text(text)}"
    return text


def terms(option: Option, size: int) -> list[tuple[str, str, list[str]]]:
    """Independent. Return the terms of a filter or match: an operator, its inversion, and the items.

    A term is `size` items, with `!` if it is inverted; from the second one on `&` or `|` follow, with `!` if
    the combination is inverted. The second text is `!` for an inverted combination, the last item for an
    inverted term.
    """
    items = list(option.items[1:])
    found: list[tuple[str, str, list[str]]] = []
    while items:
        term, items = items[:size], items[size:]
        if len(term) < size:
            raise option.wrong("the last term is incomplete")
        if items[:1] == ["!"]:
            term.append(items.pop(0))
        operator, inversion = "", ""
        if found and items[:1] and items[0] in ("&", "|"):
            operator = items.pop(0)
            inversion = items.pop(0) if items[:1] == ["!"] else ""
        found.append((operator or "&", inversion, term))
    if not found:
        raise option.wrong("a name is missing")
    return found


def combined(conditions: Sequence[tuple[str, str, str]]) -> str:
    """Independent. Return conditions combined by their operators, from the left."""
    whole = ""
    for operator, inversion, condition in conditions:
        if not whole:
            whole = condition
            continue
        whole = f"({whole}) {'or' if operator == '|' else 'and'} ({condition})"
        whole = f"not ({whole})" if inversion else whole
    return whole


def filter_condition(option: Option) -> str:
    """Independent. Return the condition of `-filter=KIND,NAME,LOW,HIGH,...`."""
    return combined(
        [
            (operator, inversion, inverted(between(option, term), term, 3))
            for operator, inversion, term in terms(option, 3)
        ]
    )


def between(option: Option, term: Sequence[str]) -> str:
    """Independent. Return that a value is in a closed interval."""
    name, low, high = term[:3]
    try:
        is_wrong = float(high) < float(low)
    except ValueError:
        is_wrong = False
    if is_wrong:
        raise option.wrong(f"the upper limit {high} is below the lower limit {low}")
    return f"{name_text(name)} between {limit(low)} and {limit(high)}"


def inverted(condition: str, term: Sequence[str], size: int) -> str:
    """Independent. Return the condition of a term, inverted if the term ends in `!`."""
    return f"not ({condition})" if len(term) > size else condition


def match_condition(option: Option) -> str:
    """Independent. Return the condition of `-match=KIND,NAME=PATTERN,...`."""
    return combined(
        [
            (operator, inversion, inverted(matching(option, term[0]), term, 1))
            for operator, inversion, term in terms(option, 1)
        ]
    )


def matching(option: Option, text: str) -> str:
    """Independent. Return that a text matches a pattern, or is equal to another one."""
    from quire.legacy.patterns import condition

    name, is_set, pattern = text.partition("=")
    if not is_set:
        raise option.wrong(f"'{text}' is not NAME=PATTERN")
    ignores_case = pattern.startswith("+")
    pattern = pattern[ignores_case:]
    if pattern.startswith("@"):
        return f"{name_text(name)} == {name_text(pattern[1:])}"
    return condition(name_text(name), pattern, ignores_case)
