"""sddssequence: specs/sdds-toolkit.md, section 7.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.errors import UsageError
from quire.legacy.acts.elements import cast_element
from quire.legacy.acts.verbs import by_verb
from quire.legacy.equations import ENTRIES, type_of
from quire.legacy.grammar import integer, parse
from quire.legacy.programs.common import major_order
from quire.legacy.running import target_of
from quire.legacy.translation import Act, NewData, Translation

PROGRAM: Final = "sddssequence"

OPTIONS: Final = ("define", "sequence", "repeat", "break", "noWarnings", "majorOrder", "threads")

FLOAT64: Final = "float64"
NUMBERS: Final = ("begin", "end", "number", "delta", "interval")


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    columns: dict[str, list[str]] = {}
    types: dict[str, str] = {}
    for option in line.options:
        if option.keyword == "define":
            name = option.item(0, "the name")
            given = option.qualified(1, ENTRIES)
            if odd := given.values.keys() - {"type", "units"}:
                raise option.wrong(f"{', '.join(sorted(odd))} is not translated")
            current = columns.setdefault(f"{name}[{given.get('units')}]" if given.get("units") else name, [])
            types |= {name: type_of(given.get("type"), option)} if given.get("type") else {}
        elif option.keyword == "sequence":
            if not columns:
                raise option.wrong("-define comes before it")
            values = dict(option.qualified(0, NUMBERS).values)
            if types.get(name, FLOAT64) == FLOAT64 and values.get("begin", "").lstrip("+-").isdigit():
                values["begin"] += ".0"  # else the verb makes integers of whole numbers
            current.append(f"sequence({','.join(f'{key}={value}' for key, value in values.items())})")
    for label, sequences in columns.items():
        if not sequences:
            raise UsageError(f"the sequence of {label} is missing")
    repeat = line.last("repeat")
    count = 1 if repeat is None else integer(repeat.item(0, "the number"), repeat)
    acts = [
        Act(cast_element, ("column", name, name, kind), words=("select", "--cast", f"{name}={kind}"))
        for name, kind in types.items()
        if kind != FLOAT64
    ]
    if count > 1 and not line.last("break"):
        acts.insert(0, Act(by_verb, ("merge",), words=("pages", "merge")))
    definitions = [f"{label}={' + '.join(sequences)}" for label, sequences in columns.items()]
    if not definitions:
        raise UsageError("-define=NAME and -sequence=... are needed")
    new = NewData(definitions, {"repeat": count} if count > 1 else {})
    return Translation(PROGRAM, "", acts, target_of(line, {"mode": "binary"} | major_order(line)), new=new)
