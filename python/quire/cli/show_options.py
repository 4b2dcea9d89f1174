"""The options of quire show."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion

ShownFile = Annotated[str, typer.Argument(metavar="FILE", help="A data file; - is standard input.")]
OneTable = Annotated[
    str | None,
    typer.Option("--table", autocompletion=completion.tables, help="Name of the table. Default: all."),
]
Attributes = Annotated[bool, typer.Option("--attributes", help="Print attributes instead of tables.")]
Fields = Annotated[bool, typer.Option("--fields", help="Print fields (arrays) instead of tables.")]
OneField = Annotated[
    str | None,
    typer.Option(
        "--field", autocompletion=completion.fields, help="Print values of this field, or of a part."
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option(
        "--names", autocompletion=completion.anything, help="Only these attributes or fields: s,rms_*"
    ),
]
Transpose = Annotated[
    bool, typer.Option("--transpose", help="Print attributes as a table with one row per step.")
]
LISTS = ("steps", "tables", "columns", "attributes", "fields", "rows")

Listing = Annotated[
    str | None,
    typer.Option(
        "--list",
        autocompletion=completion.words(*LISTS),
        help="Only list names, one per line: columns, steps, ...",
    ),
]
Units = Annotated[bool, typer.Option("--units", help="With --list: names with units.")]
Formats = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        autocompletion=completion.keys,
        help="Format of a column, x=%10.3e, or of all numbers, %.4g.",
    ),
]
Display = Annotated[bool, typer.Option("--display", help="Use the display formats in the file.")]
Commas = Annotated[bool, typer.Option("--csv", help="Print all rows, separated by commas.")]
Delimiter = Annotated[
    str | None, typer.Option("--delimiter", help="Print all rows with this delimiter: tab, space, ...")
]
Latex = Annotated[bool, typer.Option("--latex", help="Print all rows as a LaTeX tabular.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print all rows as a Markdown table.")]
Html = Annotated[bool, typer.Option("--html", help="Print all rows as an HTML table.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print all rows as JSON.")]
Header = Annotated[bool, typer.Option("--header/--no-header", help="Print names above the rows.")]
Bare = Annotated[bool, typer.Option("--bare", help="Print values only: no header, no step numbers.")]
Quotes = Annotated[bool, typer.Option("--quotes/--no-quotes", help="Quote strings in CSV.")]
Between = Annotated[str | None, typer.Option("--break", help="Line to print between steps; may be empty.")]
Title = Annotated[bool, typer.Option("--title", help="Print the title of the file first.")]
