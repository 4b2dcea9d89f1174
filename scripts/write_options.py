#!/usr/bin/env python3
"""Write include/quire/format/typed_options.hpp from the tables of options of the built formats.

scripts/write_options.py            write the file; needs the core, built from the present sources
scripts/write_options.py --check    fail if the file differs from the tables of the built core
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from quire.io.formats import Option, common_options, format_infos  # noqa: E402

HEADER = ROOT / "include" / "quire" / "format" / "typed_options.hpp"
TYPES = {"truth": "bool", "integer": "std::int64_t", "text": "std::string"}

HEAD = """#pragma once

// The options of each format as types that convert to Options. Members are in alphabetical order. Written by
// scripts/write_options.py from the tables of the formats.

#include <cstdint>
#include <optional>
#include <string>

#include "quire/format/given_options.hpp"

namespace quire {

// NOLINTBEGIN(google-explicit-constructor): they are passed as Options
"""


def explanation(option: Option) -> str:
    """Return the comment of an option."""
    words = option.help
    if option.choices and not all(choice in words for choice in option.choices):
        words += f"; {', '.join(option.choices)}"
    if option.preset:
        words += f"; default: {option.preset}"
    return f"  /// {words}"


def struct(name: str, what: str, options: tuple[Option, ...]) -> str:
    """Return the type of the options of a reader or a writer."""
    lines = [f"/// {what}. Texts and numbers are checked when the file is opened.", f"struct {name} {{"]
    added = ""
    for option in sorted(options, key=lambda option: option.name):
        lines += [explanation(option), f"  std::optional<{TYPES[option.kind]}> {option.name}{{}};"]
        added += f'.add("{option.name}", {option.name})'
    lines += ["", f"  operator Options() const {{ return GivenOptions(){added}.all(); }}", "};"]
    return "\n".join(lines)


def generate() -> str:
    """Return the header for the formats of the built core."""
    reading, writing = common_options()
    parts = [HEAD]
    for info in sorted(format_infos(), key=lambda info: info.name):
        name = info.name.capitalize()
        of_reader, of_writer = (f"Options of the {who} of {info.name} files" for who in ("reader", "writer"))
        parts.append(struct(f"{name}ReadOptions", of_reader, info.read_options + reading))
        parts.append(struct(f"{name}WriteOptions", of_writer, info.write_options + writing))
    return "\n\n".join(parts) + "\n// NOLINTEND(google-explicit-constructor)\n\n}  // namespace quire\n"


def formatted(text: str) -> str:
    """Return the text in the style of the project."""
    command = ["clang-format", f"--assume-filename={HEADER}"]
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def essence(text: str) -> str:
    """Return the text without what the formatter may change: white space, and where comments break."""
    return "".join(re.sub("//+", "", text).split())


def main() -> int:
    """Write or compare the header."""
    generated = generate()
    if "--check" not in sys.argv[1:]:
        HEADER.write_text(formatted(generated))
    elif essence(HEADER.read_text()) != essence(generated):
        print(f"{HEADER.relative_to(ROOT)} differs from the tables of options: run scripts/write_options.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
