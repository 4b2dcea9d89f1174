"""Writes one line per folder of vectors for `make golden`: passed, failed, not yet supported."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest


@dataclass
class Folder:
    """The results of the vectors of one folder; those not yet supported by reason."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    later: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


_folders: dict[str, Folder] = defaultdict(Folder)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if "test_file_is_read_as_its_truth_states[" not in report.nodeid:
        return
    if report.when != "call" and not report.failed:
        return
    folder, _, name = report.nodeid.partition("[")[2].removesuffix("]").rpartition("/")
    outcome = _folders[folder]
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        outcome.later[reason.removeprefix("Skipped: ")].append(name)
    elif report.failed:
        outcome.failed.append(name)
    else:
        outcome.passed += 1


def pytest_sessionfinish() -> None:
    target = os.environ.get("QUIRE_GOLDEN_REPORT")
    if target and _folders:
        Path(target).write_text(
            "".join(line for name in sorted(_folders) for line in _lines(name, _folders[name]))
        )


def _lines(name: str, folder: Folder) -> list[str]:
    later = sum(len(names) for names in folder.later.values())
    line = f"{name}: {folder.passed} passed, {len(folder.failed)} failed, {later} not yet supported\n"
    failed = [f"    failed: {', '.join(folder.failed)}\n"] if folder.failed else []
    reasons = [f"    {reason}: {', '.join(names)}\n" for reason, names in folder.later.items()]
    return [line, *failed, *reasons]
