"""Measure the targets of specs/performance.md, each side by side with its reference in one process group.

    bench/run.py                      everything, 512 MB a run, on disk and in memory
    bench/run.py --quick              a first look: 64 MB, 3 passes, one process group
    bench/run.py --only W1 R1 K3      some targets
    bench/run.py --crowded            also the targets that want 8 ranks

Places: QUIRE_BENCH_DISK (default build/bench), QUIRE_BENCH_TMPFS (default /dev/shm). The closing table also
goes to results.json on disk, with the commands, the seed and the load. Exit code 1 if a target was missed on
an idle machine, 2 if something could not be measured, else 0. docs/performance.md describes the numbers.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from bench import python_libraries  # noqa: E402
from run_tests import cache_entry, environment_of  # noqa: E402

# More processors kept busy by others than this, and wall times prove nothing.
BUSY_FROM = 0.5
# Ratio of medians and median of ratios further apart than this: the run was disturbed, and is repeated once.
DISTURBED_FROM = 0.10
MEGABYTES_FOR_PYTHON = 64
MEBIBYTE = 1 << 20
MEMORY_OF_A_RANK = 4 * MEBIBYTE
MEMORY_OF_ALL = 512 * MEBIBYTE
COLLECTIVES = {"new_shape": 4, "repeated_shape": 3}
SECONDS_OF_A_RUN = 900
KERNEL_LINE = re.compile(
    r"^([KT]\d) +(\S+(?: \S+)*) {2,}([\d.]+) +(\S+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)"
)


@dataclass
class Finding:
    """One line of the closing table."""

    target: str
    what: str
    ranks: int
    place: str
    must: float
    aim: str
    measured: float
    # Targets of speed must be reached, those of memory and counts not be exceeded.
    at_most: bool = False
    unit: str = ""
    paired: float | None = None
    c: float | None = None
    c_of_reference: float | None = None
    # The least and the most that a process group measured, where there were several.
    least: float | None = None
    most: float | None = None
    busy: bool = False
    disturbed: bool = False

    def good(self) -> bool:
        """Return whether the target is reached."""
        return self.measured <= self.must if self.at_most else self.measured >= self.must

    def verdict(self) -> str:
        """Return the verdict in words."""
        notes = ["passed" if self.good() else "MISSED"]
        notes += ["busy"] if self.busy else []
        notes += ["disturbed"] if self.disturbed else []
        return ", ".join(notes)


@dataclass
class Activity:
    """How busy others kept the machine during some time."""

    started: float = field(default_factory=time.monotonic)
    all_seconds: float = field(default_factory=lambda: busy_seconds())
    own_seconds: float = field(default_factory=lambda: seconds_of_children())

    def foreign(self) -> float:
        """Return how many processors others have used on average since the object was made."""
        elapsed = max(time.monotonic() - self.started, 1e-3)
        own = seconds_of_children() - self.own_seconds
        return max(0.0, (busy_seconds() - self.all_seconds - own) / elapsed)


def busy_seconds() -> float:
    """Return the time that all processors together have not been idle since the start of the machine."""
    words = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    ticks = [int(word) for word in words]
    idle = ticks[3] + ticks[4]
    guests = sum(ticks[8:])  # counted among the users already
    return (sum(ticks) - idle - guests) / os.sysconf("SC_CLK_TCK")


def seconds_of_children() -> float:
    """Return the processor time of everything this process has started and that has ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Bench:
    """One run of all selected targets."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Find the programs and the places."""
        self.options = options
        self.table = tomllib.loads((ROOT / "bench" / "targets.toml").read_text())
        preset = os.environ.get("QUIRE_PRESET", "mpich")
        self.build = Path(os.environ.get("QUIRE_BUILD", ROOT / "build" / preset))
        self.environment = environment_of(self.build, preset)
        self.mpiexec = cache_entry(self.build, "MPIEXEC_EXECUTABLE")
        self.driver = self.build / "bench" / "driver" / "quire-bench"
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
        """Run a command to its end, collecting what it says; raise with its last words if it fails."""
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=SECONDS_OF_A_RUN,
        )
        if done.returncode != 0:
            words = (done.stderr or done.stdout).strip().splitlines()
            if len(words) > 12:  # some launchers print much after the cause
                words = [*words[:4], "...", *words[-6:]]
            raise RuntimeError(f"{shlex.join(command)}: exit code {done.returncode}\n  " + "\n  ".join(words))
        return done

    def drive(self, ranks: int, place: str, arguments: list[str]) -> list[dict[str, Any]]:
        """Run the driver in a folder of its own and return its lines; they also go to the results."""
        if not self.driver.exists():
            raise RuntimeError("the driver is not built: this build has no MPI")
        with tempfile.TemporaryDirectory(prefix="quire-bench-", dir=self.places[place]) as folder:
            command = [self.mpiexec, "-n", str(ranks), str(self.driver), "methods"]
            command += ["--ranks", str(ranks), "--path", f"{folder}/data-m.h5", *arguments]
            activity = Activity()
            load = os.getloadavg()[0]
            done = self.execute(command)
            foreign = round(activity.foreign(), 2)
        lines: list[dict[str, Any]] = [
            json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")
        ]
        self.records.append(
            {
                "command": shlex.join(command),
                "place": place,
                "load_before": load,
                "load_after": os.getloadavg()[0],
                "foreign_processors": foreign,
                "lines": lines,
            }
        )
        return lines

    def speed(self) -> None:
        """Measure every target of the table, one run of the driver for all that share it."""
        selected = [target for target in self.table["target"] if self.wants(target["id"])]
        for run in self.table["run"]:
            targets = [target for target in selected if target["run"] == run["name"]]
            for ranks in sorted({count for target in targets for count in target["ranks"]}):
                if ranks > self.options.most_ranks:
                    continue
                for place in self.places:
                    here = [one for one in targets if ranks in one["ranks"] and place in one["places"]]
                    if here:
                        name = f"{run['name']} on {ranks} rank{'s' * (ranks > 1)}"
                        self.attempt(name, self.speed_of, run, ranks, place, here)

    def speed_of(self, run: dict[str, Any], ranks: int, place: str, targets: list[dict[str, Any]]) -> None:
        """Measure the targets that share a run in several process groups, of which the middle one counts."""
        arguments = ["--operation", run["operation"], "--columns", run["columns"]]
        size = run.get("size", self.options.size * run.get("share", 1))
        arguments += ["--steps", str(run.get("steps", 1)), "--size", str(size)]
        arguments += ["--modes", str(run.get("modes", 0))]
        passes = max(self.options.passes, run.get("passes", 0))
        arguments += ["--passes", str(passes), "--seed", str(self.options.seed)]
        for method in methods_for(run, targets):
            arguments += ["--method", method]
        groups = [self.group_of(ranks, place, arguments, targets) for _ in range(self.options.groups)]
        self.findings += [middle_of(findings) for findings in zip(*groups, strict=True)]

    def group_of(
        self, ranks: int, place: str, arguments: list[str], targets: list[dict[str, Any]]
    ) -> list[Finding]:
        """Measure targets in one process group, in another one if it was disturbed on an idle machine."""
        findings: list[Finding] = []
        for _ in range(2):
            methods = {line["name"]: line for line in self.drive(ranks, place, arguments) if "name" in line}
            busy = self.records[-1]["foreign_processors"] > BUSY_FROM
            findings = [finding_of(target, ranks, place, methods, busy) for target in targets]
            if busy or not any(finding.disturbed for finding in findings):
                break
        return findings

    def python(self) -> None:
        """Compare Python libraries, one run for all targets that share it."""
        selected = [target for target in self.table["python_target"] if self.wants(target["id"])]
        for run in self.table["python"]:
            targets = [target for target in selected if target["run"] == run["name"]]
            if targets:
                self.attempt(run["name"], self.python_of, run, targets)

    def python_of(self, run: dict[str, Any], targets: list[dict[str, Any]]) -> None:
        """Measure the targets of one run of Python libraries."""
        size = min(self.options.size, MEGABYTES_FOR_PYTHON)
        activity = Activity()
        with tempfile.TemporaryDirectory(prefix="quire-bench-", dir=self.places["disk"]) as folder:
            seconds = python_libraries.measure(
                run, Path(folder), size, self.options.passes, self.options.seed
            )
        busy = activity.foreign() > BUSY_FROM
        self.records.append({"command": run["name"], "megabytes": size, "seconds": seconds})
        for target in targets:
            medians, paired = python_libraries.ratios(seconds, target["method"], target["reference"])
            what = f"Python: {target['what']}, to {target['reference']}"
            finding = Finding(
                target["id"], what, 1, "disk", target["must"], target["aim"], paired if busy else medians
            )
            finding.paired, finding.busy = paired, busy
            finding.disturbed = abs(medians / paired - 1) > DISTURBED_FROM
            self.findings.append(finding)

    def counted(self, operation: str, size: float) -> Iterator[tuple[int, dict[str, Any]]]:
        """Run the counted methods, those of the operation too, on each number of ranks; yield the lines."""
        counted = self.table["counted"]
        arguments = ["--operation", operation, "--columns", counted["columns"], "--size", str(size)]
        for method in [*counted["methods"], *counted.get(operation, [])]:
            arguments += ["--method", method]
        for ranks in counted["ranks"]:
            for line in self.drive(ranks, "disk", arguments):
                yield ranks, line

    def worst(self, target: str, what: str, ranks: int, must: float, measured: float, unit: str) -> None:
        """Keep a counted number in place of a smaller one of the same target."""
        aim = {"S3": f"{must - 1:g}", "M1": "2"}[target]
        label = what.partition(":")[0]
        found = [one for one in self.findings if one.target == target and one.what.partition(":")[0] == label]
        if found and found[0].measured >= measured:
            return
        self.findings = [one for one in self.findings if one not in found]
        self.findings.append(
            Finding(target, what, ranks, "disk", must, aim, measured, at_most=True, unit=unit)
        )

    def memory(self) -> None:
        """Measure memory beyond the caller's arrays: the maximum of all methods and ranks."""
        for ranks, line in self.counted("memory", self.options.size):
            what = f"memory of a rank to {line['operation']}: {line['name']}"
            shared = line["name"] in self.table["counted"]["shared"]
            used = line["extra_of_all"] / ranks if shared else line["extra_of_a_rank"]
            self.worst("M1", what, ranks, MEMORY_OF_A_RANK / MEBIBYTE, used / MEBIBYTE, "MiB")

    def collectives(self) -> None:
        """Count the collectives of a step: the maximum of all methods and ranks."""
        for ranks, line in self.counted("collectives", 1):
            for shape, most in COLLECTIVES.items():
                what = f"collectives a step, {shape.replace('_', ' ')}: {line['name']}"
                self.worst("S3", what, ranks, most, line[shape], "")

    def large(self) -> None:
        """Write much and convert it: the memory of all ranks together."""
        large, ranks = self.table["large"], 2
        steps = max(1, round(self.options.large / 256))
        with tempfile.TemporaryDirectory(prefix="quire-large-", dir=self.places["disk"]) as folder:
            kept = f"{folder}/kept"
            arguments = ["--operation", "memory", "--columns", large["columns"], "--steps", str(steps)]
            arguments += ["--size", str(self.options.large), "--method", large["method"], "--keep", kept]
            for line in self.drive(ranks, "disk", arguments):
                self.add_large(f"{line['operation']} {line['bytes'] / 1e9:.1f} GB", line["extra_of_all"])
            command = [self.mpiexec, "-n", str(ranks), sys.executable, str(ROOT / "bench" / "peak.py")]
            command += ["convert", kept, f"{folder}/converted", "--format", large["convert_to"]]
            done = self.execute(command)
            peaks = [int(peak) for peak in re.findall(r"^peak (\d+)$", done.stderr, re.MULTILINE)]
            if len(peaks) != ranks:
                raise RuntimeError(
                    f"{shlex.join(command)}: {len(peaks)} of {ranks} ranks reported their memory"
                )
            size = Path(kept).stat().st_size
            if Path(f"{folder}/converted").stat().st_size < 0.99 * size:
                raise RuntimeError(f"{shlex.join(command)}: the converted file is too small")
            self.records.append({"command": shlex.join(command), "peaks": peaks})
            self.add_large(f"convert {size / 1e9:.1f} GB, whole processes", sum(peaks))

    def add_large(self, what: str, used: int) -> None:
        """Add a line about the memory of all ranks."""
        must = MEMORY_OF_ALL / MEBIBYTE
        finding = Finding("4GB", what, 2, "disk", must, "-", used / MEBIBYTE, at_most=True, unit="MiB")
        self.findings.append(finding)

    def kernels(self) -> None:
        """Run the micro-benchmarks of the kernels and take over their table."""
        command = [str(self.build / "bench" / "kernels" / "kernels_bench")]
        if self.options.size < 64:
            command += ["--benchmark_min_time=0.001", "--benchmark_repetitions=2"]
        activity = Activity()
        done = self.execute(command)
        busy = activity.foreign() > BUSY_FROM
        lines = [found for line in done.stdout.splitlines() if (found := KERNEL_LINE.match(line))]
        if not lines:
            raise RuntimeError(f"{shlex.join(command)}: no table of ratios")
        self.records.append({"command": shlex.join(command), "table": done.stdout})
        for target, what, must, aim, measured, paired, _, c in (line.groups() for line in lines):
            if self.wants(target):
                finding = Finding(target, what, 1, "-", float(must), aim, float(measured), busy=busy)
                finding.paired, finding.c = float(paired), float(c)
                self.findings.append(finding)

    def attempt(self, what: str, action: Callable[..., None], *arguments: Any) -> None:
        """Run one part; errors are printed at the end, and the other parts are measured nevertheless."""
        print(
            f"bench: {what}" + (f", {arguments[2]}" if len(arguments) > 2 else ""),
            file=sys.stderr,
            flush=True,
        )
        try:
            action(*arguments)
        except (RuntimeError, subprocess.TimeoutExpired, OSError) as problem:
            self.failures.append(f"{what}: {problem}")

    def run(self) -> int:
        """Measure, print the table, keep the results, and return the exit code."""
        started, load, activity = time.time(), os.getloadavg(), Activity()
        self.speed()
        self.python()
        if any(self.wants(target) for target in ("K1", "K2", "K3", "T1", "T2")):
            self.attempt("kernels", self.kernels)
        if self.wants("S3"):
            self.attempt("collectives", self.collectives)
        if self.wants("M1"):
            self.attempt("memory", self.memory)
        if self.wants("4GB"):
            self.attempt("memory of much data", self.large)
        summary = {
            "command": shlex.join(["bench/run.py", *sys.argv[1:]]),
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
            "seconds": round(time.time() - started, 1),
            "size_mb": self.options.size,
            "passes": self.options.passes,
            "groups": self.options.groups,
            "seed": self.options.seed,
            "load_before": load,
            "load_after": os.getloadavg(),
            "foreign_processors": round(activity.foreign(), 2),
        }
        self.print_table(summary)
        findings = [{**asdict(finding), "verdict": finding.verdict()} for finding in self.findings]
        results = {**summary, "failures": self.failures, "findings": findings, "runs": self.records}
        (self.places["disk"] / "results.json").write_text(json.dumps(results, indent=1) + "\n")
        missed = [finding for finding in self.findings if not finding.good() and not finding.busy]
        return 2 if self.failures or not self.findings else int(bool(missed))

    def print_table(self, summary: dict[str, Any]) -> None:
        """Print the findings, and the conditions that they hold under."""
        heads = [
            "target",
            "what",
            "ranks",
            "place",
            "must",
            "aim",
            "measured",
            "groups",
            "paired",
            "c",
            "c ref",
            "verdict",
        ]
        rows = [heads, *(cells_of(finding) for finding in self.findings)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
        for row in rows:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        for failure in self.failures:
            print(f"NOT MEASURED: {failure}")
        passed = sum(finding.good() for finding in self.findings)
        print(
            f"{passed} of {len(self.findings)} passed, {len(self.failures)} not measured; "
            f"{summary['size_mb']:g} MB, {summary['passes']} passes, {summary['groups']} groups, "
            f"seed {summary['seed']}\n"
            f"load {summary['load_before'][0]:.2f} before, {summary['load_after'][0]:.2f} after; "
            f"others kept {summary['foreign_processors']} processors busy"
        )


def methods_for(run: dict[str, Any], targets: list[dict[str, Any]]) -> list[str]:
    """Return the methods of a run that some targets need: raw, what they compare, the makers of files."""
    methods = {method.partition(":")[0]: method for method in run["methods"]}
    needed = {target[side] for target in targets for side in ("method", "reference")}
    needed |= {"raw"} & methods.keys()
    makers = {re.search(r":file=([^:]+)", methods[name]) for name in needed}
    needed |= {maker[1] for maker in makers if maker}
    return [method for name, method in methods.items() if name in needed]


def finding_of(
    target: dict[str, Any], ranks: int, place: str, methods: dict[str, dict[str, Any]], busy: bool
) -> Finding:
    """Return what a run says about a target: on a busy machine only the ratios inside each pass count."""
    own, reference = methods[target["method"]], target["reference"]
    medians, paired = own["ratio_of_medians"][reference], own["median_of_ratios"][reference]
    finding = Finding(
        target["id"],
        f"{target['what']}, to {reference}",
        ranks,
        place,
        target["must"],
        target["aim"],
        paired if busy else medians,
    )
    finding.paired, finding.c, finding.c_of_reference = paired, own["c"], methods[reference]["c"]
    finding.busy = busy
    finding.disturbed = abs(medians / paired - 1) > DISTURBED_FROM
    return finding


def middle_of(findings: Sequence[Finding]) -> Finding:
    """Return the middle one of what process groups found about a target, with the range of all.

    Where the memory of a group lies decides up to a tenth, whatever the number of passes: they share it.
    """
    ordered = sorted(findings, key=lambda finding: finding.measured)
    middle = ordered[(len(ordered) - 1) // 2]
    middle.busy = any(finding.busy for finding in findings)
    if len(ordered) > 1:
        middle.least, middle.most = ordered[0].measured, ordered[-1].measured
    return middle


def cells_of(finding: Finding) -> list[str]:
    """Return a line of the table."""

    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.2f}"

    sign = "<= " if finding.at_most else ""
    unit = f" {finding.unit}" if finding.unit else ""
    return [
        finding.target,
        finding.what,
        str(finding.ranks),
        finding.place,
        f"{sign}{finding.must:g}{unit}",
        finding.aim,
        f"{finding.measured:.2f}{unit}",
        "" if finding.most is None else f"{number(finding.least)}-{number(finding.most)}",
        number(finding.paired),
        number(finding.c),
        number(finding.c_of_reference),
        finding.verdict(),
    ]


def parse(arguments: list[str]) -> argparse.Namespace:
    """Understand the command line."""
    parser = argparse.ArgumentParser(description="Measure the library beside raw transfers and peers.")
    parser.add_argument("--size", type=float, help="MB of every run (default 512)")
    parser.add_argument("--passes", type=int, help="after one that warms up (default 5)")
    parser.add_argument("--groups", type=int, help="process groups of a run, the middle one counts (3)")
    parser.add_argument("--large", type=float, help="MB to write and convert while memory is watched (4000)")
    parser.add_argument("--seed", type=int, default=20261121, help="of the order in every pass")
    parser.add_argument("--only", nargs="+", metavar="TARGET", help="such as W1 R4 K3 M1 S3 4GB")
    parser.add_argument("--quick", action="store_true", help="64 MB, 3 passes, 1 group, 512 MB at most")
    parser.add_argument(
        "--crowded",
        dest="most_ranks",
        action="store_const",
        const=8,
        default=4,
        help="also 8 ranks",
    )
    options = parser.parse_args(arguments)
    presets: dict[str, float] = {"size": 512, "passes": 5, "groups": 3, "large": 4000}
    if options.quick:
        presets = {"size": 64, "passes": 3, "groups": 1, "large": 512}
    for name, preset in presets.items():
        if getattr(options, name) is None:
            setattr(options, name, preset)
    return options


if __name__ == "__main__":
    sys.exit(Bench(parse(sys.argv[1:])).run())
