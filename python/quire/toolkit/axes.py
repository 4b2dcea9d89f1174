"""Axes of plots: labels with units as the field writes them, and scales with SI prefixes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.toolkit.markup import marked_up
from quire.units import convert

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

SUFFIXES = (".png", ".pdf", ".svg", ".ps", ".eps")
"""Of pictures."""

PREFIXES = {
    -15: "f",
    -12: "p",
    -9: "n",
    -6: "\N{MICRO SIGN}",
    -3: "m",
    0: "",
    3: "k",
    6: "M",
    9: "G",
    12: "T",
}
PREFIXED = {"m", "s", "eV", "C", "A", "V", "W", "J", "T", "Hz", "N", "Pa"}
"""Units that get a prefix, alone or before a slash: m, eV/c, V/m."""


@dataclass(frozen=True)
class Scale:
    """The factor by which the values on an axis are multiplied, and their unit then."""

    factor: float = 1.0
    unit: str = ""


POWERS = {**{prefix: power for power, prefix in PREFIXES.items()}, "u": -6}
NO_LARGE_PREFIX = ("m", "s")
"""Tm and Gs are no metres and seconds."""


def without_prefix(unit: str) -> tuple[str, int]:
    """Independent. Return a unit without its prefix, and the power of ten that this is.

    >>> from quire.toolkit.axes import without_prefix
    >>> without_prefix("MeV"), without_prefix("m"), without_prefix("Tm")
    (('eV', 6), ('m', 0), ('Tm', 0))
    """
    prefix, rest = unit[:1], unit[1:]
    power = POWERS.get(prefix, 0)
    if unit in PREFIXED or rest not in PREFIXED or (power >= 6 and rest in NO_LARGE_PREFIX):
        return unit, 0
    return (rest, power) if power else (unit, 0)


def prefix_scale(unit: str, largest: float) -> Scale:
    """Independent. Return the scale with which the largest value is between 1 and 1000, by a prefix, which
    may be another than that of the unit.
    """
    written, slash, rest = unit.partition("/")
    head, own = without_prefix(written)
    if head not in PREFIXED or not 0 < largest < math.inf:
        return Scale(1.0, unit)
    power = max(min(PREFIXES), min(max(PREFIXES), power_of_1000(largest) + own))
    if power == own:
        return Scale(1.0, unit)
    return Scale(10.0 ** (own - power), PREFIXES[power] + head + slash + rest)


def power_scale(unit: str, largest: float) -> Scale:
    """Independent. Return the same by a power of ten before a unit that takes no prefix, if numbers are
    long without it.
    """
    if not 0 < largest < math.inf or 1e-2 <= largest < 1e4:
        return Scale(1.0, unit)
    power = power_of_1000(largest)
    return Scale(10.0**-power, f"10$a{power}$n" + (f" {unit}" if unit not in ("", "1") else ""))


def power_of_1000(largest: float) -> int:
    """Independent. Return the multiple of 3 that is the exponent of a positive number."""
    return 3 * math.floor(math.log10(largest) / 3 + 1e-9)


def scale_of(
    quantities: Sequence[Any], values: Sequence[Array], wanted: Mapping[str, str], is_log: bool = False
) -> Scale | None:
    """Independent. Return the scale of an axis for these quantities and their values.

    `wanted` are units by name of a quantity. A logarithmic axis has no power of ten before the unit.
    None: the quantities have different units, which stay. Raises UsageError for a unit that does not fit.
    """
    units = {item.unit for item in quantities}
    if len(units) != 1:
        return None
    unit = units.pop()
    asked = next((wanted[item.name] for item in quantities if item.name in wanted), None)
    if asked is not None:
        return Scale(float(convert(1.0, unit, asked)), asked)
    largest = float(max((np.nanmax(np.abs(one)) for one in values if np.isfinite(one).any()), default=0.0))
    scale = prefix_scale(unit, largest)
    return scale if scale.unit != unit or is_log else power_scale(unit, largest)


def heading(item: Any, name: str = "") -> str:
    """Independent. The heading of a column of text: `name [unit]`, the unit as the file has it. `name` is
    used instead of that of the quantity.
    """
    return f"{name or item.name} [{item.unit}]" if item.unit not in ("", "1") else name or item.name


def place_text(name: str, position: float, unit: str) -> str:
    """Independent. A place on an axis, such as `z = 5.7 mm`, with the prefix that keeps it short."""
    scale = prefix_scale(unit, abs(position))
    return f"{name} = {position * scale.factor:.4g} {scale.unit}".rstrip()


def axis_label(name: str, unit: str, symbol: str = "") -> str:
    """Independent. `name [unit]` with the mark-up of matplotlib, plain where the file gives no unit. A symbol
    is drawn instead of the name.
    """
    return with_unit(marked_up(symbol) if symbol else name.replace("$", "\\$"), unit)


def with_unit(label: str, unit: str) -> str:
    """Independent. A label and a unit in brackets."""
    return f"{label} [{marked_up(unit)}]" if unit not in ("", "1") else label


def joint_label(quantities: Sequence[Any], unit: str | None = None) -> str:
    """Independent. One label for all quantities on an axis: symbols or names, the unit if all share it.

    `unit` is that of a scale, instead of theirs. Quantities of different units are grouped by them.
    """
    labels: dict[str, dict[str, None]] = {}
    for item in quantities:
        group = labels.setdefault(item.unit if unit is None else unit, {})
        group[axis_label(item.name, "", item.symbol)] = None
    return "; ".join(with_unit(", ".join(group), one) for one, group in labels.items())
