"""The examples of docs/expressions.md print what the page shows, and it lists all functions and constants."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from tests.python.support.mpi import ROOT

PAGE = ROOT / "docs" / "expressions.md"


def test_sessions_print_the_output_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE))
    test = doctest.DocTestParser().get_doctest(session, {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) > 15
    output: list[str] = []
    assert doctest.DocTestRunner().run(test, out=output.append).failed == 0, "".join(output)


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
