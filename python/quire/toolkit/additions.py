"""What histograms show besides counts: fits, sums and shares of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quire.errors import UsageError
from quire.near import there_is_no

if TYPE_CHECKING:
    from quire.toolkit.bin_fits import BinFit
    from quire.toolkit.binning import Distribution

FITS: Final = ("gauss", "gaussian")
"""The fit of a histogram by its two names; the second one is that of the model of `quire fit`."""


@dataclass(frozen=True)
class Additions:
    """What is drawn besides counts: a fit to those of one column, or their sums instead of them; lines around
    shares of the rows, in percent, over those of two columns.
    """

    fit: str = ""
    is_cumulative: bool = False
    shares: Sequence[float] = ()

    def __post_init__(self) -> None:
        """Raises UsageError for an unknown fit, and for shares that are none."""
        if self.fit and self.fit not in FITS:
            raise UsageError(there_is_no("fit of a histogram", self.fit, FITS))
        for share in self.shares:
            if not 0 < share < 100:
                raise UsageError(
                    f"{share:g} is no share of the rows", advice="write percents, such as 50,90,99"
                )

    def require_axes(self, axes: int) -> None:
        """Independent. Raise UsageError for additions to histograms of another number of columns."""
        if axes == 1 and self.shares:
            raise UsageError("shares of the rows have lines in a histogram of two columns")
        if axes == 2 and (self.fit or self.is_cumulative):
            what = "a fit is" if self.fit else "sums are"
            raise UsageError(f"{what} drawn in a histogram of one column")


NOTHING: Final = Additions()


def parse_shares(text: str) -> tuple[float, ...]:
    """Independent. Return the percents of `50,90,99`. Raises UsageError.

    >>> from quire.toolkit.additions import parse_shares
    >>> parse_shares("50,99.9")
    (50.0, 99.9)
    """
    try:
        return tuple(float(part.removesuffix("%")) for part in text.split(",") if text)
    except ValueError:
        raise UsageError(f"'{text}' are no shares; write percents, such as 50,90,99") from None


def fits_of(found: Sequence[tuple[str, Distribution]], added: Additions) -> list[BinFit | None]:
    """Independent. Return the fit to each distribution, None if none is wanted."""
    from quire.toolkit.bin_fits import gaussian

    return [
        gaussian(one.axes[0], one.counts, is_weighted=one.weight is not None) if added.fit else None
        for _, one in found
    ]
