"""quire import: convert CSV or plain text to any format."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import command
from quire.cli.copying import (
    AsJson,
    Format,
    Overwrite,
    Strict,
    WriteOptions,
    report_change,
    report_warning,
    unnamed_format,
)
from quire.cli.options import parse_options, parse_units
from quire.cli.output import columns_of_text, plural, printable, remark, say, say_json
from quire.cli.progress import progress
from quire.cli.streams import display_name, is_standard_output, readable, writable

if TYPE_CHECKING:
    from quire.errors import BadFileError
    from quire.toolkit.text_import import ImportReport, TextLayout


def programs() -> Iterable[str]:
    """Return the programs whose text is known, for completion."""
    from quire.toolkit.text_beams import text_beams

    return text_beams()


ENCODINGS = ("utf-8", "latin-1", "cp1252", "utf-16", "shift-jis")
"""Those that are completed; others of Python are known as well."""

Source = Annotated[str, typer.Argument(metavar="TEXT", help="CSV or plain text; - is standard input.")]
Target = Annotated[str, typer.Argument(metavar="OUT", help="The new file; - is standard output.")]
Program = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="PROGRAM",
        autocompletion=completion.of_list(programs),
        help="The text is a beam of PROGRAM: astra, gpt, ... Default: recognised.",
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        autocompletion=completion.words("comma", "semicolon", "tab", "space"),
        help="comma, tab, space (one or more blanks), ... Default: detected.",
    ),
]
Decimal = Annotated[str, typer.Option("--decimal", metavar="SIGN", help="Decimal sign, . or ,")]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="The first row contains names. Default: detected."),
]
UnitLine = Annotated[bool, typer.Option("--unit-line", help="The row after the names contains units.")]
Names = Annotated[list[str] | None, typer.Option("--names", help="Names of all columns: x,px,id")]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--types",
        autocompletion=completion.text_keys,
        help="Types of columns: x=float32,id=int32. Default: detected.",
    ),
]
Units = Annotated[
    list[str] | None,
    typer.Option(
        "--units",
        autocompletion=completion.text_keys,
        help="Units of columns: x=m,t=s. Default: from the header.",
    ),
]
Rename = Annotated[
    list[str] | None,
    typer.Option(
        "--rename", autocompletion=completion.text_keys, help="Rename a column of the text, OLD=NEW."
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing", metavar="WORDS", help="Words for missing values in columns of numbers: NA,null"
    ),
]
Skip = Annotated[int, typer.Option("--skip", help="Number of lines to skip at the beginning.")]
Comment = Annotated[
    str | None,
    typer.Option("--comment", help="Prefix of comment lines, which are skipped. Default: detected."),
]
Encoding = Annotated[
    str,
    typer.Option(
        "--encoding",
        metavar="NAME",
        autocompletion=completion.words(*ENCODINGS),
        help="Encoding of the text: latin-1, cp1252, utf-16, ... Default: utf-8.",
    ),
]
StepColumn = Annotated[
    str | None,
    typer.Option(
        "--step-column",
        autocompletion=completion.text_columns,
        help="Column that contains the number of the step.",
    ),
]
Title = Annotated[str, typer.Option("--title", help="Title of the new file.")]


@command
def import_(
    source: Source,
    target: Target,
    format: Format = None,
    option: WriteOptions = None,
    program: Program = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    header: Header = None,
    unit_line: UnitLine = False,
    names: Names = None,
    types: Types = None,
    units: Units = None,
    rename: Rename = None,
    missing: Missing = None,
    skip: Skip = 0,
    comment: Comment = None,
    encoding: Encoding = "",
    step_column: StepColumn = None,
    title: Title = "",
    overwrite: Overwrite = False,
    strict: Strict = False,
    json: AsJson = False,
) -> None:
    """Import CSV or plain text as a table.

    Unless --types gives it, the type of a column is the first of int64, float64 and string that all its cells
    have. Empty cells of numbers are nan and are counted, cells that are no numbers make a column of numbers
    one of text and are counted, and so are cells that are not UTF-8; with --strict all are an error. Units
    are read from names such as `x [m]`, `x[m]` or `x (m)`. Names that the format does not allow are changed
    and reported, unless --rename gives others. The text is processed block by block in bounded memory. Errors
    name the line.

    Beams of ASTRA, General Particle Tracer, OPAL, IMPACT-T, Bmad and Genesis 1.3 are recognised by their
    first lines, and get names and units; --from states which of several it is. Other options describe other
    texts.

    Example: quire import data.csv beam.h5 --types id=int32 --units 'x=m,px=m$be$nc'

    Example: quire import tracker.txt beam.h5 --delimiter space --names x,px --skip 3
    """
    from quire.errors import UsageError
    from quire.toolkit.lines import parse_delimiter
    from quire.toolkit.selection import parse_names
    from quire.toolkit.text_import import TextLayout, missing_cells

    if is_standard_output(target) and format is None:
        raise unnamed_format()
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
        missing=parse_names(missing) or (),
        step_column=step_column,
        encoding=encoding,
        rename=parse_options(rename),
    )
    is_described = layout != TextLayout()
    if is_described and program is not None:
        raise UsageError("--from describes the whole text: leave out --delimiter, --names and the like")
    report = import_as(
        layout if is_described else None,
        program,
        source,
        target,
        format=format,
        title=title,
        overwrite=overwrite,
        strict=strict,
        **parse_options(option),
    )
    for sentence in missing_cells(report):
        report_change("missing", f"{sentence}: their values are nan")
    for sentence in (*report.odd, *report.changes):
        report_change("changed", sentence)
    for sentence in report.bad:
        report_warning(sentence)
    if not is_standard_output(target):
        print_report(target, report, json)


def import_as(
    layout: TextLayout | None, program: str | None, source: str, target: str, **options: Any
) -> ImportReport:
    """Import a text of a layout, or a beam of a program, or else what the text is recognised as."""
    from quire.errors import BadFileError
    from quire.toolkit.text_beams import text_beam_named, the_only
    from quire.toolkit.text_import import import_text

    with (
        readable(source, as_stored=True) as local,
        progress("importing") as bar,
        writable(target) as local_target,
    ):
        beam = None
        if program is not None:
            beam = text_beam_named(program)
        elif layout is None:
            beam = the_only(local)
        if beam is not None:
            remark(f"{display_name(source)}: {beam.title}")
        found = layout if beam is None else beam.layout(local)
        try:
            return import_text(local, local_target, found, progress=bar.show, **options)
        except BadFileError as problem:
            raise convert_first(problem, local, f"{shlex.quote(source)} {shlex.quote(target)}") from None


def convert_first(problem: BadFileError, path: str, files: str) -> BadFileError:
    """Independent. Return the error of a text; if it is a data file, with the command that converts it."""
    import quire
    from quire.errors import BadFileError, Error

    try:
        with quire.open(path) as file:
            found = file.format
    except (Error, OSError):
        return problem
    return BadFileError(
        f"this is a file of the format {found}, not a table of text",
        file=problem.file,
        advice=f"quire convert {files} converts it",
    )


def print_report(target: str, report: ImportReport, json: bool) -> None:
    """Print what was written."""
    if json:
        columns = [{"name": one.name, "type": one.type, "unit": one.unit} for one in report.columns]
        counts = {"steps": report.steps, "rows": report.rows, "missing": report.missing}
        say_json({"path": target, **counts, "columns": columns})
        return
    say(f"{target}: {plural(report.steps, 'step')}, {plural(report.rows, 'row')}")
    for line in columns_of_text(
        [(printable(c.name), c.type, printable(c.unit)) for c in report.columns], "  "
    ):
        say(line)
