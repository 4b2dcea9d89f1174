"""quire check: check that files are complete."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import answer, command_of_ranks, complain, even_unread, explain
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import plural, printable, ranges, remark, say, say_json
from quire.cli.parallel import is_first_rank
from quire.cli.recover import command_for
from quire.cli.streams import STANDARD, communicator_for, display_name, readable

if TYPE_CHECKING:
    from quire import CheckReport
    from quire.errors import Error


@command_of_ranks
def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Data files; - is standard input.")],
    values: Annotated[bool, typer.Option("--values", help="Also read all values.")] = False,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Report which steps of a file are whole, and where damage begins.

    Only the structure is checked. With --values all values are read as well, which detects damage of values
    that are compressed or have checksums.

    A file that a writer has open is reported as being written; its incomplete step counts as not whole.

    The exit code is 0 if all files are whole, 1 if one is not, and 3 if one is not a data file.

    Example: quire check beam.h5
    """
    import quire
    from quire.cli.trace import trace
    from quire.errors import Error
    from quire.toolkit.values import check as look_through

    found: list[dict[str, Any]] = []
    options = parse_options(read_option)
    unread: list[Error] = []
    comm = communicator_for(*files)
    for path in files:
        try:
            with readable(path) as local, quire.open(local, comm=comm, tolerant=True, **options) as file:
                found.append(as_dictionary(path, look_through(file, values=values)))
                trace(file)
        except Error as error:
            # The other files are checked as well.
            if len(files) == 1 or error.kind in ("usage", "aborted", "deadline"):
                raise
            unread.append(error)
    if is_first_rank():
        with even_unread():
            print_all(found, unread[:-1], json)
    if unread:
        raise unread[-1]
    answer(all(one["whole"] for one in found))


def print_all(found: list[dict[str, Any]], unread: list[Error], json: bool) -> None:
    """Print all reports, and the errors of files that could not be read."""
    if json:
        say_json({"files": found})
    else:
        for one in found:
            print_report(one)
    for problem in unread:
        complain(explain(problem)[0])


def as_dictionary(path: str, report: CheckReport) -> dict[str, Any]:
    """Return a report for JSON."""
    from quire.toolkit.replacing import leftover_files
    from quire.toolkit.summary import damage

    return {
        "path": path,
        "whole": report.damage is None,
        "whole_steps": report.whole_steps,
        "numbers": list(report.numbers),
        "damage": damage(report.damage) if report.damage is not None else None,
        "damaged": [{"number": number} | damage(problem) for number, problem in report.damaged.items()],
        "part": part_of(path, report.damage) if report.damage is not None else None,
        "salvageable": report.salvageable,
        "changed": report.is_changed,
        "undecoded": report.is_undecoded,
        "being_written": report.is_being_written,
        "warnings": [*report.warnings, *(leftover_files(path) if path != STANDARD else [])],
    }


def part_of(path: str, problem: Error) -> str | None:
    """Return the name of the damaged part of a directory or a set of files; None for the file itself."""
    if path == "-":
        return None
    folder, name = os.path.split(problem.file or "")
    beside = os.path.abspath(folder) in (os.path.abspath(path), os.path.dirname(os.path.abspath(path)))
    return name if name and beside and name != os.path.basename(os.path.abspath(path)) else None


def print_report(one: dict[str, Any]) -> None:
    """Print the report of a file as text."""
    steps = plural(one["whole_steps"], "whole step")
    numbers = f" ({ranges(one['numbers'])})" if one["numbers"] else ""
    name = display_name(one["path"])
    if one["being_written"]:
        print_live(name, f"{steps}{numbers}", one)
    elif one["whole"]:
        say(f"{name}: whole, {steps}{numbers}")
    else:
        offset = one["damage"]["offset"]
        place = f" in {display_name(one['part'])}" if one["part"] else ""
        place += f" at byte {offset}" if offset is not None else ""
        where = "remain" if one["damaged"] else "before it"
        say(f"{name}: damaged{place}, {steps}{numbers} {where}")
        for damaged in one["damaged"]:
            say(f"  step {damaged['number']}: {printable(damaged['message'])}")
        if one["damage"]["message"] not in [damaged["message"] for damaged in one["damaged"]]:
            what = printable(one["damage"]["object"] or "")
            say(f"  {what}{': ' if what else ''}{printable(one['damage']['message'])}")
        if one["whole_steps"] > 0 or one["salvageable"]:
            hint = " --rows" if one["salvageable"] else ""
            say(f"  {command_for(one['path'])}{hint} keeps what is whole")
        elif one["damage"]["advice"]:
            say(f"  {printable(one['damage']['advice'])}")
    if one["undecoded"]:
        say("  compressed values were not decoded: use --values")
    for text in one["warnings"]:
        remark(f"warning: {name}: {printable(text)}")


def print_live(name: str, steps: str, one: dict[str, Any]) -> None:
    """Print the report of a file that a writer has open. Nothing is to be recovered."""
    say(f"{name}: being written, {steps} so far")
    if not one["whole"]:
        say("  the rest is incomplete or damaged: check it again when its writer has closed it")
