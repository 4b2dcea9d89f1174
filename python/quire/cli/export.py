"""quire export: tables as CSV or plain text, and sidecars for programs that draw."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import command, tell_unreadable
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import plural, printable, ranges, remark, say, say_json, tell_of_tables
from quire.cli.progress import progress
from quire.cli.streams import STANDARD, readable
from quire.cli.where import Where

if TYPE_CHECKING:
    from quire.toolkit.text_export import ExportReport

SIDECAR = "xdmf"
SIDECAR_SUFFIXES = (".xmf", ".xdmf")


@command
def export(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A data file; - is standard input.")],
    target: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The new text; - is standard output.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The same, behind the options.")
    ] = None,
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
    positions: Annotated[
        str | None, typer.Option("--positions", help="Of a sidecar: the columns for x, y and z.")
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", help="Of a sidecar: the attribute with the time.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing text.")] = False,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="The result for programs.")] = False,
) -> None:
    """Export tables as CSV or plain text, with all digits unless formats are given, or write a sidecar.

    Works block by block in bounded memory. With several steps their number goes first, and `quire import
    --step-column step` reads it back. A sidecar (XDMF) lets ParaView and VisIt read the data file itself:
    particles and fields over time, without a copy.

    Example: quire export beam.h5 beam.csv --units

    Example: quire export beam.h5 - --steps 12 --columns x,px --delimiter space --no-header

    Example: quire export xdmf beam.h5 -o beam.xmf
    """
    from quire.errors import UsageError
    from quire.toolkit.lines import parse_delimiter, parse_formats
    from quire.toolkit.selection import parse_names, parse_rows, parse_steps
    from quire.toolkit.text_export import ExportRequest, export_text

    options = parse_options(read_option)
    source, target, sidecar = wanted(source, target, output)
    if sidecar:
        if columns or rows or where or table:
            raise UsageError("a sidecar shows whole tables and fields; leave columns and rows out")
        write_sidecar(
            source, target, json, options, steps=steps, positions=positions, time=time, overwrite=overwrite
        )
        return
    if positions or time:
        raise UsageError("positions and time are those of a sidecar; name the target .xmf")
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
    with readable(source) as local:
        if target == STANDARD:
            sys.stdout.flush()
            report = export_text(local, sys.stdout.buffer, request, **options)
        else:
            with progress("exporting") as bar:
                report = export_text(
                    local, target, request, overwrite=overwrite, progress=bar.show, **options
                )
    tell(target, table, report, json)
    tell_unreadable(source, report.unreadable)


def wanted(source: str, target: str | None, output: str | None) -> tuple[str, str, bool]:
    """What is exported, where to, and whether as a sidecar: there are two ways to say so."""
    from quire.errors import UsageError

    if source == SIDECAR and target is not None and output is not None:
        return target, output, True
    if (target is None) == (output is None):
        raise UsageError("say where the text goes: give one name behind FILE")
    target = target if target is not None else output
    assert target is not None  # one of both is given
    return source, target, target.endswith(SIDECAR_SUFFIXES)


def tell(target: str, table: str | None, report: ExportReport, json: bool) -> None:
    """Print what was written, and what could not be."""
    if table is None:
        tell_of_tables(report.tables)
    if report.left_out:
        what = "a table" if table is None else f"the table '{printable(table)}'"
        remark(f"left out: {plural(len(report.left_out), 'step')} without {what}: {ranges(report.left_out)}")
    if target == STANDARD:
        return
    if json:
        say_json(
            {
                "path": target,
                "steps": report.steps,
                "rows": report.rows,
                "steps_left_out": report.left_out,
            }
        )
    else:
        say(f"{target}: {plural(report.steps, 'step')}, {plural(report.rows, 'row')}")


def write_sidecar(
    source: str,
    target: str,
    json: bool,
    options: dict[str, Any],
    *,
    steps: str | None,
    positions: str | None,
    time: str | None,
    overwrite: bool,
) -> None:
    """Write the sidecar of a file and tell what it cannot show."""
    from quire.errors import UsageError
    from quire.toolkit.selection import parse_steps
    from quire.toolkit.xdmf import write_xdmf

    if STANDARD in (source, target):
        raise UsageError("a sidecar refers to a file by its name: name files")
    names = None if positions is None else [name.strip() for name in positions.split(",")]
    report = write_xdmf(
        source,
        target,
        steps=parse_steps(steps),
        positions=names,
        time=time,
        overwrite=overwrite,
        **options,
    )
    for sentence in report.left_out:
        remark(f"left out: {printable(sentence)}")
    if json:
        say_json({"path": target, "steps": report.steps, "left_out": report.left_out})
    else:
        say(f"{target}: {plural(report.steps, 'step')} of {source}")
