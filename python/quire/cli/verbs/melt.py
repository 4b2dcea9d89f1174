"""quire melt: columns become rows."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.verb import Stage

Names = Annotated[
    list[str],
    typer.Argument(metavar="NAMES...", help="Columns, or patterns.", autocompletion=completion.columns),
]
NameColumn = Annotated[str, typer.Option("--name", help="Column of the names.")]
ValueColumn = Annotated[str, typer.Option("--value", help="Column of the values.")]
AnyUnit = Annotated[bool, typer.Option("--any-unit", help="Allow columns with different units.")]


def melt(
    columns: Names, name: NameColumn = "name", value: ValueColumn = "value", any_unit: AnyUnit = False
) -> Stage:
    """Make a row of each of some columns: its name and its value. Other columns are repeated.

    Example: quire melt beam.h5 long.h5 x y --name plane --value position
    """
    from quire.toolkit.selection import parse_names
    from quire.verbs.reshape import melt as melted

    names = parse_names(columns) or []
    return Stage(lambda chain: melted(chain, names, name=name, value=value, any_unit=any_unit))
