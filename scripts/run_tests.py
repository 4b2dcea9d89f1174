"""Run ctest and pytest on a built preset, go on after failures, and end with one line of totals.

    scripts/run_tests.py               everything but the nightly tests
    scripts/run_tests.py --golden      conformance with the golden vectors alone
    scripts/run_tests.py --nightly     what takes minutes and is left out of the others
    scripts/run_tests.py --soak        random kills (tests/soak/run.py), which no other run has
    scripts/run_tests.py --only ctest -- -R plan      one of the two, with arguments of its own

The last line reads `N passed, N failed, N skipped`. With --golden, lines that the tests left in the file
named by QUIRE_GOLDEN_REPORT follow the totals. Exit code 0 if something ran and nothing failed, else 1.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTEST_RAN_NOTHING = 5
WITH_OUTPUT = ["--test-output-size-passed", "1000000"]
"""ctest cuts the output of passed tests after 1024 bytes, and with it the reasons of skipped cases."""

SKIPPED_CASE_SERIAL = re.compile(r"^(?P<where>\S+:\d+): Skipped\n(?P<reason>.*)$", re.MULTILINE)
SKIPPED_CASE_RANK_0 = re.compile(
    r"^\[rank 0\] skipped (?P<case>[^:\s]+): \S+:\d+: (?P<reason>.*)$", re.MULTILINE
)


@dataclass
class Totals:
    """What became of the tests; `failed` and `skipped` keep names, and skipped ones their reasons."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    # Cases skipped inside a run of many that counts as passed: said, not counted.
    partly: list[tuple[str, str]] = field(default_factory=list)

    def line(self) -> str:
        """Return the closing line, whose wording scripts rely on."""
        return f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped"

    def good(self) -> bool:
        """Return whether something ran and nothing failed."""
        return not self.failed and self.passed > 0


def cases_of(report: Path) -> Iterator[ElementTree.Element]:
    """Yield the test cases of a JUnit file; none if the file is missing or broken off."""
    if not report.exists():
        return
    try:
        yield from ElementTree.parse(report).getroot().iter("testcase")
    except ElementTree.ParseError:
        return


def add_ctest(report: Path, exit_code: int, totals: Totals) -> None:
    """Add what ctest wrote, and a failure where its exit code says more than the file does."""
    failed_before = len(totals.failed)
    for case in cases_of(report):
        name = case.get("name", "?")
        output = case.findtext("system-out") or ""
        skipped = case.find("skipped")
        if case.get("status") == "run":
            totals.passed += 1
            cases = [(match["case"], match["reason"]) for match in SKIPPED_CASE_RANK_0.finditer(output)] or [
                (match["where"], match["reason"]) for match in SKIPPED_CASE_SERIAL.finditer(output)
            ]
            totals.partly += [(f"{name} {case}", reason) for case, reason in cases]
        elif case.get("status") == "disabled":
            totals.skipped.append((name, "disabled"))
        elif skipped is not None and skipped.get("message", "").startswith("SKIP_"):
            reason = SKIPPED_CASE_RANK_0.search(output) or SKIPPED_CASE_SERIAL.search(output)
            totals.skipped.append((name, reason["reason"] if reason else "no reason given"))
        else:
            # Failed, timed out, or never started because its program is missing.
            totals.failed.append(name)
    if exit_code != 0 and len(totals.failed) == failed_before:
        totals.failed.append(f"ctest itself (exit code {exit_code})")


def add_pytest(report: Path, exit_code: int, totals: Totals) -> None:
    """Add what pytest wrote, and a failure where its exit code says more than the file does."""
    failed_before = len(totals.failed)
    for case in cases_of(report):
        name = f"{case.get('classname', '')}::{case.get('name', '?')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            totals.failed.append(name)
        elif skipped is not None:
            totals.skipped.append((name, skipped.get("message", "no reason given")))
        else:
            totals.passed += 1
    if exit_code not in (0, PYTEST_RAN_NOTHING) and len(totals.failed) == failed_before:
        totals.failed.append(f"pytest itself (exit code {exit_code})")


