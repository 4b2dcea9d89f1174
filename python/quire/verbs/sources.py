"""What new columns are made of: lists of values, sequences, and samples of distributions."""

from __future__ import annotations

import csv
import math
import re
import secrets
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from quire.errors import MissingError, Placing, UsageError
from quire.io.types import Array
from quire.near import there_is_no
from quire.numeric import distributions
from quire.numeric.distributions import Progression
from quire.toolkit.definitions import DEFINITION
from quire.toolkit.odd_cells import NUMBER
from quire.verbs.numbers import doubles
from quire.verbs.steplike import NewColumn, TableLike

RANGE = re.compile(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?(:|\.\.)[-+0-9.e:]+")
"""How other programs write sequences."""

CALL = re.compile(r"(?P<name>[A-Za-z_]\w*)\((?P<arguments>[^()]*)\)")
SEED = "seed"
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
"""Radices of Halton sequences, for columns in their order."""

SEQUENCE = "sequence"
DISTRIBUTIONS = {
    "uniform": ("low", "high"),
    "gaussian": ("mean", "sigma", "limit"),
    "poisson": ("mean",),
    "tabulated": ("file", "x", "density"),
    "cumulative": ("file", "x", "distribution"),
}
"""The distributions with their arguments, in order."""

OF_SAMPLES = ("halton", "halton_offset", "shuffle")
"""Arguments of all distributions."""


@dataclass(frozen=True)
class Sample:
    """A distribution with its arguments. `radix` is that of a Halton sequence, None for random numbers;
    columns with the same `shuffle` have their rows in the same random order.
    """

    distribution: str
    arguments: Mapping[str, Any]
    radix: int | None = None
    offset: int = 0
    shuffle: int | None = None

    @property
    def is_random(self) -> bool:
        """Whether the values depend on a seed."""
        return self.radix is None or self.shuffle is not None

    def values(self, rows: int, seed: Sequence[int]) -> Array:
        """Independent. Return so many values. The seed is that of the column."""
        if self.radix is None:
            numbers = distributions.uniform_numbers(rows, seed)
        else:
            numbers = distributions.halton(rows, self.radix, self.offset)
        if self.shuffle is not None:
            numbers = distributions.shuffled(numbers, seed[0], self.shuffle)
        given = dict(self.arguments)
        if self.distribution == "gaussian" and "limit" in given:
            return distributions.truncated_gaussian(numbers, **given)
        if "file" in given:
            with Placing(given["file"]):
                x, y = densities(**given)
                made = distributions.tabulated if "density" in given else distributions.cumulative
                return made(numbers, x, y)
        found: Callable[..., Array] = getattr(distributions, self.distribution)
        return found(numbers, **given)


@dataclass(frozen=True)
class Column:
    """A new column: an array, or a sample."""

    name: str
    source: Array | Sample
    unit: str = ""

    @property
    def is_random(self) -> bool:
        """Whether the values depend on a seed."""
        return isinstance(self.source, Sample) and self.source.is_random

    @property
    def is_single(self) -> bool:
        """Whether it is one value, which all rows can have."""
        return not isinstance(self.source, Sample) and len(self.source) == 1


def agreed_seed(comm: Any, seed: int | None = None) -> int:
    """Collective. Return the seed, by default a new one, the same on all ranks. Raises UsageError."""
    if seed is None:
        drawn = secrets.randbits(32)
        return drawn if comm is None else int(comm.bcast(drawn))
    if not 0 <= seed < 1 << 63:
        raise UsageError(f"a seed is a number from 0 to 2^63 - 1, not {seed}")
    return seed


def made_column(column: Column, rows: int, seed: tuple[int, int]) -> NewColumn:
    """Independent. Return a column of a step. Its random numbers depend on its name, not on other columns."""
    source = column.source
    if not isinstance(source, Sample):
        values = np.repeat(source, rows) if column.is_single else source
        return NewColumn(column.name, values, column.unit)
    seeds = [*seed, zlib.crc32(column.name.encode())]
    return NewColumn(column.name, lambda: source.values(rows, seeds), column.unit, "float64")


def named(text: str) -> tuple[str, str, str]:
    """Independent. Return name, unit and the rest of `NAME=REST` or `NAME[unit]=REST`. Raises UsageError."""
    found = DEFINITION.fullmatch(text)
    if found is None:
        raise UsageError(f"'{text}' is no definition; write NAME=SOURCE or NAME[unit]=SOURCE")
    return found["quoted"] or found["name"], found["unit"] or "", found["expression"].strip()


def parsed(text: str) -> Column:
    """Independent. Return the column of a definition. Raises UsageError."""
    name, unit, rest = named(text)
    parts = [CALL.fullmatch(part.strip()) for part in re.split(r"(?<=\))\s*\+", rest)]
    calls = [part for part in parts if part is not None]
    if not calls:
        return Column(name, literals(name, rest), unit)
    if len(calls) < len(parts):
        raise UsageError(f"'{rest}' is no list of values, sequence or distribution", object=name)
    kinds = [call["name"] for call in calls]
    for kind in kinds:
        if kind not in (SEQUENCE, *DISTRIBUTIONS):
            raise UsageError(there_is_no("distribution", kind, [SEQUENCE, *DISTRIBUTIONS]), object=name)
    if kinds[0] == SEQUENCE and set(kinds) == {SEQUENCE}:
        sequences = [progression(name, call["arguments"]) for call in calls]
        return Column(name, distributions.sequence(*sequences), unit)
    if len(calls) > 1:
        raise UsageError("sequences alone are written one after another", object=name)
    return Column(name, sample(name, kinds[0], calls[0]["arguments"]), unit)


def literals(name: str, text: str) -> Array:
    """Independent. Return a list of values: integers, numbers, or else texts, in quotes if with commas.

    Raises UsageError for an integer that would be rounded to float64.
    """
    words = [word.strip() for word in next(csv.reader([text], skipinitialspace=True), [])]
    if not words:
        raise UsageError("there is no value", object=name)
    for kind, dtype in ((int, np.int64), (int, np.uint64), (float, np.float64)):
        try:
            numbers = np.array([kind(word) for word in words], dtype)
        except (ValueError, OverflowError):
            continue
        if kind is float:
            refuse_rounding(name, words, numbers)
        return numbers
    made = np.empty(len(words), object)
    made[:] = words
    return made


def doubt_about(column: Column) -> str:
    """Independent. Return a sentence about a list of texts some of which look like numbers; empty if none."""
    values = column.source
    words: list[str] = [] if isinstance(values, Sample) or values.dtype != object else values.tolist()
    for word in words:
        if RANGE.fullmatch(word):
            return (
                f"the column '{column.name}' is text, for {word} is no number; a sequence is written "
                "sequence(FIRST, LAST, COUNT)"
            )
    others = [word for word in words if not NUMBER.fullmatch(word)]
    if not 0 < len(others) < len(words):
        return ""
    return f"the column '{column.name}' is text, for {others[0] or 'an empty value'} is no number"


def refuse_rounding(name: str, words: Sequence[str], numbers: Array) -> None:
    """Independent. Raise UsageError for an integer that is another one as float64."""
    for word, number in zip(words, numbers.tolist(), strict=True):
        try:
            is_rounded = int(word) != number
        except ValueError:
            continue
        if is_rounded:
            raise UsageError(
                f"{word} is no float64, which has 15 digits",
                object=name,
                advice=f"write {word}.0 to round it",
            )


def split_arguments(name: str, known: Sequence[str], text: str) -> dict[str, str]:
    """Independent. Return the arguments of a call by name; the first ones may be without."""
    given: dict[str, str] = {}
    for place, word in enumerate(word.strip() for word in text.split(",") if word.strip()):
        key, is_named, value = (part.strip() for part in word.partition("="))
        if not is_named and key in OF_SAMPLES:
            value = ""
        elif not is_named:
            if place >= len(known):
                raise UsageError(f"'{word}' is one argument too many", object=name)
            key, value = known[place], word
        if key in given:
            raise UsageError(f"the argument {key} is given twice", object=name)
        given[key] = value
    return given


def whole_or_not(text: str) -> float:
    """Independent. Return a number, of type int if it is written as a whole one that int64 holds. Raises
    ValueError.
    """
    is_whole = re.fullmatch(r"[+-]?\d+", text) is not None and abs(int(text)) < 1 << 63
    return int(text) if is_whole else float(text)


def number(name: str, key: str, text: str, kind: type[int] | Callable[[str], float] = float) -> Any:
    """Independent. Return the number of an argument. Raises UsageError."""
    try:
        found = kind(text)
    except ValueError:
        what = "whole number" if kind is int else "number"
        raise UsageError(f"{key}={text} is no {what}", object=name) from None
    if isinstance(found, int) and abs(found) >= 1 << 63:
        raise UsageError(f"{key}={text} has more than 63 bits", object=name)
    if not math.isfinite(found):
        raise UsageError(f"{key}={text} is not finite", object=name)
    return found


def progression(name: str, text: str) -> Progression:
    """Independent. Return a sequence: begin, end and number of rows, or delta, and interval."""
    kinds: dict[str, Callable[[str], float]] = {
        "begin": whole_or_not,
        "end": whole_or_not,
        "number": int,
        "delta": whole_or_not,
        "interval": int,
    }
    given = split_arguments(name, ("begin", "end", "number"), text)
    require_known(name, given, kinds)
    return Progression(**{key: number(name, key, word, kinds[key]) for key, word in given.items()})


def sample(name: str, kind: str, text: str) -> Sample:
    """Independent. Return a distribution with its arguments."""
    known = DISTRIBUTIONS[kind]
    given = split_arguments(name, known, text)
    require_known(name, given, (*known, *OF_SAMPLES))
    own = {key: word if "file" in known else number(name, key, word)
           for key, word in given.items() if key in known}  # fmt: skip
    missing = (
        [key for key in known if key not in own] if kind in ("tabulated", "cumulative", "poisson") else []
    )
    if missing:
        raise UsageError(f"{kind} needs {', '.join(missing)}", object=name)
    if "halton_offset" in given and "halton" not in given:
        raise UsageError("halton_offset belongs to halton", object=name)
    radix = None
    if "halton" in given:
        radix = number(name, "halton", given["halton"], int) if given["halton"] else 0
    return Sample(
        kind,
        own,
        radix,
        number(name, "halton_offset", given.get("halton_offset", "0"), int),
        number(name, "shuffle", given["shuffle"] or "0", int) if "shuffle" in given else None,
    )


def require_known(name: str, given: Mapping[str, str], known: Any) -> None:
    """Independent. Raise UsageError for an argument that does not exist."""
    for key in given:
        if key not in known:
            raise UsageError(there_is_no("argument", key, list(known)), object=name)


def with_radices(columns: Sequence[Column]) -> list[Column]:
    """Independent. Return the columns; Halton sequences without a radix get the next primes.

    Raises UsageError for two of one radix, which would be the same numbers.
    """
    samples = [
        one.source for one in columns if isinstance(one.source, Sample) and one.source.radix is not None
    ]
    used = [one.radix for one in samples if one.radix]
    free = iter([prime for prime in PRIMES if prime not in used])
    made, seen = [], set()
    for column in columns:
        source = column.source
        if isinstance(source, Sample) and source.radix is not None:
            radix = source.radix or next(free, None)
            if radix is None:
                raise UsageError("there are too many Halton sequences without a radix", object=column.name)
            if (radix, source.shuffle) in seen:
                raise UsageError(
                    f"two columns have a Halton sequence of radix {radix}: the same numbers",
                    object=column.name,
                    advice="give them different primes",
                )
            seen.add((radix, source.shuffle))
            source = replace(source, radix=radix)
        made.append(Column(column.name, source, column.unit))
    return made


def densities(file: str, x: str, density: str = "", distribution: str = "") -> tuple[Array, Array]:
    """Independent. Return two columns of the first step of a file."""
    import quire

    with quire.open(Path(file), quire.SELF) as opened, Placing(file):
        step = next(iter(opened), None)
        if step is None:
            raise MissingError("the file has no step", file=file)
        found = doubles(cast("TableLike", step.table), [x, density or distribution])
    return found[x], found[density or distribution]
