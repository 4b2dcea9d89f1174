"""quire select: choose, rename, order and convert columns."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.verb import Stage

Keep = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAMES...",
        help="Columns to keep, in this order: x,p* Default: all.",
        autocompletion=completion.columns,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", autocompletion=completion.columns, metavar="NAMES", help="Columns to leave out."),
]
Rename = Annotated[
    list[str] | None,
    typer.Option(
        "--rename",
        autocompletion=completion.keys,
        metavar="OLD=NEW",
        help="New names; p*=momentum_* renames several.",
    ),
]
Cast = Annotated[
    list[str] | None,
    typer.Option(
        "--cast", autocompletion=completion.keys, metavar="NAME=TYPE", help="New types, such as id=int64."
    ),
]
Unit = Annotated[
    list[str] | None,
    typer.Option(
        "--unit",
        autocompletion=completion.keys,
        metavar="NAME=UNIT",
        help="New units, such as x=mm; values are converted.",
    ),
]


def select(
    keep: Keep = None, drop: Drop = None, rename: Rename = None, cast: Cast = None, unit: Unit = None
) -> Stage:
    """Keep, drop, rename, order and convert columns.

    A value that does not fit a new type is an error that names its row. Fields and other tables are left out.

    Example: quire select beam.h5 small.h5 x,y,id --unit x=mm,y=mm --cast id=int64

    Example: quire select beam.h5 renamed.h5 --drop pz --rename 'p*=momentum_*'
    """
    from quire.cli.options import parse_options
    from quire.toolkit.selection import parse_names
    from quire.verbs.select import select as selected

    columns = parse_names(keep)
    names = {
        "rename": parse_options(parse_names(rename), "--rename OLD=NEW"),
        "cast": parse_options(parse_names(cast), "--cast id=int64"),
        "unit": parse_options(parse_names(unit), "--unit x=mm"),
    }
    kept = [] if columns is None else [columns]
    return Stage(lambda chain: selected(chain, *kept, drop=parse_names(drop) or (), **names))
