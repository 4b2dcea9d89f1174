"""Man pages of the commands, in the macros of man(7)."""

from __future__ import annotations

from manual.commands import CommandEntry, entries

SECTION = "1"
EXIT_CODES = (
    ("0", "Success."),
    ("1", "The answer is no, or the output cannot represent the data."),
    ("2", "Wrong usage."),
    ("3", "A file is damaged, or of no known format."),
    ("4", "Input or output failed, or there was not enough memory."),
    ("70", "Internal error."),
    ("128 + N", "Ended by signal N."),
)
"""As docs/commands.md has them."""


def escaped(text: str) -> str:
    """Return text of which nothing is a request of roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{text}" if text.startswith(".") else text


def defined(label: str, text: str) -> list[str]:
    """Return a tagged paragraph."""
    return [".TP", f"\\fB{escaped(label)}\\fR", escaped(text) or "\\&"]


def man_page(entry: CommandEntry, version: str, names: list[str]) -> str:
    """Return the page of a command; `names` are those of the pages of all commands."""
    described = entry.described
    lines = [
        f'.TH {entry.page.upper()} {SECTION} "" "Quire {version}" "Quire"',
        ".SH NAME",
        f"{escaped(entry.page)} \\- {escaped(entry.summary[:1].lower() + entry.summary[1:])}",
        ".SH SYNOPSIS",
        f".B {escaped(described.usage)}",
        ".SH DESCRIPTION",
    ]
    for one in described.paragraphs:
        lines += [".PP", escaped(one)]
    below = [name for name in names if name.startswith(f"{entry.page}-")]
    for title, rows in (("ARGUMENTS", described.arguments), ("OPTIONS", described.options)):
        if rows:
            lines.append(f".SH {title}")
        for label, text in rows:
            lines += defined(label, text)
    if described.examples:
        lines.append(".SH EXAMPLES")
    for one in described.examples:
        lines += [".PP", ".nf", escaped(one), ".fi"]
    lines.append(".SH EXIT STATUS")
    for code, text in EXIT_CODES:
        lines += defined(code, text)
    others = below if below else [name for name in names if entry.page.startswith(f"{name}-")]
    if others:
        lines += [
            ".SH SEE ALSO",
            ",\n".join(f".BR {escaped(name)} ({SECTION})" for name in others).replace(",\n", " ,\n"),
        ]
    return "\n".join(lines) + "\n"


def man_pages(version: str) -> dict[str, str]:
    """Return the pages of all commands by the names of their files."""
    found = list(entries())
    names = [entry.page for entry in found]
    return {f"{entry.page}.{SECTION}": man_page(entry, version, names) for entry in found}
