"""The table of collective functions agrees with the comments."""

from __future__ import annotations

from pathlib import Path

import list_collectivity


def test_sentences_are_not_cut(tmp_path: Path) -> None:
    header = tmp_path / "writer.hpp"
    header.write_text(
        "class Writer {\n"
        "  /// Independent. A text, before the first commit; where that may be, also later: it is\n"
        "  /// there (a | b) at close. What else there is to say.\n"
        "  Writer& set(int number);\n"
        "};\n"
    )
    [entry] = list_collectivity.entries_of(header)
    assert (entry.scope, entry.call, entry.manner) == ("Writer::", "set", "Independent")
    assert entry.sentence == (
        "A text, before the first commit; where that may be, also later: it is there (a \\| b) at close."
    )
