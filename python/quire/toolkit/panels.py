"""How curves share a picture: panels, their places, and what is beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from quire.errors import UsageError
from quire.toolkit.curves import Curve, Curves, join
from quire.toolkit.selection import matches

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS: Final = ("quantity", "list", "step", "curve")
"""What has a panel of its own: a list is what one option names; a step is that of one file."""

SIZE: Final = (7.2, 4.6)
"""Width and height of a picture with one panel, in inches."""
PANEL: Final = (4.4, 2.7)
"""The same of one of several panels beside and above each other."""
STRIP: Final = 0.45
MOST_BELOW_EACH_OTHER: Final = 4


def panels_of(found: Curves, by: str) -> list[tuple[str, Curves]]:
    """Independent. Return the curves of each panel with its title."""
    if not by:
        return [("", found)]
    groups: dict[str, list[Curve]] = {}
    for number, curve in enumerate(found.curves):
        key = {
            "quantity": curve.name, "list": str(curve.place), "step": curve.origin, "curve": str(number)
        }[by]  # fmt: skip
        groups.setdefault(key, []).append(curve)
    return [panel(found, curves, by) for curves in groups.values()] or [("", found)]


def panel(found: Curves, curves: Sequence[Curve], by: str) -> tuple[str, Curves]:
    """Independent. Return the title of a panel, and its curves with labels that do not repeat it."""
    names = {one.name for one in curves}
    up = [item for item in found.up if item.name in names]
    if by == "list":
        return "", Curves(list(curves), found.across, up)
    if by == "curve":
        return curves[0].origin, Curves(list(curves), found.across, up)
    labelled = [
        replace(one, label=one.origin if by == "quantity" else one.name) if is_automatic(one) else one
        for one in curves
    ]
    title = curves[0].origin if by == "step" else ""
    return title, Curves(labelled, found.across, up)


def is_automatic(curve: Curve) -> bool:
    """Independent. Return whether the label of a curve is not one that was asked for."""
    return not curve.is_labelled and curve.label in (curve.origin, join(curve.origin, curve.name))


def styled(curves: Sequence[Curve], styles: Sequence[str], terms: Sequence[str]) -> list[Curve]:
    """Independent. Return curves with styles: one for each of the terms that name their quantities, or one
    for each curve. Raises UsageError for another number.
    """
    if len(styles) == len(terms):
        of_curves = [
            next((style for style, term in zip(styles, terms, strict=True) if matches(one.name, [term])), "")
            for one in curves
        ]
    elif len(styles) == len(curves):
        of_curves = list(styles)
    else:
        raise UsageError(
            f"there are {len(styles)} styles for {len(terms)} quantities and {len(curves)} curves",
            advice="give one for all, or one for each quantity or curve",
        )
    return [replace(one, style=style) for one, style in zip(curves, of_curves, strict=True)]


def in_lists(curves: Sequence[Curve], lists: Sequence[Sequence[str]]) -> list[Curve]:
    """Independent. Return the curves of each list of terms, list by list; one may be in several."""
    return [
        replace(one, place=place)
        for place, terms in enumerate(lists)
        for one in curves
        if matches(one.name, terms)
    ]


def grid_size(count: int, layout: tuple[int, int] | None) -> tuple[int, int]:
    """Independent. Return the numbers of columns and rows of panels. Raises UsageError for a layout that is
    too small.
    """
    if layout is None:
        across = 1 if count <= MOST_BELOW_EACH_OTHER else math.ceil(math.sqrt(count))
        return across, math.ceil(count / across)
    if layout[0] * layout[1] < count:
        raise UsageError(
            f"a layout of {layout[0]}x{layout[1]} has no room for {count} panels",
            advice="give a larger one, or select steps or quantities",
        )
    return layout


def make_panels(
    count: int, layout: tuple[int, int] | None, share: str, has_strip: bool
) -> tuple[Figure, list[Axes], list[Axes]]:
    """Independent. Return a picture, its panels, and the strips below each column of them."""
    from matplotlib.figure import Figure  # layouts are checked before

    columns, rows = grid_size(count, layout)
    width = SIZE[0] if columns == 1 else PANEL[0] * columns
    height = SIZE[1] if rows == 1 else PANEL[1] * rows
    figure = Figure(figsize=(width, height + STRIP * has_strip), layout="constrained")
    heights = [height / rows] * rows + [STRIP] * has_strip
    grid = figure.add_gridspec(len(heights), columns, height_ratios=heights)
    panels: list[Axes] = []
    for place in range(count):
        row, column = divmod(place, columns)
        first_in_column = panels[column] if row and (has_strip or "x" in share) else None
        shared: dict[str, Any] = {
            "sharex": first_in_column or (panels[0] if panels and "x" in share else None)
        }
        shared["sharey"] = panels[0] if panels and "y" in share else None
        panels.append(figure.add_subplot(grid[row, column], **shared))
    strips = [
        figure.add_subplot(grid[rows, column], sharex=panels[column])
        for column in range(min(columns, count) * has_strip)
    ]
    for place, one in enumerate(panels):
        is_last = place + columns >= count
        if ("x" in share and not is_last) or (has_strip and is_last):
            one.tick_params(labelbottom=False)
        if "y" in share and place % columns:
            one.tick_params(labelleft=False)
    return figure, panels, strips
