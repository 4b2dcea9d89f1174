"""Plans for tests, and results of them by the stand-in of the driver."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from quire.bench.launch import Launcher, Outcome, Setting, prepare, run
from quire.bench.plan import Plan, make_plan
from quire.bench.records import read_results
from quire.bench.summary import Rule, Study

STAND_IN = Path(__file__).parent / "stand_in.py"
CONTENT: dict[str, Any] = {
    "title": "a trial",
    "seed": 3,
    "passes": 5,
    "ranks": [1, 3],
    "operations": ["write", "read", "read-other"],
    "caches": ["evicted"],
    "method": [
        {"name": "one", "engine": "mpiio", "transfer": "independent"},
        {"name": "other & more", "engine": "mpiio", "transfer": "collective"},
    ],
    "case": [{"workload": "particles", "name": "some <particles>"}],
    "scale": 1e-5,
}


def launcher() -> Launcher:
    """Start the stand-in instead of the driver."""
    return Launcher(f"{sys.executable} {STAND_IN} {{ranks}}", "quire-bench", 20.0)


def trial(**changed: Any) -> Plan:
    """Return the plan of the trial with changes."""
    return make_plan({**CONTENT, **changed})


def run_trial(folder: Path, plan: Plan, *, resume: bool = False, day: str = "monday") -> Outcome:
    """Measure a plan, or what is left of it."""
    results = folder / "results.jsonl"
    done = prepare(plan, folder, results, resume, force=False)
    return run(Setting(plan, folder, results, launcher(), day), done)


def study_of(*folders: Path, rule: Rule | None = None, quantity: str | None = None) -> Study:
    """Return the study of results in folders."""
    return Study(read_results([folder / "results.jsonl" for folder in folders]), rule, quantity)
