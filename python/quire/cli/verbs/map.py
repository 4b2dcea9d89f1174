"""quire map: a column over two others, or a plane of a field, as a grid, contour lines or a picture."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.fields import Component, Slices, Sums
from quire.cli.plot_options import (
    AxisUnits,
    Equal,
    LabelAcross,
    LabelUp,
    Palette,
    PlottedField,
    Subtitle,
    Title,
)
from quire.cli.verb import Stage
from quire.cli.verbs.hist import numbers, pair

if TYPE_CHECKING:
    from quire.verbs.maps import MapRequest
    from quire.verbs.step_chain import StepChain


class Method(StrEnum):
    """How values between rows are interpolated."""

    LINEAR = "linear"
    CUBIC = "cubic"
    NEAREST = "nearest"


X = Annotated[
    str, typer.Argument(metavar="X", help="Column along the map.", autocompletion=completion.columns)
]
Y = Annotated[str, typer.Argument(metavar="Y", help="Column up the map.", autocompletion=completion.columns)]
Z = Annotated[
    str, typer.Argument(metavar="Z", help="Column that is mapped.", autocompletion=completion.columns)
]
Points = Annotated[
    str, typer.Option("--points", metavar="N", help="Interpolate at so many points: 50, or 60x40.")
]
Limits = Annotated[
    list[str] | None,
    typer.Option("--range", metavar="A:B", help="Range of X, and then of Y; A: and :B are open."),
]
How = Annotated[Method, typer.Option("--method", metavar="HOW", help="linear, cubic or nearest.")]
Levels = Annotated[
    str,
    typer.Option("--levels", metavar="X,...", help="Contour lines: so many (5), or at these values: 0.5,1"),
]
Style = Annotated[
    str,
    typer.Option(
        "--style",
        autocompletion=completion.constants("quire.toolkit.look", "MAP_STYLES"),
        help="Of a picture: colours, lines, or both, the default with --levels.",
    ),
]
Log = Annotated[str, typer.Option("--log", metavar="z", help="Of a picture: logarithmic colours.")]


def map_(
    x: X = "",
    y: Y = "",
    z: Z = "",
    field: PlottedField = None,
    slices: Slices = None,
    sums: Sums = None,
    component: Component = None,
    points: Points = "",
    limits: Limits = None,
    method: How = Method.LINEAR,
    levels: Levels = "",
    style: Style = "",
    palette: Palette = "",
    log: Log = "",
    units: AxisUnits = None,
    equal: Equal = False,
    title: Title = "",
    subtitle: Subtitle = "",
    x_label: LabelAcross = "",
    y_label: LabelUp = "",
) -> Stage:
    """Make a row of each point of a grid or of contour lines, or draw them.

    Without --points the rows must form a grid, in any order. Grids are ordered by X, then Y. Lines have the
    columns level, line (their number), X and Y. --levels 5 are five levels, --levels 5, is the level 5. An
    OUT that ends with .png, .pdf, .svg, .ps or .eps is a picture of one step: colours, and contour lines.
    --field is in place of X Y Z.

    Example: quire map beam.h5 mean.h5 x y px --points 20x20 --method nearest --steps 0

    Example: quire map beam.h5 rho.png --field rho --sum z --levels 5 --steps 0
    """
    from quire.cli.fields import field_request
    from quire.cli.verbs.interp import numbers as values
    from quire.errors import UsageError
    from quire.verbs.maps import MapRequest, mapped

    if (field is None) != bool(x and y and z) or (field is not None and (x or y or z)):
        raise UsageError("give the columns X, Y and Z, or --field NAME")
    if field is None and (slices or sums or component is not None):
        raise UsageError("--slice, --sum and --component need --field")
    _, part = field_request(field or "", slices, sums, component)
    heights: Any = None
    if levels:
        heights = int(levels) if levels.isdecimal() else values(levels.rstrip(","))
    wanted = MapRequest(
        () if field else (x, y, z), field or "", part.at, part.sums, part.component, numbers(points),
        [pair(text) for text in limits or []], method.value, heights,
    )  # fmt: skip
    look = {
        "--style": style, "--palette": palette, "--log": log, "--unit": units, "--equal": equal,
        "--title": title, "--subtitle": subtitle, "--x-label": x_label, "--y-label": y_label,
    }  # fmt: skip

    def rows(chain: Any) -> Any:
        if odd := [name for name, value in look.items() if value]:
            raise UsageError(f"{odd[0]} is of a picture: let OUT end with .png, .pdf or .svg")
        return mapped(chain, wanted)

    return Stage(rows, draw=lambda chain, path, overwrite: draw(chain, path, overwrite, wanted, look))


def draw(chain: StepChain, path: str, overwrite: bool, wanted: MapRequest, given: dict[str, Any]) -> str:
    """Collective. Draw the map of the only step on the first rank. Returns what is drawn."""
    from pathlib import Path

    import numpy as np

    from quire.cli.copying import report_warning
    from quire.cli.matplotlib_import import import_matplotlib
    from quire.cli.options import parse_units
    from quire.cli.parallel import is_first_rank
    from quire.cli.plot_look import one_of, parse_axes, parse_palette

    import_matplotlib()
    from quire.errors import ConflictError, UsageError
    from quire.toolkit.look import MAP_STYLES, Look
    from quire.toolkit.picture import draw_plane, save
    from quire.toolkit.wanted_units import WantedUnits
    from quire.verbs.maps import single_surface, surface_axes

    if Path(path).exists() and not overwrite:
        raise UsageError(f"'{path}' exists already; --overwrite replaces it")
    style = one_of(given["--style"], MAP_STYLES, "style of a map")
    if style in ("lines", "both") and wanted.levels is None:
        raise UsageError(f"--style {style} draws contour lines: give their --levels")
    labels = {axis: text for axis in "xy" if (text := given[f"--{axis}-label"])}
    look = Look(
        given["--title"], style, parse_axes(given["--log"], "z"), parse_units(given["--unit"]),
        subtitle=given["--subtitle"], labels=labels, palette=parse_palette(given["--palette"]),
        is_equal=given["--equal"],
    )  # fmt: skip
    surface = single_surface(chain, wanted)
    WantedUnits(look.units).require_used([one.name for one in surface.quantities])
    missing = int(np.isnan(surface.grid.values).sum())
    if missing:
        sentence = f"{missing} of {surface.grid.values.size} values of {surface.quantities[2].name} are NaN"
        if chain.is_strict:
            raise ConflictError(sentence, advice="without --strict it is a warning")
        report_warning(sentence)
    heights = [] if style == "colours" else wanted.heights(surface)
    look = replace(look, title=look.title or surface.quantities[2].name)
    if is_first_rank():
        axes = surface_axes(surface)
        save(draw_plane(axes[0], axes[1], surface.grid.values.T, surface.quantities[2], look, heights), path)
    size = "{} x {} points".format(*surface.grid.values.shape)
    return f"{size}, {len(heights)} levels" if heights else size
