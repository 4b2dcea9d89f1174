"""quire plot: plot columns, attributes, distributions and fields."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from quire.cli.command import command, report_unreadable
from quire.cli.drawn import line_of_plot
from quire.cli.fields import Component, Slices, Sums, field_request
from quire.cli.options import ReadOptions, parse_options, parse_units
from quire.cli.output import remark, say
from quire.cli.particles import Convention, Species
from quire.cli.plot_look import parse_axes, parse_styles, with_curves
from quire.cli.plot_options import (
    Across,
    Attributes,
    AxisUnits,
    Beam,
    Bins,
    Colour,
    Cumulative,
    Equal,
    Errors,
    Fit,
    Histogram,
    Image,
    Joined,
    LabelAcross,
    Labels,
    LabelUp,
    Layout,
    Limits,
    Log,
    MagnetFile,
    Marks,
    NoLegend,
    Numbers,
    Overwrite,
    Palette,
    Panels,
    PlottedField,
    PlottedFiles,
    Points,
    Quiet,
    RangeAcross,
    RangeUp,
    Right,
    Share,
    Shares,
    Style,
    Subtitle,
    Title,
    Up,
    Weight,
    Zero,
)
from quire.cli.selecting import FirstTable, Index, Rows, Steps, Where
from quire.cli.streams import display_name, is_standard_output, is_stream

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from quire.cli.drawing import Drawing
    from quire.toolkit.look import Look

    Draw = Callable[[Drawing], Figure]


@command
def plot(
    files: PlottedFiles,
    output: Image = None,
    x: Across = None,
    y: Up = None,
    y2: Right = None,
    attributes: Attributes = None,
    beam: Beam = None,
    histogram: Histogram = None,
    field: PlottedField = None,
    slices: Slices = None,
    sums: Sums = None,
    component: Component = None,
    bins: Bins = "",
    limits: Limits = None,
    weight: Weight = "",
    fit: Fit = "",
    cumulative: Cumulative = False,
    shares: Shares = "",
    steps: Steps = None,
    index: Index = None,
    rows: Rows = None,
    table: FirstTable = None,
    where: Where = None,
    convention: Convention = None,
    species: Species = None,
    points: Points = False,
    style: Style = "",
    error: Errors = None,
    joined: Joined = False,
    colour: Colour = None,
    palette: Palette = "",
    log: Log = "",
    units: AxisUnits = None,
    x_range: RangeAcross = "",
    y_range: RangeUp = "",
    zero: Zero = "",
    equal: Equal = False,
    mark: Marks = None,
    panels: Panels = "",
    layout: Layout = None,
    share: Share = "",
    magnets: MagnetFile = None,
    title: Title = "",
    subtitle: Subtitle = "",
    x_label: LabelAcross = "",
    y_label: LabelUp = "",
    labels: Labels = None,
    no_legend: NoLegend = False,
    data: Numbers = None,
    read_option: ReadOptions = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Plot columns, attributes, beam quantities, histograms or fields.

    There is one curve for each step. With the number or an attribute of the steps on the horizontal axis, one
    curve follows a particle through them. Several files are drawn in the same axes, which are labelled with
    names and units; numbers are short by SI prefixes. Names may be expressions. Histograms are computed block
    by block, so files can have any size. Of columns with more than 200000 rows every k-th row is drawn.

    Example: quire plot beam.h5 -x z -y x,y --y2 pz --points --steps 0 slices.png

    Example: quire plot beam.h5 -x x -y px --colour pz --steps 20 phase-space.png

    Example: quire plot beam.h5 --histogram 'hypot(x, y)' --steps 20 --data radius.csv radius.png

    Example: quire plot beam.h5 --histogram pz --bins 40 --fit gauss --steps 20 momentum.png

    Example: quire plot beam.h5 --histogram x,px --shares 50,90 --steps 20 density.png

    Example: quire plot beam.h5 -x s -y x --where 'id == 17' track.png

    Example: quire plot beam.h5 --attributes rms_x,rms_y -x s size.pdf

    Example: quire plot beam.h5 --beam emittance_x -x s emittance.pdf

    Example: quire plot beam.h5 --field rho --sum z --steps 20 rho.png
    """
    from quire.cli.drawing import Drawing, open_source
    from quire.cli.plot_texts import with_texts
    from quire.errors import UsageError
    from quire.toolkit.curves import split_terms
    from quire.toolkit.look import Look
    from quire.toolkit.selection import RowSelection, parse_names, parse_rows, parse_steps

    kinds: dict[str, Callable[[], Draw]] = {
        "-y": lambda: columns_drawing(x, split_terms(y), split_terms(y2), colour, split_terms(error), joined),
        "--attributes": lambda: attributes_drawing(x, split_terms(attributes), split_terms(y2)),
        "--beam": lambda: beams_drawing(x, beam, y2, where, table, convention, species, rows),
        "--histogram": lambda: histogram_drawing(
            split_terms(histogram), bins, limits, weight, fit, cumulative, shares
        ),
        "--field": lambda: field_drawing(str(field), slices, sums, component),
    }
    given = {"-y": y, "--attributes": attributes, "--beam": beam, "--histogram": histogram, "--field": field}
    kind = only_kind(given, files)
    styles = parse_styles(style)
    refuse_unused(kind, where or rows, y2, colour, slices or sums or component is not None)
    refuse_unused_of_columns(kind, error, joined)
    of_histograms = {"--weight": weight, "--fit": fit, "--cumulative": cumulative, "--shares": shares}
    if kind != "--histogram" and (unused := [name for name, value in of_histograms.items() if value]):
        raise UsageError(f"{unused[0]} belongs to the bins of --histogram")
    if len(styles) > 1 and kind == "--field":
        raise UsageError("the lines of a field have one style")
    if equal and y2:
        raise UsageError("--equal is for one vertical axis, and --y2 is a second one")
    draw = kinds[kind]()
    files, path = outputs(files, output, data, overwrite)
    usual = "points" if points or colour is not None else ""
    of_curves = {
        "--style": styles[0] if len(styles) == 1 else usual if not styles else "line", "--palette": palette,
        "--labels": labels, "--no-legend": no_legend, "--x-label": x_label, "--y-label": y_label,
        "--x-range": x_range, "--y-range": y_range, "--zero": zero, "--mark": mark, "--panels": panels,
        "--layout": layout, "--share": share, "--equal": equal, "--magnets": magnets,
    }  # fmt: skip
    look = Look(title, log=parse_axes(log, "xyz"), units=parse_units(units), subtitle=subtitle)
    look = look_of_curves(kind, look, of_curves)
    selection, options = parse_steps(steps, index=index), parse_options(read_option)
    with ExitStack() as stack:
        sources = [open_source(stack, file, selection, options, len(files) == 1) for file in files]
        look = with_texts(look, sources[0])
        drawing = Drawing(sources, table or "", look, RowSelection(parse_rows(rows), where))
        drawing.labels = parse_names(labels) or []
        drawing.styles = styles if len(styles) > 1 else ()
        drawing.lists = lists_of(kind, y or attributes, y2) if panels == "list" else ()
        figure = draw(drawing)
        from quire.toolkit.picture import save

        save(figure, path)
        if data is not None:
            write_numbers(data, drawing.numbers)
            if drawing.thinning:
                to = "standard output" if is_standard_output(data) else display_name(data)
                remark(f"{to}: {drawing.thinning}")
        if not quiet:
            (remark if data is not None and is_standard_output(data) else say)(f"{path}: {drawing.note}")
        for name, source in zip(files, sources, strict=True):
            report_unreadable(name, source.file.unreadable)


