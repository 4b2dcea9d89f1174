"""quire import: CSV and plain text into any format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from quire.cli.command import command
from quire.cli.copying import tell_change
from quire.cli.options import parse_options
from quire.cli.output import columns_of_text, plural, printable, say, say_json
from quire.cli.progress import progress
from quire.cli.streams import STANDARD, readable, writable

if TYPE_CHECKING:
    from quire.toolkit.text_import import ImportReport


@command
def import_(
    source: Annotated[str, typer.Argument(metavar="TEXT", help="CSV or plain text; - is standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="The new file; - is standard output.")],
    format: Annotated[str | None, typer.Option("--format", "-f", help="Else by the suffix of OUT.")] = None,
    option: Annotated[list[str] | None, typer.Option("--option", help="name=value of the writer.")] = None,
    delimiter: Annotated[
        str | None, typer.Option("--delimiter", help="comma, tab, space (runs of blanks), ...; else guessed.")
    ] = None,
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Names in the first row; else guessed.")
    ] = None,
    unit_line: Annotated[
        bool, typer.Option("--unit-line", help="Units in the row behind the names.")
    ] = False,
    names: Annotated[list[str] | None, typer.Option("--names", help="Of all columns: x,px,id")] = None,
    types: Annotated[
        list[str] | None, typer.Option("--types", help="x=float32,id=int32; others as their cells look.")
    ] = None,
    units: Annotated[list[str] | None, typer.Option("--units", help="x=m,t=s; else from the header.")] = None,
    rename: Annotated[
        list[str] | None, typer.Option("--rename", help="OLD=NEW, several times: for names of the text.")
    ] = None,
    skip: Annotated[int, typer.Option("--skip", help="Lines at the beginning to leave out.")] = 0,
    comment: Annotated[
        str | None, typer.Option("--comment", help="Leave lines out that begin with it; else guessed.")
    ] = None,
    step_column: Annotated[
        str | None, typer.Option("--step-column", help="The column that has the number of the step.")
    ] = None,
    title: Annotated[str, typer.Option("--title", help="Of the new file.")] = "",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing OUT.")] = False,
    json: Annotated[bool, typer.Option("--json", help="The result for programs.")] = False,
) -> None:
    """Import CSV or plain text as a table.

    Types are int64, float64 or string, as all cells of a column look, unless --types gives them; empty cells
    of numbers are nan. Units come from names like `x [m]`, `x[m]` or `x (m)`. Names that the format does not
    know are changed, and told, unless --rename gives others. Works block by block in bounded memory. Errors
    name the line.

    Example: quire import data.csv beam.h5 --types id=int32 --units x=m,px=m$be$nc

    Example: quire import tracker.txt beam.h5 --delimiter space --names x,px --skip 3
    """
    from quire.errors import UsageError
    from quire.toolkit.lines import parse_delimiter
    from quire.toolkit.selection import parse_names
    from quire.toolkit.text_import import TextLayout, import_text

    if target == STANDARD and format is None:
        raise UsageError("standard output has no suffix: name the format by --format")
    if skip < 0:
        raise UsageError(f"{skip} lines cannot be skipped")
    layout = TextLayout(
        delimiter=None if delimiter is None else parse_delimiter(delimiter),
        comment=comment,
        skip=skip,
        header=header,
        unit_line=unit_line,
        names=parse_names(names),
        types=parse_options(parse_names(types)),
        units=parse_options(parse_names(units)),
        step_column=step_column,
        rename=parse_options(rename),
    )
    with readable(source) as local, progress("importing") as bar, writable(target) as local_target:
        report = import_text(
            local,
            local_target,
            layout,
            format=format,
            title=title,
            overwrite=overwrite or target == STANDARD,
            progress=bar.show,
            **parse_options(option),
        )
    for sentence in report.changes:
        tell_change("changed", sentence)
    if target != STANDARD:
        tell(target, report, json)


def tell(target: str, report: ImportReport, json: bool) -> None:
    """Print what was made."""
    if json:
        columns = [{"name": one.name, "type": one.type, "unit": one.unit} for one in report.columns]
        say_json({"path": target, "steps": report.steps, "rows": report.rows, "columns": columns})
        return
    say(f"{target}: {plural(report.steps, 'step')}, {plural(report.rows, 'row')}")
    for line in columns_of_text(
        [(printable(c.name), c.type, printable(c.unit)) for c in report.columns], "  "
    ):
        say(line)
