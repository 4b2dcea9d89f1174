"""quire export: tables as CSV or plain text."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from quire.cli.command import command
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import plural, say, say_json
from quire.cli.parallel import refuse_ranks
from quire.cli.progress import progress
from quire.cli.streams import STANDARD, readable
from quire.cli.where import Where


@command
def export(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A data file; - is standard input.")],
    target: Annotated[str, typer.Argument(metavar="TEXT", help="The new text; - is standard output.")],
    columns: Annotated[list[str] | None, typer.Option("--columns", help="Names or patterns: x,p*")] = None,
    steps: Annotated[str | None, typer.Option("--steps", help="Only these, by number: 1,4-8")] = None,
    rows: Annotated[str | None, typer.Option("--rows", help="a:b, half open, of every table.")] = None,
    where: Where = None,
    table: Annotated[
        str | None, typer.Option("--table", help="The table of this name, else the first.")
    ] = None,
    delimiter: Annotated[
        str, typer.Option("--delimiter", help="Between values: comma, tab, space, ...")
    ] = "comma",
    header: Annotated[bool, typer.Option("--header/--no-header", help="Names in the first line.")] = True,
    units: Annotated[bool, typer.Option("--units", help="Names with units: x [m]")] = False,
    step_column: Annotated[
        bool | None, typer.Option("--step-column/--no-step-column", help="Else if there are several steps.")
    ] = None,
    formats: Annotated[
        list[str] | None, typer.Option("--format", help="x=%10.3e, or %.4g for all numbers.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing text.")] = False,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="The result for programs.")] = False,
) -> None:
    """Export tables as CSV or plain text, with all digits unless formats are given.

    Works block by block in bounded memory. With several steps their number goes first, and `quire import
    --step-column step` reads it back.

    Example: quire export beam.h5 beam.csv --units

    Example: quire export beam.h5 - --steps 12 --columns x,px --delimiter space --no-header
    """
    from quire.toolkit.lines import parse_delimiter, parse_formats
    from quire.toolkit.selection import parse_names, parse_rows, parse_steps
    from quire.toolkit.text_export import ExportRequest, export_text

    refuse_ranks("exporting text")
    request = ExportRequest(
        delimiter=parse_delimiter(delimiter),
        header=header,
        units=units,
        steps=parse_steps(steps),
        columns=parse_names(columns),
        rows=parse_rows(rows),
        table=table,
        where=where,
        step_column=step_column,
        formats=parse_formats(formats),
    )
    options = parse_options(read_option)
    with readable(source) as local:
        if target == STANDARD:
            sys.stdout.flush()
            export_text(local, sys.stdout.buffer, request, **options)
            return
        with progress("exporting") as bar:
            report = export_text(local, target, request, overwrite=overwrite, progress=bar.show, **options)
    if json:
        say_json({"path": target, "steps": report.steps, "rows": report.rows})
    else:
        say(f"{target}: {plural(report.steps, 'step')}, {plural(report.rows, 'row')}")
