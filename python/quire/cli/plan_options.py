"""The options of quire plan: what is read or written, and a simulated program and its machine."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion

MOST_RANKS = 2**31 - 1
"""The largest number of ranks in MPI."""

PlannedFile = Annotated[
    str | None, typer.Argument(metavar="[FILE]", help="A data file; - is standard input.")
]
Ranks = Annotated[int, typer.Option("--ranks", min=1, max=MOST_RANKS, help="Number of ranks to simulate.")]
StepNumber = Annotated[int | None, typer.Option("--step", help="Number of the step. Default: the first.")]
Columns = Annotated[
    list[str] | None,
    typer.Option("--columns", help="Only these columns: x,p*; with --write: x:float64,id:int32"),
]
Rows = Annotated[
    str | None, typer.Option("--rows", help="Rows a:b, b excluded; with --write: the number of rows.")
]
Write = Annotated[bool, typer.Option("--write", help="Plan a write. Needs no file.")]
Format = Annotated[
    str | None, typer.Option("--format", "-f", autocompletion=completion.formats, help="Format to write.")
]
WriteOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option", autocompletion=completion.write_options, help="Option of the writer, NAME=VALUE."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print all extents as JSON.")]

MACHINE = "Machine of --workload"

Workload = Annotated[
    str | None,
    typer.Option(
        "--workload", help="Simulate the write of this workload: particles, table:1000000x8, field:512x512."
    ),
]
Methods = Annotated[
    list[str] | None, typer.Option("--method", help="FORMAT[:option=value,...]; several are compared.")
]
StripeCount = Annotated[
    int,
    typer.Option(
        "--stripe-count", min=1, help="Number of storage targets of a file.", rich_help_panel=MACHINE
    ),
]
StripeSize = Annotated[
    str, typer.Option("--stripe-size", help="Size of a stripe, such as 1MiB.", rich_help_panel=MACHINE)
]
Targets = Annotated[
    int,
    typer.Option(
        "--targets", min=0, help="Number of all targets; 0: one for each stripe.", rich_help_panel=MACHINE
    ),
]
LockSize = Annotated[
    str, typer.Option("--lock-size", help="Unit of locks; 0: a stripe.", rich_help_panel=MACHINE)
]
RequestSize = Annotated[
    str, typer.Option("--request-size", help="Size of the largest request.", rich_help_panel=MACHINE)
]
Aggregators = Annotated[
    int,
    typer.Option(
        "--aggregators",
        min=0,
        help="Number of aggregators, which write parts of the file for all ranks.",
        rich_help_panel=MACHINE,
    ),
]
RanksPerNode = Annotated[
    int,
    typer.Option(
        "--ranks-per-node",
        min=0,
        help="Ranks per node, of which one writes for all.",
        rich_help_panel=MACHINE,
    ),
]
RowBytes = Annotated[
    int, typer.Option("--row-bytes", min=0, help="Bytes of a row in text formats; 0: usual width.")
]
Measured = Annotated[
    str | None, typer.Option("--measured", help="A record of quire doctor --save, to estimate times.")
]
Durable = Annotated[bool, typer.Option("--durable", help="Include flushes to the device in the times.")]
