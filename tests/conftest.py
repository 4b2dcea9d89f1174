"""A build without MPI deselects the tests that need it, instead of skipping each. No example of a property
test has a time limit of its own.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import settings
from tests.python.support.mpi import WORLDS

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect, in such a build, tests of several ranks and those of engines that need MPI."""
    if os.environ.get("QUIRE_PRESET") != "serial":
        return
    left_out = [item for item in items if needs_ranks(item) or has_nothing_to_test(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_sessionfinish() -> None:
    """End the ranks that tests used. An error of one, such as in finalising MPI, fails the run."""
    WORLDS.end_all()


def needs_ranks(item: pytest.Item) -> bool:
    """Return whether a test starts several ranks."""
    return item.get_closest_marker("mpi") is not None


def has_nothing_to_test(item: pytest.Item) -> bool:
    """Return whether a test is parametrized over an empty list."""
    reasons = (str(mark.kwargs.get("reason", "")) for mark in item.iter_markers("skip"))
    return any(reason.startswith("got empty parameter set") for reason in reasons)
