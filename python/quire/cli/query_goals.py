"""quire bench --preset query: the goals of queries in one table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quire.cli.command import answer
from quire.cli.output import columns_of_text, plural, printable, remark, say

if TYPE_CHECKING:
    from quire.lab.query.goals import Line

HEADS: Final = ("goal", "what", "Quire", "other", "ratio", "limit", "")


def measure_queries(given: dict[str, Any], force: bool) -> None:
    """Measure the goals of queries in a directory; print their table, and write it to `query.jsonl`.

    Exits with 1 if rows were wrong, or a goal was missed. Raises UsageError for options of other presets.
    """
    from quire.errors import UsageError
    from quire.lab.bench.launch import require_empty
    from quire.lab.query.goals import FULL_ROWS
    from quire.lab.query.run import LEAST_PASSES, Setting, measured

    used = ("directory", "scale", "passes", "seed")
    if others := [name for name, value in given.items() if value and name not in used]:
        raise UsageError(f"queries are measured on one rank in this process: leave out --{others[0]}")
    if given["directory"] is None:
        raise UsageError("no directory to measure in: give --directory")
    folder = Path(given["directory"])
    folder.mkdir(parents=True, exist_ok=True)
    require_empty(folder, force)
    rows = max(1, round(FULL_ROWS * (1.0 if given["scale"] is None else given["scale"])))
    seed = 42 if given["seed"] is None else given["seed"]
    setting = Setting(
        folder, rows, given["passes"] or LEAST_PASSES, seed, lambda text: remark(f"quire: {text}")
    )
    lines, wrong = measured(setting)
    kept = folder / "query.jsonl"
    kept.write_text("".join(json.dumps(line.as_json()) + "\n" for line in lines), encoding="utf-8")
    show(lines, rows)
    for name in wrong:
        remark(f"quire: wrong rows: {printable(name)}")
    remark(f"quire: results in {kept}")
    answer(not wrong and all(line.is_reached is not False for line in lines))


def show(lines: Sequence[Line], rows: int) -> None:
    """Print the table, and how many goals are reached."""
    say(f"{rows} rows; best times of the processor")
    say()
    for text in columns_of_text([HEADS, *map(cells_of, lines)]):
        say(text)
    results = [line.is_reached for line in lines if line.is_reached is not None]
    say()
    say(f"{sum(results)} of {plural(len(results), 'goal')} reached")


def cells_of(line: Line) -> tuple[str, ...]:
    """Return the cells of a line."""
    limit = "" if line.least is None else f">= {line.least:g}"
    limit = limit if line.most is None else f"<= {line.most:g}"
    result = {None: line.note, True: "reached", False: "missed"}[line.is_reached]
    value = "-" if line.value is None else f"{line.value:.3g}"
    return line.goal, line.what, time_text(line.ours), time_text(line.other), value, limit, result


def time_text(seconds: float | None) -> str:
    """Return a time in milliseconds."""
    return "" if seconds is None else f"{1e3 * seconds:.3g} ms"
