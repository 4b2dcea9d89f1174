"""The option `-process` of sddsprocess: specs/sdds-toolkit.md, section 5.3."""

from __future__ import annotations

from typing import Any, Final

from quire.legacy.acts.reductions import Process, process
from quire.legacy.grammar import Option, Qualified, number
from quire.legacy.patterns import is_pattern
from quire.legacy.translation import Act
from quire.numeric.reduction_table import REDUCTIONS

MODES: Final = {one.mode: name for name, one in REDUCTIONS.items()}
"""The reductions of Quire by the names of the modes."""

NUMBERS: Final = {
    "lowerLimit": "lower",
    "upperLimit": "upper",
    "topLimit": "top",
    "bottomLimit": "bottom",
    "head": "head",
    "tail": "tail",
    "fhead": "head_fraction",
    "ftail": "tail_fraction",
    "offset": "offset",
    "factor": "factor",
    "percentLevel": "percent",
    "binSize": "bin_size",
}
"""Qualifiers with a number, and what they are in Quire."""

KEYS: Final = (
    *NUMBERS, "functionOf", "weightBy", "match", "value", "symbol", "description", "default", "invert",
)  # fmt: skip
FLAGS: Final = ("position", "overwrite")


def process_act(option: Option) -> Act:
    """Independent. Return the act of the option: columns, mode, result, qualifiers."""
    columns = option.item(0, "the column")
    mode = option.choice(1, list(MODES), "mode")
    result = option.item(2, "the name of the result")
    given = option.qualified(3, KEYS, FLAGS)
    numbers = {new: limit(given, old) for old, new in NUMBERS.items() if old in given.values}
    inverts = given.get("invert")
    request = Process(
        columns=columns,
        mode=mode,
        result=result,
        function_of=given.get("functionOf"),
        weight_by=given.get("weightBy"),
        match=matching(given),
        symbol=given.values.get("symbol"),
        description=given.values.get("description"),
        default=given.number("default"),
        position="position" in given.flags,
        inverts=option.resolved(inverts, ("offset", "factor", "both"), "inversion") if inverts else "",
        overwrites="overwrite" in given.flags,
        numbers=numbers,
    )
    return Act(process, (request,), words=words_of(request))


def matching(given: Qualified) -> str:
    """Independent. Return `match=COLUMN,value=PATTERN`, also written `match=COLUMN=PATTERN`, as the latter.

    Raises UsageError for one without the other.
    """
    column, is_whole, _ = given.get("match").partition("=")
    if bool(column) != bool(is_whole or "value" in given.values):
        raise given.option.wrong("match=COLUMN and value=PATTERN belong together")
    return given.get("match") if is_whole or not column else f"{column}={given.get('value')}"


def limit(given: Qualified, key: str) -> str | float:
    """Independent. Return a number, or the name of a parameter for `@NAME`."""
    text = given.get(key)
    return text[1:] if text.startswith("@") else number(text, given.option)


def words_of(request: Process) -> tuple[str, ...]:
    """Independent. Return the verb `stats` for a reduction, none for what it does not have."""
    others = request.match or request.default is not None or request.inverts
    is_named = any(isinstance(one, str) for one in request.numbers.values())
    is_odd = is_pattern(request.columns.replace("*", "").replace("?", ""))
    if others or is_named or is_odd:
        return ()
    arguments: list[Any] = [request.columns]
    arguments += [f"weight={request.weight_by}"] if request.weight_by else []
    arguments += [f"versus={request.function_of}"] if request.function_of else []
    arguments += ["position"] if request.position else []
    for name, value in request.numbers.items():
        is_whole = isinstance(value, float) and value.is_integer()
        arguments.append(f"{name}={int(value) if is_whole else value}")
    name = request.result.replace("%s", "*")
    return ("stats", "--keep-rows", f"{name}={MODES[request.mode]}({', '.join(arguments)})")
