#!/usr/bin/env python3
"""Write the headers of typed options in include/quire/format/ from the tables of the built formats.

scripts/write_options.py            write the files; needs the core, built from the present sources
scripts/write_options.py --check    fail if a file differs from the tables of the built core
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from quire.io.formats import Option, common_options, format_infos  # noqa: E402

HEADERS = ROOT / "include" / "quire" / "format"
TYPES = {"truth": "bool", "integer": "std::int64_t", "text": "std::string"}

HEAD = """#pragma once

// The options of the MANNER of each format as types that convert to Options. Members are in alphabetical
// order. Written by scripts/write_options.py from the tables of the formats.

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


def header(manner: str, who: str, options: dict[str, tuple[Option, ...]]) -> str:
    """Return the header of the options of each format, for its reader or its writer."""
    parts = [HEAD.replace("MANNER", who)]
    for name, of_format in options.items():
        what = f"Options of the {who} of {name} files"
        parts.append(struct(f"{name.capitalize()}{manner}Options", what, of_format))
    return "\n\n".join(parts) + "\n// NOLINTEND(google-explicit-constructor)\n\n}  // namespace quire\n"


def generate() -> dict[Path, str]:
    """Return the headers for the formats of the built core."""
    reading, writing = common_options()
    infos = sorted(format_infos(), key=lambda info: info.name)
    return {
        HEADERS / "typed_read_options.hpp": header(
            "Read", "reader", {info.name: info.read_options + reading for info in infos}
        ),
        HEADERS / "typed_write_options.hpp": header(
            "Write", "writer", {info.name: info.write_options + writing for info in infos}
        ),
    }


def formatted(text: str) -> str:
    """Return the text in the style of the project."""
    command = ["clang-format", f"--assume-filename={HEADERS / 'options.hpp'}"]
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def essence(text: str) -> str:
    """Return the text without what the formatter may change: white space, and where comments break."""
    return "".join(re.sub("//+", "", text).split())


def main() -> int:
    """Write or compare the headers."""
    differ = False
    for path, generated in generate().items():
        if "--check" not in sys.argv[1:]:
            path.write_text(formatted(generated))
        elif essence(path.read_text()) != essence(generated):
            print(f"{path.relative_to(ROOT)} differs from the tables: run scripts/write_options.py")
            differ = True
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
