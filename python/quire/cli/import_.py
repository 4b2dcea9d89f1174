"""quire import: convert CSV or plain text to any format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from quire.cli import completion
from quire.cli.command import command
from quire.cli.copying import report_change
from quire.cli.options import parse_options, parse_units
from quire.cli.output import columns_of_text, plural, printable, remark, say, say_json
from quire.cli.progress import progress
from quire.cli.streams import STANDARD, display_name, readable, writable

if TYPE_CHECKING:
    from quire.toolkit.text_import import ImportReport


def programs() -> Iterable[str]:
    """Return the programs whose text is known, for completion."""
    from quire.toolkit.text_beams import text_beams

    return text_beams()


@command
def import_(
    source: Annotated[str, typer.Argument(metavar="TEXT", help="CSV or plain text; - is standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="The new file; - is standard output.")],
    format: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", autocompletion=completion.formats, help="Format of OUT. Default: by its suffix."
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", autocompletion=completion.write_options, help="Option of the writer, NAME=VALUE."
        ),
    ] = None,
    program: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="PROGRAM",
            autocompletion=completion.of_list(programs),
            help="The text is a beam of PROGRAM: astra, gpt, ... Default: recognised.",
        ),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option("--delimiter", help="comma, tab, space (one or more blanks), ... Default: detected."),
    ] = None,
    decimal: Annotated[str, typer.Option("--decimal", metavar="SIGN", help="Decimal sign, . or ,")] = ".",
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="The first row contains names. Default: detected."),
    ] = None,
    unit_line: Annotated[
        bool, typer.Option("--unit-line", help="The row after the names contains units.")
    ] = False,
    names: Annotated[list[str] | None, typer.Option("--names", help="Names of all columns: x,px,id")] = None,
    types: Annotated[
        list[str] | None,
        typer.Option("--types", help="Types of columns: x=float32,id=int32. Default: detected."),
    ] = None,
    units: Annotated[
        list[str] | None, typer.Option("--units", help="Units of columns: x=m,t=s. Default: from the header.")
    ] = None,
    rename: Annotated[
        list[str] | None, typer.Option("--rename", help="Rename a column of the text, OLD=NEW.")
    ] = None,
    skip: Annotated[int, typer.Option("--skip", help="Number of lines to skip at the beginning.")] = 0,
    comment: Annotated[
        str | None,
        typer.Option("--comment", help="Prefix of comment lines, which are skipped. Default: detected."),
    ] = None,
    step_column: Annotated[
        str | None, typer.Option("--step-column", help="Column that contains the number of the step.")
    ] = None,
    title: Annotated[str, typer.Option("--title", help="Title of the new file.")] = "",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing OUT.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Import CSV or plain text as a table.

    Unless --types gives it, the type of a column is the first of int64, float64 and string that all its cells
    have; empty cells of numbers are nan. Units are read from names such as `x [m]`, `x[m]` or `x (m)`. Names
    that the format does not allow are changed and reported, unless --rename gives others. The text is
    processed block by block in bounded memory. Errors name the line.

    Beams of ASTRA, General Particle Tracer, OPAL, IMPACT-T, Bmad and Genesis 1.3 are recognised by their
    first lines, and get names and units; --from states which of several it is. Other options describe other
    texts.

    Example: quire import data.csv beam.h5 --types id=int32 --units x=m,px=m$be$nc

    Example: quire import tracker.txt beam.h5 --delimiter space --names x,px --skip 3
    """
    from quire.errors import UsageError
    from quire.toolkit.lines import parse_delimiter
    from quire.toolkit.selection import parse_names
    from quire.toolkit.text_beams import text_beam_named, the_only
    from quire.toolkit.text_import import TextLayout, import_text

    if target == STANDARD and format is None:
        raise UsageError("standard output has no suffix: give --format")
    if skip < 0:
        raise UsageError(f"{skip} lines cannot be skipped")
    layout = TextLayout(
        delimiter=None if delimiter is None else parse_delimiter(delimiter),
        decimal=decimal,
        comment=comment,
        skip=skip,
        header=header,
        unit_line=unit_line,
        names=parse_names(names),
        types=parse_options(parse_names(types)),
        units=parse_units(parse_names(units)),
        step_column=step_column,
        rename=parse_options(rename),
    )
    described = layout != TextLayout()
    if described and program is not None:
        raise UsageError("--from describes the whole text: leave out --delimiter, --names and the like")
    with (
        readable(source, as_stored=True) as local,
        progress("importing") as bar,
        writable(target) as local_target,
    ):
        beam = text_beam_named(program) if program is not None else None if described else the_only(local)
        if beam is not None:
            remark(f"{display_name(source)}: {beam.title}")
        report = import_text(
            local,
            local_target,
            layout if beam is None else beam.layout(local),
            format=format,
            title=title,
            overwrite=overwrite or target == STANDARD,
            progress=bar.show,
            **parse_options(option),
        )
    for sentence in report.changes:
        report_change("changed", sentence)
    if target != STANDARD:
        print_report(target, report, json)


def print_report(target: str, report: ImportReport, json: bool) -> None:
    """Print what was written."""
    if json:
        columns = [{"name": one.name, "type": one.type, "unit": one.unit} for one in report.columns]
        say_json({"path": target, "steps": report.steps, "rows": report.rows, "columns": columns})
        return
    say(f"{target}: {plural(report.steps, 'step')}, {plural(report.rows, 'row')}")
    for line in columns_of_text(
        [(printable(c.name), c.type, printable(c.unit)) for c in report.columns], "  "
    ):
        say(line)
