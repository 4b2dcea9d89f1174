"""Read all values of a file: the engine of `quire check --values`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from quire.errors import BadFileError, Error, MemoryBudgetError, UnsupportedError
from quire.toolkit.checksum import step_checksum

if TYPE_CHECKING:
    from quire import CheckReport, File, Step


def readable_steps(file: File, report: CheckReport) -> Iterator[Step]:
    """Collective. Yield the whole steps of a report. Damage after them is in the report and not raised
    again.
    """
    left = set(report.numbers)
    walk = file.readable()
    while True:
        try:
            _, step = next(walk)
        except StopIteration:
            return
        except Error:
            if left or report.damage is None:
                raise
            return
        left.discard(step.number)
        yield step


def check(file: File, *, values: bool = True) -> CheckReport:
    """Collective. Return the report of `File.check`; with `values` all values of the whole steps are read as
    well.

    Then steps with values that cannot be decoded are damaged. The ranks share the work, in bounded memory.
    """
    report = file.check()
    if not values or report.is_changed:
        return report
    found: dict[int, Error] = {}
    doubts: list[str] = []
    for step in readable_steps(file, report):
        try:
            step_checksum(step, None, file.comm, as_stored=True)
        except BadFileError as problem:
            found[step.number] = problem
        except (MemoryBudgetError, UnsupportedError) as problem:
            doubts.append(f"step {step.number}: not all values were read: {problem}")
    numbers = [number for number in report.numbers if number not in found]
    return replace(
        report,
        whole_steps=len(numbers),
        numbers=numbers,
        damage=report.damage or next(iter(found.values()), None),
        damaged=dict(sorted({**report.damaged, **found}.items())),
        warnings=[*report.warnings, *doubts],
        is_undecoded=False,
    )
