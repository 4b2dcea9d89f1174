"""The table of the specification as a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.python.legacy.support import write_table


@pytest.fixture(autouse=True)
def no_definitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file of definitions of the user."""
    monkeypatch.delenv("RPN_DEFNS", raising=False)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Table T as a file of one page."""
    return write_table(tmp_path / "T.sdds")


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """Table T as a file of three pages."""
    return write_table(tmp_path / "several.sdds", 3)
