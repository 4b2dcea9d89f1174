"""quire recover: keep what is whole."""

from __future__ import annotations

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
    file: Annotated[str, typer.Argument(metavar="FILE", help="A damaged data file.")],
    output: Annotated[str | None, typer.Option("--output", "-o", help="Write the whole part here.")] = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Repair the file itself.")] = False,
    rows: Annotated[bool, typer.Option("--rows", help="Also keep the complete rows of a cut step.")] = False,
    values: Annotated[
        bool, typer.Option("--values", help="Also drop steps of which values cannot be decoded.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing output.")] = False,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Keep every whole step of a damaged file.

    Exit code 0 when the result is whole, also if nothing was wrong; 1 if there is nothing whole to keep, and
    no file is changed then, or if the streams that were kept end early for what they hold. What is written
    anew has the layout of the damaged file.

    Example: quire recover broken.h5 -o whole.h5
    """
    from quire.errors import UsageError
    from quire.toolkit.recover import recover as engine

    if (output is None) == (not in_place):
        raise UsageError("say where the result goes: either -o OUTPUT or --in-place")
    if STANDARD in (file, output) and (in_place or output == STANDARD):
        raise UsageError("standard input can be recovered to a file only: -o OUTPUT")
    with readable(file) as source:
        result = engine(
            source, output, rows=rows, values=values, overwrite=overwrite, **parse_options(read_option)
        )
    path = output or file
    if json:
        say_json(as_dictionary(path, result))
    else:
        tell(path, result)
    answer(result.damage_left is None)


def as_dictionary(path: str, result: Recovery) -> dict[str, Any]:
    """What was kept as JSON has it."""
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


def tell(path: str, result: Recovery) -> None:
    """Print what was kept and what is lost, for people."""
    from quire.cli.copying import tell_warning

    numbers = f" ({ranges(result.kept)})" if result.kept else ""
    say(f"{path}: kept {plural(len(result.kept), 'whole step')}{numbers}")
    if result.step_cut is not None:
        saved = plural(result.rows_saved, "row")
        if result.streams_saved > 0:
            saved = f"{plural(result.streams_saved, 'stream')} of {plural(result.stream_bytes, 'byte')}"
        say(f"  and {saved} of step {result.step_cut}, which was cut")
    for number, problem in result.dropped.items():
        say(f"  dropped: step {number}: {printable(problem.message)}")
    if result.damage is not None:
        if result.damage.message not in [problem.message for problem in result.dropped.values()]:
            say(f"  dropped: {printable(result.damage.message)}")
        for text in result.lost:
            say(f"  {printable(text)}")
    elif not result.changed:
        say("  nothing is damaged" if result.warnings else "  nothing was wrong")
    if result.is_undecoded:
        say("  its compressed values were not decoded: --values does that")
    for text in result.warnings:
        tell_warning(text)
    if result.damage_left is not None:
        where = f"{result.damage_left.object}: " if result.damage_left.object else ""
        say("  what was kept are the bytes; read as what they were, they are still damaged:")
        say(f"  {printable(where + result.damage_left.message)}")
