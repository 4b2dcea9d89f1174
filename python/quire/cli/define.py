"""quire define: compute columns and attributes from expressions."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from quire.cli import completion
from quire.cli.command import command_of_ranks
from quire.cli.copying import (
    AsJson,
    Durable,
    Format,
    Lossy,
    Overwrite,
    Source,
    Strict,
    Target,
    TheTable,
    Transport,
    WriteOptions,
    common_request,
    copy_file,
)
from quire.cli.hints import refuse_order
from quire.cli.options import ReadOptions, parse_options
from quire.cli.selecting import Columns, Index, Rows, RpnDefinitions, Steps, Where

if TYPE_CHECKING:
    from quire.toolkit.definitions import Definition


class Kind(StrEnum):
    """The kind of object that a definition creates."""

    COLUMN = "column"
    ATTRIBUTE = "attribute"


Definitions = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME[unit]=EXPR...",
        autocompletion=completion.expression,
        help="A definition, such as 'r[m]=sqrt(x**2+y**2)'.",
    ),
]
KindOption = Annotated[
    Kind | None,
    typer.Option("--as", help="Kind of the results. Default: attribute if EXPR uses no column or row."),
]
Unit = Annotated[list[str] | None, typer.Option("--unit", help="NAME=unit. Default: the computed unit.")]
Type = Annotated[
    list[str] | None,
    typer.Option("--type", help="NAME=type, such as float32. Default: the computed type."),
]
Symbol = Annotated[list[str] | None, typer.Option("--symbol", help="NAME=symbol, for labels.")]
Description = Annotated[list[str] | None, typer.Option("--description", help="NAME=text.")]
Replace = Annotated[bool, typer.Option("--replace", help="Allow to redefine existing names.")]


@command_of_ranks
def define(
    source: Source,
    target: Target,
    definitions: Definitions,
    kind: KindOption = None,
    unit: Unit = None,
    type: Type = None,
    symbol: Symbol = None,
    description: Description = None,
    replace: Replace = False,
    rpn_definitions: RpnDefinitions = None,
    table: TheTable = "",
    format: Format = None,
    option: WriteOptions = None,
    read_option: ReadOptions = None,
    steps: Steps = None,
    index: Index = None,
    columns: Columns = None,
    rows: Rows = None,
    where: Where = None,
    transport: Transport = "posix",
    overwrite: Overwrite = False,
    durable: Durable = False,
    lossy: Lossy = False,
    strict: Strict = False,
    json: AsJson = False,
) -> None:
    """Copy a file and add columns and attributes, given by expressions.

    Definitions are evaluated in order, and each may use those before it; quire explain --help lists the
    functions, also of reverse Polish notation (rpn: ...). Units are computed from those of the operands
    unless they are given. Values such as max(x) are of all rows: --rows and --where choose among them
    afterwards, and --columns names those that are copied beside the new ones. The file is processed block by
    block, and in parallel under mpiexec with the same result. The exit code is 1 if a name exists already.

    Example: quire define beam.h5 more.h5 'r=hypot(x, y)' 'inside=r < 2e-4' 'slope=px / pz'
    """
    from quire.toolkit.selection import parse_names, parse_rows

    refuse_order("define", source, target, definitions, format)
    found = parse_definitions(
        definitions,
        kind,
        {
            "unit": parse_options(parse_names(unit)),
            "type": parse_options(parse_names(type)),
            "symbol": parse_options(symbol),
            "description": parse_options(description),
        },
        rpn_definitions,
    )
    request = common_request(
        target,
        format,
        option,
        read_option,
        steps,
        overwrite,
        index=index,
        columns=None if columns is None else [*(parse_names(columns) or ()), *(one.name for one in found)],
        rows=parse_rows(rows),
        where=where,
        definitions=found,
        replace=replace,
        table=table,
        transport=transport,
        durable=durable,
        lossy=lossy,
        strict=strict,
    )
    copy_file("defining", source, target, request, json, with_defined=True)


def parse_definitions(
    texts: list[str], kind: Kind | None, given: dict[str, dict[str, str]], path: str | None = None
) -> tuple[Definition, ...]:
    """Return the definitions with unit, type and symbol. Raises UsageError for names that are not defined."""
    from quire.errors import UsageError
    from quire.io.expression import read_definitions
    from quire.toolkit.definitions import parse_definitions as parsed

    wanted: Literal["column", "attribute"] | None = None
    if kind is not None:
        wanted = "column" if kind is Kind.COLUMN else "attribute"
    functions = None if path is None else read_definitions(path)
    made = parsed(texts, wanted, given, functions)
    for what, words in given.items():
        for name in words:
            if all(one.name != name for one in made):
                raise UsageError(f"--{what} names '{name}', which is not defined here")
    return made
