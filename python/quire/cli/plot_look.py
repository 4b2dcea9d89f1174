"""How quire plot draws curves: its options as a Look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from quire.errors import UsageError

if TYPE_CHECKING:
    from quire.toolkit.look import Look


def parse_axes(text: str, known: str = "xy") -> str:
    """Independent. Return axes by their letters. Raises UsageError."""
    if set(text) - set(known):
        raise UsageError(f"'{text}' does not name axes; write x, y or xy")
    return text


def one_of(text: str, known: Sequence[str], what: str) -> str:
    """Independent. Return a word that may be empty. Raises UsageError unless it is one of some."""
    if text and text not in known:
        raise UsageError(f"'{text}' is no {what}; known are {', '.join(known)}")
    return text


def parse_styles(text: str) -> list[str]:
    """Independent. Return the styles of `points,line`. Raises UsageError for unknown ones."""
    from quire.toolkit.look import STYLES
    from quire.toolkit.selection import parse_names

    return [one_of(word, STYLES, "style") for word in parse_names(text) or ()]


def parse_layout(text: str | None) -> tuple[int, int] | None:
    """Independent. Return the numbers of columns and rows of `2x3`. Raises UsageError."""
    if text is None:
        return None
    columns, _, rows = text.lower().partition("x")
    if columns.isdigit() and rows.isdigit() and int(columns) and int(rows):
        return int(columns), int(rows)
    raise UsageError(f"'{text}' is no layout; write columns and rows of panels, for example 2x3")


def parse_marks(texts: Sequence[str] | None) -> list[tuple[Literal["x", "y"], float]]:
    """Independent. Return axes and places of `x=1.5`. Raises UsageError."""
    found: list[tuple[Literal["x", "y"], float]] = []
    for text in texts or ():
        axis, _, place = text.partition("=")
        try:
            if axis not in ("x", "y"):
                raise ValueError
            found.append((cast('Literal["x", "y"]', axis), float(place)))
        except ValueError:
            raise UsageError(f"'{text}' is no place on an axis; write for example y=0") from None
    return found


def parse_palette(name: str) -> str:
    """Independent. Return the name of colours of matplotlib. Raises UsageError that names similar ones."""
    if not name:
        return name
    from quire.cli.matplotlib_import import import_matplotlib

    import_matplotlib()
    from matplotlib import colormaps

    from quire.near import there_is_no

    if name not in colormaps:
        raise UsageError(there_is_no("palette", name, ["viridis", "plasma", "turbo", "coolwarm", *colormaps]))
    return name


def with_curves(look: Look, given: dict[str, Any]) -> Look:
    """Independent. Return a look with the options of curves, by their names."""
    from dataclasses import replace

    from quire.toolkit.binning import parse_range
    from quire.toolkit.magnets import read_magnets
    from quire.toolkit.panels import PANELS

    limits = {axis: parse_range(text) for axis in "xy" if (text := given[f"--{axis}-range"])}
    labels = {axis: text for axis in "xy" if (text := given[f"--{axis}-label"])}
    return replace(
        look,
        style=given["--style"],
        palette=parse_palette(given["--palette"]),
        has_legend=not given["--no-legend"],
        labels=labels,
        limits=limits,
        zero=parse_axes(given["--zero"]),
        marks=parse_marks(given["--mark"]),
        panels=one_of(given["--panels"], PANELS, "kind of panels"),
        layout=parse_layout(given["--layout"]),
        share=parse_axes(given["--share"]),
        is_equal=given["--equal"],
        magnets=None if given["--magnets"] is None else read_magnets(given["--magnets"]),
    )
