"""The options of quire show."""

from __future__ import annotations

from typing import Annotated

import typer

ShownFile = Annotated[str, typer.Argument(metavar="FILE", help="A data file; - is standard input.")]
StepNumber = Annotated[int | None, typer.Option("--step", help="Only the step of this number.")]
StepPlace = Annotated[int | None, typer.Option("--index", help="Only the step at this place; -1: last.")]
Columns = Annotated[list[str] | None, typer.Option("--columns", help="Names or patterns: x,p*")]
Rows = Annotated[str | None, typer.Option("--rows", help="a:b, half open; : is all.")]
OneTable = Annotated[str | None, typer.Option("--table", help="Only the table of this name.")]
Attributes = Annotated[bool, typer.Option("--attributes", help="Attributes instead of tables.")]
Fields = Annotated[bool, typer.Option("--fields", help="Fields (arrays) instead of tables.")]
Names = Annotated[list[str] | None, typer.Option("--names", help="Only these attributes or fields: s,rms_*")]
Transpose = Annotated[bool, typer.Option("--transpose", help="Attributes as a table: a row for each step.")]
Listing = Annotated[str | None, typer.Option("--list", help="Only names, a line each: columns, steps, ...")]
Units = Annotated[bool, typer.Option("--units", help="With --list: units behind the names.")]
Formats = Annotated[list[str] | None, typer.Option("--format", help="x=%10.3e, or %.4g for all numbers.")]
Display = Annotated[bool, typer.Option("--display", help="Use the display formats of the file.")]
Commas = Annotated[bool, typer.Option("--csv", help="All rows, separated by commas.")]
Delimiter = Annotated[
    str | None, typer.Option("--delimiter", help="All rows, separated by this: tab, space, ...")
]
Latex = Annotated[bool, typer.Option("--latex", help="All rows, as a tabular environment.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="All rows, as a table of Markdown.")]
Html = Annotated[bool, typer.Option("--html", help="All rows, as a table of HTML.")]
AsJson = Annotated[bool, typer.Option("--json", help="All rows, for programs.")]
Header = Annotated[bool, typer.Option("--header/--no-header", help="Names above the rows.")]
Bare = Annotated[bool, typer.Option("--bare", help="Values only: no header, no step numbers.")]
Quotes = Annotated[bool, typer.Option("--quotes/--no-quotes", help="Quote texts in CSV.")]
Between = Annotated[str | None, typer.Option("--break", help="A line between steps, may be empty.")]
Title = Annotated[bool, typer.Option("--title", help="The title of the file goes first.")]
