"""Histograms, as methods of what has rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quire.errors import UsageError

if TYPE_CHECKING:
    from quire.io.histograms import Cut
    from quire.numeric.histograms import Histogram, Histogram2D

Ends = tuple[float | None, float | None]
"""The lower and the upper limit of bins; None is the least or the greatest value."""


class Binnable:
    """Rows of a table whose columns can be counted in bins."""

    @abstractmethod
    def _cut(self) -> Cut:
        """Independent. Return which rows of which table these are."""

    def histogram(
        self, name: str, bins: int | None = None, limits: Ends | None = None, weight: str = ""
    ) -> Histogram:
        """Independent. Count the rows in bins of a column, block by block in bounded memory.

        Parameters
        ----------
        name : a column of numbers
        bins : their number. Default: 20
        limits : the lower and the upper one. Default: the least and the greatest value, which an index has,
            or which needs another pass if the rows do not fit into 64 MiB. Only without an upper limit the
            last bin contains it
        weight : a column whose values are summed, instead of counting rows

        Returns
        -------
        `frequency`, by bin; `bins`, with `edges`, `centers`, `lower`, `size` and `count`; and `outside`, the
        number of rows in no bin.

        >>> with quire.open("beam.h5") as file:
        ...     found = file[0].table.where("px > 0").histogram("x", bins=4, limits=(-4e-4, 4e-4))
        ...     found.frequency.tolist(), found.outside, found.bins.edges.round(6).tolist()
        ([141.0, 352.0, 350.0, 140.0], 44, [-0.0004, -0.0002, 0.0, 0.0002, 0.0004])
        """
        from quire.io.histograms import histogram_of
        from quire.numeric.histograms import Wanted

        return histogram_of(self._cut(), name, Wanted(bins, *(limits or (None, None))), weight)

    def histogram_2d(
        self,
        x: str,
        y: str,
        bins: int | tuple[int, int] | None = None,
        limits: Sequence[Ends | None] | None = None,
        weight: str = "",
    ) -> Histogram2D:
        """Independent. Count the rows in cells of two columns, as `histogram` does.

        Parameters
        ----------
        bins : their number for both axes, or for each. Default: 21
        limits : those of each axis, of which any may be None

        Returns
        -------
        `frequency` of shape (bins of x, bins of y); `x` and `y`, the bins; and `outside`.

        >>> with quire.open("beam.h5") as file:
        ...     found = file[0].table.where("id < 1000").histogram_2d("x", "px", bins=(3, 2))
        ...     found.frequency.astype(int).tolist(), found.x.count, found.outside
        ([[27, 53], [312, 418], [67, 123]], 3, 0)
        """
        from quire.io.histograms import histogram_2d_of
        from quire.numeric.histograms import Wanted

        counts = bins if isinstance(bins, tuple) else (bins, bins)
        ends = [(None, None), (None, None)] if limits is None else [one or (None, None) for one in limits]
        if len(counts) != 2 or len(ends) != 2:
            raise UsageError("bins and limits of two columns are pairs")
        wanted = [Wanted(count, *pair) for count, pair in zip(counts, ends, strict=True)]
        return histogram_2d_of(self._cut(), [x, y], wanted, weight)
