"""quire export: write tables as CSV or plain text, and sidecars for visualization."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import command, report_unreadable
from quire.cli.options import ReadOptions, ShownUnits, parse_options, parse_units
from quire.cli.output import plural, printable, ranges, remark, report_tables, say, say_json
from quire.cli.progress import progress
from quire.cli.selecting import Columns, FirstTable, Index, Rows, Steps, Where
from quire.cli.streams import STANDARD, readable

if TYPE_CHECKING:
    from quire.toolkit.text_export import ExportReport

SIDECARS = {"xdmf": (".xmf", ".xdmf"), "vtkhdf": (".vtkhdf",)}
"""The kinds of sidecars with their suffixes."""


@command
def export(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A data file; - is standard input.")],
    target: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="New text file; - is standard output.")
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="The same as TEXT.")] = None,
    columns: Columns = None,
    steps: Steps = None,
    index: Index = None,
    rows: Rows = None,
    where: Where = None,
    table: FirstTable = None,
    delimiter: Annotated[
        str, typer.Option("--delimiter", help="Delimiter of values: comma, tab, space, ...")
    ] = "comma",
    header: Annotated[
        bool, typer.Option("--header/--no-header", help="Write the names in the first line.")
    ] = True,
    units: Annotated[bool, typer.Option("--units", help="Write names with units: x [m]")] = False,
    unit: ShownUnits = None,
    step_column: Annotated[
        bool | None,
        typer.Option(
            "--step-column/--no-step-column",
            help="Write the number of the step in each row. Default: if there are several steps.",
        ),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", help="Format of a column, x=%10.3e, or of all numbers, %.4g."),
    ] = None,
    positions: Annotated[
        str | None, typer.Option("--positions", help="Columns of x, y and z in a sidecar.")
    ] = None,
    time: Annotated[str | None, typer.Option("--time", help="Attribute of the time in a sidecar.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Export tables as CSV or plain text, or write a sidecar.

    Numbers are written with all digits unless --format is given. Tables are processed block by block in
    bounded memory. With several steps the first column is the number of the step, which `quire import
    --step-column step` reads. A sidecar (XDMF or VTKHDF) describes particles and fields over time, so that
    ParaView and VisIt, or ParaView and VTK, can read the data file without a copy.

    Example: quire export beam.h5 beam.csv --units

    Example: quire export beam.h5 - --steps 20 --columns x,px --delimiter space --no-header

    Example: quire export xdmf beam.h5 -o beam.xmf

    Example: quire export vtkhdf beam.h5 -o beam.vtkhdf
    """
    from quire.errors import UsageError
    from quire.toolkit.lines import parse_delimiter, parse_formats
    from quire.toolkit.selection import parse_names, parse_rows, parse_steps
    from quire.toolkit.text_export import ExportRequest, export_text

    options = parse_options(read_option)
    source, target, sidecar = wanted(source, target, output)
    if sidecar:
        if columns or rows or where or table or unit:
            raise UsageError("a sidecar refers to whole tables and fields; leave out columns and rows")
        names = None if positions is None else [name.strip() for name in positions.split(",")]
        options |= {"positions": names, "time": time, "overwrite": overwrite}
        write_sidecar(sidecar, source, target, json, steps=parse_steps(steps, index=index), **options)
        return
    if positions or time:
        raise UsageError("--positions and --time are for sidecars; the target must be named .xmf or .vtkhdf")
    request = ExportRequest(
        delimiter=parse_delimiter(delimiter),
        header=header,
        units=units,
        wanted_units=parse_units(unit),
        steps=parse_steps(steps, index=index),
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
    print_report(target, table, report, json)
    report_unreadable(source, report.unreadable)


def wanted(source: str, target: str | None, output: str | None) -> tuple[str, str, str]:
    """Return source and target, and the kind of sidecar that is written or nothing; there are two ways to ask
    for one.
    """
    from quire.errors import UsageError

    if source in SIDECARS and target is not None and output is not None:
        return target, output, source
    if (target is None) == (output is None):
        raise UsageError("give the target once: either TEXT or --output")
    target = target if target is not None else output
    assert target is not None  # one of both is given
    kind = next((kind for kind, suffixes in SIDECARS.items() if target.endswith(suffixes)), "")
    return source, target, kind


def print_report(target: str, table: str | None, report: ExportReport, json: bool) -> None:
    """Print what was written and what was left out."""
    if table is None:
        report_tables(report.tables)
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


def write_sidecar(kind: str, source: str, target: str, json: bool, **options: Any) -> None:
    """Write the sidecar of a file and report what it cannot describe."""
    from quire.errors import UsageError

    if STANDARD in (source, target):
        raise UsageError("a sidecar refers to a file by its name: give names of files")
    if kind == "vtkhdf":
        from quire.toolkit.vtkhdf import write_vtkhdf as write
    else:
        from quire.toolkit.xdmf import write_xdmf as write
    report = write(source, target, **options)
    for sentence in report.left_out:
        remark(f"left out: {printable(sentence)}")
    if json:
        say_json({"path": target, "files": report.files, "steps": report.steps, "left_out": report.left_out})
    for name in () if json else report.files:
        say(f"{name}: {plural(report.steps, 'step')} of {source}")
    report_unreadable(source, report.unreadable)
