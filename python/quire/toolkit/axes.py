"""Axes of plots: labels with units as the field writes them, and scales with SI prefixes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.units import convert

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

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


def prefix_scale(unit: str, largest: float) -> Scale:
    """Independent. Return the scale with which the largest value is between 1 and 1000, by a prefix."""
    head, slash, rest = unit.partition("/")
    if head not in PREFIXED or not 0 < largest < math.inf:
        return Scale(1.0, unit)
    power = max(min(PREFIXES), min(max(PREFIXES), power_of_1000(largest)))
    return Scale(10.0**-power, PREFIXES[power] + head + slash + rest)


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


def unit_text(unit: str) -> str:
    """Independent. A unit as the field writes it (`m$be$nc`, `1/m$a2$n`) for a label of matplotlib.

    `$a` raises, `$b` lowers, `$n` returns to the line, `$s` and `$r` switch between Greek and Roman.
    """
    text, raised = "", ""
    i = 0
    while i < len(unit):
        code = unit[i : i + 2]
        if code in ("$a", "$b"):
            text += raised + ("^{" if code == "$a" else "_{")
            raised = "}"
        elif code == "$n":
            text += raised
            raised = ""
        elif len(code) == 2 and code[0] == "$":
            pass
        else:
            text += "\\" + unit[i] if unit[i] in "%#&_$" else unit[i]
            i += 1
            continue
        i += 2
    return "$\\mathrm{" + (text + raised).replace(" ", "\\ ") + "}$" if "$" in unit else unit


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
    """Independent. `name [unit]`, plain where the file gives no unit."""
    shown = symbol if symbol and "$" not in symbol else name
    shown = shown.replace("$", "\\$")
    return f"{shown} [{unit_text(unit)}]" if unit not in ("", "1") else shown


def joint_label(quantities: Sequence[Any], unit: str | None = None) -> str:
    """Independent. One label for all quantities on an axis: names joined, the unit if all share it.

    `unit` is that of a scale, instead of theirs. Quantities of different units are grouped by them.
    """
    names: dict[str, list[str]] = {}
    for item in quantities:
        group = names.setdefault(item.unit if unit is None else unit, [])
        group += [item.name] if item.name not in group else []
    if len(names) == 1 and len(next(iter(names.values()))) == 1:
        ((only, group),) = names.items()
        return axis_label(group[0], only, quantities[0].symbol)
    return "; ".join(axis_label(", ".join(group), one) for one, group in names.items())
