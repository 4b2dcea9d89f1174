"""The pages of docs/commands/ list every command, option and format."""

from __future__ import annotations

import re
from typing import Any

import typer
from tests.python.support.mpi import ROOT

from quire.cli.main import app
from quire.io.formats import format_infos
from quire.legacy.names import PROGRAMS

PAGES = (
    "inspect", "convert", "select", "tables", "signals", "fits", "engine", "old-scripts", "attach", "check",
    "benchmark", "query", "view",
)  # fmt: skip
PAGE = "".join((ROOT / "docs" / "commands" / f"{name}.md").read_text() for name in PAGES)


def test_every_format_is_shown() -> None:
    for info in format_infos():
        assert f"    {info.name}: {info.title}" in PAGE, info.name


def test_every_command_is_documented() -> None:
    sections = set(re.findall(r"^## ([\w-]+)$", PAGE, re.MULTILINE))
    commands: Any = typer.main.get_command(app)
    assert sections - set(PROGRAMS) == set(commands.commands)


def test_every_option_is_documented() -> None:
    sections = dict(re.findall(r"^## ([\w-]+)\n(.*?)(?=^#{1,2} |\Z)", PAGE, re.MULTILINE | re.DOTALL))
    sections["repack"] += sections["pack"]
    commands: Any = typer.main.get_command(app)
    for name, entry in commands.commands.items():
        for part in [entry, *getattr(entry, "commands", {}).values()]:
            for parameter in part.params:
                # One of the spellings: `-f`, `--format`, or `--no-header`.
                spellings = [one for one in (*parameter.opts, *parameter.secondary_opts) if one[0] == "-"]
                documented = [one for one in spellings if f"`{one}" in sections[name]]
                assert documented or not spellings or "--help" in spellings, (name, spellings)
