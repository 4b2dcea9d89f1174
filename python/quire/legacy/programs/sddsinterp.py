"""sddsinterp: specs/sdds-toolkit.md, section 7.4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quire.errors import UsageError
from quire.legacy.acts.verbs import by_verb
from quire.legacy.grammar import CommandLine, Option, integer, number, parse
from quire.legacy.programs.common import major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddsinterp"

PLACES: Final = ("atValues", "sequence", "equispaced", "fillIn", "fileValues")

REFUSED: Final = ("equispaced", "fillIn", "printout", "exclude")

OPTIONS: Final = (
    "columns", *PLACES, "order", "belowRange", "aboveRange", "forceMonotonic", "printout", "exclude",
    "noWarnings", "majorOrder", "threads",
)  # fmt: skip

OUTSIDE: Final = {"saturate": "saturate", "extrapolate": "extrapolate", "wrap": "wrap", "abort": "error"}


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    option = line.required("columns")
    x = option.item(0, "the column x")
    option.item(1, "the column y")
    columns = option.items[1:]
    how: dict[str, Any] = {"versus": x, "outside": outside(line)}
    given = ["interp", *columns, "--versus", x, "--outside", ",".join(dict.fromkeys(how["outside"]))]
    if order := line.last("order"):
        how["order"] = integer(order.item(0, "the order"), order)
        given += ["--order", str(how["order"])]
    if line.last("forceMonotonic"):
        how["monotonic"] = True
        given.append("--monotonic")
    places = [one for one in line.options if one.keyword in PLACES]
    if len(places) != 1:
        raise UsageError("one of -atValues, -sequence and -fileValues is needed")
    source, end = writing(line, {"mode": "binary"} | major_order(line))
    if places[0].keyword == "fileValues":
        act = at_places_of_file(places[0], columns, how, given)
    else:
        more, shown = places_of(places[0])
        act = Act(by_verb, ("interp", columns, how | more), words=(*given, *shown))
    return Translation(PROGRAM, source, [act], end)


def outside(line: CommandLine) -> tuple[str, str]:
    """Independent. Return what is below and what is above the range."""
    below, above = (
        OUTSIDE[option.choice(0, list(OUTSIDE), "choice")] if (option := line.last(keyword)) else "saturate"
        for keyword in ("belowRange", "aboveRange")
    )
    return below, above


def places_of(option: Option) -> tuple[dict[str, Any], list[str]]:
    """Independent. Return the new places, for the verb in Python and as a command."""
    numbers = [number(item, option) for item in option.items]
    if option.keyword == "atValues":
        return {"at": numbers}, ["--at", ",".join(option.items)]
    count = integer(option.item(0, "the number of points"), option)
    if len(numbers) == 1:
        return {"count": count}, ["--count", str(count)]
    limits = numbers[1], number(option.item(2, "the end"), option)
    return {"count": count, "limits": limits}, ["--count", str(count), f"--range={limits[0]}:{limits[1]}"]


def at_places_of_file(option: Option, columns: Sequence[str], how: dict[str, Any], given: list[str]) -> Act:
    """Independent. Return the act that interpolates at the places in a file. Raises UsageError."""
    path = option.item(0, "the file")
    name = option.qualified(1, ("column",), ("parallelPages",))
    if name.flags or name.get("column", how["versus"]) != how["versus"]:
        raise option.wrong("the column of the same name, in all pages, is translated")
    return Act(interpolated_at, (tuple(columns), how), [path], (*given, "--file", path))


def interpolated_at(pages: Any, others: Sequence[Any], columns: Sequence[str], how: dict[str, Any]) -> Any:
    """Independent. Interpolate columns at the places in another file."""
    return by_verb(pages, "interp", columns, how | {"at": others[0]})
