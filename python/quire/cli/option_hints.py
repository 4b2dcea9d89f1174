"""Hints at what was meant by an option that a command does not have."""

from __future__ import annotations

ELSEWHERE = {
    "--cols": "--columns",
    "--descending": "NAME:desc",
    "--filter": "--where",
    "--force": "--overwrite",
    "--head": "--rows 0:20",
    "--query": "--where",
    "--reverse": "NAME:desc",
    "--sep": "--delimiter",
    "--separator": "--delimiter",
    "--tail": "--rows -20:",
    "--variables": "--columns",
}
"""Options of other programs, and what does the same here."""


KEYS = {"--by", "--column", "--columns", "--key", "--keys"}

OF_ARGUMENTS = {
    "EXPR": {"--condition", "--expr", "--filter", "--query", "--where"},
    "KEY": KEYS,
    "BY": KEYS,
    "NAMES": {"--column", "--columns", "--name", "--names"},
}
"""Options that are tried for the arguments after the files."""


def argument_instead(message: str, usage: str) -> str:
    """Independent. Return the message about an option that is an argument here, empty for others."""
    name = message.removeprefix("no such option: ").split()[0]
    is_argument = name in OF_ARGUMENTS.get(usage.split()[-1].strip("[]."), ())
    return f"no such option: {name}; it is an argument: {usage}" if is_argument else ""


def hint_at_option(message: str, options: set[str]) -> str:
    """Independent. Return what to add to a message about an option that does not exist."""
    name = message.removeprefix("no such option: ").split()[0]
    here = ELSEWHERE.get(name, "")
    if here.split(" ")[0] in options or (here.startswith("NAME") and "--unique" in options):
        return f"; write {here}"
    if name[:2] == "--":
        return f"; it has one dash: {name[1:]}" if name[1:] in options else ""
    likely = ", ".join(sorted(one for one in options if one.startswith(f"-{name[:2]}")))
    hint = f"; options are {likely}" if likely else ""
    return f"{hint} (a value that begins with - goes after --, or is written --option=VALUE)"
