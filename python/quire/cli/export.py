"""quire export: write tables as CSV or plain text, and sidecars for visualization."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import command, report_unreadable
from quire.cli.copying import AsJson
from quire.cli.options import ReadOptions, ShownUnits, parse_options, parse_units
from quire.cli.output import plural, printable, ranges, remark, report_tables, say, say_json
from quire.cli.progress import progress
from quire.cli.selecting import Columns, FirstTable, Index, Rows, Steps, Where
from quire.cli.sidecars import Positions, Time, parse_positions, write_sidecar
from quire.cli.streams import display_name, is_standard_output, is_stream, output_stream, readable

if TYPE_CHECKING:
    from quire.toolkit.text_export import ExportReport, ExportRequest

TEXT = "text"
KINDS = {TEXT: (".csv",), "xdmf": (".xmf", ".xdmf"), "vtkhdf": (".vtkhdf",)}
"""What a file is exported to, with the suffixes of new files. Text may have any other suffix, too."""

ENDINGS = (
    ".csv for a table as text (or is -, standard output), .vtkhdf for ParaView and VTK, or .xmf for ParaView "
    "and VisIt"
)

NO_TEXT = (
    ".json", ".jsonl", ".xlsx", ".xls", ".ods", ".parquet", ".feather", ".arrow", ".npy", ".npz", ".mat",
    ".pkl", ".root", ".sqlite", ".db", ".vtk", ".vtu", ".vtp", ".html", ".zip",
)  # fmt: skip
"""Suffixes of files that other programs would not read if they contained a table as text."""


Words = Annotated[
    list[str],
    typer.Argument(
        metavar="[KIND] FILE OUT",
        help="text, xdmf or vtkhdf, by default as the suffix of OUT says; a data file; the new file. "
        "- is standard input or output.",
    ),
]
Output = Annotated[str | None, typer.Option("--output", "-o", help="The same as OUT.")]
Delimiter = Annotated[str, typer.Option("--delimiter", help="Delimiter of values: comma, tab, space, ...")]
Header = Annotated[bool, typer.Option("--header/--no-header", help="Write the names in the first line.")]
Units = Annotated[bool, typer.Option("--units", help="Write names with units: x [m]. --unit implies it.")]
StepColumn = Annotated[
    bool | None,
    typer.Option(
        "--step-column/--no-step-column",
        help="Write the number of the step in each row. Default: if there are several steps.",
    ),
]
Formats = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        autocompletion=completion.keys,
        help="Format of a column, x=%10.3e, or of all numbers, %.4g.",
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")]


@command
def export(
    words: Words,
    output: Output = None,
    columns: Columns = None,
    steps: Steps = None,
    index: Index = None,
    rows: Rows = None,
    where: Where = None,
    table: FirstTable = None,
    delimiter: Delimiter = "comma",
    header: Header = True,
    units: Units = False,
    unit: ShownUnits = None,
    step_column: StepColumn = None,
    formats: Formats = None,
    positions: Positions = None,
    time: Time = None,
    overwrite: Overwrite = False,
    read_option: ReadOptions = None,
    json: AsJson = False,
) -> None:
    """Export tables as text, or particles and fields for ParaView and VTK.

    Numbers are written with all digits unless --format is given. Tables are processed block by block in
    bounded memory. With several steps the first column is the number of the step, which `quire import
    --step-column step` reads. A sidecar (.xmf for ParaView and VisIt, .vtkhdf for ParaView and VTK) describes
    particles, fields and meshes over time, so that these programs read the data file without a copy.

    Example: quire export beam.h5 beam.csv --units

    Example: quire export beam.h5 - --steps 20 --columns x,px --delimiter space --no-header

    Example: quire export beam.h5 beam.vtkhdf

    Example: quire export xdmf beam.h5 view.xmf
    """
    from quire.errors import UsageError
    from quire.toolkit.lines import parse_delimiter, parse_formats
    from quire.toolkit.selection import parse_names, parse_rows, parse_steps
    from quire.toolkit.text_export import ExportRequest

    options = parse_options(read_option)
    kind, source, target = wanted(words if output is None else [*words, output])
    if kind != TEXT:
        if columns or rows or where or table or unit:
            raise UsageError("a sidecar refers to whole tables and fields; leave out columns and rows")
        options |= {"positions": parse_positions(positions), "time": time, "overwrite": overwrite}
        write_sidecar(kind, source, target, json, steps=parse_steps(steps, index=index), **options)
        return
    if positions or time:
        raise UsageError("--positions and --time are for xdmf and vtkhdf; end the name in .xmf or .vtkhdf")
    request = ExportRequest(
        delimiter=parse_delimiter(delimiter),
        header=header,
        units=units or bool(unit),
        wanted_units=parse_units(unit),
        steps=parse_steps(steps, index=index),
        columns=parse_names(columns),
        rows=parse_rows(rows),
        table=table,
        where=where,
        step_column=step_column,
        formats=parse_formats(formats),
    )
    report = write_text(source, target, request, overwrite, options)
    print_report(target, table, report, json)
    report_unreadable(source, report.unreadable)


def write_text(
    source: str, target: str, request: ExportRequest, overwrite: bool, options: dict[str, Any]
) -> ExportReport:
    """Write tables as text to a file, or in order to standard output, a pipe or a device."""
    from quire.toolkit.text_export import export_text

    if is_stream(target):
        with output_stream(target) as out, readable(source) as local:
            return export_text(local, out, request, **options)
    with readable(source) as local, progress("exporting") as bar:
        return export_text(local, target, request, overwrite=overwrite, progress=bar.show, **options)


def wanted(words: Sequence[str]) -> tuple[str, str, str]:
    """Return the kind of export, the data file and the new file. Raises UsageError.

    A file may be called as a kind.
    """
    from quire.errors import UsageError
    from quire.io.formats import format_infos, has_compressed_suffix

    has_kind = words[0] in KINDS and (len(words) > 2 or not os.path.exists(words[0]))
    files = words[1:] if has_kind else words
    if len(files) != 2:
        file = files[0] if files else "FILE"
        raise UsageError(
            "say what is exported and to which new file",
            advice=f"quire export {file} OUT, where OUT ends in {ENDINGS}",
        )
    source, target = files
    if has_kind:
        return words[0], source, target
    kind = next((kind for kind, suffixes in KINDS.items() if target.endswith(suffixes)), TEXT)
    stem = os.path.splitext(target)[0] if has_compressed_suffix(target) else target
    data = [info.name for info in format_infos() if kind == TEXT and stem.endswith(tuple(info.suffixes))]
    if data:
        raise UsageError(
            f"{target} has the suffix of {data[0]}",
            advice=f"quire convert {source} {target} writes it; quire export text {source} {target} "
            "writes text",
        )
    suffix = os.path.splitext(stem)[1].lower()
    if kind == TEXT and suffix in NO_TEXT and not is_stream(target):
        raise UsageError(
            f"quire export writes no {suffix} files",
            advice=f"name OUT so that it ends in {ENDINGS}; quire export text {source} {target} writes text",
        )
    return kind, source, target


def print_report(target: str, table: str | None, report: ExportReport, json: bool) -> None:
    """Print what was written and what was left out."""
    if table is None:
        report_tables(report.tables)
    if report.left_out:
        what = "a table" if table is None else f"the table '{printable(table)}'"
        remark(f"left out: {plural(len(report.left_out), 'step')} without {what}: {ranges(report.left_out)}")
    if is_standard_output(target):
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
        say(f"{display_name(target)}: {plural(report.steps, 'step')}, {plural(report.rows, 'row')}")
