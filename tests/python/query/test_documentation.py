"""docs/expressions.md lists all functions and constants."""

from __future__ import annotations

import re

from tests.python.support.mpi import ROOT

PAGE = ROOT / "docs" / "expressions.md"


def test_the_page_lists_every_function_and_constant() -> None:
    page = PAGE.read_text()
    sources = (ROOT / "src" / "query" / "loops_functions.cpp").read_text()
    words = re.findall(
        r'(?:unary_function|binary_function|extreme|question|rounding|of_bits)<\w+>\("(\w+)"', sources
    )
    words += re.findall(r'NamedNumber\{"(\w+)"', sources)
    assert len(words) > 50
    missing = [word for word in words if not re.search(rf"`{word}\b", page)]
    assert missing == []
