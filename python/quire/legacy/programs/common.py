"""Options that several programs have."""

from __future__ import annotations

from collections.abc import Sequence

from quire.legacy.acts.elements import KINDS, Choice, choose, describe
from quire.legacy.grammar import CommandLine, Option
from quire.legacy.patterns import is_pattern
from quire.legacy.translation import Act


def kind_of(option: Option, kinds: Sequence[str] = KINDS) -> str:
    """Independent. Return the kind of element that an option begins with."""
    return option.choice(0, kinds, "kind of element")


def described(option: Option) -> Act:
    """Independent. Return the act of `-description=TEXT,CONTENTS`, also as `text=` and `contents=`."""
    plain = [item for item in option.items if "=" not in item]
    named = Option(option.keyword, tuple(item for item in option.items if "=" in item), option.written)
    given = dict(zip(("text", "contents"), plain, strict=False))
    given |= named.qualified(0, ("text", "contents")).values
    return Act(describe, (given.get("text"), given.get("contents")))


def major_order(line: CommandLine) -> dict[str, str]:
    """Independent. Return the option of the writer for `-majorOrder`."""
    option = line.last("majorOrder")
    return {} if option is None else {"major_order": option.choice(0, ("row", "column"), "order")}


def chosen_elements(line: CommandLine) -> list[Act]:
    """Independent. Return the act of the options `-delete` and `-retain`, if there are any."""
    patterns: dict[str, dict[str, list[str]]] = {"delete": {}, "retain": {}}
    for option in line.options:
        if option.keyword in patterns:
            names = patterns[option.keyword].setdefault(kind_of(option), [])
            names += option.items[1:]
            if len(option.items) < 2:
                raise option.wrong("names are missing")
    if not any(patterns.values()):
        return []
    return [Act(choose, (Choice(**patterns),), words=choosing_words(patterns))]


def choosing_words(patterns: dict[str, dict[str, list[str]]]) -> tuple[str, ...]:
    """Independent. Return the verb that leaves out columns; none for parameters and inverted patterns."""
    delete, retain = patterns["delete"], patterns["retain"]
    names = [*delete.get("column", []), *retain.get("column", [])]
    if {*delete, *retain} != {"column"} or (delete and retain):
        return ()
    if any(is_pattern(name.replace("*", "").replace("?", "")) for name in names):
        return ()
    listed = ",".join(names)
    return ("select", "--drop", listed) if delete else ("select", listed)
