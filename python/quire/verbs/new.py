"""Make tables of values, sequences and samples of distributions: the begin of a chain without a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from quire import _core
from quire.errors import ConflictError, UsageError
from quire.io.attributes import Attribute, attributes_from_core
from quire.io.types import host_array
from quire.verbs.sources import (
    SEED,
    Column,
    Sample,
    agreed_seed,
    doubt_about,
    literals,
    made_column,
    named,
    parsed,
    with_radices,
)
from quire.verbs.steplike import MadeStep, MadeTable, StepLike, new_attribute

if TYPE_CHECKING:
    from quire import File
    from quire.verbs.chain import Chain
    from quire.verbs.step_chain import Steps


class NoFile:
    """What a chain needs of a file where there is none: no attributes, and the communicator."""

    path = "new data"
    title = contents = format = ""
    declared = None
    attachments: Mapping[str, int] = MappingProxyType({})
    layout: Mapping[str, str] = MappingProxyType({})

    def __init__(self, comm: Any = None) -> None:
        self.comm = comm
        self.rank: int = 0 if comm is None else comm.rank
        self.size: int = 1 if comm is None else comm.size
        self.attrs = attributes_from_core("the file", "", [])
        self.unreadable: dict[int, Any] = {}
        self.warnings: list[str] = []
        self._core = SimpleNamespace(description=empty_description())

    def close(self) -> None:
        """Independent. There is nothing to close."""


def no_file(comm: Any) -> File:
    """Independent. Return what takes the place of a file."""
    return cast("File", NoFile(comm))


@cache
def empty_description() -> _core.FileDescription:
    """Independent. Return the description of a file without anything, which only a file has."""
    import quire

    with TemporaryDirectory(prefix="quire-") as folder:
        path = Path(folder, "empty")
        with quire.create(path, quire.SELF, format=quire.formats()[0]):
            pass
        with quire.open(path, quire.SELF) as file:
            return file._core.description


def new(
    *definitions: str,
    columns: Mapping[str, Any] | None = None,
    rows: int | None = None,
    attributes: Sequence[str] = (),
    repeat: int = 1,
    seed: int | None = None,
    table: str = "",
    comm: Any = None,
) -> Chain:
    """Collective. Make a table of values, sequences and samples: the begin of a chain without a file.

    Parameters
    ----------
    definitions : `NAME=SOURCE` or `NAME[unit]=SOURCE`, of which SOURCE is a list of values (`1,2.5,4`),
        sequences one after another (`sequence(0, 1, 11) + sequence(end=5, delta=0.5)`), or a distribution:
        `uniform(low, high)`, `gaussian(mean, sigma, limit)`, `poisson(mean)`, `tabulated(FILE, x, density)`,
        `cumulative(FILE, x, distribution)`, each with `halton`, `halton=RADIX`, `halton_offset=N`,
        `shuffle=GROUP`
    columns : arrays by `NAME` or `NAME[unit]`
    rows : of samples; by default those of the other columns. A single value is that of all rows
    attributes : `NAME=VALUE` or `NAME[unit]=VALUE`
    repeat : the number of steps, each with samples of its own
    seed : of random numbers; by default a new one. It is the attribute `seed`

    >>> chain = quire.new("s[m]=sequence(0, 2, 5)", "x[m]=gaussian(0, 1e-3, limit=2)", seed=7)
    >>> chain.read()["s"].tolist(), int((abs(chain.read()["x"]) < 2e-3).sum())
    ([0.0, 0.5, 1.0, 1.5, 2.0], 5)
    """
    from quire.verbs.chain import Chain  # with all verbs, which the command does not need

    steps = made_steps(
        definitions,
        columns,
        rows=rows,
        attributes=attributes,
        repeat=repeat,
        seed=seed,
        table=table,
        comm=comm,
    )
    return Chain(no_file(comm), steps, table)


def made_steps(
    definitions: Sequence[str],
    columns: Mapping[str, Any] | None = None,
    *,
    rows: int | None,
    attributes: Sequence[str],
    repeat: int,
    seed: int | None,
    table: str,
    comm: Any,
) -> Steps:
    """Collective. Return what yields the steps of `new`. Takes its arguments."""
    if repeat < 1:
        raise UsageError(f"there is one step or more, not {repeat}")
    if rows is not None and rows < 0:
        raise UsageError(f"a table has 0 rows or more, not {rows}")
    found = with_radices([parsed(text) for text in definitions])
    for name, values in (columns or {}).items():
        label, unit, _ = named(f"{name}=")
        found.append(Column(label, np.atleast_1d(host_array(values, label)), unit))
    if not found:
        raise UsageError("new data need a column: NAME=1,2,3, NAME=sequence(...) or NAME=gaussian(...)")
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise ConflictError("there are two columns of this name", object=name)
    count = rows_of(found, rows)
    kept = {one.name: one for one in map(attribute, attributes)}
    if any(one.is_random for one in found):
        if SEED in kept:
            raise ConflictError("this attribute is the seed of random numbers", object=SEED)
        seed = agreed_seed(comm, seed)
        kept[SEED] = new_attribute(SEED, seed)

    doubts = [sentence for one in found[: len(definitions)] if (sentence := doubt_about(one))]

    def steps() -> Iterator[StepLike]:
        for number in range(repeat):
            made = [made_column(one, count, (seed or 0, number)) for one in found]
            yield MadeStep(number, kept.values(), [MadeTable(made, count, table)], doubts)

    return steps


def rows_of(columns: Sequence[Column], rows: int | None) -> int:
    """Independent. Return the number of rows. Raises ConflictError for columns of different lengths."""
    lengths = {one.name: len(one.source) for one in columns
               if not isinstance(one.source, Sample) and not one.is_single}  # fmt: skip
    if rows is not None:
        lengths = {"rows": rows} | lengths
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ConflictError(f"columns differ in length: {listed}", advice="none is filled up")
    if lengths:
        return next(iter(lengths.values()))
    if any(isinstance(one.source, Sample) for one in columns):
        raise UsageError("the number of rows of a sample is not known", advice="give rows=1000")
    return 1


def attribute(text: str) -> Attribute:
    """Independent. Return the attribute of a definition. Raises UsageError."""
    name, unit, rest = named(text)
    values = literals(name, rest)
    if len(values) > 1:
        raise UsageError(f"an attribute has one value, and '{text}' has {len(values)}")
    return new_attribute(name, values[0], unit=unit)
