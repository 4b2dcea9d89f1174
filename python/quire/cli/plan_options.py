"""The options of quire plan: what is read or written, and a simulated program and its machine."""

from __future__ import annotations

from typing import Annotated

import typer

MOST_RANKS = 2**31 - 1
"""As many as MPI can number."""

PlannedFile = Annotated[
    str | None, typer.Argument(metavar="[FILE]", help="A data file; - is standard input.")
]
Ranks = Annotated[int, typer.Option("--ranks", min=1, max=MOST_RANKS, help="How many to simulate.")]
StepNumber = Annotated[int | None, typer.Option("--step", help="The step of this number, else the first.")]
StepPlace = Annotated[int | None, typer.Option("--index", help="Its place instead; -1 is the last.")]
Columns = Annotated[
    list[str] | None, typer.Option("--columns", help="Only these: x,p*; to write: x:float64,id:int32")
]
Rows = Annotated[str | None, typer.Option("--rows", help="a:b, half open; to write: how many in all.")]
Write = Annotated[bool, typer.Option("--write", help="Plan a write; needs no file.")]
Format = Annotated[str | None, typer.Option("--format", "-f", help="The format to write.")]
WriteOptions = Annotated[list[str] | None, typer.Option("--option", help="name=value of the writer.")]
AsJson = Annotated[bool, typer.Option("--json", help="Every extent, for programs.")]

MACHINE = "Machine of --workload"

Workload = Annotated[
    str | None,
    typer.Option(
        "--workload", help="Count what writing it needs: particles, table:1000000x8, field:512x512."
    ),
]
Methods = Annotated[
    list[str] | None, typer.Option("--method", help="FORMAT[:option=value,...]; several to compare.")
]
StripeCount = Annotated[
    int, typer.Option("--stripe-count", min=1, help="Storage targets of a file.", rich_help_panel=MACHINE)
]
StripeSize = Annotated[str, typer.Option("--stripe-size", help="As 1MiB.", rich_help_panel=MACHINE)]
Targets = Annotated[
    int,
    typer.Option("--targets", min=0, help="Targets in all; 0: one for each stripe.", rich_help_panel=MACHINE),
]
LockSize = Annotated[
    str, typer.Option("--lock-size", help="What is locked at once; 0: a stripe.", rich_help_panel=MACHINE)
]
RequestSize = Annotated[
    str, typer.Option("--request-size", help="The longest request.", rich_help_panel=MACHINE)
]
Aggregators = Annotated[
    int,
    typer.Option(
        "--aggregators",
        min=0,
        help="Ranks that write for all, by parts of the file.",
        rich_help_panel=MACHINE,
    ),
]
RanksPerNode = Annotated[
    int,
    typer.Option(
        "--ranks-per-node", min=0, help="One rank of a node writes for all of it.", rich_help_panel=MACHINE
    ),
]
RowBytes = Annotated[
    int, typer.Option("--row-bytes", min=0, help="Of a row of text; 0: as numbers of usual width.")
]
Measured = Annotated[
    str | None, typer.Option("--measured", help="What quire doctor --save kept: estimates times.")
]
Durable = Annotated[bool, typer.Option("--durable", help="Times with what makes steps durable.")]
