"""A fake driver: runs no cell, but prints generated times in the format of the driver.

    fake_driver.py RANKS quire-bench cells --directory DIR --plan PLAN.json

FAKE_DRIVER_REFUSAL=text prints this and exits with 1 at once, as launchers that refuse do;
FAKE_DRIVER_STOP=n exits before line n; FAKE_DRIVER_WRONG=text fails the verification of cells with this text;
FAKE_DRIVER_SLOW=text slows cells with this text by a factor of 1000 in pass 3; FAKE_DRIVER_SILENT=1 hangs;
FAKE_DRIVER_REFUSE=text refuses cells with this text; FAKE_DRIVER_LOAD=x sets the load;
FAKE_DRIVER_RANK=r slows rank r by one second.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

PARTS = {"plan": 0.05, "create": 0.1, "metadata": 0.1, "data": 0.5, "wait": 0.1, "close": 0.1}


def repetition(plan: dict[str, Any], order: int, cell: dict[str, Any]) -> dict[str, Any]:
    """Return the line of a cell, which depends on seed, pass, day and cell only."""
    own = random.Random(f"{plan['seed']} {plan['pass']} {plan.get('day')} {cell['id']}")
    base = 0.02 + (len(cell["method"]["name"]) % 7) * 0.01
    slow = os.environ.get("FAKE_DRIVER_SLOW")
    if slow and slow in cell["id"] and plan["pass"] == 3:
        base *= 1000
    ranks = max(1, cell["readers"] if cell["operation"].startswith("read") else cell["ranks"])
    work = [base * own.lognormvariate(0, 0.2) / ranks**0.5 for _ in range(ranks)]
    if os.environ.get("FAKE_DRIVER_RANK"):
        work[int(os.environ["FAKE_DRIVER_RANK"])] += 1.0
    returned = max(work) + 1e-4
    phases = {name: [share * one for one in work] for name, share in PARTS.items()}
    phases |= {"barrier": [returned - one for one in work], "total": [returned] * ranks}
    is_write = not cell["operation"].startswith("read")
    if is_write:
        phases["sync"] = [0.5 * one for one in work]
    lie = os.environ.get("FAKE_DRIVER_WRONG")
    right = not (lie and lie in cell["id"])
    return {
        "kind": "repetition",
        "id": cell["id"],
        "cell": cell,
        "pass": plan["pass"],
        "order": order,
        "seed": plan["seed"],
        "mode": plan["mode"],
        "day": plan["day"],
        "started": f"2026-01-{plan['pass']:02d}T00:{order // 60:02d}:{order % 60:02d}Z",
        "times": {"returned": returned, "durable": 1.5 * returned if is_write else None},
        "phases": phases,
        "processor": work,
        "peak": [float(2 << 20)] * ranks,
        "bytes": {"payload": 1_000_000, "file": 1_001_000, "predicted": 1_001_000},
        "counters": {
            "files": 1,
            "opens": ranks,
            "writes": 4 * ranks,
            "collectives_of_first_step": 3 * ranks,
            "collectives_of_later_steps": 2 * ranks,
            "write_sizes": {"<=1MiB": ranks, "<=4KiB": 3 * ranks, ">4MiB": 0},
        },
        "cache": {"mode": cell["cache"], "resident_before": 0.0, "cold": None if is_write else True},
        "first_in_process": order == 0,
        "verified": right,
        "error": None,
    }


def cells_of(plan: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Return the number of the pass and the cell of each line."""
    cells = plan["cells"]
    passes = plan.get("passes", [{"pass": plan["pass"], "cells": range(len(cells))}])
    return [(one["pass"], cells[place]) for one in passes for place in one["cells"]]


def main() -> int:
    """Print a line for each cell of the plan."""
    arguments = dict(zip(sys.argv[4::2], sys.argv[5::2], strict=False))
    plan = json.loads(Path(arguments["--plan"]).read_text())
    assert Path(arguments["--directory"]).is_dir()
    world = int(sys.argv[1])
    assert world == max(max(cell["ranks"], cell["readers"]) for cell in plan["cells"])
    if os.environ.get("FAKE_DRIVER_REFUSAL"):
        print(os.environ["FAKE_DRIVER_REFUSAL"], file=sys.stderr)
        return 1
    if os.environ.get("FAKE_DRIVER_SILENT"):
        time.sleep(60)
    environment = {
        "hosts": ["here"],
        "ranks": world,
        "mpi": "none",
        "load": [float(os.environ.get("FAKE_DRIVER_LOAD", "0")), 0, 0],
        "file_system": {"type": "ext4", "mount": "/"},
    }
    print(json.dumps({"kind": "environment", "version": 1, **environment}), flush=True)
    wrong = False
    for order, (number, cell) in enumerate(cells_of(plan)):
        made = repetition({**plan, "pass": number}, order, cell)
        line = json.dumps(made if number else {**made, "kind": "warm-up"})
        wrong = wrong or '"verified": false' in line
        if os.environ.get("FAKE_DRIVER_STOP") == str(order):
            print("the system took memory back", file=sys.stderr)
            return 4
        refuse = os.environ.get("FAKE_DRIVER_REFUSE")
        if refuse and refuse in cell["id"]:
            refused = {
                "kind": "refused",
                "id": cell["id"],
                "cell": cell,
                "limit": "space",
                "error": "it is full",
            }
            line, wrong = json.dumps(refused), True
        print(line, flush=True)
    print(json.dumps({"kind": "end", "cells": len(plan["cells"]), "seconds": 0.1}), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
