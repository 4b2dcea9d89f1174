"""The stage `define` of a chain: add columns and attributes."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.verb import Stage

Definitions = Annotated[
    list[str], typer.Argument(metavar="NAME[unit]=EXPR...", help="A definition, such as 'r=hypot(x, y)'.")
]
Replace = Annotated[bool, typer.Option("--replace", help="Allow to redefine existing names.")]


def define(definitions: Definitions, replace: Replace = False) -> Stage:
    """Add columns and attributes that are computed by expressions.

    Example: quire run beam.h5 / define 'r=hypot(x, y)' / sort r / write by_radius.h5
    """
    from quire.verbs.rows import define as defined

    return Stage(lambda chain: defined(chain, *definitions, replace=replace))
