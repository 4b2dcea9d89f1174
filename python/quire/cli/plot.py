"""quire plot: pictures of columns, attributes and distributions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import command, tell_unreadable
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import plural, printable, say, tell_of_tables
from quire.cli.streams import display_name, readable
from quire.cli.where import Where

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from quire import File
    from quire.toolkit.selection import StepSelection


@command
def plot(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Data files; - is standard input.")],
    output: Annotated[str, typer.Option("--output", "-o", help="The picture: .png, .pdf or .svg.")],
    x: Annotated[str | None, typer.Option("-x", help="The column or attribute along the abscissa.")] = None,
    y: Annotated[list[str] | None, typer.Option("-y", help="Columns to draw against it: betax,betay")] = None,
    attributes: Annotated[
        list[str] | None, typer.Option("--attributes", help="Attributes of the steps: rms_x,rms_y")
    ] = None,
    histogram: Annotated[
        str | None, typer.Option("--histogram", help="Distribution of one column, or of two: x,px")
    ] = None,
    bins: Annotated[str, typer.Option("--bins", help="100 or 200x200.")] = "100",
    limits: Annotated[
        list[str] | None, typer.Option("--range", help="a:b of the bins, once for each axis.")
    ] = None,
    steps: Annotated[str | None, typer.Option("--steps", help="Only these, by number: 1,4-8")] = None,
    table: Annotated[str, typer.Option("--table", help="The table of this name, else the first.")] = "",
    where: Where = None,
    points: Annotated[bool, typer.Option("--points", help="Dots instead of lines.")] = False,
    title: Annotated[str, typer.Option("--title", help="Above the picture.")] = "",
    read_option: ReadOptions = None,
    overwrite: Annotated[bool, typer.Option("--overwrite/--keep", help="Replace an older picture.")] = True,
) -> None:
    """Draw columns, attributes along a run, or distributions.

    One curve for each step; several files share the picture; axes carry names and units. Distributions are
    counted while reading, so files of any size can be drawn; of columns longer than 200000 rows every k-th
    row is drawn.

    Example: quire plot twiss.h5 -x s -y betax,betay -o beta.png

    Example: quire plot beam.h5 --attributes rms_x -x s -o size.pdf

    Example: quire plot beam.h5 --histogram x,px --bins 200x200 --steps 12 -o phase-space.png
    """
    from quire.errors import UsageError
    from quire.toolkit.picture import check_output, save
    from quire.toolkit.selection import parse_names, parse_steps

    path = check_output(output)
    kinds = [kind for kind in (y, attributes, histogram) if kind]
    if len(kinds) != 1:
        raise UsageError("say what to draw: one of -x and -y, --attributes, --histogram")
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
                raise UsageError("columns are drawn against a column: give -x")
            figure = drawing.columns(x, parse_names(y) or [])
        elif attributes:
            if where is not None:
                raise UsageError("attributes have no rows for --where to choose from")
            figure = drawing.attributes(x, parse_names(attributes) or [])
        else:
            figure = drawing.histogram(parse_names(histogram) or [], bins, limits or [])
        save(figure, path)
        say(f"{output}: {drawing.note}")
        for name, source in zip(files, sources, strict=True):
            tell_unreadable(name, source.file.unreadable)


@dataclass(frozen=True)
class Source:
    """An open file, what to call it, and which of its steps are drawn."""

    name: str
    file: File
    selection: StepSelection

    def steps(self) -> list[Any]:
        """The selected steps. Raises MissingError if there is none, but not for a file without steps."""
        from quire.toolkit.selection import require_found, select_steps

        found = [step for _, step in select_steps(self.file, self.selection)]
        require_found(len(found), self.selection, self.file.path)
        return found


def open_source(stack: ExitStack, path: str, selection: StepSelection, options: dict[str, Any]) -> Source:
    """Open a file until the stack closes it, telling then where the time went."""
    import quire
    from quire.cli.trace import trace

    file = stack.enter_context(quire.open(stack.enter_context(readable(path)), **options))
    stack.callback(trace, file)
    return Source(printable(Path(display_name(path)).name), file, selection)


class Drawing:
    """Makes one picture of all sources."""

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
        """What to call a curve: the file where there are several, the step where there are many."""
        parts = [source.name] if len(self.sources) > 1 else []
        parts += [f"step {step.number}"] if many else []
        return ", ".join(parts)

    def steps_with_tables(self, source: Source) -> list[Any]:
        """The selected steps; remarks which of several tables is drawn if none was asked for."""
        steps = source.steps()
        if not self.table:
            tell_of_tables(next((list(step.tables) for step in steps if len(step.tables) > 1), []))
        return steps

    def columns(self, x: str, ys: Sequence[str]) -> Figure:
        """Column against column, a curve a step."""
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
        """Attributes over the steps, a curve an attribute."""
        from quire.toolkit.picture import attribute_curves, draw_curves, joint_label

        curves: list[Any] = []
        across: list[Any] = []
        up: list[Any] = []
        for source in self.sources:
            found = attribute_curves(self.label(source), source.steps(), x, ys)
            curves += found.curves
            across += found.across
            up += found.up
        self.note = plural(len(curves), "curve")
        x_label = "step" if x is None else joint_label(across)
        return draw_curves(curves, x_label, joint_label(up), self.title, self.points)

    def histogram(self, names: Sequence[str], bins: str, limits: Sequence[str]) -> Figure:
        """The distribution of one column for each file, or of two columns of one file."""
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
        # Bins of the same width for all files, so that their heights compare.
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
