"""Plans for tests, and results of them from the fake driver."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from quire.lab.bench.launch import Launcher, Outcome, Setting, prepare, run
from quire.lab.bench.plan import Plan, make_plan
from quire.lab.bench.records import read_results
from quire.lab.bench.summary import Rule, Study

FAKE_DRIVER = Path(__file__).parent / "fake_driver.py"
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
    """Start the fake driver instead of the driver."""
    return Launcher(f"{sys.executable} {FAKE_DRIVER} {{ranks}}", "quire-bench", 20.0)


def trial(**changed: Any) -> Plan:
    """Return the trial plan with changes."""
    return make_plan({**CONTENT, **changed})


def run_trial(folder: Path, plan: Plan, *, resume: bool = False, day: str = "monday") -> Outcome:
    """Measure a plan, or the rest of it."""
    results = folder / "results.jsonl"
    done = prepare(plan, folder, results, resume, force=False)
    return run(Setting(plan, folder, results, launcher(), day), done)


def study_of(*folders: Path, rule: Rule | None = None, quantity: str | None = None) -> Study:
    """Return the study of the results in folders."""
    return Study(read_results([folder / "results.jsonl" for folder in folders]), rule, quantity)
