"""The quantities of a beam in columns x, xp, y, yp, t and p: specs/sdds-toolkit.md, section 8."""

from __future__ import annotations

from typing import Final

import numpy as np

from quire.io.texts import Texts
from quire.legacy.acts.equations import parameter
from quire.legacy.acts.layout import PAGE, collapse_pages
from quire.legacy.pages import Page, Pages, made_page
from quire.legacy.patterns import required
from quire.numeric.arrays import Doubles
from quire.verbs.numbers import doubles
from quire.verbs.steplike import MadeTable, StepLike

COLUMNS: Final = ("x", "xp", "y", "yp", "t", "p")
NAMES: Final = ("x", "xp", "y", "yp", "t", "delta")
UNITS: Final = ("m", "", "m", "", "s", "")

ELEMENT: Final = "ElementName"
"""The old program writes `None` for particles without an element."""

Values = dict[str, tuple[float, str]]
"""Values and units by name."""


def plane(moments: Doubles, name: str, momentum: float, mark: str = "") -> Values:
    """Independent. Return emittances, beta and alpha of two coordinates with these moments.

    `mark` is in the names of what is corrected for dispersion.
    """
    emittance = np.sqrt(np.maximum(determinant(moments), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        beta, alpha = moments[0, 0] / emittance, -moments[0, 1] / emittance
    return {
        f"e{mark}{name}": (float(emittance), "m"),
        f"e{mark}n{name}": (float(emittance * momentum), "m"),
        f"beta{mark}{name}": (float(beta), "m"),
        f"alpha{mark}{name}": (float(alpha), ""),
    }


def determinant(moments: Doubles) -> float:
    """Independent. Return the determinant of two rows and columns: NaN without particles."""
    with np.errstate(invalid="ignore"):
        return float(np.linalg.det(moments))


def product_unit(one: str, other: str) -> str:
    """Independent. Return the unit of a product as the old program writes it."""
    return f"{one}$a2$n" if one and one == other else " ".join(filter(None, (other, one)))


def quantities(page: Page, corrected_only: bool) -> Values:
    """Independent. Return the quantities of the particles of a page. Raises MissingError for columns."""
    required(list(COLUMNS), list(page.table), "column")
    found = doubles(page.table, COLUMNS)
    momentum = float(found["p"].mean()) if len(page.table) else np.nan
    values = np.stack([*(found[name] for name in COLUMNS[:5]), found["p"] / momentum - 1])
    centroids = values.mean(axis=1) if len(page.table) else np.full(6, np.nan)
    centred = values - centroids[:, None]
    moments = centred @ centred.T / len(page.table) if len(page.table) else np.full((6, 6), np.nan)
    made: Values = {}
    for name, place in (("x", 0), ("y", 2)):
        own = moments[place : place + 2, place : place + 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            dispersion = moments[place : place + 2, 5] / moments[5, 5]
        without = own - np.outer(dispersion, moments[place : place + 2, 5])
        corrected = without if moments[5, 5] > 0 else own
        made |= plane(corrected if corrected_only else own, name, momentum)
        made |= {f"eta{name}": (float(dispersion[0]), "m"), f"eta{name}p": (float(dispersion[1]), "")}
        if not corrected_only:
            made |= plane(corrected, name, momentum, "c")
    longitudinal = determinant(moments[4:, 4:])
    made |= {"el": (float(np.sqrt(np.maximum(longitudinal, 0.0))), "s"), "pAverage": (momentum, "")}
    for row, (name, unit) in enumerate(zip(NAMES, UNITS, strict=True)):
        made[f"C{name}"] = float(centroids[row]), unit
        made[f"S{name}"] = float(np.sqrt(moments[row, row])), unit
        for column in range(row, len(NAMES)):
            unit_of_both = product_unit(unit, UNITS[column])
            made[f"s{row + 1}{column + 1}"] = float(moments[row, column]), unit_of_both
    return made


def analyze_beam(pages: Pages, corrected_only: bool = False) -> Pages:
    """Independent. Make a row of each page: the quantities of its particles, and its parameters."""

    def analysed(page: Page) -> StepLike:
        found = quantities(page, corrected_only)
        made = [parameter(name, value, "float64", Texts(unit)) for name, (value, unit) in found.items()]
        kept = [one for name, one in page.parameters.items() if name not in found]
        element = [] if ELEMENT in page.parameters else [parameter(ELEMENT, "None", "string")]
        return made_page(page, MadeTable([], 0), [*element, *made, *kept], {})

    return collapse_pages(pages.each_page(analysed)).select(drop=[PAGE])
