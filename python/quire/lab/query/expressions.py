"""Random conditions on columns of special values: rows by an index must be those of the scan."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

import quire

ROWS: Final = 3 * 4096 + 1
SPECIAL: Final = [np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1.0, -1.0]
LARGE: Final = 1 << 53


def make_tables(seed: int) -> list[dict[str, Any]]:
    """Independent. Return tables with NaN, infinities, zeros of both signs, values that occur often, and
    integers beyond float64; the last ones have one row and none.
    """
    chance = np.random.default_rng(seed)
    numbers = chance.normal(size=ROWS).round(2)
    special = np.where(chance.random(ROWS) < 0.1, chance.choice(SPECIAL, ROWS), numbers)
    whole = {
        "x": special,
        "y": np.sort(numbers),
        "f": special.astype(np.float32),
        "n": LARGE + chance.integers(-3, 4, ROWS),
        "u": chance.integers((1 << 64) - 5, (1 << 64) - 1, ROWS, np.uint64, endpoint=True),
        "k": chance.integers(0, 3, ROWS).astype(np.int16),
    }
    return [whole, *({name: values[:rows] for name, values in whole.items()} for rows in (1, 0))]


def write_tables(path: Path, seed: int) -> list[dict[str, Any]]:
    """Independent. Write the tables, each as a step; returns them."""
    tables = make_tables(seed)
    with quire.create(path) as out:
        for number, columns in enumerate(tables):
            with out.step(number) as step:
                for name, values in columns.items():
                    step.put(name, values)
    return tables


def condition(chance: random.Random, columns: dict[str, Any]) -> str:
    """Independent. Return a random condition, often with constants that occur in the columns."""

    def operand() -> str:
        name = chance.choice(list(columns))
        forms = ["{}", "{}", "{}", "abs({})", "-{}", "({} * 2)"] if name in "xyfk" else ["{}"]
        return chance.choice(forms).format(name)

    def constant() -> str:
        values = columns[chance.choice(list(columns))]
        if len(values) and chance.random() < 0.6:
            value = values[chance.randrange(len(values))]
            if np.isfinite(value) and (value.dtype.kind == "f" or int(value) < 1 << 63):
                return repr(value.item())
        return chance.choice(["0", "1", "-0.0", "0.5", "inf", "-inf", str(LARGE + 1)])

    def comparison() -> str:
        if chance.random() < 0.1:
            return f"isnan({chance.choice('xyf')})"
        if chance.random() < 0.1:
            return f"{chance.choice('xyfk')} in ({constant()}, {constant()})"
        sign = chance.choice(["<", "<=", ">", ">=", "==", "!="])
        return f"{operand()} {sign} {constant()}"

    text = comparison()
    for _ in range(chance.randrange(3)):
        text = f"({text}) {chance.choice(['and', 'or', 'and not', 'or not'])} ({comparison()})"
    return text


def wrong_answers(folder: Path, count: int, seed: int, on_done: Callable[[int], None]) -> list[str]:
    """Independent. Return the conditions, of so many, whose rows by an index are not those of the scan,
    or which cannot be evaluated.
    """
    plain, listed = folder / "special-plain.h5", folder / "special-lists.h5"
    tables = write_tables(plain, seed)
    write_tables(listed, seed)
    quire.build_index(listed, columns=list(tables[0]))
    chance = random.Random(seed)
    wrong = []
    with quire.open(plain) as one, quire.open(listed) as other:
        for number in range(count):
            place = 0 if chance.random() < 0.9 else chance.randrange(len(tables))
            text = condition(chance, tables[place])
            expected = rows_of(one[place].table, text)
            if expected is None or rows_of(other[place].table, text) != expected:
                wrong.append(text)
            on_done(number + 1)
    return wrong


def rows_of(table: Any, text: str) -> list[int] | None:
    """Independent. Return the rows that satisfy a condition; None if it cannot be evaluated."""
    try:
        found: list[int] = table.where(text).numbers().tolist()
    except quire.Error:
        return None
    return found
