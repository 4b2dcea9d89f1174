"""The stage `define` of a chain: add columns and attributes."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.define import Definitions, Description, KindOption, Symbol, Type, parse_definitions
from quire.cli.options import parse_options
from quire.cli.selecting import RpnDefinitions
from quire.cli.verb import Stage

Replace = Annotated[bool, typer.Option("--replace", help="Allow to redefine existing names.")]


def define(
    definitions: Definitions,
    kind: KindOption = None,
    type: Type = None,
    symbol: Symbol = None,
    description: Description = None,
    replace: Replace = False,
    rpn_definitions: RpnDefinitions = None,
) -> Stage:
    """Add columns and attributes that are computed by expressions.

    Example: quire run beam.h5 / define 'r=hypot(x, y)' / sort r / write by_radius.h5
    """
    from quire.toolkit.selection import parse_names
    from quire.verbs.rows import define as defined

    texts = {
        "type": parse_options(parse_names(type)),
        "symbol": parse_options(symbol),
        "description": parse_options(description),
    }
    made = parse_definitions(definitions, kind, texts, rpn_definitions)
    return Stage(lambda chain: defined(chain, *made, replace=replace))
