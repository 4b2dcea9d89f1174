"""Plans for the driver of the benchmark, and the lines that it prints."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.python.support.mpi import mpiexec

LIMIT = 60
TABLE = {"name": "table", "kind": "table", "rows": 103, "columns": "3xfloat64+1xint32", "steps": 2, "seed": 7}
FIELD = {"name": "field", "kind": "field", "extents": [4, 7, 6], "components": 2, "fields": 2, "steps": 2}
ELEMENTS = {
    "name": "elements",
    "kind": "elements",
    "elements": 19,
    "variables": 2,
    "modes": [2, 3],
    "steps": 2,
}
# Streams of records; numbers of fewer digits; files without tables, which cannot be appended to.
UNSUITABLE = {"keys", "canonical", "lines_per_row", "no_row_counts"}
RAW = [{"name": engine, "engine": engine} for engine in ("raw-shared", "raw-own")]
MPIIO = [
    {"name": transfer, "engine": "mpiio", "transfer": transfer} for transfer in ("independent", "collective")
]


def cell(method: dict[str, Any], workload: dict[str, Any], operation: str, **more: Any) -> dict[str, Any]:
    """Return a cell written on 3 ranks and read on 2; run() adds its number."""
    return {
        "id": f"{method['name']} {workload['name']} {operation}",
        "method": method,
        "operation": operation,
        "workload": workload,
        "ranks": 3,
        "readers": 2,
        "cache": "none",
        "repetition": 0,
        "fault": None,
        **more,
    }


def command(program: str, folder: Path, cells: list[dict[str, Any]], ranks: int, **more: Any) -> list[str]:
    """Write a plan and return the command that runs it."""
    plan = folder / "plan.json"
    whole = {
        "version": 1,
        "seed": 42,
        "pass": 0,
        "mode": "in-process",
        "day": "",
        "limits": {},
        "cells": cells,
    }
    plan.write_text(json.dumps(whole | more))
    return [mpiexec(), "-n", str(ranks), program, "cells", "--directory", str(folder), "--plan", str(plan)]


def run(
    program: str, folder: Path, cells: list[dict[str, Any]], ranks: int = 3, code: int = 0, **more: Any
) -> list[dict[str, Any]]:
    """Run cells and return their lines; afterwards only the plan exists."""
    done = subprocess.run(
        command(program, folder, cells, ranks, **more),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    wrong = [line for line in done.stdout.splitlines() if '"verified":false' in line]
    assert done.returncode == code, "\n".join([*wrong, done.stderr])
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0]["kind"] == "environment"
    assert lines[0]["ranks"] == ranks
    assert lines[-1]["kind"] == "end"
    assert [path.name for path in folder.iterdir()] == ["plan.json"]
    passes = more.get("passes", [{"cells": range(len(cells))}])
    wanted = [cells[place]["id"] for one in passes for place in one["cells"]]
    assert [line["id"] for line in lines[1:-1]] == wanted
    return lines[1:-1]


def holders(program: str, workload: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a method for each kind of file that can hold a workload, by the registry."""
    known = json.loads(subprocess.run([program, "list"], capture_output=True, check=True).stdout)
    return [
        {"name": f"{one['name']} {number}", "format": one["name"], "options": options}
        for one in known["formats"]
        if workload["kind"] in one["workloads"]
        for number, options in enumerate(one["variants"])
        if not UNSUITABLE & options.keys()
    ]
