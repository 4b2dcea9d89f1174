"""Pictures of an open file for programs that use matplotlib: `file.plot.hist("x")`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from quire.beam.request import BeamRequest
from quire.errors import UsageError
from quire.toolkit.beam import with_beams
from quire.toolkit.binning import BinnedTables, complete_limits, suitable_bins
from quire.toolkit.curves import (
    Curves,
    attribute_curves,
    column_curves,
    is_of_steps,
    track_curves,
    with_terms,
)
from quire.toolkit.field_values import FieldRequest, values_of
from quire.toolkit.selection import RowSelection, parse_steps, select_names, select_steps, tables_with
from quire.toolkit.wanted_units import WantedUnits

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from quire import File, Step

ONE_STEP = "give steps=NUMBER"

ADDED: Mapping[str, str] = {"fit": "fit", "cumulative": "is_cumulative", "shares": "shares"}
"""What is drawn besides the counts of a histogram, by its argument: fields of Additions."""

ChosenSteps = int | Sequence[int] | str | None
"""One number of a step, several, or a selection as on the command line; None: all."""


@dataclass(frozen=True)
class Plots:
    """Pictures of a file. Each method returns a new figure of matplotlib, with names and units on its axes.

    Names of columns and attributes may be expressions, such as "hypot(x, y)". `steps` is one number, several,
    or a selection as on the command line ("0,10-20"); by default all steps. `look` are fields of
    `quire.toolkit.look.Look`: `title`, `log`, `units`, `style`, `limits` and others.

    >>> with quire.open("beam.h5") as file:
    ...     figure = file.plot.hist("x", where="px > 0", steps=20, title="after 20 steps")
    ...     figure.axes[0].get_xlabel()
    'x [µm]'
    """

    file: File = field(repr=False)

    def hist(
        self,
        x: str,
        y: str | None = None,
        *,
        bins: int | Sequence[int] | None = None,
        range: Sequence[tuple[float, float] | None] | None = None,
        where: str | None = None,
        steps: ChosenSteps = None,
        table: str = "",
        **look: Any,
    ) -> Figure:
        """Independent. Draw how many rows have which value of one column, or of two as colours.

        The rows of all selected steps are counted together, block by block. `bins` and `range` have one entry
        for each axis; limits are in the unit of the file, or the wanted one. By default there are as many
        bins as suit the number of rows: 24 to 400, or 48 to 360 for each of two columns. Of one column,
        `fit="gauss"` draws the Gaussian that fits the counts best, with its parameters, and `cumulative=True`
        sums up to the end of each bin. Of two columns, `shares=[50, 90]` draws lines around shares of the
        rows in percent.

        >>> with quire.open("beam.h5") as file:
        ...     figure = file.plot.hist("x", "px", bins=(40, 30), steps=0)
        ...     [axes.get_ylabel() for axes in figure.axes]
        ['px [$\\\\mathrm{m_{e}c}$]', 'rows per bin']

        >>> with quire.open("beam.h5") as file:
        ...     figure = file.plot.hist("x", bins=40, steps=0, fit="gauss")
        ...     [text.get_text()[:9] for text in figure.axes[0].get_legend().get_texts()]
        ['rows', 'amplitude']
        """
        from quire.toolkit.additions import Additions, fits_of
        from quire.toolkit.distribution_picture import draw_distribution
        from quire.toolkit.look import Look

        added = Additions(**{own: look.pop(name) for name, own in ADDED.items() if name in look})
        names = [x] if y is None else [x, y]
        given = [bins] * len(names) if isinstance(bins, int) else bins if bins is None else list(bins)
        limits = list(range or [None] * len(names))
        if len(limits) != len(names) or (given is not None and len(given) != len(names)):
            raise UsageError(f"bins and range have an entry for each of {len(names)} axes")
        added.require_axes(len(names))
        found = self._tables(names, where, steps, table)
        counts = suitable_bins(len(names), sum(map(len, found))) if given is None else given
        shown = Look(**look)
        binned = BinnedTables(found, names)
        quantities = [[found[0][name]] if found else [] for name in names]
        limits = WantedUnits(shown.units).limits_of_file(quantities, limits)
        counted = binned.distribution(counts, complete_limits([binned], names, limits, counts))
        named = [("", counted)]
        return draw_distribution(named, quantities, shown, added, fits_of(named, added))

    def line(
        self,
        x: str,
        *ys: str,
        right: Sequence[str] = (),
        where: str | None = None,
        steps: ChosenSteps = None,
        table: str = "",
        **look: Any,
    ) -> Figure:
        """Independent. Draw columns against a column, with a curve for each step; those of `right` on a
        second axis.

        If x is the number or an attribute of the steps, one curve follows a particle, which `where` selects.

        >>> with quire.open("beam.h5") as file:
        ...     figure = file.plot.line("s", "x", "y", right=["px"], where="id == 17")
        ...     [axes.get_ylabel() for axes in figure.axes]
        ['x, y [µm]', 'px [$\\\\mathrm{10^{-3}\\\\ m_{e}c}$]']
        """
        return self._columns(x, [*ys, *right], right, where, steps, table, None, look)

    def scatter(
        self,
        x: str,
        y: str,
        *,
        colour: str | None = None,
        where: str | None = None,
        steps: ChosenSteps = None,
        table: str = "",
        **look: Any,
    ) -> Figure:
        """Independent. Draw the rows of steps as points; with `colour`, of one step, coloured by a column.

        Of more than 200,000 rows every k-th is drawn, and the title says how many these are.

        >>> with quire.open("beam.h5") as file:
        ...     figure = file.plot.scatter("x", "px", colour="pz", steps=20)
        ...     len(figure.axes)
        2
        """
        return self._columns(x, [y], (), where, steps, table, colour, {"style": "points", **look})

    def attributes(
        self,
        *names: str,
        x: str | None = None,
        right: Sequence[str] = (),
        steps: ChosenSteps = None,
        **look: Any,
    ) -> Figure:
        """Independent. Draw attributes over the steps, against their number or the attribute x.

        >>> with quire.open("beam.h5") as file:
        ...     figure = file.plot.attributes("rms_x", "rms_y", x="s")
        ...     figure.axes[0].get_xlabel()
        's [m]'
        """
        terms = [*names, *right, *([] if x is None else [x])]
        chosen = with_terms(self.file, self._steps(steps), terms, of_steps=True)
        found = attribute_curves("", chosen, x, [*names, *right], self.file.attrs.info)
        return drawn(found, x or "", right, look)

    def beam(
        self,
        *names: str,
        x: str | None = None,
        right: Sequence[str] = (),
        where: str | None = None,
        steps: ChosenSteps = None,
        table: str = "",
        **look: Any,
    ) -> Figure:
        """Independent. Draw quantities of the particles, such as `emittance_x`, over the steps.

        >>> with quire.open("beam.h5") as file:
        ...     figure = file.plot.beam("sigma_x", x="s", where="abs(x) < 1e-3")
        ...     figure.axes[0].get_ylabel()
        'sigma_x [µm]'
        """
        found: list[Any] = list(with_beams(self._steps(steps), BeamRequest(where, table)))
        return drawn(attribute_curves("", found, x, [*names, *right]), x or "", right, look)

    def field(
        self,
        name: str,
        *,
        at: Mapping[str, float | str] | None = None,
        sums: Sequence[str] = (),
        component: int | None = None,
        steps: ChosenSteps = None,
        **look: Any,
    ) -> Figure:
        """Independent. Draw a plane of a field of one step as colours.

        `at` has places on the axes that are cut: a position, or "@" and the number of a node. Values are
        summed over the axes of `sums`.

        >>> with quire.open("beam.h5") as file:
        ...     figure = file.plot.field("rho", sums=["z"], steps=20)
        ...     [axes.get_ylabel() for axes in figure.axes]
        ['y [$\\\\mathrm{10^{-6}}$]', 'sum of rho over z']
        """
        from quire.toolkit.look import Look
        from quire.toolkit.picture import draw_plane

        chosen = self._steps(steps)
        if len(chosen) != 1:
            raise UsageError(
                f"a plane is of one step, and {len(chosen)} are selected", advice="give steps=NUMBER"
            )
        [found] = select_names([name], list(chosen[0].fields), "field")
        places = {
            axis: place if isinstance(place, str) else repr(place) for axis, place in (at or {}).items()
        }
        values = values_of(chosen[0].fields[found], FieldRequest(places, sums, component))
        if len(values.axes) != 2:
            left = ", ".join(axis.name for axis in values.axes) or "none"
            raise UsageError(
                f"a plane has two axes; these are left: {left}", advice="give at={...} or sums=[...]"
            )
        up, across = values.axes
        return draw_plane(across, up, values.values, values, replace(Look(title=values.name), **look))

    def _columns(
        self,
        x: str,
        ys: Sequence[str],
        right: Sequence[str],
        where: str | None,
        steps: ChosenSteps,
        table: str,
        colour: str | None,
        look: Mapping[str, Any],
    ) -> Figure:
        terms = [x, *ys, *([] if colour is None else [colour])]
        chosen = with_terms(self.file, self._steps(steps), terms, table)
        rows = RowSelection(where=where)
        if is_of_steps(chosen, x, table):
            return drawn(track_curves(chosen, "", x, ys, table, rows), x, right, look)

        def label(step: Step) -> str:
            return f"step {step.number}" if len(chosen) > 1 else ""

        found = column_curves(chosen, label, x, ys, table, rows, colour)
        if colour is not None and len(found.curves) > 1:
            raise UsageError(
                f"colours are of one step, and {len(chosen)} are selected", advice="give steps=NUMBER"
            )
        return drawn(found, x, right, look)

    def _steps(self, wanted: ChosenSteps) -> list[Step]:
        """Return the selected steps. Raises MissingError for numbers that no step has."""
        if wanted is None or isinstance(wanted, str):
            return [step for _, step in select_steps(self.file, parse_steps(wanted))]
        return [self.file.step(number) for number in ([wanted] if isinstance(wanted, int) else wanted)]

    def _tables(self, names: Sequence[str], where: str | None, steps: ChosenSteps, table: str) -> list[Any]:
        chosen = with_terms(self.file, self._steps(steps), names, table)
        return [one for _, one in tables_with(chosen, names, table, RowSelection(where=where))]


def drawn(found: Curves, x: str, right: Sequence[str], look: Mapping[str, Any]) -> Figure:
    """Independent. Draw curves; those whose names are in `right` on a second axis."""
    from quire.toolkit.look import Look
    from quire.toolkit.picture import draw_curves  # only drawing needs matplotlib

    return draw_curves(found, replace(Look(right=tuple(right)), **look), x)
