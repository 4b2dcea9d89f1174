"""Options of readers and writers, which all commands accept as NAME=VALUE."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quire.cli import completion

ReadOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--read-option", autocompletion=completion.read_options, help="Option of the reader, NAME=VALUE."
    ),
]


ShownUnits = Annotated[
    list[str] | None,
    typer.Option(
        "--unit",
        autocompletion=completion.keys,
        metavar="NAME=UNIT",
        help="Show quantities in other units: x=mm,y=mm.",
    ),
]


Memory = Annotated[
    str | None,
    typer.Option(
        "--memory", metavar="SIZE", help="Memory for rows, such as 2GB; more rows use temporary files."
    ),
]


def parse_memory(text: str | None) -> int | None:
    """Parse a size in bytes: `500MB`, `2GiB`. Raises UsageError."""
    from quire.sizes import parse_size

    return None if text is None else parse_size(text)


def parse_options(texts: list[str] | None, example: str = "") -> dict[str, Any]:
    """Parse `name=value` texts to a dictionary. Raises UsageError, with an example if it is no option."""
    from quire.errors import UsageError

    options: dict[str, str] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(
                f"'{text}' has no value; write for example {example}"
                if example
                else f"'{text}' is not an option; write name=value"
            )
        options[name] = value
    return options


def parse_units(texts: list[str] | None) -> dict[str, str]:
    """Parse texts such as `x=mm` or `x=mm,y=mm` as units by name of a quantity. Raises UsageError."""
    from quire.errors import UsageError
    from quire.units import parse

    units: dict[str, str] = {}
    for text in ",".join(texts or []).split(",") if texts else []:
        name, equals, unit = text.strip().rpartition("=")
        if not equals or not name:
            raise UsageError(f"'{text}' is not a unit of a quantity; write for example x=mm")
        parse(unit)
        units[name] = unit
    return units
