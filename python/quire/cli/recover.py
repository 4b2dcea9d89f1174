"""quire recover: keep the whole steps of damaged files."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import answer, command
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import plural, printable, ranges, say, say_json
from quire.cli.streams import STANDARD, readable

if TYPE_CHECKING:
    from quire.toolkit.recover import Recovery


@command
def recover(
    file: Annotated[str, typer.Argument(metavar="IN", help="A damaged data file; - is standard input.")],
    target: Annotated[
        str | None, typer.Argument(metavar="[OUT]", help="The new file, for the whole steps.")
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="The same as OUT.")] = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Repair IN itself.")] = False,
    rows: Annotated[
        bool, typer.Option("--rows", help="Also keep the complete rows of a truncated step.")
    ] = False,
    values: Annotated[
        bool, typer.Option("--values", help="Also drop steps with values that cannot be decoded.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing OUT.")] = False,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Keep the whole steps of a damaged file.

    The result has the layout of the damaged file. The exit code is 0 if the result is whole, also if nothing
    was damaged. It is 1 if there is nothing to keep, and no file is changed then, or if streams were kept
    whose contents are still damaged.

    Example: quire recover broken.h5 whole.h5
    """
    from quire.errors import UsageError
    from quire.toolkit.recover import recover as engine

    if target is not None and output is not None:
        raise UsageError(f"there are two new files, {target} and {output}: name one")
    output = target or output
    if (output is None) == (not in_place):
        raise UsageError(
            "give either a new file or --in-place", advice=f"write: {command_for(file)}, or add --in-place"
        )
    if STANDARD in (file, output) and (in_place or output == STANDARD):
        raise UsageError("standard input can only be recovered to a file: write quire recover - OUT")
    with readable(file) as source:
        result = engine(
            source, output, rows=rows, values=values, overwrite=overwrite, **parse_options(read_option)
        )
    path = output or file
    if json:
        say_json(as_dictionary(path, result))
    else:
        print_result(path, result)
    answer(result.damage_left is None)


def command_for(path: str) -> str:
    """Return the command that recovers a file."""
    return f"quire recover {shlex.quote(path)} OUT"


def as_dictionary(path: str, result: Recovery) -> dict[str, Any]:
    """Return the result for JSON."""
    from quire.toolkit.summary import damage

    return {
        "path": path,
        "kept": result.kept,
        "rows_saved": result.rows_saved,
        "streams_saved": result.streams_saved,
        "stream_bytes": result.stream_bytes,
        "step_cut": result.step_cut,
        "damage": damage(result.damage) if result.damage is not None else None,
        "dropped": [{"number": number} | damage(problem) for number, problem in result.dropped.items()],
        "changed": result.changed,
        "undecoded": result.is_undecoded,
        "lost": result.lost,
        "warnings": result.warnings,
        "damage_left": damage(result.damage_left) if result.damage_left is not None else None,
    }


def print_result(path: str, result: Recovery) -> None:
    """Print what was kept and what is lost."""
    from quire.cli.copying import report_warning

    numbers = f" ({ranges(result.kept)})" if result.kept else ""
    say(f"{path}: kept {plural(len(result.kept), 'whole step')}{numbers}")
    if result.step_cut is not None:
        saved = plural(result.rows_saved, "row")
        if result.streams_saved > 0:
            saved = f"{plural(result.streams_saved, 'stream')} of {plural(result.stream_bytes, 'byte')}"
        say(f"  and {saved} of step {result.step_cut}, which was truncated")
    for number, problem in result.dropped.items():
        say(f"  dropped: step {number}: {printable(problem.message)}")
    if result.damage is not None:
        if result.damage.message not in [problem.message for problem in result.dropped.values()]:
            say(f"  dropped: {printable(result.damage.message)}")
        for text in result.lost:
            say(f"  {printable(text)}")
    elif not result.changed:
        say("  nothing is damaged" if result.warnings else "  no errors were found")
    if result.is_undecoded:
        say("  compressed values were not decoded: use --values")
    for text in result.warnings:
        report_warning(text)
    if result.damage_left is not None:
        where = f"{result.damage_left.object}: " if result.damage_left.object else ""
        say("  the bytes were kept, but their contents are still damaged:")
        say(f"  {printable(where + result.damage_left.message)}")
