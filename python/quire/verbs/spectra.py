"""Spectra of columns, and the frequencies of their lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar, Unpack

import numpy as np

from quire.errors import UsageError
from quire.io.types import Array
from quire.near import there_is_no
from quire.numeric.calculus import even_spacing
from quire.numeric.spectra import Length, Preparation, Spectrum, WindowName, spectrum
from quire.numeric.tunes import lines
from quire.verbs.numbers import about, computed, expression_unit, names_besides, numbers_of
from quire.verbs.order import require_columns
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import NewColumn, StepLike

S = TypeVar("S", bound=StepChain)

RESULTS: dict[str, Callable[[Spectrum], Array]] = {
    "amplitude": lambda one: one.amplitude,
    "phase": lambda one: one.phase,
    "unwrapped_phase": lambda one: one.unwrapped_phase,
    "real": lambda one: one.real,
    "imaginary": lambda one: one.imaginary,
    "density": lambda one: one.density,
    "power": lambda one: one.integrated(),
    "power_above": lambda one: one.integrated(from_top=True),
}
"""What `fft` makes of a spectrum."""


def unit_of(result: str, y: str, x: str) -> str:
    """Independent. Return the unit of a result of `fft`, of a column over one with the unit `x`."""
    if result in ("phase", "unwrapped_phase"):
        return "deg"
    if result == "density":
        return expression_unit("y**2*x", y=y, x=x)
    return expression_unit("y**2", y=y) if result in ("power", "power_above") else y


@dataclass(frozen=True)
class Transform:
    """What `fft` makes of a table."""

    columns: Sequence[str]
    versus: str = ""
    spacing: float | None = None
    results: Sequence[str] = ("amplitude", "phase")
    window: WindowName = "none"
    correct: bool = False
    remove_mean: bool = False
    length: Length = "as_is"

    def __post_init__(self) -> None:
        if not self.columns:
            raise UsageError("fft needs a column")
        if self.versus and self.spacing is not None:
            raise UsageError("give either the column of times (--versus), or their spacing (--spacing)")
        for one in self.results:
            if one not in RESULTS:
                raise UsageError(there_is_no("result", one, list(RESULTS)))

    def applied(self, step: StepLike, table: Any) -> StepLike:
        """Independent. Return a step with the spectra of a table."""
        names = names_besides(table, self.columns, self.versus)
        found = numbers_of(table, [*names, *([self.versus] if self.versus else ())])
        time = found.get(self.versus)
        unit = table[self.versus].unit if self.versus else ""
        preparation = Preparation(self.window, self.correct, self.remove_mean, self.length)
        if time is not None and len(table) > 1:
            with about(step):
                even_spacing(time, self.versus, tolerance=0.01)
        made: list[NewColumn] = []
        for name in names:
            with about(step, name):
                one = spectrum(found[name], time, self.spacing, preparation) if len(table) else None
            if not made:
                frequency = np.empty(0) if one is None else one.frequency
                made.append(NewColumn("frequency", frequency, expression_unit("1/x", x=unit)))
            for result in self.results:
                values = np.empty(0) if one is None else RESULTS[result](one)
                made.append(NewColumn(f"{name}_{result}", values, unit_of(result, table[name].unit, unit)))
        return computed(step, table, made, len(made[0].read()))


class TransformKeywords(TypedDict, total=False):
    """The keyword arguments of `fft`."""

    versus: str
    spacing: float | None
    results: Names
    window: WindowName
    correct: bool
    remove_mean: bool
    length: Length


def fft(chain: S, *columns: Names, **how: Unpack[TransformKeywords]) -> S:
    """Independent. Make a row of each frequency of the Fourier transforms of columns. Attributes stay.

    Parameters
    ----------
    columns : names or patterns
    versus : the column of times, evenly spaced to 1 %; phases are referred to its zero
    spacing : the distance of rows instead, from 0 on; without both it is 1
    results : some of `amplitude` (a sine of amplitude 2 reads 2), `phase` and `unwrapped_phase` in degrees,
        `real`, `imaginary`, `density` (its integral is the mean square), `power` up to each frequency,
        `power_above`
    window : `hann`, `hamming`, `parzen`, `welch`, `flat_top` or `gaussian`
    correct : scale the density so that the window keeps the power
    remove_mean : subtract the mean before
    length : `pad` with zeros to a power of two, or `truncate` to factors of 2, 3 and 5

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     found = chain.hist("z", bins=4).fft("z_frequency", versus="z", results=["amplitude"])
    ...     found.read()["z_frequency_amplitude"].round(1).tolist()
    [500.0, 560.7, 50.5]
    """
    if "results" in how:
        how["results"] = listed(how["results"])
    return chain.each(Transform(listed(*columns), **how).applied)


def tunes(
    chain: S,
    *columns: Names,
    pair: str = "",
    versus: str = "",
    spacing: float | None = None,
    count: int = 1,
    least: float = 0.0,
) -> S:
    """Independent. Make a row of each of the strongest frequencies of columns, found to high precision.

    J. Laskar, Physica D 67 (1993) 257. Each column gets `NAME_frequency`, `NAME_amplitude`, `NAME_phase` (of
    A cos(2 pi f t + phase), in rad, at the first row) and `NAME_significance`, the share of the power that
    the line removed. Lines that do not exist are NaN. Attributes stay.

    Parameters
    ----------
    columns : names or patterns
    pair : the conjugate column, in which a star is the name, such as `p*`: frequencies are then distinguished
        from 0 to 1 per row instead of 0 to 1/2
    versus, spacing : the column of times, evenly spaced to 1 %, or their distance; without both it is 1
    count : number of frequencies
    least : the search ends at the first line with less than this share of the power

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     turns = chain.rows(slice(0, 100)).define("u=cos(2*pi*0.2813*row)")
    ...     round(float(turns.tunes("u").read()["u_frequency"][0]), 9)
    0.2813
    """
    wanted = listed(*columns)
    if not wanted:
        raise UsageError("tunes needs a column")
    if versus and spacing is not None:
        raise UsageError("give either the column of times (--versus), or their spacing (--spacing)")

    def found_in(step: StepLike, table: Any) -> StepLike:
        names = names_besides(table, wanted, versus)
        mates = {name: pair.replace("*", name) for name in names} if pair else {}
        require_columns(table, list(mates.values()))
        found = numbers_of(table, [*names, *mates.values(), *([versus] if versus else ())])
        unit = table[versus].unit if versus else ""
        distance = 1.0 if spacing is None else spacing
        if versus and len(table) > 1:
            with about(step):
                distance = even_spacing(found[versus], versus, tolerance=0.01)
        made: list[NewColumn] = []
        for name in names:
            with about(step, name):
                one = lines(found[name], found.get(mates.get(name, "")), count, distance, least)
            units = {
                "frequency": expression_unit("1/x", x=unit),
                "amplitude": table[name].unit,
                "phase": "rad",
                "significance": "",
            }
            made += [NewColumn(f"{name}_{word}", getattr(one, word), its) for word, its in units.items()]
        return computed(step, table, made, count)

    return chain.each(found_in)