def only_kind(given: Mapping[str, Any], files: Sequence[str]) -> str:
    """Return the only option that is given. Raises UsageError for none and for several."""
    from quire.errors import UsageError

    kinds = [kind for kind, value in given.items() if value]
    if len(kinds) != 1:
        if kinds:
            raise UsageError(f"{' and '.join(kinds)} are different plots", advice="give one of them")
        raise UsageError(
            "say what is drawn: -x and -y, --histogram, --attributes, --beam or --field",
            advice=line_of_plot(files[0], files[1:]),
        )
    return kinds[0]


def refuse_unused(
    kind: str, selected: str | None, y2: list[str] | None, colour: str | None, has_part: Any
) -> None:
    """Raises UsageError for options that this kind of plot has no use for."""
    from quire.errors import UsageError

    if selected and kind in ("--attributes", "--field"):
        raise UsageError("--where and --rows select rows of tables")
    if y2 and kind in ("--histogram", "--field"):
        raise UsageError("--y2 is a second axis of curves: give -y, --attributes or --beam")
    if colour is not None and kind != "-y":
        raise UsageError("--colour belongs to columns: give -x and -y")
    if has_part and kind != "--field":
        raise UsageError("--slice, --sum and --component need --field")


def lists_of(kind: str, left: list[str] | None, right: list[str] | None) -> list[list[str]]:
    """Return the terms of the panels: those of each option, with those of the second axis in the same place.

    Raises UsageError.
    """
    from quire.errors import UsageError
    from quire.toolkit.curves import split_terms

    if kind not in ("-y", "--attributes"):
        raise UsageError("--panels list has a panel for each -y, or each --attributes")
    some = [*(left or []), *[""] * (len(right or []) - len(left or []))]
    beside = [*(right or []), *[""] * (len(some) - len(right or []))]
    return [split_terms(both) for both in zip(some, beside, strict=True)]


def refuse_unused_of_columns(kind: str, errors: list[str] | None, joined: bool) -> None:
    """Raises UsageError for options of columns with other kinds of plots."""
    from quire.errors import UsageError

    if (errors or joined) and kind != "-y":
        raise UsageError("--error and --joined belong to columns: give -x and -y")


