"""Pages of the commands, from the parsers of the command line."""

from __future__ import annotations

import re

from manual.commands import CommandEntry, entries

FOLDER = "reference/commands"


def table(title: str, rows: list[tuple[str, str]]) -> list[str]:
    """Return a section with a table of labels and texts, none without rows."""
    if not rows:
        return []
    lines = ["| `" + label.replace("|", "\\|") + f"` | {cell(text)} |" for label, text in rows]
    return [f"## {title}", "\n".join([f"| {title.lower().rstrip('s')} | meaning |", "|---|---|", *lines])]


def cell(text: str) -> str:
    """Return text for a cell of a table, in which only code is markup."""
    return re.sub(r"([\\*_\[\]<|$~])", r"\\\1", text)


def page_of(entry: CommandEntry) -> str:
    """Return the page of a command."""
    described = entry.described
    parts = [f"# {' '.join(entry.words)}", f"```console\n$ {described.usage}\n```", *described.paragraphs]
    parts += table("Arguments", described.arguments) + table("Options", described.options)
    if described.examples:
        parts += [
            "## Examples",
            "```console\n" + "\n".join(f"$ {one}" for one in described.examples) + "\n```",
        ]
    return "\n\n".join(parts) + "\n"


def command_pages() -> dict[str, str]:
    """Return the pages by their paths, in the order of the help."""
    return {f"{FOLDER}/{entry.page}.md": page_of(entry) for entry in entries()}
