"""docs/expressions.md lists all functions and constants, the help of quire explain the functions."""

from __future__ import annotations

import re

from tests.python.support.mpi import ROOT
from typer.testing import CliRunner

from quire.cli.main import app
from quire.io.aggregates import REDUCTIONS
from quire.io.windows import WINDOWS

PAGE = ROOT / "docs" / "expressions.md"


def functions() -> list[str]:
    """Return the functions of one row in the sources."""
    sources = (ROOT / "src" / "query" / "loops_functions.cpp").read_text()
    return re.findall(
        r'(?:unary_function|binary_function|extreme|question|rounding|of_bits)<\w+>\("(\w+)"', sources
    )


def test_the_page_lists_every_function_and_constant() -> None:
    page = PAGE.read_text()
    sources = (ROOT / "src" / "query" / "loops_functions.cpp").read_text()
    words = functions() + re.findall(r'NamedNumber\{"(\w+)"', sources)
    assert len(words) > 50
    missing = [word for word in words if not re.search(rf"`{word}\b", page)]
    assert missing == []


def test_the_help_of_explain_lists_every_function() -> None:
    words = CliRunner().invoke(app, ["explain", "--help"]).stdout.split("Functions: ")[1].split()
    names = {*functions(), *REDUCTIONS, *WINDOWS}
    assert names <= {word.strip(".,") for word in words}
