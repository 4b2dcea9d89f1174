"""Measure the performance targets: the preset "targets" on disk and in memory, kernels, and Python libraries.

    bench/run.py                      everything
    bench/run.py --quick              a first result: an eighth of the sizes, 3 passes
    bench/run.py --only W1 R1 K3      some targets
    bench/run.py --ranks 1,2,4,8      also the targets that require 8 ranks

Places: QUIRE_BENCH_DISK (default build/bench), QUIRE_BENCH_TMPFS (default /dev/shm). The closing table also
goes to results.json on disk, next to the results of the preset, which `quire bench report` reads. Exit code 1
if a target was missed on an idle machine, 2 if something could not be measured, else 0. docs/performance.md
describes the numbers.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import numpy as np  # noqa: E402

import quire  # noqa: E402
from bench import python_libraries  # noqa: E402
from quire.lab.bench.activity import Activity  # noqa: E402
from quire.lab.bench.findings import BUSY_FROM, MEBIBYTE, Finding, Times, findings_of, judged  # noqa: E402
from quire.lab.bench.launch import Launcher, Setting, prepare, run, today  # noqa: E402
from quire.lab.bench.plan import Changes, make_plan, read_preset  # noqa: E402
from quire.lab.bench.records import read_results  # noqa: E402
from quire.lab.bench.targets import place_of_directory, targets_of  # noqa: E402
from quire.lab.bench.terminal import print_findings  # noqa: E402
from run_tests import cache_entry, environment_of  # noqa: E402

TABLE = tomllib.loads((ROOT / "bench" / "python_targets.toml").read_text())
KERNELS = ("K1", "K2", "K3", "T1", "T2")
KERNEL_LINE = re.compile(
    r"^([KT]\d) +(\S+(?: \S+)*) {2,}([\d.]+) +(\S+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)"
)
MEGABYTES_FOR_PYTHON = 64
SECONDS_OF_A_RUN = 900


class Bench:
    """One run of all selected targets."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Find the programs and the places."""
        self.options = options
        preset = os.environ.get("QUIRE_PRESET", "mpich")
        self.build = Path(os.environ.get("QUIRE_BUILD", ROOT / "build" / preset))
        os.environ.update(environment_of(self.build, preset))
        self.mpiexec = cache_entry(self.build, "MPIEXEC_EXECUTABLE")
        disk = Path(os.environ.get("QUIRE_BENCH_DISK", ROOT / "build" / "bench"))
        disk.mkdir(parents=True, exist_ok=True)
        self.places = {"disk": disk, "tmpfs": Path(os.environ.get("QUIRE_BENCH_TMPFS", "/dev/shm"))}
        self.findings: list[Finding] = []
        self.records: list[dict[str, Any]] = []
        self.failures: list[str] = []

    def wants(self, target: str) -> bool:
        """Return whether a target is selected."""
        return not self.options.only or target in self.options.only

    def execute(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, collecting its output; raise with its last words if it fails."""
        done = subprocess.run(
            command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=SECONDS_OF_A_RUN
        )
        if done.returncode != 0:
            words = (done.stderr or done.stdout).strip().splitlines()[-6:]
            raise RuntimeError(f"{shlex.join(command)}: exit code {done.returncode}\n  " + "\n  ".join(words))
        return done

    def preset(self, place: str, chosen: list[str]) -> None:
        """Measure the targets of the preset on one file system."""
        options = self.options
        folder = self.places[place]
        changes = Changes(
            scale=options.scale,
            ranks=[int(count) for count in options.ranks.split(",")],
            passes=options.passes,
            seed=options.seed,
            targets=chosen,
            place=place_of_directory(folder),
        )
        plan = make_plan(read_preset("targets"), changes)
        results = self.places["disk"] / f"targets-{place}.jsonl"
        results.unlink(missing_ok=True)
        launcher = Launcher(
            f"{self.mpiexec} -n {{ranks}}", str(self.build / "bench" / "driver" / "quire-bench")
        )
        with tempfile.TemporaryDirectory(prefix="quire-bench-", dir=folder) as data:
            done = prepare(plan, Path(data), results, resume=False, force=False)
            outcome = run(Setting(plan, Path(data), results, launcher, today()), done)
        self.findings += findings_of(read_results([results]))
        unmeasured = [f"wrong: {one}" for one in outcome.wrong] + outcome.refused
        if outcome.stopped or unmeasured:
            raise RuntimeError("; ".join([outcome.stopped, *unmeasured]))

    def presets(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the places, and the selected targets of the preset that have one there."""
        for place, folder in self.places.items():
            every = targets_of(read_preset("targets"), None, place_of_directory(folder))
            chosen = list(dict.fromkeys(target.id for target in every if self.wants(target.id)))
            if chosen:
                yield place, chosen

    def python(self) -> None:
        """Compare Python libraries, one run for all targets that share it."""
        selected = [target for target in TABLE["target"] if self.wants(target["id"])]
        for table in TABLE["run"]:
            targets = [target for target in selected if target["run"] == table["name"]]
            if targets:
                self.attempt(table["name"], self.python_of, table, targets)

    def python_of(self, table: dict[str, Any], targets: list[dict[str, Any]]) -> None:
        """Measure the targets of one run of Python libraries."""
        size = min(512 * self.options.scale, MEGABYTES_FOR_PYTHON)
        passes = min(self.options.passes, 5)
        activity = Activity()
        with tempfile.TemporaryDirectory(prefix="quire-bench-", dir=self.places["disk"]) as folder:
            seconds = python_libraries.measure(table, Path(folder), size, passes, self.options.seed)
        busy = (activity.foreign() or 0) > BUSY_FROM
        self.records.append({"command": table["name"], "megabytes": size, "seconds": seconds})
        for target in targets:
            what = f"Python: {target['what']}, to {target['reference']}"
            bare = Finding(target["id"], what, 1, "disk", target["must"], target["aim"], 0.0)
            times = Times(seconds[target["method"]], seconds[target["reference"]], busy)
            self.findings.append(judged(bare, [times]))

    def kernels(self) -> None:
        """Run the micro-benchmarks of the kernels and take over their table."""
        command = [str(self.build / "bench" / "kernels" / "kernels_bench")]
        if self.options.scale < 0.1:
            command += ["--benchmark_min_time=0.001", "--benchmark_repetitions=2"]
        activity = Activity()
        done = self.execute(command)
        busy = (activity.foreign() or 0) > BUSY_FROM
        lines = [found for line in done.stdout.splitlines() if (found := KERNEL_LINE.match(line))]
        if not lines:
            raise RuntimeError(f"{shlex.join(command)}: no table of ratios")
        self.records.append({"command": shlex.join(command), "table": done.stdout})
        for target, what, must, aim, measured, paired, _, c in (line.groups() for line in lines):
            if self.wants(target):
                bare = Finding(target, what, 1, "-", float(must), aim, float(measured), busy=busy)
                self.findings.append(replace(bare, paired=float(paired), processor=float(c)))

    def large(self) -> None:
        """Convert much and watch the memory of all ranks together, interpreters included."""
        large, ranks = TABLE["large"], 2
        with tempfile.TemporaryDirectory(prefix="quire-large-", dir=self.places["disk"]) as folder:
            source, target = Path(folder) / "source", Path(folder) / "target"
            self.make_large(source, large["format"])
            command = [self.mpiexec, "-n", str(ranks), sys.executable, str(ROOT / "bench" / "peak.py")]
            command += ["convert", str(source), str(target), "--format", large["convert_to"]]
            done = self.execute(command)
            peaks = [int(peak) for peak in re.findall(r"^peak (\d+)$", done.stderr, re.MULTILINE)]
            if len(peaks) != ranks:
                raise RuntimeError(
                    f"{shlex.join(command)}: {len(peaks)} of {ranks} ranks reported their memory"
                )
            size = source.stat().st_size
            if target.stat().st_size < 0.99 * size:
                raise RuntimeError(f"{shlex.join(command)}: the converted file is too small")
        self.records.append({"command": shlex.join(command), "peaks": peaks})
        what = f"convert {size / 1e9:.1f} GB, memory of all ranks"
        used = sum(peaks) / MEBIBYTE
        self.findings.append(Finding("4GB", what, ranks, "disk", large["most"], "-", used, True, "MiB"))

    def make_large(self, path: Path, format: str) -> None:
        """Write steps of six columns of about 256 MB together."""
        megabytes = self.options.large
        steps = max(1, round(megabytes / 256))
        values = np.arange(int(megabytes * 1e6 / steps / 48), dtype=np.float64)
        with quire.create(path, format=format) as out:
            for number in range(steps):
                with out.step(number) as step:
                    for column in range(6):
                        step[f"c{column}"] = values

    def attempt(self, what: str, action: Callable[..., None], *arguments: Any) -> None:
        """Run one part; errors are printed at the end, and the other parts are measured nevertheless."""
        print(f"bench: {what}", file=sys.stderr, flush=True)
        try:
            action(*arguments)
        except (RuntimeError, subprocess.TimeoutExpired, OSError, quire.Error) as problem:
            self.failures.append(f"{what}: {problem}")

    def run(self) -> int:
        """Measure, print the table, keep the results, and return the exit code."""
        started, load, activity = time.time(), os.getloadavg(), Activity()
        for place, chosen in self.presets():
            self.attempt(f"targets, {place}", self.preset, place, chosen)
        self.python()
        if any(self.wants(target) for target in KERNELS):
            self.attempt("kernels", self.kernels)
        if self.wants("4GB"):
            self.attempt("memory of much data", self.large)
        summary = {
            "command": shlex.join(["bench/run.py", *sys.argv[1:]]),
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
            "seconds": round(time.time() - started, 1),
            "scale": self.options.scale,
            "passes": self.options.passes,
            "seed": self.options.seed,
            "load_before": load,
            "load_after": os.getloadavg(),
            "foreign_processors": activity.foreign(),
        }
        print_findings(self.findings)
        for failure in self.failures:
            print(f"NOT MEASURED: {failure}")
        print(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in summary.items()))
        findings = [finding.as_json() for finding in self.findings]
        results = {**summary, "failures": self.failures, "findings": findings, "runs": self.records}
        (self.places["disk"] / "results.json").write_text(json.dumps(results, indent=1) + "\n")
        missed = any(finding.missed for finding in self.findings)
        return 2 if self.failures or not self.findings else int(missed)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Understand the command line."""
    parser = argparse.ArgumentParser(description="Measure the performance targets.")
    parser.add_argument("--scale", type=float, help="share of the sizes, which are 512 MB (default 1)")
    parser.add_argument("--passes", type=int, help="of all launches of up to five passes (default 15)")
    parser.add_argument("--large", type=float, help="MB to convert while memory is watched (4000)")
    parser.add_argument("--ranks", default="1,2,4", help="numbers of ranks (default 1,2,4)")
    parser.add_argument("--seed", type=int, default=20261121, help="of the order in every pass")
    parser.add_argument("--only", nargs="+", metavar="TARGET", help="such as W1 R4 K3 M1 S3 4GB")
    parser.add_argument("--quick", action="store_true", help="scale 0.125, 3 passes, 512 MB to convert")
    options = parser.parse_args(arguments)
    presets: dict[str, float] = {"scale": 1, "passes": 15, "large": 4000}
    if options.quick:
        presets = {"scale": 0.125, "passes": 3, "large": 512}
    for name, preset in presets.items():
        if getattr(options, name) is None:
            setattr(options, name, preset)
    return options


if __name__ == "__main__":
    sys.exit(Bench(parse(sys.argv[1:])).run())
