"""Parameters of tests, of which some are daily."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first_daily(cases: Iterable[Any], daily: int = 1) -> list[Any]:
    """Return parameters of a test: the first cases are daily, the others nightly.

    For cases that run the same code with other values. A tuple has the values of several parameters.
    """
    found = []
    for place, case in enumerate(cases):
        values = case if isinstance(case, tuple) else (case,)
        found.append(pytest.param(*values, marks=[pytest.mark.nightly] if place >= daily else []))
    return found
