"""Spectra under the names of the old program, with its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from quire.io.texts import Texts
from quire.legacy.acts.equations import parameter
from quire.legacy.acts.verbs import Names, by_verb
from quire.legacy.pages import Page, Pages
from quire.verbs.numbers import doubles
from quire.verbs.steplike import MadeTable, NewColumn, StepLike

FREQUENCY: Final = "f"
INTEGRAL: Final = "IntegPSD"


def transform(
    pages: Pages, columns: Sequence[str], keywords: Mapping[str, Any], names: Names, roots: bool = False
) -> Pages:
    """Independent. Make a row of each frequency, with the number and the distance of frequencies as
    parameters. `roots` adds the roots of integrated densities.
    """

    def described(page: Page) -> StepLike:
        table = page.table
        frequencies = doubles(table, [FREQUENCY])[FREQUENCY]
        distance = float(frequencies[1] - frequencies[0]) if len(frequencies) > 1 else np.nan
        unit = Texts(table[FREQUENCY].unit)
        added = [root_of(table, name) for name in table if name.startswith(INTEGRAL) and roots]
        kept = [NewColumn.like(table[name], doubles(table, [name])[name]) for name in table]
        made = page.with_attributes(
            [
                parameter("fftFrequencies", len(frequencies), "int32"),
                parameter("fftFrequencySpacing", distance, "float64", unit),
                parameter("SpectrumFolded", 1, "int32"),
            ]
        )
        return Page.of(made, page.number).with_table(MadeTable([*kept, *added], len(table), table.name))

    return by_verb(pages, "fft", columns, keywords, names).each_page(described)


def root_of(table: Any, name: str) -> NewColumn:
    """Independent. Return the root of an integrated density."""
    return NewColumn(
        f"Sqrt{name}", np.sqrt(doubles(table, [name])[name]), table[name].unit.removesuffix("^2")
    )
