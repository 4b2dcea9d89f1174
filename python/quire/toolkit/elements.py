"""Tables of coefficients, split at the boundaries of elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from quire.errors import UsageError
from quire.toolkit.selection import even_slice

if TYPE_CHECKING:
    from quire import Step, WriteStep
    from quire.io.quantity import Quantity
    from quire.toolkit.share import TableShare


def with_their_elements(
    step: Step,
    wanted: Mapping[str, dict[str, Quantity]],
    everything: Mapping[str, Mapping[str, Quantity]],
) -> dict[str, dict[str, Quantity]]:
    """Independent. Return the columns to copy by table if these variables are requested: with their elements,
    and without elements that have none of the variables.

    Raises UsageError if no variable is requested.
    """
    chosen: dict[str, dict[str, Quantity]] = {}
    for block in getattr(step, "expansions", ()):  # a derived step has none
        values, elements = block.table.name, block.elements.name
        if wanted.get(values) and elements in everything:
            chosen[values] = wanted[values]
            chosen[elements] = dict(everything[elements])
    if not chosen and everything:
        blocks = getattr(step, "expansions", ())
        names = dict.fromkeys(name for block in blocks for name in block.variables)
        raise UsageError(
            "none of these columns is a variable of elements", advice=f"there are {', '.join(names)}"
        )
    return chosen


def align_to_elements(step: Step, shares: Sequence[TableShare], rank: int, size: int) -> list[TableShare]:
    """Independent. Align the shares of tables of coefficients to the shares of their elements.

    Parts of a table that were requested by rows are not changed.
    """
    by_name = {share.table.name: share for share in shares}
    places = {share.table.name: place for place, share in enumerate(shares)}
    aligned = list(shares)
    for expansion in getattr(step, "expansions", ()):  # a derived step has none
        share = by_name.get(expansion.table.name)
        elements = by_name.get(expansion.elements.name)
        if share is None or elements is None or size == 1:
            continue
        start, count = even_slice(len(expansion), rank, size)
        if (elements.first, elements.count) != (start, count):
            continue
        counts = expansion.counts()
        first = int(counts[:start].sum())
        rows = int(counts[start : start + count].sum())
        aligned[places[share.table.name]] = replace(share, first=first, count=rows)
    return aligned


def elements_first(step: Step, shares: Sequence[TableShare]) -> list[TableShare]:
    """Independent. Return the shares in the order of `weigh`: tables of elements before all others.

    The boundaries of coefficients follow from the orders of the elements; earlier values would be buffered.
    """
    names = {expansion.elements.name for expansion in getattr(step, "expansions", ())}
    return sorted(shares, key=lambda share: share.table.name not in names)


def pass_on_expansion(target: WriteStep, share: TableShare) -> None:
    """Independent. Declare the rows of a written table as coefficients, if they are."""
    expansion = getattr(share.table, "expansion", None)  # a table with definitions has none
    if expansion is not None:
        target.expansion(expansion, table=share.new_table)