def cache_entry(build: Path, name: str) -> str:
    """Return an entry of the build's CMake cache, empty if there is none."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.partition("=")[2]
    return ""


def environment_of(build: Path, preset: str) -> dict[str, str]:
    """Return the environment of the Python tests: they import the sources and start the MPI of the preset."""
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(ROOT / "python"), environment.get("PYTHONPATH")])
    )
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", "")])
    environment["QUIRE_PRESET"] = preset
    environment["QUIRE_BUILD"] = str(build)
    environment["QUIRE_MPIEXEC"] = cache_entry(build, "MPIEXEC_EXECUTABLE")
    environment.setdefault("QUIRE_GOLDEN_REPORT", str(build / "golden-report.txt"))
    if cache_entry(build, "QUIRE_MPI_FLAVOUR") == "openmpi":
        environment |= {
            "OMPI_MCA_io": "romio321",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none",
            "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
            # Omit what the launcher prints after the output of a rank that fails.
            "OMPI_MCA_orte_execute_quiet": "1",
        }
    return environment


def ctest_command(build: Path, preset: str, choice: str) -> list[str]:
    """Return how ctest is started; the presets leave out what is nightly."""
    if choice == "nightly":
        command = ["ctest", "--test-dir", str(build), "--output-on-failure", *WITH_OUTPUT, "-L", "nightly"]
        return [*command, "--no-tests=ignore"]
    command = ["ctest", "--preset", preset, *WITH_OUTPUT]
    return [*command, "-L", "golden", "--no-tests=ignore"] if choice == "golden" else command


def pytest_selections(choice: str, whole: bool) -> dict[str, tuple[str, list[str]]]:
    """Return for each run of pytest the marks of its tests, and arguments of its own."""
    if choice == "nightly":
        return {"nightly": ("nightly", [])}
    if choice == "golden":
        return {"all": ("golden and not nightly", [])}
    if not whole:
        return {"all": ("not nightly", [])}
    # Tests that start ranks come after the others: two at a time, by file, since a worker keeps its ranks.
    return {
        "serial": ("not nightly and not mpi", ["-n", "auto"]),
        "mpi": ("not nightly and mpi", ["-n", "2", "--dist", "loadfile"]),
    }


def run_ctest(build: Path, preset: str, choice: str, extra: list[str], totals: Totals) -> None:
    """Run the tests of the C++ side."""
    report = build / "ctest.xml"
    report.unlink(missing_ok=True)
    command = [*ctest_command(build, preset, choice), "--output-junit", str(report), *extra]
    add_ctest(report, subprocess.run(command, cwd=ROOT, check=False).returncode, totals)


def run_pytest(build: Path, preset: str, choice: str, extra: list[str], totals: Totals) -> None:
    """Run the tests of the Python side with the interpreter that runs this script."""
    environment = environment_of(build, preset)
    for phase, (marked, arguments) in pytest_selections(choice, whole=not extra).items():
        report = build / f"pytest-{phase}.xml"
        report.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-m", marked, f"--junitxml={report}"]
        command += [*arguments, *extra]
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        add_pytest(report, code, totals)


def run_soak(build: Path, preset: str, extra: list[str]) -> int:
    """Run the random kills with the programs and the MPI of the preset; return their exit code."""
    environment = environment_of(build, preset)
    if not environment["QUIRE_MPIEXEC"]:
        print(f"the preset {preset} has no MPI, whose runs could be killed", file=sys.stderr)
        return 2
    command = [sys.executable, str(ROOT / "tests" / "soak" / "run.py"), *extra]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def print_closing(totals: Totals, totals_file: Path) -> None:
    """Print skipped and failed tests by name, then the line of totals, which also goes into a file."""
    print()
    for name, reason in totals.partly:
        print(f"skipped in part: {name}: {reason}")
    for name, reason in totals.skipped:
        print(f"skipped: {name}: {reason}")
    for name in totals.failed:
        print(f"FAILED: {name}")
    if totals.passed == 0 and not totals.failed:
        print("no test ran")
    totals_file.write_text(totals.line() + "\n")
    print(totals.line(), flush=True)


def main(arguments: list[str]) -> int:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description="Run ctest and pytest and end with one line of totals.")
    parser.add_argument("--preset", default=os.environ.get("QUIRE_PRESET", "mpich"))
    choices = parser.add_mutually_exclusive_group()
    choices.add_argument("--golden", action="store_true", help="conformance with the golden vectors alone")
    choices.add_argument("--nightly", action="store_true", help="the tests alone that other runs leave out")
    choices.add_argument("--soak", action="store_true", help="random kills alone; says how they went itself")
    parser.add_argument("--only", choices=["ctest", "pytest"], help="run one of the two")
    parser.add_argument("extra", nargs="*", help="arguments for --soak or the one named by --only, after --")
    options = parser.parse_args(arguments)
    if options.extra and not (options.only or options.soak):
        parser.error("extra arguments need --only or --soak")

    build = ROOT / "build" / options.preset
    if options.soak:
        return run_soak(build, options.preset, options.extra)
    golden_report = Path(os.environ.get("QUIRE_GOLDEN_REPORT", build / "golden-report.txt"))
    golden_report.unlink(missing_ok=True)
    totals = Totals()
    choice = "golden" if options.golden else "nightly" if options.nightly else ""
    if options.only != "pytest":
        run_ctest(build, options.preset, choice, options.extra, totals)
    # The sanitized and the checked build have no Python extension.
    has_python = cache_entry(build, "QUIRE_PYTHON") == "ON"
    if options.only == "pytest" or (options.only is None and has_python):
        run_pytest(build, options.preset, choice, options.extra, totals)
    print_closing(totals, ROOT / "build" / "totals.txt")
    if options.golden and golden_report.exists():
        print(golden_report.read_text(), end="")
    return 0 if totals.good() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
