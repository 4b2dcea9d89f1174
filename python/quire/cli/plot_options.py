"""The options of quire plot."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion

PlottedFiles = Annotated[
    list[str], typer.Argument(metavar="FILE... [OUT]", help="Data files, and at last the image.")
]
Image = Annotated[
    str | None,
    typer.Option("--output", "-o", help="The image, if it is not the last FILE: .png, .pdf or .svg."),
]
Across = Annotated[
    str | None,
    typer.Option(
        "-x", metavar="EXPR", autocompletion=completion.anything, help="Quantity of the horizontal axis."
    ),
]
Up = Annotated[
    list[str] | None,
    typer.Option(
        "-y", metavar="EXPRS", autocompletion=completion.columns, help="Columns or expressions: betax,betay"
    ),
]
Right = Annotated[
    list[str] | None,
    typer.Option(
        "--y2", metavar="EXPRS", autocompletion=completion.columns, help="The same on a second axis."
    ),
]
Attributes = Annotated[
    list[str] | None,
    typer.Option(
        "--attributes",
        metavar="EXPRS",
        autocompletion=completion.attributes,
        help="Attributes of the steps: rms_x,rms_y",
    ),
]
Beam = Annotated[
    list[str] | None,
    typer.Option(
        "--beam",
        metavar="NAMES",
        autocompletion=completion.quantities,
        help="Quantities of the particles: emittance_x,sigma_x",
    ),
]
Histogram = Annotated[
    list[str] | None,
    typer.Option(
        "--histogram",
        metavar="EXPRS",
        autocompletion=completion.columns,
        help="Histogram of one column or expression, or of two: x,px",
    ),
]
PlottedField = Annotated[
    str | None,
    typer.Option(
        "--field", metavar="NAME", autocompletion=completion.fields, help="A plane or line of a field."
    ),
]
Bins = Annotated[str, typer.Option("--bins", metavar="N", help="Number of bins: 100 or 200x200.")]
Limits = Annotated[
    list[str] | None,
    typer.Option("--range", metavar="A:B", help="Range of the bins, once for each axis."),
]
Points = Annotated[bool, typer.Option("--points", help="Draw points instead of lines.")]
Colour = Annotated[
    str | None,
    typer.Option(
        "--colour",
        metavar="EXPR",
        autocompletion=completion.columns,
        help="Colour points by this quantity.",
    ),
]
Log = Annotated[
    str,
    typer.Option("--log", metavar="AXES", help="Logarithmic axes: x, y or xy; z: colours of a field."),
]
AxisUnits = Annotated[
    list[str] | None,
    typer.Option("--unit", metavar="NAME=UNIT", help="Unit on an axis, and of --data: x=mm."),
]
Title = Annotated[str, typer.Option("--title", help="Title of the plot.")]
Numbers = Annotated[
    str | None,
    typer.Option("--data", metavar="CSV", help="Write the numbers of the plot too; - prints them."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace existing outputs.")]
