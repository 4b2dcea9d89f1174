"""What quire plot draws: the quantities of its files in one image, and their numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import quire
from quire.cli.fields import field_of, numbers_of_field
from quire.cli.hints import looks_like_expression
from quire.cli.matplotlib_import import import_matplotlib
from quire.cli.output import plural, printable, report_tables
from quire.cli.plot_texts import is_of_attribute, labelled
from quire.cli.streams import display_name, readable
from quire.cli.trace import trace
from quire.errors import DataError, UsageError
from quire.toolkit.additions import NOTHING, fits_of
from quire.toolkit.axes import heading, place_text
from quire.toolkit.binning import BinnedTables, complete_limits, suitable_bins
from quire.toolkit.curves import (
    STEP_NUMBER,
    Curve,
    Curves,
    attribute_curves,
    column_curves,
    continued,
    drawable,
    is_of_steps,
    no_rows,
    track_curves,
    with_terms,
)
from quire.toolkit.panels import grid_size, in_lists, panels_of, styled
from quire.toolkit.selection import matches, require_found, select_steps, tables_with
from quire.toolkit.wanted_units import WantedUnits, require_same_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from quire import File
    from quire.beam.request import BeamRequest
    from quire.toolkit.additions import Additions
    from quire.toolkit.bin_fits import BinFit
    from quire.toolkit.binning import Distribution
    from quire.toolkit.field_values import FieldRequest, FieldValues
    from quire.toolkit.look import Look
    from quire.toolkit.selection import RowSelection, StepSelection

Part = tuple[Sequence[str], Iterable[Sequence[Any]]]
"""Headings and rows of numbers."""


@dataclass(frozen=True)
class Source:
    """An open file, its label, and the selected steps."""

    name: str
    file: File
    selection: StepSelection

    def steps(self) -> list[Any]:
        """Return the selected steps. Raises MissingError if there are none, unless the file has no steps."""
        found = [step for _, step in select_steps(self.file, self.selection)]
        require_found(len(found), self.selection, self.file.path)
        return found


def open_source(
    stack: ExitStack, path: str, selection: StepSelection, options: dict[str, Any], is_only: bool
) -> Source:
    """Open a file. When the stack closes it, its times are traced."""
    file = stack.enter_context(quire.open(stack.enter_context(readable(path, is_only=is_only)), **options))
    stack.callback(trace, file)
    return Source(printable(Path(display_name(path)).name), file, selection)


class Drawing:
    """Draws all sources in one image."""

    def __init__(self, sources: Sequence[Source], table: str, look: Look, rows: RowSelection) -> None:
        self.sources = sources
        self.table = table
        self.look = look
        self.rows = rows
        self.units = WantedUnits(look.units)
        self.note = ""
        self.labels: Sequence[str] = ()
        """The curves in the legend; by default their names and origins. A single `@NAME` is an attribute."""
        self.origins: dict[str, tuple[Source, Any]] = {}
        """The file and the first step of the curves of a label."""
        self.styles: Sequence[str] = ()
        """How quantities or curves are drawn, if not all are drawn in the same way."""
        self.lists: Sequence[Sequence[str]] = ()
        """The terms of each panel, if lists have panels of their own."""
        self.numbers: list[Part] = []
        """The numbers that are drawn."""
        self.thinning = ""
        """How many rows of long tables are drawn, and among the numbers; empty if all are."""

    def label(self, source: Source, step: Any = None, many: bool = False) -> str:
        """Return the label of a curve: the file if there are several, and the step if there are many."""
        parts = [source.name] if len(self.sources) > 1 else []
        parts += [f"step {step.number}"] if many else []
        label = ", ".join(parts)
        self.origins.setdefault(label, (source, step))
        return label

    def steps_with_tables(self, source: Source, terms: Sequence[str]) -> list[Any]:
        """Return the selected steps, with the terms that are expressions. Reports which of several tables is
        drawn by default.
        """
        steps = source.steps()
        if not self.table:
            report_tables(next((list(step.tables) for step in steps if len(step.tables) > 1), []))
        return with_terms(source.file, steps, terms, self.table)

    def columns(
        self,
        x: str,
        ys: Sequence[str],
        right: Sequence[str],
        colour: str | None = None,
        errors: Sequence[str] = (),
        joined: bool = False,
    ) -> Figure:
        """Draw columns against a column, one curve for each step, or for all steps of a source if they are
        joined; those of `right` on a second axis.
        """
        found = Curves()
        for source in self.sources:
            terms = [x, *ys, *right, *errors, *([colour] if colour is not None else [])]
            steps = self.steps_with_tables(source, terms)
            if is_of_steps(steps, x, self.table):
                if colour is not None or errors:
                    option = "--error" if errors else "--colour"
                    raise UsageError(f"{option} needs a column on the horizontal axis, and '{x}' is none")
                track = track_curves(steps, self.label(source), x, [*ys, *right], self.table, self.rows)
                found.add(track)
                continue
            label = partial(self.label, source, many=len(steps) > 1 and not joined)
            some = column_curves(steps, label, x, [*ys, *right], self.table, self.rows, colour, errors)
            found.add(replace(some, curves=continued(some.curves)) if joined else some)
        if not any(len(one.x) for one in found.curves):
            raise no_rows(self.rows)
        if colour is not None and len(found.curves) > 1:
            raise UsageError(
                f"--colour draws one curve, not {len(found.curves)}; select a file and a step by --steps"
            )
        return self.curves(found, x, ys, right)

    def attributes(self, x: str | None, ys: Sequence[str], right: Sequence[str]) -> Figure:
        """Draw attributes over the steps, one curve for each attribute; those of `right` on a second axis."""
        terms = [*ys, *right, *([x] if x is not None else [])]
        steps = [with_terms(one.file, one.steps(), terms, of_steps=True) for one in self.sources]
        return self.along_steps(steps, x, ys, right)

    def beams(self, x: str | None, ys: Sequence[str], right: Sequence[str], request: BeamRequest) -> Figure:
        """Draw quantities of the particles over the steps, against an attribute or another quantity."""
        from quire.toolkit.beam import with_beams  # other pictures need none of it

        found = [list(with_beams(source.steps(), request)) for source in self.sources]
        if not any(one.beam.particles for some in found for one in some):
            raise no_rows(self.rows)
        first = next((one for some in found[:1] for one in some[:1]), None)
        left, beside = (
            [info.name for info in first.chosen(names)] if first is not None and names else names
            for names in (ys, right)
        )
        return self.along_steps(found, x, left, beside)

    def along_steps(
        self, steps: Sequence[Sequence[Any]], x: str | None, ys: Sequence[str], right: Sequence[str]
    ) -> Figure:
        """Draw numbers of the steps of each source, which have them as attributes."""
        found = Curves()
        for source, some in zip(self.sources, steps, strict=True):
            of_file = source.file.attrs.info
            found.add(attribute_curves(self.label(source), some, x, [*ys, *right], of_file))
        return self.curves(found, x or STEP_NUMBER.name, ys, right)

    def curves(self, found: Curves, x: str, ys: Sequence[str], right: Sequence[str]) -> Figure:
        """Draw curves; those whose names match `right` on a second axis. Keep their numbers."""
        self.units.require_fitting((*found.across, *found.up, *found.colours))
        self.numbers += numbers_of_curves(found, self.units)
        if self.styles:
            found.curves = styled(found.curves, self.styles, [*ys, *right])
        if self.lists:
            found.curves = in_lists(found.curves, self.lists)
        self.note = plural(len(found.curves), "curve")
        if len(self.labels) == 1 and is_of_attribute(self.labels[0]):
            found.curves = labelled(found.curves, self.labels[0], self.origins)
        elif self.labels and len(self.labels) != len(found.curves):
            raise UsageError(f"there are {len(self.labels)} labels for {self.note}")
        elif self.labels:
            pairs = zip(found.curves, self.labels, strict=True)
            found.curves = [replace(curve, label=label, is_labelled=True) for curve, label in pairs]
        self.thinning = found.thinning
        self.note += f", {self.thinning}" if self.thinning else ""
        self.note += lost_by_logarithms(found.curves, self.look.log)
        names = [item.name for item in found.up if any(matches(item.name, [one]) for one in right)]
        grid_size(len(panels_of(found, self.look.panels)), self.look.layout)  # a mistake is reported at once
        import_matplotlib()  # takes time: mistakes are reported before
        from quire.toolkit.picture import draw_curves

        return draw_curves(found, replace(self.look, right=names), x, ", ".join(ys))

    def histogram(
        self,
        names: Sequence[str],
        bins: Sequence[int] | None,
        limits: Sequence[Any],
        weight: str = "",
        added: Additions = NOTHING,
    ) -> Figure:
        """Draw the histogram of one column for each file, or of two columns of one file, in as many bins as
        suit the rows if none are given.
        """
        needed = [*names, *([weight] if weight else [])]
        if len(names) == 2 and len(self.sources) > 1:
            raise UsageError("a histogram of two columns shows one file")
        tables = [
            [
                one
                for _, one in tables_with(
                    self.steps_with_tables(source, needed), needed, self.table, self.rows
                )
            ]
            for source in self.sources
        ]
        binned = [BinnedTables(some, names, weight) for some in tables]
        quantities = [[some[0][name] for some in tables if some] for name in names]
        for some in quantities:
            require_same_unit(some)
        limits = self.units.limits_of_file(quantities, limits)
        # All files have bins of the same width, so that their heights can be compared.
        bins = bins or suitable_bins(len(names), max(sum(map(len, some)) for some in tables))
        shared = complete_limits(binned, names, limits, bins)
        found = [
            (source.name, one.distribution(bins, shared))
            for source, one in zip(self.sources, binned, strict=True)
        ]
        counted = sum(one.rows for _, one in found)
        outside = sum(one.outside for _, one in found)
        if not counted + outside:
            raise no_rows(self.rows)
        self.note = plural(counted, "row") + (f", {outside} outside the bins" if outside else "")
        steps = max(len(some) for some in tables)
        self.note += f", of {steps} steps together" if steps > 1 else ""
        self.units.require_used(names)
        fits = fits_of(found, added)
        for (name, one), fit in zip(found, fits, strict=True):
            label = name if len(found) > 1 else ""
            first = [some[0] for some in quantities if some]
            self.numbers.append(
                numbers_of_bins(label, one, first, self.units, fit, is_cumulative=added.is_cumulative)
            )
            gaussian = f"Gaussian{f' of {name}' if label else ''}"
            if fit is not None and not fit.is_converged:
                self.note += f"; no {gaussian}: {fit.message}"
            elif fit is not None and fit.remark:
                self.note += f"; {gaussian}: {fit.remark}"
        import_matplotlib()
        from quire.toolkit.distribution_picture import draw_distribution

        return draw_distribution(found, quantities, self.look, added, fits)

    def field(self, request: tuple[str, FieldRequest]) -> Figure:
        """Draw a plane of a field as colours, or lines of it as curves, one for each step and file."""
        found: list[tuple[str, Any, FieldValues]] = []
        for source in self.sources:
            steps = source.steps()
            for step in steps:
                label = self.label(source, step, many=len(steps) > 1)
                found.append((label, step, field_of(step, *request)))
        look = self.with_stated_units(found)
        values = [one for _, _, one in found]
        self.require_drawable(values)
        many = len(found) > 1
        for label, _, one in found:
            self.numbers.append(with_label(label, numbers_of_field(one, self.units), many))
        of_step = f"step {found[0][1].number}" if not many and len(self.sources[0].file) > 1 else ""
        look = replace(look, title=look.title or title_of(values[0], of_step))
        if len(values[0].axes) == 2:
            up, across = values[0].axes
            import_matplotlib()
            from quire.toolkit.picture import draw_plane

            self.note = f"{len(across.positions)} x {len(up.positions)} elements"
            return draw_plane(across, up, values[0].values, values[0], look)
        import_matplotlib()
        from quire.toolkit.picture import draw_curves

        self.note = plural(len(found), "curve")
        lines = [
            Curve(label, one.axes[0].positions, drawable(one.values), one.name) for label, _, one in found
        ]
        return draw_curves(Curves(lines, [one.axes[0] for one in values], values), look)

    def with_stated_units(self, found: list[tuple[str, Any, FieldValues]]) -> Look:
        """Give axes without a unit in the file the wanted one, which states what positions are. Return how to
        draw them: with the prefix that is best.
        """
        stated: set[str] = set()
        for place, (label, step, one) in enumerate(found):
            stated.update(axis.name for axis in (*one.axes, *one.at) if not axis.unit)
            axes, at = (
                [
                    axis if axis.unit else replace(axis, unit=self.look.units.get(axis.name, ""))
                    for axis in some
                ]
                for some in (one.axes, one.at)
            )
            found[place] = (label, step, replace(one, axes=axes, at=at))
        units = {name: unit for name, unit in self.look.units.items() if name not in stated}
        return replace(self.look, units=units)

    def require_drawable(self, found: Sequence[FieldValues]) -> None:
        """Raises UsageError unless these are one plane or lines, MissingError for units of something else."""
        for one in found:
            self.units.require_used([*(axis.name for axis in (*one.axes, *one.at)), one.name])
            if len(one.axes) not in (1, 2):
                left = ", ".join(axis.name for axis in one.axes) or "none"
                raise UsageError(
                    f"a picture shows one or two axes of a field; these are left: {left}",
                    advice="take a plane by --slice z=0, or sum over an axis by --sum z",
                )
        planes = sum(len(one.axes) == 2 for one in found)
        if planes and len(found) > 1:
            raise UsageError(f"there are {planes} planes to draw: select a file, and a step by --steps")


def lost_by_logarithms(curves: Sequence[Curve], log: str) -> str:
    """Return how many points have no place on logarithmic axes; empty without any. Raises DataError if that
    is all of them.
    """
    for axis in "xy":
        if axis in log and curves and not any((getattr(one, axis) > 0).any() for one in curves):
            raise DataError(f"no value of {axis} is above 0, as the logarithmic axis needs")
    lost = sum(
        int(np.count_nonzero(getattr(one, axis) <= 0)) for one in curves for axis in "xy" if axis in log
    )
    return f", without {plural(lost, 'value')} that no logarithmic axis has: 0 or below" if lost else ""


def title_of(found: FieldValues, step: str) -> str:
    """Return where a part of a field is: the places of its slices, and the step."""
    places = ", ".join(place_text(axis.name, float(axis.positions[0]), axis.unit) for axis in found.at)
    return ", ".join(text for text in (f"{found.name} at {places}" if places else found.name, step) if text)


def with_label(label: str, part: Part, many: bool) -> Part:
    """Return numbers whose rows begin with the label of their curve, if there are many curves."""
    header, rows = part
    if not many:
        return part
    return ["curve", *header], ([label, *row] for row in rows)


def numbers_of_curves(found: Curves, units: WantedUnits) -> Iterator[Part]:
    """Yield the numbers of curves: those of one origin side by side, after its label if there are several."""
    many = len({curve.origin for curve in found.curves}) > 1
    across = found.across[0] if found.across else STEP_NUMBER
    for part in found.parts():
        items = [next(item for item in found.up if item.name == curve.name) for curve in part]
        columns: list[tuple[Any, Any]] = [
            (across, part[0].x),
            *zip(items, (curve.y for curve in part), strict=True),
        ]
        columns += [(item, curve.colour) for item, curve in zip(found.colours, part, strict=False)]
        header = [heading(units.of(item)) for item, _ in columns]
        rows = zip(*(units.convert(item, values).tolist() for item, values in columns), strict=True)
        yield with_label(part[0].origin, (header, rows), many)


def bin_labels(names: Sequence[str]) -> list[str]:
    """Return what the bins of quantities are called: expressions, which may be long, by their axis."""
    axes = ("",) if len(names) == 1 else ("horizontal", "vertical")
    return [axis if looks_like_expression(name) else name for name, axis in zip(names, axes, strict=True)]


def numbers_of_bins(
    name: str,
    found: Distribution,
    quantities: Sequence[Any],
    units: WantedUnits,
    fit: BinFit | None = None,
    *,
    is_cumulative: bool = False,
) -> Part:
    """Return the limits of bins and the numbers of rows in them; `name` is that of one of several files.

    The sums up to the end of each bin and the curve of a fit are further columns.
    """
    items = [units.of(item) for item in quantities]
    header = [
        heading(item, f"{label} {end}".lstrip())
        for item, label in zip(items, bin_labels([item.name for item in items]), strict=True)
        for end in ("from", "to")
    ]
    header.append("rows" if found.weight is None else heading(found.weight, f"sum of {found.weight.name}"))
    limits = [
        units.convert(item, axis.edges).tolist() for item, axis in zip(quantities, found.axes, strict=True)
    ]
    edges = [itertools.pairwise(ends) for ends in limits]
    columns = [found.counts.ravel()]
    if is_cumulative:
        header.append("cumulative")
        columns.append(np.cumsum(found.counts))
    if fit is not None:
        header.append("fit")
        axis_edges = found.axes[0].edges
        columns.append(fit.at((axis_edges[1:] + axis_edges[:-1]) / 2))
    rows = zip(itertools.product(*edges), *(one.tolist() for one in columns), strict=True)
    first = [name] if name else []
    return ["file"] * len(first) + header, ([*first, *itertools.chain(*bin_), *some] for bin_, *some in rows)
