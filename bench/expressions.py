"""Expressions against NumPy: goal G1 of specs/query-index.md, and what evaluation costs.

    python bench/expressions.py [ROWS]

Both in this process, interleaved; the least CPU time of several repetitions counts. One thread, in memory.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from quire import _core
from quire.io.expression import BoundExpression, Expression

ROWS = 10_000_000
REPETITIONS = 9
SELECTED = (1e-6, 1e-4, 1e-2, 0.3)

Array = np.ndarray[Any, Any]


def best(*actions: Callable[[], object]) -> list[float]:
    """Independent. The least CPU milliseconds of each action, run in turns."""
    least = [float("inf")] * len(actions)
    for _ in range(REPETITIONS):
        for place, action in enumerate(actions):
            start = time.process_time()
            action()
            least[place] = min(least[place], (time.process_time() - start) * 1e3)
    return least


def bound(text: str, columns: dict[str, Array]) -> BoundExpression:
    """Independent. An expression over columns of float64."""
    return Expression(text).compile([_core.Quantity(name, "float64") for name in columns])


def row(what: str, ours: float, numpy: float) -> None:
    """Independent. One line of the table."""
    print(f"{what:44} {ours:8.2f} {numpy:8.2f} {numpy / ours:7.2f}")


def one_column(columns: dict[str, Array], share: float) -> None:
    """Independent. Select this share of the rows by one comparison."""
    px = columns["px"]
    a = float(np.quantile(px, 1 - share))
    condition = bound(f"px > {a!r}", columns)
    row(
        f"px > a, {share:g} selected",
        *best(lambda: condition.select(columns), lambda: np.flatnonzero(px > a)),
    )


def two_columns(columns: dict[str, Array], share: float) -> None:
    """Independent. Select this share of the rows by two comparisons of equal strength."""
    px, y = columns["px"], columns["y"]
    a, b = float(np.quantile(px, 1 - share**0.5)), float(np.quantile(y, share**0.5))
    condition = bound(f"px > {a!r} && y < {b!r}", columns)
    row(
        f"px > a && y < b, {share:g} selected",
        *best(lambda: condition.select(columns), lambda: np.flatnonzero((px > a) & (y < b))),
    )


def main(arguments: list[str]) -> None:
    """Measure and print the table."""
    rows = int(arguments[0]) if arguments else ROWS
    random = np.random.default_rng(1)
    columns = {"px": random.normal(size=rows), "y": random.normal(size=rows)}
    print(f"{f'{rows} rows, ms CPU':44} {'quire':>8} {'numpy':>8} {'ratio':>7}")
    for share in SELECTED:
        one_column(columns, share)
    for share in SELECTED:
        two_columns(columns, share)
    px, y = columns["px"], columns["y"]
    value = bound("sqrt(px**2 + y**2) * 2 - 1", columns)
    out = np.empty(rows)
    row(
        "sqrt(px**2 + y**2) * 2 - 1",
        *best(lambda: value.evaluate(columns, out=out), lambda: np.sqrt(px**2 + y**2) * 2 - 1),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
