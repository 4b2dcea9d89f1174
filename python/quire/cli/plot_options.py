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
    typer.Option(
        "--output", "-o", help="The image, if it is not the last FILE: .png, .pdf, .svg, .ps or .eps."
    ),
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
Bins = Annotated[
    str,
    typer.Option("--bins", metavar="N", help="Number of bins: 100 or 200x200. Default: suits the rows."),
]
Limits = Annotated[
    list[str] | None,
    typer.Option("--range", metavar="A:B", help="Range of the bins, once for each axis, in its unit."),
]
Weight = Annotated[
    str,
    typer.Option(
        "--weight",
        autocompletion=completion.expression,
        metavar="EXPR",
        help="With --histogram: sum this, such as abs(q), not rows.",
    ),
]
Fit = Annotated[
    str,
    typer.Option(
        "--fit",
        autocompletion=completion.words("gauss"),
        metavar="KIND",
        help="With --histogram of a column: a fit, gauss.",
    ),
]
Cumulative = Annotated[
    bool, typer.Option("--cumulative", help="With --histogram of a column: sums up to the end of each bin.")
]
Shares = Annotated[
    str,
    typer.Option(
        "--shares", metavar="PERCENTS", help="With --histogram of two: lines around shares of rows: 50,90,99."
    ),
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
    typer.Option(
        "--log", metavar="AXES", help="Logarithmic axes: x, y or xy; z: colours of a field or of counts."
    ),
]
AxisUnits = Annotated[
    list[str] | None,
    typer.Option(
        "--unit",
        autocompletion=completion.keys,
        metavar="NAME=UNIT",
        help="Unit on an axis, and of --data: x=mm.",
    ),
]
Title = Annotated[str, typer.Option("--title", help="Title of the plot.")]
Numbers = Annotated[
    str | None,
    typer.Option("--data", metavar="CSV", help="Write the numbers of the plot too; - prints them."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace existing outputs.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing about the picture.")]
Subtitle = Annotated[str, typer.Option("--subtitle", help="A second line of the title.")]
Style = Annotated[
    str,
    typer.Option(
        "--style",
        autocompletion=completion.constants("quire.toolkit.look", "STYLES"),
        metavar="STYLES",
        help="line, points, both, impulses, bars or steps; for each quantity or curve: points,line.",
    ),
]
Errors = Annotated[
    list[str] | None,
    typer.Option(
        "--error", metavar="EXPRS", autocompletion=completion.columns, help="Error bars, one for each -y."
    ),
]
Joined = Annotated[bool, typer.Option("--joined", help="One curve through the rows of all steps of a file.")]
Palette = Annotated[
    str, typer.Option("--palette", metavar="NAME", help="Colours of the curves: viridis, turbo, coolwarm ...")
]
Labels = Annotated[
    list[str] | None, typer.Option("--labels", metavar="TEXTS", help="The curves in the legend: QF,QD")
]
NoLegend = Annotated[bool, typer.Option("--no-legend", help="Draw no legend.")]
LabelAcross = Annotated[str, typer.Option("--x-label", help="Label of the horizontal axis.")]
LabelUp = Annotated[str, typer.Option("--y-label", help="Label of the vertical axis.")]
RangeAcross = Annotated[str, typer.Option("--x-range", metavar="A:B", help="Limits of the horizontal axis.")]
RangeUp = Annotated[str, typer.Option("--y-range", metavar="A:B", help="Limits of the vertical axis.")]
Zero = Annotated[str, typer.Option("--zero", metavar="AXES", help="Axes that contain 0: x, y or xy.")]
Marks = Annotated[
    list[str] | None, typer.Option("--mark", metavar="AXIS=VALUE", help="A line across the panels: y=0.")
]
Panels = Annotated[
    str,
    typer.Option(
        "--panels",
        autocompletion=completion.constants("quire.toolkit.panels", "PANELS"),
        metavar="WHAT",
        help="A panel for each quantity, list (-y), step (and file) or curve.",
    ),
]
Layout = Annotated[
    str | None, typer.Option("--layout", metavar="CxR", help="Columns and rows of panels: 2x3.")
]
Share = Annotated[
    str, typer.Option("--share", metavar="AXES", help="Axes that all panels share: x, y or xy.")
]
Equal = Annotated[bool, typer.Option("--equal", help="The same scale on both axes.")]
MagnetFile = Annotated[
    str | None,
    typer.Option("--magnets", metavar="FILE", help="Draw the elements of a beam line, by their ends s."),
]
