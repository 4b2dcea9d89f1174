#!/usr/bin/env python3
"""Generate docs/collectivity.md from the public comments; with --check, only compare."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "collectivity.md"
HEADERS = [
    "api/writer.hpp",
    "api/reader.hpp",
    "spi/api/simulation.hpp",
    "spi/api/workload.hpp",
    "spi/plan/survey.hpp",
    "comm/comm.hpp",
    "comm/partition.hpp",
    "comm/mpi.hpp",
    "spi/transport/transport.hpp",
    "format/format.hpp",
    "query/expression.hpp",
    "capi/base.h",
    "capi/files.h",
    "capi/inquiry.h",
    "capi/attributes.h",
    "capi/tables.h",
    "capi/fields.h",
    "capi/definitions.h",
    "capi/parts.h",
    "capi/elements.h",
    "capi/streams.h",
    "capi/tools.h",
    "capi/formats.h",
    "quire_mpi.h",
]

INTRODUCTION = """# Collective and independent calls

Which calls of the C++ and C interfaces are collective. *Collective*: every rank of the file's
communicator makes the call, in the same order. *Independent*: any rank makes it at any time. A rank
with an error still takes part in collective calls; then every rank raises the same error.
`MPI_THREAD_FUNNELED` is sufficient. `scripts/list_collectivity.py` generates this page from the
comments in `include/quire/`; do not edit it.
"""


@dataclass
class Entry:
    """A declaration, and whether its calls are collective."""

    scope: str
    call: str
    manner: str
    sentence: str


def first_sentence(comment: str) -> tuple[str, str] | None:
    match = re.match(r"(Collective|Independent)\b([^.]*)\.\s*(.*)", comment)
    if match is None:
        return None
    manner, condition, rest = match.groups()
    # The text after a semicolon or a colon may restrict the beginning.
    sentence = re.split(r"(?<=\.)\s", rest, maxsplit=1)[0].replace("|", "\\|")
    return (manner + condition, sentence)


def call_name(declaration: str) -> str | None:
    match = re.search(r"([~\w]+)\s*\(", declaration)
    return match.group(1) if match else None


def entries_of(header: Path) -> list[Entry]:
    found: list[Entry] = []
    scope = ""
    comment: list[str] = []
    manner: tuple[str, str] | None = None
    for line in header.read_text().splitlines():
        text = line.strip()
        if match := re.match(r"(?:class|struct) (\w+)[^;]*$", text):
            scope = match.group(1) + "::"
        if line == "};":
            scope = ""
        if text.startswith("///"):
            comment.append(text.removeprefix("///").strip())
            continue
        if comment:
            manner = first_sentence(" ".join(comment))
            comment = []
        if not text:
            manner = None
        name = call_name(text) if manner and "(" in text and not text.startswith("requires") else None
        if manner and name and not any(e.scope == scope and e.call == name for e in found):
            found.append(Entry(scope, name, *manner))
    return found


def anchor(name: str) -> str:
    """Return the anchor of the section of a header."""
    return "quire" + name.replace("/", "").replace(".", "")


def page() -> str:
    sections = {name: entries_of(ROOT / "include" / "quire" / name) for name in HEADERS}
    sections = {name: entries for name, entries in sections.items() if entries}
    links = [f"[{name}](#{anchor(name)})" for name in sections]
    lines = [INTRODUCTION, "Contents:", *(f"{link} ·" for link in links[:-1]), links[-1], ""]
    for name, entries in sections.items():
        lines += [f"## `quire/{name}`", "", "| call | manner | description |", "|---|---|---|"]
        lines += [f"| `{e.scope}{e.call}` | {e.manner} | {e.sentence} |" for e in entries]
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    text = page()
    if "--check" not in sys.argv[1:]:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(text)
        return 0
    if TARGET.is_file() and TARGET.read_text() == text:
        return 0
    print(f"{TARGET.relative_to(ROOT)} is out of date: run scripts/list_collectivity.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
