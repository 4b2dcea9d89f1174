"""Options that several programs have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.legacy.acts.elements import KINDS, Choice, choose, describe
from quire.legacy.grammar import CommandLine, Option
from quire.legacy.patterns import is_pattern
from quire.legacy.translation import Act

COLLAPSED: Final = (
    "pages", "collapse", "/",
    "define", "--as", "column", "PageNumber=row + 1", "--type", "PageNumber=int32", "--replace",
)  # fmt: skip
"""The verbs of `collapse_pages`, apart from a column `step`."""


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


def columns_of(line: CommandLine) -> tuple[tuple[str, str], str]:
    """Independent. Return the variable and the function of `-columns=x,y[,sigma]`, also `ySigma=sigma`, and
    the errors, empty without. Raises UsageError.
    """
    option = line.required("columns")
    named = Option(option.keyword, tuple(one for one in option.items[2:] if "=" in one), option.written)
    sigma = named.qualified(0, ("ySigma",)).get("ySigma")
    plain = [one for one in option.items[2:] if "=" not in one]
    if len(plain) + bool(sigma) > 1:
        raise option.wrong("x, y and the errors of y are translated, and no more")
    pair = option.item(0, "the column x"), option.item(1, "the column y")
    return pair, sigma or next(iter(plain), "")


def star_of(option: Option, pairs: Sequence[tuple[str, str]]) -> str:
    """Independent. Return the pattern that makes the second name of each pair of the first one, which is its
    `*`: `*p` of x,xp and y,yp. Raises UsageError if there is none.
    """
    if len({mate for _, mate in pairs}) == 1:
        return pairs[0][1]
    patterns = {mate.replace(name, "*", 1) for name, mate in pairs}
    if len(patterns) > 1:
        raise option.wrong("the partners of several columns must be named in the same way")
    return patterns.pop()


def columns_with_errors(line: CommandLine, keyword: str) -> tuple[tuple[str, ...], str]:
    """Independent. Return the columns of `-KEYWORD=y[,sigma]`, which may be repeated, and the pattern of the
    names of their errors, empty without. Raises UsageError.
    """
    line.required(keyword)
    options = list(line.each(keyword))
    pairs = [(one.item(0, "the column"), one.items[1]) for one in options if len(one.items) > 1]
    if pairs and len(pairs) < len(options):
        raise options[0].wrong("columns with and without errors are not translated together")
    columns = tuple(one.item(0, "the column") for one in options)
    return columns, star_of(options[0], pairs) if pairs else ""
