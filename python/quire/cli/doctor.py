"""quire doctor: check that parallel I/O is correct here, and measure small operations."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quire.cli.command import ExitCode, answer, command, complain
from quire.cli.output import columns_of_text, plural, say, say_json
from quire.cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quire.lab.doctor.record import Check, Finding, Record

CELLS = {"right": "ok", "skipped": "-"}
"""Outcomes as they are printed in the table; bad ones in capitals."""


@command
def doctor(
    directory: Annotated[Path, typer.Argument(help="Directory that runs write to.")],
    ranks: Annotated[int, typer.Option("--ranks", min=1, help="Number of ranks to start.")] = 2,
    launcher: Annotated[
        str,
        typer.Option(
            "--launcher",
            envvar="QUIRE_MPIEXEC",
            help="Command that starts programs on {ranks}. Default: found.",
        ),
    ] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="Small sizes and default settings only: seconds, not minutes.")
    ] = False,
    big: Annotated[
        int | None, typer.Option("--big", min=0, help="Bytes of the largest request; 0: no large request.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="Time limit of each launch, in seconds.")
    ] = 60.0,
    save_as: Annotated[
        Path | None, typer.Option("--save", help="Save the record, for advise and plan.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the record as JSON.")] = False,
) -> None:
    """Check each transport, MPI-IO implementation and locking mode.

    Small operations are timed as well. Files are written, read and verified. Each check runs in a
    separate launch with a time limit, in a temporary directory. The exit code is 0 if the defaults are
    safe, 1 if they are not, and 4 if no check could run.

    Example: quire doctor /scratch/run --ranks 4 --save doctor.json
    """
    from quire.lab.doctor import CannotRunError, Wishes, examine, save
    from quire.lab.doctor.record import as_dictionary

    if save_as is not None and (problem := why_not_saved(save_as)):
        complain(f"{save_as}: {problem}")  # before minutes of checks
        raise typer.Exit(ExitCode.INPUT_OUTPUT)
    wishes = Wishes(directory, ranks, launcher, quick, big, time_limit)
    try:
        with progress("examining", "launches", is_long=not quick) as bar:

            def advance(done: int, launches: int, _: str) -> None:
                bar.expect(launches - bar.total)
                bar.advance(done - bar.done)

            record = examine(wishes, advance)
    except CannotRunError as failure:
        complain(str(failure))
        raise typer.Exit(ExitCode.INPUT_OUTPUT) from None
    if json:
        say_json(as_dictionary(record))
    else:
        report(record)
    if save_as is not None:
        save(record, save_as)
    answer(record.safe)


def why_not_saved(path: Path) -> str:
    """Independent. Return why no record can be written to a path; an empty text if none is known."""
    if path.is_dir():
        return "is a directory"
    parent = path.absolute().parent
    if not parent.is_dir():
        return "its directory does not exist"
    return "" if os.access(path if path.exists() else parent, os.W_OK) else "cannot be written"


def report(record: Record) -> None:
    """Print a record as text."""
    where = record.file_system
    stripes = f", stripe count {where.stripe_count}" if where.stripe_count is not None else ""
    say(record.directory)
    name = f"{record.mpi_name} {record.mpi_version}".strip() or record.mpi or "no MPI"
    hosts = plural(len(record.hosts), "host")
    rows = [
        ["file system", f"{where.type} on {where.mount}, {amount(where.free_bytes)} free{stripes}"],
        ["mount options", where.options],
        ["MPI", f"{name}{f', MPI-IO by {record.mpi_io}' if record.mpi_io else ''}"],
        ["ranks", f"{record.ranks} on {hosts}, {plural(record.cores, 'core')} on this one"],
        ["started by", " ".join(record.launcher)],
    ]
    print_rows(rows)
    say("\nAre written and read values correct?")
    print_rows(pattern_table(record.checks))
    missing = [check.subject for check in record.checks if check.outcome == "missing"]
    if missing:
        say(
            f"  this MPI does not offer: {', '.join(dict.fromkeys(one.partition(',')[0] for one in missing))}"
        )
    if reductions := reduction_table(record.checks):
        say("\nReductions of MPI")
        print_rows(reductions)
    say("\nLocks")
    print_rows(lock_table(record.checks))
    say("\nWhat operations cost (median, quartiles)")
    print_rows(cost_table(record))
    if record.findings:
        say("\nFindings")
    for finding in record.findings:
        print_finding(finding)
    right = sum(check.outcome == "right" for check in record.checks)
    bad = sum(check.is_bad for check in record.checks)
    unsafe = sum(finding.severity == "unsafe" for finding in record.findings)
    verdict = "safe" if record.safe else f"not safe, for {plural(unsafe, 'reason')} above"
    say(f"\n{right} checks right, {bad} bad: {verdict}")


def print_rows(rows: Sequence[Sequence[str]]) -> None:
    """Print rows of cells, indented."""
    for line in columns_of_text(rows, "  "):
        say(line)


def cell(check: Check) -> str:
    """Return an outcome as it is printed in a table."""
    return CELLS.get(check.outcome, check.outcome.upper() if check.is_bad else check.outcome)


def pattern_table(checks: Sequence[Check]) -> list[list[str]]:
    """Return a row for each way to write, with a column for each pattern."""
    chosen = [
        check for check in checks if check.group in ("transport", "mpi-io") and check.outcome != "missing"
    ]
    names = list(dict.fromkeys(check.check for check in chosen if check.check != "start"))
    rows = [["", *names]]
    for key in dict.fromkeys((check.group, check.subject) for check in chosen):
        group, subject = key
        own = {check.check: cell(check) for check in chosen if (check.group, check.subject) == key}
        title = f"{'MPI-IO' if group == 'mpi-io' else group} {subject}"
        # Launches that did not start have no pattern.
        rows.append([title, *(own.get(name, own.get("start", "-")) for name in names)])
    return rows


def lock_table(checks: Sequence[Check]) -> list[list[str]]:
    """Return a row for each subject with its outcome."""
    return rows_of([one for one in checks if one.group not in ("transport", "mpi-io", "reductions")])


def reduction_table(checks: Sequence[Check]) -> list[list[str]]:
    """Return a row with the outcome of reductions."""
    return rows_of([check for check in checks if check.group == "reductions"])


def rows_of(chosen: Sequence[Check]) -> list[list[str]]:
    """Return a row for each subject with its checks."""
    rows = []
    for group, subject in dict.fromkeys((check.group, check.subject) for check in chosen):
        own = [check for check in chosen if (check.group, check.subject) == (group, subject)]
        rows.append([subject, ", ".join(f"{check.check} {cell(check)}" for check in own)])
    return rows


def cost_table(record: Record) -> list[list[str]]:
    """Return a row for each operation that was measured."""
    from quire.lab.doctor.record import OPERATIONS

    return [
        [name, seconds(cost.median), f"{seconds(cost.low)} to {seconds(cost.high)}", OPERATIONS.get(name, "")]
        for name, cost in record.costs.items()
    ]


def print_finding(finding: Finding) -> None:
    """Print a finding with its advice and source."""
    say(f"  {finding.severity}: {finding.text}")
    if finding.advice:
        say(f"      {finding.advice}{f' ({finding.source})' if finding.source else ''}")


def seconds(time: float) -> str:
    """Return a time with its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if time >= size:
            return f"{time / size:.3g} {unit}"
    return f"{time / 1e-9:.3g} ns"


def amount(bytes: int) -> str:
    """Return a size with its unit, in powers of 1000."""
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6)):
        if bytes >= size:
            return f"{bytes / size:.3g} {unit}"
    return f"{bytes} B"
