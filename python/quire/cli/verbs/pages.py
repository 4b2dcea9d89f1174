"""quire pages: rows of steps and steps of rows."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.verb import Stage


class Act(StrEnum):
    """What is done with steps."""

    COLLAPSE = "collapse"
    EXPAND = "expand"
    MERGE = "merge"
    SPLIT = "split"
    RENUMBER = "renumber"
    SWAP = "swap"


What = Annotated[Act, typer.Argument(help="What is done.")]
By = Annotated[
    str,
    typer.Option(
        "--by",
        autocompletion=completion.attributes,
        metavar="NAME",
        help="With merge: join steps with equal values of this attribute.",
    ),
]
Rows = Annotated[int, typer.Option("--size", metavar="N", help="With split: number of rows of a step.")]


def pages(what: What, by: By = "", size: Rows = 0) -> Stage:
    """Make rows of steps, steps of rows, or divide and join steps.

    collapse makes a row of each step: attributes become columns, and rows are left out. expand makes a step
    of each row: columns become attributes. merge joins the rows of all steps; attributes that differ become
    columns. split divides steps into some with --size rows. renumber numbers them from 0.
    swap makes a step of each row number, with the rows of all steps: of turns of particles, the particles.

    Example: quire pages beam.h5 steps.h5 collapse

    Example: quire pages beam.h5 all.h5 merge
    """
    from quire.errors import UsageError
    from quire.verbs import pages as verbs

    if by and what is not Act.MERGE:
        raise UsageError("--by belongs to merge")
    if bool(size) != (what is Act.SPLIT):
        raise UsageError("split needs --size N" if not size else "--size belongs to split")
    acts = {
        Act.COLLAPSE: verbs.collapse,
        Act.EXPAND: verbs.expand,
        Act.MERGE: lambda steps: verbs.merge(steps, by=by),
        Act.SPLIT: lambda steps: verbs.split(steps, size),
        Act.RENUMBER: verbs.renumber,
        Act.SWAP: verbs.swap,
    }
    return Stage(acts[what])
