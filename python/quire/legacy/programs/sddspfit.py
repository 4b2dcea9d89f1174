"""sddspfit: specs/sdds-toolkit.md, section 7.5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quire.legacy.acts.verbs import Names, by_verb
from quire.legacy.grammar import CommandLine, integer, parse
from quire.legacy.programs.common import columns_of, major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddspfit"

POLYNOMIAL: Final = ("terms", "orders", "symmetry", "reviseOrders", "generateSigmas")
"""Options of polynomials; errors of parameters are always scaled by the residuals without errors of rows."""

REFUSED: Final = (
    "chebyshev", "xOffset", "xFactor", "sigmas", "modifySigmas", "range", "repeatFits", "evaluate",
    "normalize",
)  # fmt: skip

OPTIONS: Final = ("columns", *POLYNOMIAL, *REFUSED, "noWarnings", "majorOrder", "threads")

WORDS: Final = ("intercept", "slope", "curvature")
"""What Quire calls the coefficients of the first orders."""


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    (x, y), sigma = columns_of(line)
    columns: dict[str, Sequence[str]] = {name: (name,) for name in (x, y, sigma) if name}
    columns |= {f"{y}_fit": (f"{y}Fit",), f"{y}_residual": (f"{y}Residual",), "*": ()}
    names = Names(columns, parameters_of(y, orders_of(line)))
    source, end = writing(line, {"mode": "binary"} | major_order(line))
    return Translation(PROGRAM, source, [fitting(line, [y], x, sigma, names)], end)


def parameters_of(y: str, orders: Sequence[int], begin: str = "") -> dict[str, tuple[str, ...]]:
    """Independent. Return the new names of the attributes of a fit, with the text that they begin with."""
    found: dict[str, tuple[str, ...]] = {}
    for order in orders:
        word = WORDS[order] if order < len(WORDS) else f"coefficient_{order}"
        names = [f"{begin}Coefficient{order:02d}"]
        names += [f"{begin}{word.capitalize()}"] if order < len(WORDS) else []
        found[f"{y}_{word}"] = tuple(names)
        found[f"{y}_{word}_sigma"] = tuple(f"{name}Sigma" for name in names)
    return found | {
        f"{y}_fit_rms": (f"{begin}RmsResidual",),
        f"{y}_fit_chi_squared": (f"{begin}ReducedChiSquared",),
        f"{y}_fit_significance": (f"{begin}SignificanceLevel",),
        f"{y}_fit_*": (),
    }


def fitting(line: CommandLine, y: Sequence[str], x: str, sigma: str, names: Names) -> Act:
    """Independent. Return the act of a fit by a polynomial."""
    orders = orders_of(line)
    is_plain = orders == list(range(len(orders)))
    how: dict[str, Any] = {"order": orders[-1]} if is_plain else {"orders": orders}
    how |= {"revise": True} if line.last("reviseOrders") else {}
    words = ["--order", str(orders[-1])] if is_plain else ["--orders", ",".join(map(str, orders))]
    words += ["--revise"] if "revise" in how else []
    words += ["--sigma", sigma] if sigma else []
    keywords = {"versus": x, "sigma": sigma} | how
    given = ("fit", *y, "--versus", x, *words, *names.words)
    return Act(by_verb, ("fit", tuple(y), keywords, names), words=given, note=names.note)


def orders_of(line: CommandLine) -> list[int]:
    """Independent. Return the orders of the terms. Raises UsageError."""
    if option := line.last("orders"):
        return [integer(item, option) for item in option.items]
    terms = line.last("terms")
    count = 2 if terms is None else integer(terms.item(0, "the number of terms"), terms)
    first, step = 0, 1
    if option := line.last("symmetry"):
        kind = option.choice(0, ("none", "odd", "even"), "symmetry")
        first, step = (0, 1) if kind == "none" else (int(kind == "odd"), 2)
    if count < 1 and terms is not None:
        raise terms.wrong("a polynomial has 1 term or more")
    return [first + step * place for place in range(count)]
