"""How many files a cell makes, known before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from quire.errors import Error
from quire.lab.bench.cells import Cell, Method
from quire.lab.plan import simulation

NOT_OF_FORMATS = ("call", "commit", "durable", "lossy")
"""Options of the writer itself."""


def files_of(cell: Cell) -> int:
    """Independent. The files that a cell makes at most, those that it reads and their copies included."""
    made = files_of_method(cell.maker or cell.method, cell.workload, cell.ranks)
    if cell.operation == "rewrite":
        return 2 * made
    return made if cell.to is None else made + files_of_method(cell.to, cell.workload, cell.readers)


def files_of_method(method: Method, workload: Mapping[str, Any], ranks: int) -> int:
    """Independent. Of directories and sets all files, of formats of one step those of all steps."""
    if method.engine == "raw-own":
        return ranks
    if method.engine != "library":
        return 1
    options = tuple((name, value) for name, value in method.options.items() if name not in NOT_OF_FORMATS)
    return simulated_files(method.format, options, str(workload["kind"]), int(workload["steps"]), ranks)


@cache
def simulated_files(
    format: str, options: tuple[tuple[str, str], ...], kind: str, steps: int, ranks: int
) -> int:
    """Independent. By a simulation of the smallest workload of which each rank has something: files do not
    depend on sizes. 1 where the cell will not be written at all, which it says itself.
    """
    smallest = {"table": f"table:{ranks}", "elements": f"elements:{ranks}", "field": "field:2x2x2"}
    try:
        workload = {**simulation.parse_workload(smallest[kind]), "steps": steps}
        return simulation.simulate(simulation.Method(format, dict(options)), workload, ranks).files
    except Error:
        return 1
