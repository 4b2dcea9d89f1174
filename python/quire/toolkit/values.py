"""Look at every value of a file: the engine of `quire check --values`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from quire.errors import BadFileError, Error, MemoryBudgetError, UnsupportedError
from quire.toolkit.agreement import reads_with_others, require_shared_reads
from quire.toolkit.checksum import step_checksum

if TYPE_CHECKING:
    from quire import CheckReport, File


def check(file: File, *, values: bool = True) -> CheckReport:
    """Collective. What `File.check` finds; with `values` every value of the whole steps is read as well.

    Steps of which values cannot be decoded are damaged then. The ranks share the work, in bounded memory.
    """
    report = file.check()
    if not values or report.is_changed:
        return report
    found: dict[int, Error] = {}
    doubts: list[str] = []
    seen: set[int] = set()
    try:
        for _, step in file.readable():
            seen.add(step.number)
            require_shared_reads(file, step)
            try:
                step_checksum(step, None, file.comm, as_stored=True, goes_on=reads_with_others(file))
            except BadFileError as problem:
                found[step.number] = problem
            except (MemoryBudgetError, UnsupportedError) as problem:
                doubts.append(f"step {step.number}: not all values were read: {problem}")
    except Error:
        # Behind the whole steps it is in the report.
        if not seen.issuperset(report.numbers):
            raise
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
