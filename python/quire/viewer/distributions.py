"""Histograms and densities of rows of one or more files: a first picture of a sample, then all rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.numeric.histograms import Bins
from quire.numeric.shares import share_lines
from quire.toolkit.bin_fits import BinFit, gaussian
from quire.toolkit.binning import suitable_bins
from quire.viewer.answers import Frame
from quire.viewer.common_units import CommonUnits
from quire.viewer.counting import axis_over, count
from quire.viewer.describe import quantity
from quire.viewer.following import Followed, Selection
from quire.viewer.jobs import Job
from quire.viewer.opening import Failures, Room, open_table
from quire.viewer.surveys import Rows, Survey, survey

if TYPE_CHECKING:
    from quire.viewer.asked import Asked
    from quire.viewer.library import Kept, Library


@dataclass(frozen=True)
class Panel:
    """The rows of a step of a file, and where results for the file are kept."""

    file: int
    step: int
    rows: Rows
    kept: Kept
    quantities: Sequence[dict[str, Any]]
    selection: Selection | None = None
    followed: Followed | None = None

    def survey(self, axes: int, is_sample: bool) -> Survey:
        """Independent. Return the survey of the rows, or of a sample of them."""
        rows = replace(self.rows, is_sample=is_sample)
        return self.kept.found(self._asked(axes, is_sample), lambda: survey(rows, axes))

    def needs_sample(self, axes: int) -> bool:
        """Independent. Return whether a sample is shown before all rows are read."""
        return self.rows.is_large and self.kept.get(self._asked(axes, is_sample=False)) is None

    def _asked(self, axes: int, is_sample: bool) -> tuple[object, ...]:
        rows = self.rows
        cut = rows.where, self.selection
        return ("survey", self.step, rows.table.name, rows.names, *cut, rows.scales, axes, is_sample)


def distributions(library: Library, asked: Asked, job: Job) -> Iterator[Frame]:
    """Independent. Yield the counts of one or two columns, or expressions, for each file on the same axes.

    The first frame of a large table is that of a sample. Raises errors of reading and of what is asked.
    """
    names = [name for name in (asked.text("x"), asked.text("y")) if name]
    axes = len(names)
    bins, limits = asked.bins(axes), asked.limits(axes)
    with ExitStack() as stack:
        failures, room, common = Failures(), Room(), CommonUnits()

        def opened(place: tuple[int, int]) -> Panel:
            panel = opened_panel(stack, library, asked, job, names, place, common)
            room.take(math.prod(bins or suitable_bins(axes, len(panel.rows.table))), "bins")
            return panel

        panels = failures.each(sorted(asked.sources()), opened)
        samples = [True, False] if any(panel.needs_sample(axes) for panel in panels) else [False]
        for is_sample in samples:
            frame = counted(panels, bins, limits, job, is_sample=is_sample)
            content = {**frame.content, "failed": failures.content}
            if axes == 1 and asked.content.get("fit") is True:
                drawn = frame.content["axes"][0]
                axis = Bins.between(drawn["low"], drawn["high"], drawn["bins"])
                is_weighted = bool(asked.text("weight"))
                content["fits"] = [
                    fit_content(gaussian(axis, one, is_weighted=is_weighted)) for one in frame.arrays
                ]
            yield replace(frame, content=content, arrays=[*frame.arrays, *lines_of(asked, frame)])


def lines_of(asked: Asked, frame: Frame) -> list[np.ndarray[Any, Any]]:
    """Independent. Return the lines around the shares that are asked for, of each panel, in bins."""
    shares = asked.shares()
    if not shares:
        return []
    return [
        lines
        for panel, counts in zip(frame.content["panels"], frame.arrays, strict=True)
        for lines in share_lines(counts, shares, panel["drawable"])
    ]


def fit_content(fit: BinFit) -> dict[str, Any]:
    """Independent. Return a fit, for the page."""
    return {
        "isConverged": fit.is_converged,
        "isTried": fit.is_tried,
        "message": fit.message,
        "remark": fit.remark,
        "height": fit.height,
        "mean": fit.mean,
        "sigma": fit.sigma,
        "meanError": fit.mean_error,
        "sigmaError": fit.sigma_error,
        "chiSquared": fit.chi_squared,
        "degrees": fit.degrees,
    }


def opened_panel(
    stack: ExitStack,
    library: Library,
    asked: Asked,
    job: Job,
    names: Sequence[str],
    place: tuple[int, int],
    common: CommonUnits,
) -> Panel:
    """Independent. Return what is drawn of a file, which is open until the stack ends."""
    weight = asked.text("weight")
    terms = (*names, *([weight] if weight else []))
    found = open_table(stack, library, asked, job, place, terms)
    rows = Rows(found.table, terms, found.where)
    rows.require_drawable()
    described = [quantity(found.table[name]) for name in terms]
    rows = replace(rows, scales=tuple(common.scales(described, library.source(found.file).label)))
    quantities = [common.described(one) for one in described[: len(names)]]
    return Panel(found.file, found.step, rows, found.kept, quantities, found.selection, found.followed)


def counted(
    panels: Sequence[Panel], wanted: Sequence[int] | None, limits: Sequence[Any], job: Job, *, is_sample: bool
) -> Frame:
    """Independent. Return the counts of each panel, in as many bins as wanted, or as suit the rows. The axes
    include the values of all panels.
    """
    passes = iter(range(2 * len(panels)))

    def begin() -> None:
        place = next(passes)
        job.span = (place / (2 * len(panels)), (place + 1) / (2 * len(panels)))

    surveys = []
    for panel in panels:
        begin()
        surveys.append(panel.survey(len(limits), is_sample))
    rows = max(
        replace(panel.rows, is_sample=is_sample).estimated(one.count)
        for panel, one in zip(panels, surveys, strict=True)
    )
    bins = wanted or suitable_bins(len(limits), rows)
    axes = [
        axis_over([one.limits[place] for one in surveys], limits[place], number)
        for place, number in enumerate(bins)
    ]
    arrays = []
    for panel in panels:
        begin()
        arrays.append(count(replace(panel.rows, is_sample=is_sample), axes))
    content = {
        "isSample": is_sample,
        "axes": [axis_content(axis, panels[0].quantities[place]) for place, axis in enumerate(axes)],
        "panels": [
            {
                "file": panel.file,
                "step": panel.step,
                "tableRows": len(panel.rows.table),
                "rows": one.rows,
                "drawable": one.count,
                "inside": float(array.sum()),
                "where": panel.rows.where or "",
                "factors": [float(scale(1.0)) for scale in panel.rows.scales[: len(bins)]],
                "means": one.means,
                "covariances": one.covariances,
                "followed": None if panel.followed is None else panel.followed.content,
            }
            for panel, one, array in zip(panels, surveys, arrays, strict=True)
        ],
    }
    return Frame("distribution", content, arrays)


def axis_content(axis: Bins, described: dict[str, Any]) -> dict[str, Any]:
    """Independent. Return an axis with the quantity along it."""
    return {**described, "low": axis.lower, "high": axis.upper, "bins": axis.count}
