"""quire plot: plot columns, attributes, distributions and fields."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from quire.cli import completion
from quire.cli.command import command, report_unreadable
from quire.cli.fields import Component, Slices, Sums, field_of, field_request, numbers_of_field
from quire.cli.options import ReadOptions, parse_options, parse_units
from quire.cli.output import plural, printable, remark, report_tables, say
from quire.cli.particles import Convention, Species
from quire.cli.selecting import FirstTable, Index, Rows, Steps, Where
from quire.cli.streams import STANDARD, display_name, readable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from quire import File
    from quire.beam.request import BeamRequest
    from quire.toolkit.binning import Distribution
    from quire.toolkit.curves import Curves
    from quire.toolkit.field_values import FieldRequest
    from quire.toolkit.picture import Look
    from quire.toolkit.selection import RowSelection, StepSelection
    from quire.toolkit.wanted_units import WantedUnits


@command
def plot(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE... [OUT]", help="Data files, and at last the image.")
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="The image, if it is not the last FILE: .png, .pdf or .svg."),
    ] = None,
    x: Annotated[
        str | None,
        typer.Option(
            "-x", metavar="EXPR", autocompletion=completion.anything, help="Quantity of the horizontal axis."
        ),
    ] = None,
    y: Annotated[
        list[str] | None,
        typer.Option(
            "-y",
            metavar="EXPRS",
            autocompletion=completion.columns,
            help="Columns or expressions: betax,betay",
        ),
    ] = None,
    y2: Annotated[
        list[str] | None,
        typer.Option(
            "--y2", metavar="EXPRS", autocompletion=completion.columns, help="The same on a second axis."
        ),
    ] = None,
    attributes: Annotated[
        list[str] | None,
        typer.Option(
            "--attributes",
            metavar="EXPRS",
            autocompletion=completion.attributes,
            help="Attributes of the steps: rms_x,rms_y",
        ),
    ] = None,
    beam: Annotated[
        list[str] | None,
        typer.Option(
            "--beam",
            metavar="NAMES",
            autocompletion=completion.quantities,
            help="Quantities of the particles: emittance_x,sigma_x",
        ),
    ] = None,
    histogram: Annotated[
        list[str] | None,
        typer.Option(
            "--histogram",
            metavar="EXPRS",
            autocompletion=completion.columns,
            help="Histogram of one column or expression, or of two: x,px",
        ),
    ] = None,
    field: Annotated[
        str | None,
        typer.Option(
            "--field", metavar="NAME", autocompletion=completion.fields, help="A plane or line of a field."
        ),
    ] = None,
    slices: Slices = None,
    sums: Sums = None,
    component: Component = None,
    bins: Annotated[str, typer.Option("--bins", metavar="N", help="Number of bins: 100 or 200x200.")] = "100",
    limits: Annotated[
        list[str] | None,
        typer.Option("--range", metavar="A:B", help="Range of the bins, once for each axis."),
    ] = None,
    steps: Steps = None,
    index: Index = None,
    rows: Rows = None,
    table: FirstTable = None,
    where: Where = None,
    convention: Convention = None,
    species: Species = None,
    points: Annotated[bool, typer.Option("--points", help="Draw points instead of lines.")] = False,
    colour: Annotated[
        str | None,
        typer.Option(
            "--colour",
            metavar="EXPR",
            autocompletion=completion.columns,
            help="Colour points by this quantity.",
        ),
    ] = None,
    log: Annotated[
        str,
        typer.Option("--log", metavar="AXES", help="Logarithmic axes: x, y or xy; z: colours of a field."),
    ] = "",
    units: Annotated[
        list[str] | None,
        typer.Option("--unit", metavar="NAME=UNIT", help="Unit on an axis, and of --data: x=mm."),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="Title of the plot.")] = "",
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="CSV", help="Write the numbers of the plot too; - prints them."),
    ] = None,
    read_option: ReadOptions = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing outputs.")] = False,
) -> None:
    """Plot columns, attributes, beam quantities, histograms or fields.

    There is one curve for each step. With the number or an attribute of the steps on the horizontal axis, one
    curve follows a particle through them. Several files are drawn in the same axes, which are labelled with
    names and units; numbers are short by SI prefixes. Names may be expressions. Histograms are computed block
    by block, so files can have any size. Of columns with more than 200000 rows every k-th row is drawn.

    Example: quire plot beam.h5 -x z -y x,y --y2 pz --points --steps 0 slices.png

    Example: quire plot beam.h5 -x x -y px --colour pz --steps 20 phase-space.png

    Example: quire plot beam.h5 --histogram 'hypot(x, y)' --steps 20 --data radius.csv radius.png

    Example: quire plot beam.h5 -x s -y x --where 'id == 17' track.png

    Example: quire plot beam.h5 --attributes rms_x,rms_y -x s size.pdf

    Example: quire plot beam.h5 --beam emittance_x -x s emittance.pdf

    Example: quire plot beam.h5 --field rho --sum z --steps 20 rho.png
    """
    from quire.errors import UsageError
    from quire.toolkit.curves import split_terms
    from quire.toolkit.picture import Look, save
    from quire.toolkit.selection import RowSelection, parse_names, parse_rows, parse_steps

    table = table or ""
    kinds = [kind for kind in (y, attributes, beam, histogram, field) if kind]
    if len(kinds) != 1:
        raise UsageError("give one of -y with -x, --attributes, --beam, --histogram and --field")
    refuse_unused(
        where or rows if attributes or field else None, y2 if not y else None, colour if not y else None
    )
    if field is None and (slices or sums or component is not None):
        raise UsageError("--slice, --sum and --component need --field")
    files, path = outputs(files, output, data, overwrite)
    look = Look(title, points or colour is not None, parse_log(log), parse_units(units), ())
    with ExitStack() as stack:
        options = parse_options(read_option)
        is_only = len(files) == 1
        selection = parse_steps(steps, index=index)
        sources = [open_source(stack, file, selection, options, is_only) for file in files]
        drawing = Drawing(sources, table, look, RowSelection(parse_rows(rows), where))
        if y:
            if x is None:
                raise UsageError("columns need a column on the horizontal axis: give -x")
            figure = drawing.columns(x, split_terms(y), split_terms(y2), colour)
        elif attributes:
            figure = drawing.attributes(x, split_terms(attributes))
        elif beam:
            from quire.beam.request import BeamRequest

            request = BeamRequest(where, table, convention, species, rows=parse_rows(rows))
            figure = drawing.beams(x, parse_names(beam) or [], request)
        elif histogram:
            figure = drawing.histogram(split_terms(histogram), bins, limits or [])
        else:
            figure = drawing.field(field_request(str(field), slices, sums, component))
        save(figure, path)
        if data is not None:
            write_numbers(data, drawing.numbers)
        (remark if data == STANDARD else say)(f"{path}: {drawing.note}")
        for name, source in zip(files, sources, strict=True):
            report_unreadable(name, source.file.unreadable)


def refuse_unused(selected: str | None, y2: list[str] | None, colour: str | None) -> None:
    """Raises UsageError for options that this kind of plot has no use for."""
    from quire.errors import UsageError

    if selected is not None:
        raise UsageError("--where and --rows select rows of tables")
    if y2 or colour is not None:
        raise UsageError("--y2 and --colour belong to columns: give -x and -y")


def outputs(
    files: list[str], output: str | None, data: str | None, overwrite: bool
) -> tuple[list[str], Path]:
    """Return the inputs and the image. Raises UsageError for an output that cannot be written."""
    from quire.errors import UsageError
    from quire.toolkit.picture import check_output

    if output is None:
        *files, output = files
        if not files:
            raise UsageError(f"there is no image after '{output}': name one, such as plot.png")
    path = check_output(output)
    if data is not None and os.path.abspath(data) == os.path.abspath(path):
        raise UsageError(f"'{data}' cannot be both the image and its numbers")
    for one in (path, *([Path(data)] if data not in (None, STANDARD) else [])):
        if one.exists() and any(Path(file).exists() and one.samefile(file) for file in files):
            raise UsageError(f"'{one}' is an input")
        if one.exists() and not overwrite:
            raise UsageError(f"'{one}' exists already; --overwrite replaces it")
    return files, path


def parse_log(text: str) -> str:
    """Return the axes that are logarithmic. Raises UsageError."""
    from quire.errors import UsageError

    if set(text) - set("xyz"):
        raise UsageError(f"'{text}' does not name axes; write x, y or xy")
    return text


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

    if path == STANDARD:
        write(sys.stdout)
        return
    with replacement(Path(path)) as beside, open(beside, "w", newline="", encoding="utf-8") as stream:
        write(stream)


@dataclass(frozen=True)
class Source:
    """An open file, its label, and the selected steps."""

    name: str
    file: File
    selection: StepSelection

    def steps(self) -> list[Any]:
        """Return the selected steps. Raises MissingError if there are none, unless the file has no steps."""
        from quire.toolkit.selection import require_found, select_steps

        found = [step for _, step in select_steps(self.file, self.selection)]
        require_found(len(found), self.selection, self.file.path)
        return found


def open_source(
    stack: ExitStack, path: str, selection: StepSelection, options: dict[str, Any], is_only: bool
) -> Source:
    """Open a file. When the stack closes it, its times are traced."""
    import quire
    from quire.cli.trace import trace

    file = stack.enter_context(quire.open(stack.enter_context(readable(path, is_only=is_only)), **options))
    stack.callback(trace, file)
    return Source(printable(Path(display_name(path)).name), file, selection)


class Drawing:
    """Draws all sources in one image."""

    def __init__(self, sources: Sequence[Source], table: str, look: Look, rows: RowSelection) -> None:
        from quire.toolkit.wanted_units import WantedUnits

        self.sources = sources
        self.table = table
        self.look = look
        self.rows = rows
        self.units = WantedUnits(look.units)
        self.note = ""
        self.numbers: list[tuple[Sequence[str], Iterable[Sequence[Any]]]] = []
        """Names and rows of the numbers that are drawn."""

    def label(self, source: Source, step: Any = None, many: bool = False) -> str:
        """Return the label of a curve: the file if there are several, and the step if there are many."""
        parts = [source.name] if len(self.sources) > 1 else []
        parts += [f"step {step.number}"] if many else []
        return ", ".join(parts)

    def steps_with_tables(self, source: Source, terms: Sequence[str]) -> list[Any]:
        """Return the selected steps, with the terms that are expressions. Reports which of several tables is
        drawn by default.
        """
        from quire.toolkit.curves import with_terms

        steps = source.steps()
        if not self.table:
            report_tables(next((list(step.tables) for step in steps if len(step.tables) > 1), []))
        return with_terms(source.file, steps, terms, self.table)

    def columns(self, x: str, ys: Sequence[str], right: Sequence[str], colour: str | None) -> Figure:
        """Draw columns against a column, one curve for each step; those of `right` on a second axis."""
        from quire.errors import UsageError
        from quire.toolkit.curves import Curves, column_curves, is_of_steps, track_curves
        from quire.toolkit.picture import draw_curves
        from quire.toolkit.selection import matches

        found = Curves()
        for source in self.sources:
            terms = [x, *ys, *right, *([colour] if colour is not None else [])]
            steps = self.steps_with_tables(source, terms)
            if is_of_steps(steps, x, self.table):
                if colour is not None:
                    raise UsageError(f"--colour needs a column on the horizontal axis, and '{x}' is none")
                track = track_curves(steps, self.label(source), x, [*ys, *right], self.table, self.rows)
                found.add(track)
                continue
            label = partial(self.label, source, many=len(steps) > 1)
            found.add(column_curves(steps, label, x, [*ys, *right], self.table, self.rows, colour))
        if colour is not None and len(found.curves) > 1:
            raise UsageError(
                f"--colour draws one curve, not {len(found.curves)}; select a file and a step by --steps"
            )
        self.keep_curves(x, found)
        names = [item.name for item in found.up if any(matches(item.name, [one]) for one in right)]
        return draw_curves(found, replace(self.look, right=names), x, ", ".join(ys))

    def keep_curves(self, x: str, found: Curves) -> None:
        """Note how many curves there are, and their numbers."""
        from quire.toolkit.axes import heading
        from quire.toolkit.curves import STEP_NUMBER

        self.note = plural(len(found.curves), "curve")
        self.units.require_used(item.name for item in (*found.across, *found.up, *found.colours))
        many = len(found.curves) > 1
        for curve in found.curves:
            across = found.across[0] if found.across else STEP_NUMBER
            up = next(item for item in found.up if item.name == curve.name)
            columns = [(across, curve.x, x), (up, curve.y, "y" if many else curve.name)]
            if curve.colour is not None:
                columns.append((found.colours[0], curve.colour, "colour"))
            header = ["curve"] * many + [heading(self.units.of(item), name) for item, _, name in columns]
            rows = zip(*(self.units.convert(item, one).tolist() for item, one, _ in columns), strict=True)
            self.numbers.append((header, labelled([curve.label] * many, rows)))

    def attributes(self, x: str | None, ys: Sequence[str]) -> Figure:
        """Draw attributes over the steps, one curve for each attribute."""
        from quire.toolkit.curves import with_terms

        terms = [*ys, *([x] if x is not None else [])]
        steps = [with_terms(one.file, one.steps(), terms, of_steps=True) for one in self.sources]
        return self.along_steps(steps, x, ys)

    def beams(self, x: str | None, ys: Sequence[str], request: BeamRequest) -> Figure:
        """Draw quantities of the particles over the steps, against an attribute or another quantity."""
        from quire.toolkit.beam import with_beams

        found = [list(with_beams(source.steps(), request)) for source in self.sources]
        names = [info.name for some in found[:1] for one in some[:1] for info in one.chosen(ys)]
        return self.along_steps(found, x, names or ys)

    def along_steps(self, steps: Sequence[Sequence[Any]], x: str | None, ys: Sequence[str]) -> Figure:
        """Draw numbers of the steps of each source, which have them as attributes."""
        from quire.toolkit.curves import Curves, attribute_curves
        from quire.toolkit.picture import draw_curves

        found = Curves()
        for source, some in zip(self.sources, steps, strict=True):
            found.add(attribute_curves(self.label(source), some, x, ys))
        self.keep_curves(x or "step", found)
        return draw_curves(found, self.look, x or "step", ", ".join(ys))

    def histogram(self, names: Sequence[str], bins: str, limits: Sequence[str]) -> Figure:
        """Draw the histogram of one column for each file, or of two columns of one file."""
        from quire.errors import UsageError
        from quire.toolkit.binning import complete_limits, distribution, parse_bins, parse_range
        from quire.toolkit.picture import draw_distribution
        from quire.toolkit.selection import tables_with

        if len(names) not in (1, 2) or (len(names) == 2 and len(self.sources) > 1):
            raise UsageError(
                "a histogram shows one column (of any number of files) or two columns of one file"
            )
        if len(limits) > len(names):
            raise UsageError(f"--range is given {len(limits)} times for {plural(len(names), 'axis')}")
        counts = parse_bins(bins, len(names))
        given = [*(parse_range(text) for text in limits), *[None] * (len(names) - len(limits))]
        tables = [
            [
                one
                for _, one in tables_with(self.steps_with_tables(source, names), names, self.table, self.rows)
            ]
            for source in self.sources
        ]
        # All files have bins of the same width, so that their heights can be compared.
        shared = complete_limits([one for some in tables for one in some], names, given)
        found = [
            (source.name, distribution(some, names, counts, shared))
            for source, some in zip(self.sources, tables, strict=True)
        ]
        counted = sum(int(one.counts.sum()) for _, one in found)
        outside = sum(one.outside for _, one in found)
        self.note = plural(counted, "row") + (f", {outside} outside the bins" if outside else "")
        quantities = [[some[0][name] for some in tables if some] for name in names]
        self.units.require_used(names)
        for name, one in found:
            label = name if len(found) > 1 else ""
            self.numbers.append(
                numbers_of_bins(label, one, [some[0] for some in quantities if some], self.units)
            )
        return draw_distribution(found, quantities, self.look)

    def field(self, request: tuple[str, FieldRequest]) -> Figure:
        """Draw a plane of a field as colours, or lines of it as curves, one for each step and file."""
        from quire.errors import UsageError
        from quire.toolkit.curves import Curve, Curves, drawable
        from quire.toolkit.picture import draw_curves, draw_plane

        found = Curves()
        planes = []
        for source in self.sources:
            steps = source.steps()
            for step in steps:
                one = field_of(step, *request)
                self.units.require_used([*(axis.name for axis in one.axes), one.name])
                self.numbers.append(numbers_of_field(one, self.units))
                if len(one.axes) == 2:
                    planes.append(one)
                elif len(one.axes) == 1:
                    label = self.label(source, step, many=len(steps) > 1)
                    found.curves.append(Curve(label, one.axes[0].positions, drawable(one.values), one.name))
                    found.across.append(one.axes[0])
                    found.up.append(one)
                else:
                    left = ", ".join(axis.name for axis in one.axes) or "none"
                    raise UsageError(
                        f"a picture shows one or two axes of a field; these are left: {left}",
                        advice="take a plane by --slice z=0, or sum over an axis by --sum z",
                    )
        if len(planes) > 1:
            raise UsageError(f"there are {len(planes)} planes to draw: select a file, and a step by --steps")
        if planes:
            (plane,) = planes
            up, across = plane.axes
            self.note = f"{len(across.positions)} x {len(up.positions)} elements"
            return draw_plane(across, up, plane.values, plane, self.look)
        self.note = plural(len(found.curves), "curve")
        return draw_curves(found, self.look)


def labelled(label: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yield rows of numbers that begin with the label of their curve, if there is one."""
    for row in rows:
        yield [*label, *row]


def numbers_of_bins(
    name: str, found: Distribution, quantities: Sequence[Any], units: WantedUnits
) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
    """Return the limits of bins and the numbers of rows in them; `name` is that of one of several files."""
    import itertools

    from quire.toolkit.axes import heading

    items = [units.of(item) for item in quantities]
    header = [heading(item, f"{item.name} {end}") for item in items for end in ("from", "to")] + ["rows"]
    limits = [
        units.convert(item, axis.edges).tolist() for item, axis in zip(quantities, found.axes, strict=True)
    ]
    edges = [itertools.pairwise(ends) for ends in limits]
    rows = zip(itertools.product(*edges), found.counts.ravel().tolist(), strict=True)
    first = [name] if name else []
    return ["file"] * len(first) + header, ([*first, *itertools.chain(*bin_), count] for bin_, count in rows)
