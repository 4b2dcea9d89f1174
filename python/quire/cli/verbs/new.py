"""quire new: tables of values, sequences and samples of distributions."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.streams import communicator_for

if TYPE_CHECKING:
    from quire.verbs.step_chain import StepChain

Definitions = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME[unit]=SOURCE...",
        help="1,2,3 or sequence(0,1,11), uniform(low,high), gaussian(mean,sigma,limit), poisson(mean), "
        "tabulated(FILE,x,density), cumulative(FILE,x,distribution).",
    ),
]
Rows = Annotated[int | None, typer.Option("--rows", metavar="N", help="Rows of samples.", min=0)]
Attributes = Annotated[
    list[str] | None,
    typer.Option("--attribute", metavar="NAME=VALUE", help="An attribute, also NAME[unit]=VALUE."),
]
Repeat = Annotated[
    int, typer.Option("--repeat", metavar="N", help="Number of steps, each with its own samples.", min=1)
]
Seed = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="Of random numbers. Default: a new one.", min=0)
]
TableName = Annotated[str, typer.Option("--table", help="Name of the table.")]


@dataclass(frozen=True)
class NewData:
    """A chain that begins without a file."""

    definitions: tuple[str, ...]
    options: dict[str, Any]
    path: str = ""

    def chain(self, stack: ExitStack, *others: str) -> StepChain:
        """Collective. Return the new steps."""
        from quire.verbs.new import made_steps, no_file
        from quire.verbs.step_chain import StepChain

        comm = communicator_for(*others)
        steps = made_steps(self.definitions, comm=comm, **self.options)
        return StepChain(no_file(comm), steps, self.options["table"])


def new(
    definitions: Definitions,
    rows: Rows = None,
    attributes: Attributes = None,
    repeat: Repeat = 1,
    seed: Seed = None,
    table: TableName = "",
) -> NewData:
    """Make a table of values, sequences and samples of distributions.

    A distribution takes halton for a quasi-random sequence, halton=RADIX, halton_offset=N and shuffle=GROUP.
    A single value is that of all rows; other columns have the same length, or are an error. The seed is
    written as the attribute seed.

    Example: quire new bunch.h5 'x[m]=gaussian(0,1e-3,3)' 'y[m]=gaussian(0,1e-3,3)' --rows 1000 --seed 7

    Example: quire run new 's[m]=sequence(0,10,101)' / define 'betax[m]=3 + sin(s)' / write optics.h5
    """
    options = {
        "rows": rows,
        "attributes": attributes or (),
        "repeat": repeat,
        "seed": seed,
        "table": table,
    }
    return NewData(tuple(definitions), options)
