"""quire plot: plot columns, attributes and distributions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import command, report_unreadable
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import plural, printable, report_tables, say
from quire.cli.particles import Convention, Species
from quire.cli.streams import display_name, readable
from quire.cli.where import Where

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from quire import File
    from quire.beam.request import BeamRequest
    from quire.toolkit.selection import StepSelection


@command
def plot(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Data files; - is standard input.")],
    output: Annotated[str, typer.Option("--output", "-o", help="Image file: .png, .pdf or .svg.")],
    x: Annotated[
        str | None,
        typer.Option(
            "-x", autocompletion=completion.anything, help="Column or attribute of the horizontal axis."
        ),
    ] = None,
    y: Annotated[
        list[str] | None,
        typer.Option(
            "-y", autocompletion=completion.columns, help="Columns of the vertical axis: betax,betay"
        ),
    ] = None,
    attributes: Annotated[
        list[str] | None,
        typer.Option(
            "--attributes", autocompletion=completion.attributes, help="Attributes of the steps: rms_x,rms_y"
        ),
    ] = None,
    beam: Annotated[
        list[str] | None, typer.Option("--beam", help="Quantities of the particles: emittance_x,sigma_x")
    ] = None,
    histogram: Annotated[
        str | None,
        typer.Option(
            "--histogram", autocompletion=completion.columns, help="Histogram of one column, or of two: x,px"
        ),
    ] = None,
    bins: Annotated[str, typer.Option("--bins", help="Number of bins: 100 or 200x200.")] = "100",
    limits: Annotated[
        list[str] | None, typer.Option("--range", help="Range a:b of the bins, once for each axis.")
    ] = None,
    steps: Annotated[
        str | None,
        typer.Option("--steps", autocompletion=completion.steps, help="Only steps of these numbers: 1,4-8"),
    ] = None,
    table: Annotated[
        str,
        typer.Option(
            "--table", autocompletion=completion.tables, help="Name of the table. Default: the first."
        ),
    ] = "",
    where: Where = None,
    convention: Convention = None,
    species: Species = None,
    points: Annotated[bool, typer.Option("--points", help="Draw points instead of lines.")] = False,
    title: Annotated[str, typer.Option("--title", help="Title of the plot.")] = "",
    read_option: ReadOptions = None,
    overwrite: Annotated[bool, typer.Option("--overwrite/--keep", help="Replace an existing image.")] = True,
) -> None:
    """Plot columns, attributes or beam quantities over steps, or histograms.

    There is one curve for each step. Several files are drawn in the same axes, which are labelled with names
    and units. Histograms are computed block by block, so files can have any size. Of columns with more than
    200000 rows every k-th row is drawn.

    Example: quire plot twiss.h5 -x s -y betax,betay -o beta.png

    Example: quire plot beam.h5 --attributes rms_x -x s -o size.pdf

    Example: quire plot beam.h5 --beam emittance_x -x s -o emittance.pdf

    Example: quire plot beam.h5 --histogram x,px --bins 200x200 --steps 12 -o phase-space.png
    """
    from quire.errors import UsageError
    from quire.toolkit.picture import check_output, save
    from quire.toolkit.selection import parse_names, parse_steps

    path = check_output(output)
    kinds = [kind for kind in (y, attributes, beam, histogram) if kind]
    if len(kinds) != 1:
        raise UsageError("give one of -y with -x, --attributes, --beam and --histogram")
    if path.exists() and not overwrite:
        raise UsageError(f"'{path}' exists already")
    if any(path.exists() and Path(file).exists() and path.samefile(file) for file in files):
        raise UsageError(f"'{path}' is an input")
    with ExitStack() as stack:
        options = parse_options(read_option)
        sources = [open_source(stack, file, parse_steps(steps), options) for file in files]
        drawing = Drawing(sources, table, title, points, where)
        if y:
            if x is None:
                raise UsageError("columns need a column on the horizontal axis: give -x")
            figure = drawing.columns(x, parse_names(y) or [])
        elif attributes:
            if where is not None:
                raise UsageError("--where selects rows, which attributes do not have")
            figure = drawing.attributes(x, parse_names(attributes) or [])
        elif beam:
            from quire.beam.request import BeamRequest

            request = BeamRequest(where, table, convention, species)
            figure = drawing.beams(x, parse_names(beam) or [], request)
        else:
            figure = drawing.histogram(parse_names(histogram) or [], bins, limits or [])
        save(figure, path)
        say(f"{output}: {drawing.note}")
        for name, source in zip(files, sources, strict=True):
            report_unreadable(name, source.file.unreadable)


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


def open_source(stack: ExitStack, path: str, selection: StepSelection, options: dict[str, Any]) -> Source:
    """Open a file. When the stack closes it, its times are traced."""
    import quire
    from quire.cli.trace import trace

    file = stack.enter_context(quire.open(stack.enter_context(readable(path)), **options))
    stack.callback(trace, file)
    return Source(printable(Path(display_name(path)).name), file, selection)


class Drawing:
    """Draws all sources in one image."""

    def __init__(
        self, sources: Sequence[Source], table: str, title: str, points: bool, where: str | None = None
    ) -> None:
        self.sources = sources
        self.table = table
        self.title = title
        self.points = points
        self.where = where
        self.note = ""

    def label(self, source: Source, step: Any = None, many: bool = False) -> str:
        """Return the label of a curve: the file if there are several, and the step if there are many."""
        parts = [source.name] if len(self.sources) > 1 else []
        parts += [f"step {step.number}"] if many else []
        return ", ".join(parts)

    def steps_with_tables(self, source: Source) -> list[Any]:
        """Return the selected steps. Reports which of several tables is drawn by default."""
        steps = source.steps()
        if not self.table:
            report_tables(next((list(step.tables) for step in steps if len(step.tables) > 1), []))
        return steps

    def columns(self, x: str, ys: Sequence[str]) -> Figure:
        """Draw columns against a column, one curve for each step."""
        from quire.toolkit.picture import column_curves, draw_curves, joint_label

        curves: list[Any] = []
        across: list[Any] = []
        up: list[Any] = []
        for source in self.sources:
            steps = self.steps_with_tables(source)
            label = partial(self.label, source, many=len(steps) > 1)
            found = column_curves(steps, label, x, ys, self.table, self.where)
            curves += found.curves
            across += found.across
            up += found.up
        self.note = plural(len(curves), "curve")
        x_label = joint_label(across) if across else x
        return draw_curves(curves, x_label, joint_label(up) if up else ", ".join(ys), self.title, self.points)

    def attributes(self, x: str | None, ys: Sequence[str]) -> Figure:
        """Draw attributes over the steps, one curve for each attribute."""
        return self.along_steps([source.steps() for source in self.sources], x, ys)

    def beams(self, x: str | None, ys: Sequence[str], request: BeamRequest) -> Figure:
        """Draw quantities of the particles over the steps, against an attribute or another quantity."""
        from quire.toolkit.beam import with_beams

        found = [list(with_beams(source.steps(), request)) for source in self.sources]
        names = [info.name for some in found[:1] for one in some[:1] for info in one.chosen(ys)]
        return self.along_steps(found, x, names or ys)

    def along_steps(self, steps: Sequence[Sequence[Any]], x: str | None, ys: Sequence[str]) -> Figure:
        """Draw numbers of the steps of each source, which have them as attributes."""
        from quire.toolkit.picture import attribute_curves, draw_curves, joint_label

        curves: list[Any] = []
        across: list[Any] = []
        up: list[Any] = []
        for source, some in zip(self.sources, steps, strict=True):
            found = attribute_curves(self.label(source), some, x, ys)
            curves += found.curves
            across += found.across
            up += found.up
        self.note = plural(len(curves), "curve")
        x_label = "step" if x is None else joint_label(across)
        return draw_curves(curves, x_label, joint_label(up), self.title, self.points)

    def histogram(self, names: Sequence[str], bins: str, limits: Sequence[str]) -> Figure:
        """Draw the histogram of one column for each file, or of two columns of one file."""
        from quire.errors import UsageError
        from quire.toolkit.binning import complete_limits, distribution, parse_bins, parse_range
        from quire.toolkit.picture import draw_distribution, joint_label
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
            [one for _, one in tables_with(self.steps_with_tables(source), names, self.table, self.where)]
            for source in self.sources
        ]
        # All files have bins of the same width, so that their heights can be compared.
        shared = complete_limits([one for some in tables for one in some], names, given)
        found = [
            (source.name, distribution(some, names, counts, shared))
            for source, some in zip(self.sources, tables, strict=True)
        ]
        labels = [
            joint_label(known) if (known := [some[0][name] for some in tables if some]) else name
            for name in names
        ]
        counted = sum(int(one.counts.sum()) for _, one in found)
        outside = sum(one.outside for _, one in found)
        self.note = plural(counted, "row") + (f", {outside} outside the bins" if outside else "")
        return draw_distribution(found, labels, self.title)
