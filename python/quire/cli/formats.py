"""quire formats: list the supported formats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from quire.cli.command import command
from quire.cli.output import columns_of_text, say, say_json


@command
def formats(
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the formats of this build and their options.

    Other commands accept the options as --option NAME=VALUE and --read-option NAME=VALUE.

    Example: quire formats
    """
    from quire.io.formats import common_options, format_infos

    found = format_infos()
    reading, writing = common_options()
    if json:
        common = {
            "read_options": [option_dictionary(option) for option in reading],
            "write_options": [option_dictionary(option) for option in writing],
        }
        say_json({"formats": [as_dictionary(one) for one in found], "every_format": common})
        return
    for one in found:
        say(f"{one.name}: {one.title} ({' '.join(one.suffixes)})")
        say_options(one.write_options, one.read_options)
        say()
    say("every format")
    say_options(writing, reading)


def say_options(writing: Sequence[Any], reading: Sequence[Any]) -> None:
    """Print the options of a format, or those of all formats."""
    for title, options in (("writing", writing), ("reading", reading)):
        if options:
            say(f"  options for {title}")
            for line in columns_of_text([option_cells(option) for option in options], "    "):
                say(line)


def option_cells(option: Any) -> Sequence[str]:
    """Return name, values with the default, and help of an option."""
    values = " | ".join(option.choices) or {"truth": "true | false"}.get(option.kind, option.kind)
    preset = f"(else {option.preset})" if option.preset else ""
    return [option.name, values, preset, option.help]


def as_dictionary(one: Any) -> dict[str, Any]:
    """Return a format for JSON."""
    return {
        "name": one.name,
        "title": one.title,
        "suffixes": list(one.suffixes),
        "read_options": [option_dictionary(option) for option in one.read_options],
        "write_options": [option_dictionary(option) for option in one.write_options],
    }


def option_dictionary(option: Any) -> dict[str, Any]:
    """Return an option for JSON."""
    return {
        "name": option.name,
        "kind": option.kind,
        "preset": option.preset,
        "choices": list(option.choices),
        "help": option.help,
    }
