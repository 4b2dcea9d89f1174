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
    """Independent. Return the scale with which the largest value is between 1 and 1000."""
    head, slash, rest = unit.partition("/")
    if head not in PREFIXED or not 0 < largest < math.inf:
        return Scale(1.0, unit)
    power = 3 * math.floor(math.log10(largest) / 3 + 1e-9)
    power = max(min(PREFIXES), min(max(PREFIXES), power))
    return Scale(10.0**-power, PREFIXES[power] + head + slash + rest)


def scale_of(quantities: Sequence[Any], values: Sequence[Array], wanted: Mapping[str, str]) -> Scale | None:
    """Independent. Return the scale of an axis for these quantities and their values.

    `wanted` are units by name of a quantity. None: the quantities have different units, which stay. Raises
    UsageError for a unit that does not fit.
    """
    units = {item.unit for item in quantities}
    if len(units) != 1:
        return None
    unit = units.pop()
    asked = next((wanted[item.name] for item in quantities if item.name in wanted), None)
    if asked is not None:
        return Scale(float(convert(1.0, unit, asked)), asked)
    largest = max((np.nanmax(np.abs(one)) for one in values if np.isfinite(one).any()), default=0.0)
    return prefix_scale(unit, float(largest))


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


def axis_label(name: str, unit: str, symbol: str = "") -> str:
    """Independent. `name [unit]`, plain where the file gives no unit."""
    shown = symbol if symbol and "$" not in symbol else name
    shown = shown.replace("$", "\\$")
    return f"{shown} [{unit_text(unit)}]" if unit not in ("", "1") else shown


def joint_label(quantities: Sequence[Any], unit: str | None = None) -> str:
    """Independent. One label for all quantities on an axis: names joined, the unit if all share it.

    `unit` is that of a scale, instead of theirs.
    """
    names = list(dict.fromkeys(item.name for item in quantities))
    units = {item.unit for item in quantities} if unit is None else {unit}
    if len(names) == 1 and len(units) == 1:
        return axis_label(names[0], units.pop(), quantities[0].symbol)
    if len(units) == 1:
        return axis_label(", ".join(names), units.pop())
    pairs = dict.fromkeys(axis_label(item.name, item.unit) for item in quantities)
    return ", ".join(pairs)