def look_of_curves(kind: str, look: Look, given: dict[str, Any]) -> Look:
    """Return a look with the options of curves. Raises UsageError for these with other plots."""
    from quire.errors import UsageError

    known = {"--histogram": (), "--field": ("--style",)}.get(kind, tuple(given))
    if unused := [name for name, value in given.items() if value and name not in known]:
        raise UsageError(f"{unused[0]} belongs to curves of columns, attributes and beams")
    return with_curves(look, given)


def columns_drawing(
    x: str | None, ys: list[str], right: list[str], colour: str | None, errors: list[str], joined: bool
) -> Draw:
    """Return what draws columns. Raises UsageError without a horizontal axis."""
    from quire.errors import UsageError

    if x is None:
        raise UsageError(
            "columns need a column on the horizontal axis: give -x", advice="-x row is the number of the row"
        )
    return lambda drawing: drawing.columns(x, ys, right, colour, errors, joined)


def attributes_drawing(x: str | None, ys: list[str], right: list[str]) -> Draw:
    """Return what draws attributes of steps."""
    return lambda drawing: drawing.attributes(x, ys, right)


def beams_drawing(
    x: str | None,
    ys: list[str] | None,
    right: list[str] | None,
    where: str | None,
    table: str | None,
    convention: str | None,
    species: str | None,
    rows: str | None,
) -> Draw:
    """Return what draws quantities of the particles of steps."""
    from quire.beam.request import BeamRequest
    from quire.toolkit.selection import parse_names, parse_rows

    request = BeamRequest(where, table or "", convention, species, rows=parse_rows(rows))
    names, beside = parse_names(ys) or [], parse_names(right) or []
    return lambda drawing: drawing.beams(x, names, beside, request)


def histogram_drawing(
    names: list[str],
    bins: str,
    limits: list[str] | None,
    weight: str,
    fit: str,
    cumulative: bool,
    shares: str,
) -> Draw:
    """Return what draws a histogram. Raises UsageError for bins and limits that do not fit."""
    from quire.errors import UsageError
    from quire.toolkit.additions import Additions, parse_shares
    from quire.toolkit.binning import parse_bins, parse_range

    if len(names) not in (1, 2):
        raise UsageError("a histogram shows one column (of any number of files) or two columns of one file")
    ranges: list[Any] = [parse_range(text) for text in limits or []]
    if len(ranges) > len(names):
        axes = "1 axis" if len(names) == 1 else f"{len(names)} axes"
        raise UsageError(f"--range is given {len(ranges)} times for {axes}")
    counts = parse_bins(bins, len(names)) if bins else None
    ranges += [None] * (len(names) - len(ranges))
    added = Additions(fit, cumulative, parse_shares(shares))
    added.require_axes(len(names))
    return lambda drawing: drawing.histogram(names, counts, ranges, weight, added)


def field_drawing(name: str, slices: list[str] | None, sums: list[str] | None, component: int | None) -> Draw:
    """Return what draws a part of a field."""
    request = field_request(name, slices, sums, component)
    return lambda drawing: drawing.field(request)


def outputs(
    files: list[str], output: str | None, data: str | None, overwrite: bool
) -> tuple[list[str], Path]:
    """Return the inputs and the image. Raises UsageError for an output that cannot be written."""
    from quire.errors import MissingFileError, UsageError
    from quire.toolkit.look import check_output

    if output is None:
        *files, output = files
        if not files:
            raise UsageError(f"there is no image after '{output}': name one, such as plot.png")
    path = check_output(output)
    if data is not None and os.path.abspath(data) == os.path.abspath(path):
        raise UsageError(f"'{data}' cannot be both the image and its numbers")
    for one in (path, *([Path(data)] if data is not None and not is_stream(data) else [])):
        if one.exists() and any(Path(file).exists() and one.samefile(file) for file in files):
            raise UsageError(f"'{one}' is an input")
        if one.exists() and not overwrite:
            raise UsageError(f"'{one}' exists already; --overwrite replaces it")
        if not one.parent.is_dir():
            raise MissingFileError(f"there is no directory '{one.parent}'", file=str(one))
    return files, path


def write_numbers(path: str, numbers: Sequence[tuple[Sequence[str], Iterable[Sequence[Any]]]]) -> None:
    """Write the numbers of a plot as CSV; parts with other columns have a header of their own."""
    import csv

    from quire.toolkit.replacing import replacement

    def write(stream: TextIO) -> None:
        lines = csv.writer(stream, lineterminator="\n")
        last: Sequence[str] = ()
        for header, rows in numbers:
            if header != last:
                lines.writerow(header)
            last = header
            lines.writerows(rows)

    if is_standard_output(path):
        write(sys.stdout)
        return
    if is_stream(path):
        with open(path, "w", newline="", encoding="utf-8") as stream:
            write(stream)
        return
    with replacement(Path(path)) as beside, open(beside, "w", newline="", encoding="utf-8") as stream:
        write(stream)
