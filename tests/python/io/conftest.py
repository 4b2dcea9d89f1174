"""Every test that asks for `format_name` runs once for each registered format."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.python.support.files import path_for, step_formats


@pytest.fixture(params=step_formats())
def format_name(request: pytest.FixtureRequest) -> str:
    """The name of a registered format."""
    return str(request.param)


@pytest.fixture
def path(tmp_path: Path, format_name: str) -> Path:
    """A path with a suffix of the format; nothing exists there."""
    return path_for(tmp_path, format_name)
