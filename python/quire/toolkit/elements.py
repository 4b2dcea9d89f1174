"""Tables of coefficients on elements, cut where elements end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from quire.errors import UsageError
from quire.toolkit.selection import even_slice

if TYPE_CHECKING:
    from quire import Step, WriteStep
    from quire.io.quantity import Quantity
    from quire.toolkit.copier import TableShare


def with_their_elements(
    step: Step,
    wanted: Mapping[str, dict[str, Quantity]],
    everything: Mapping[str, Mapping[str, Quantity]],
) -> dict[str, dict[str, Quantity]]:
    """Independent. By table the columns that are copied if these variables of elements are wanted: with their
    elements, and without elements that have none of them.

    Raises UsageError if no variable is wanted.
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
    """Independent. The shares of tables of coefficients end where elements do: those of the elements decide.

    Parts of a table that were asked for by rows stay as they are.
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
    """Independent. The shares in the order in which they are weighed: tables of elements before all others.

    Where coefficients are cut follows from the orders of the elements: values that come before have to wait.
    """
    names = {expansion.elements.name for expansion in getattr(step, "expansions", ())}
    return sorted(shares, key=lambda share: share.table.name not in names)


def pass_on_expansion(target: WriteStep, share: TableShare) -> None:
    """Independent. Say of a table that is written that its rows are coefficients, if they are."""
    expansion = getattr(share.table, "expansion", None)  # a table with definitions has none
    if expansion is not None:
        target.expansion(expansion, table=share.table.name)
