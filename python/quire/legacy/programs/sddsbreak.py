"""sddsbreak: specs/sdds-toolkit.md, section 6.10."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from quire.errors import UsageError
from quire.legacy.acts.layout import Breaking, break_pages
from quire.legacy.grammar import Option, integer, parse
from quire.legacy.programs.common import major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddsbreak"


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, (*HOW, "noWarnings", "majorOrder", "threads"), words)
    found = [one for one in line.options if one.keyword in HOW]
    if len(found) != 1:
        raise UsageError(f"one of -{', -'.join(HOW)} is needed, and not several")
    breaking = HOW[found[0].keyword](found[0])
    source, end = writing(line, major_order(line))
    return Translation(PROGRAM, source, [Act(break_pages, (breaking,), words=words_of(breaking))], end)


def change(option: Option) -> Breaking:
    """Return a break where a value changes, or a multiple of an amount."""
    given = option.qualified(1, ("amount", "base"))
    amount = positive(given.number("amount"), option)
    return Breaking("change", option.item(0, "the column"), amount, given.number("base"))


def growth(option: Option) -> Breaking:
    """Return a break where a value increases or decreases."""
    given = option.qualified(1, ("amount",), ("cumulative", "reset"))
    if "reset" in given.flags:
        raise option.wrong("reset is not translated: with cumulative the sum begins anew on each page")
    how = option.keyword.removesuffix("Of")
    cumulative = "cumulative" in given.flags
    return Breaking(how, option.item(0, "the column"), given.number("amount"), cumulative=cumulative)


def gap(option: Option) -> Breaking:
    """Return a break at gaps."""
    given = option.qualified(1, ("amount", "factor"))
    factor = given.number("factor")
    return Breaking(
        "gap", option.item(0, "the column"), given.number("amount"), factor=2.0 if factor is None else factor
    )


def match(option: Option) -> Breaking:
    """Return a break at rows that match a pattern, or after them."""
    after = "after" in option.qualified(2, (), ("after",)).flags
    column, pattern = option.item(0, "the column"), option.item(1, "the pattern")
    return Breaking("match", column, pattern=pattern, after=after)


def rows(option: Option) -> Breaking:
    """Return a break after a number of rows."""
    size = integer(option.item(0, "the number of rows"), option)
    overlap = option.qualified(1, ("overlap",)).integer("overlap") or 0
    if size < 1 or not 0 <= overlap < size:
        raise option.wrong("a page has one row or more, and the overlap is less")
    return Breaking("rows", amount=size, overlap=overlap)


def parts(option: Option) -> Breaking:
    """Return a break into a number of parts."""
    return Breaking("parts", amount=positive(integer(option.item(0, "the number"), option), option))


def positive(number: float | None, option: Option) -> float | None:
    """Return a number that is positive. Raises UsageError."""
    if number is not None and not number > 0:
        raise option.wrong(f"{number} is not positive")
    return number


HOW: Final[Mapping[str, Callable[[Option], Breaking]]] = {
    "changeOf": change,
    "increaseOf": growth,
    "decreaseOf": growth,
    "gapIn": gap,
    "matchTo": match,
    "rowLimit": rows,
    "pagesPerPage": parts,
}
"""The options that say where pages begin."""


def words_of(one: Breaking) -> tuple[str, ...]:
    """Independent. Return the verb, none if there is no such one."""
    if one.how == "change" and one.amount is None:
        return ("group", f"change({one.column})")
    if one.how == "gap" and one.factor == 2.0:
        return ("group", f"gap({one.column}{'' if one.amount is None else f', {one.amount}'})")
    if one.how == "rows" and not one.overlap:
        return ("pages", "split", "--size", str(int(one.amount or 0)))
    return ()
