"""Examine a directory: every transport, kind of MPI-IO, locks and costs, each in a separate launch."""

from __future__ import annotations

import datetime
import errno
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from quire import __version__
from quire.lab.doctor import cases as plan
from quire.lab.doctor.cases import Case, Extent
from quire.lab.doctor.known import (
    Library,
    file_system_findings,
    identify,
    start_environment,
    version_findings,
)
from quire.lab.doctor.launching import Answer, launch, probe_path
from quire.lab.doctor.record import Check, Cost, FileSystem, Finding, Record
from quire.lab.doctor.system import available_memory, file_system_of
from quire.lab.doctor.world import CannotRunError, World, find_world, how_it_ended
from quire.starters import SECONDS_TO_START

BYTES_A_SECOND = 20e6
"""The slowest accepted rate of storage; it only extends the time limits of big requests."""

ADVICE = {
    "locks": "set romio_ds_write=disable, and no atomic mode of MPI-IO; Quire's transports need no locks",
    "reductions": "do not trust programs that reduce such words, or move to another release of this MPI; "
    "Quire reduces none",
    "file locking": f"set {plan.LOCKING_VARIABLE}=BEST_EFFORT or FALSE for programs with the HDF5 library",
}

REFUSALS = {
    errno.ENOSPC: ("the file system is full", "make room, or examine another directory"),
    errno.EDQUOT: ("the quota of this user is used up", "make room, or examine another directory"),
    errno.EFBIG: ("files may not become as large as the patterns", "see ulimit -f, or what the mount allows"),
}
"""Errors of the system that do not depend on the method."""

HANGS_OF_A_GROUP = 3
"""After this number of hangs of one kind of methods, the others of this kind are skipped."""
LEAST_SECONDS = SECONDS_TO_START + 10.0
"""The time in seconds for the start of ranks and their work; with less, slow starts would count as hangs."""

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Wishes:
    """The request of the user."""

    directory: Path
    ranks: int = 2
    launcher: str = ""
    quick: bool = False
    big: int | None = None
    """Bytes of the big request; None: over 2 GiB if memory and space suffice."""
    seconds: float = 60.0
    """Time limit of each launch."""
    repetitions: int = 15
    extra: Sequence[Case] = field(default_factory=tuple)
    """More cases; tests inject faults here."""


def checks_of(case: Case, answer: Answer, seconds: float) -> list[Check]:
    """Independent. The results of a launch as checks; the operation in progress at its end is named."""

    def check(name: str, outcome: str, detail: str = "") -> Check:
        return Check(case.group, case.subject, name, outcome, detail, case.default)

    found = [check(name, word, detail) for name, word, detail in answer.of("pattern")]
    found += [check(name, word, detail) for name, word, detail in answer.of("lock")]
    found += [check(name, word, detail) for name, word, detail in answer.of("library")]
    found += [check(name, word, detail) for name, word, detail in answer.of("reduction")]
    finished = {one.check for one in found}
    under_way = next((name for (name,) in reversed(answer.of("begin")) if name not in finished), "start")
    if answer.timed_out:
        return [*found, check(under_way, "hang", f"no end after {seconds:g} s")]
    never_began = case.may_be_missing and not answer.of("begin")
    if answer.of("error") and not never_began:
        return [*found, check(under_way, "error", answer.of("error")[0][0])]
    if answer.code != 0 or not answer.is_complete:
        if never_began:
            return [check("start", "missing", "this MPI does not offer it")]
        return [*found, check(under_way, "crash", how_it_ended(answer, seconds))]
    return found


def big_request(wishes: Wishes, where: FileSystem) -> tuple[int, Finding | None]:
    """Independent. The size of the big request, and a finding if it is reduced."""
    if wishes.big is not None:
        return -(-wishes.big // plan.BIG_BLOCK) * plan.BIG_BLOCK, None
    if wishes.quick:
        return 0, Finding("note", "requests over 2 GiB were not tried: --quick", "run again without it")
    # Both ends hold one copy, and the memory of the node a third one.
    memory = available_memory()
    if memory >= 3 * plan.FULL_BIG and where.free_bytes >= 2 * plan.FULL_BIG:
        return plan.FULL_BIG, None
    fits = where.free_bytes >= 2 * plan.SCALED_BIG
    return plan.SCALED_BIG if fits else 0, Finding(
        "note",
        f"requests over 2 GiB were not tried: {memory >> 20} MiB of memory and {where.free_bytes >> 20} MiB "
        f"of space are too little{f', so {plan.SCALED_BIG >> 20} MiB were' if fits else ''}",
        "run again where there is more, or with --big",
    )


def require_room(wishes: Wishes, where: FileSystem) -> None:
    """Independent. Raises CannotRunError if the patterns do not fit: a full disk shows nothing about ways to
    write, and MPI-IO may hang on it.
    """
    need = Extent(wishes.quick).room(wishes.ranks)
    if where.free_bytes < need:
        advice = "" if wishes.quick else ", or try --quick"
        raise CannotRunError(
            f"{wishes.directory} is full: {where.free_bytes} bytes are free, and the patterns of "
            f"{wishes.ranks} ranks need {need}; make room{advice}"
        )


class Examination:
    """Launches one case after another in a new folder, and collects the results."""

    def __init__(self, wishes: Wishes, probe: Path, world: World, folder: Path) -> None:
        """Independent. The caller removes the folder."""
        self.wishes = wishes
        self.world = world
        self.folder = folder
        self.words = [*world.launcher.command(wishes.ranks), str(probe)]
        self.library, self.version = identify(world.library_text)
        self.families: list[str] = []
        self.costs: dict[str, Cost] = {}
        self.hangs: Counter[str] = Counter()
        self.is_refused = False

    def seconds_of(self, case: Case) -> float:
        """Independent. The time limit of a launch: shorter after each one that hung, and where the system
        has refused to write, for then MPI-IO may wait for a rank that does not come.
        """
        usual = self.wishes.seconds / (1 + self.hangs.total())
        if self.is_refused:
            usual = LEAST_SECONDS
        usual = min(self.wishes.seconds, max(LEAST_SECONDS, usual))
        return case.seconds or usual + int(case.arguments.get("big", 0)) / BYTES_A_SECOND

    def run(self, case: Case) -> list[Check]:
        """Independent. Launch a case, unless too many of its kind have hung."""
        if self.hangs[case.group] >= HANGS_OF_A_GROUP:
            why = f"{HANGS_OF_A_GROUP} others of its kind hung"
            return [Check(case.group, case.subject, "start", "skipped", why, case.default)]
        # Ranks that remain after a hang must not use the same file as the next ones.
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        arguments = {"directory": str(folder), **case.arguments}
        seconds = self.seconds_of(case)
        answer = launch(
            self.words,
            case.action,
            arguments,
            environment={**start_environment(), **case.environment},
            seconds=seconds,
        )
        if case.group == "mpi-io" and case.default:
            self.families += [fields[0] for fields in answer.of("family")]
        for name, median, low, high, samples in answer.of("cost"):
            self.costs[name] = Cost(float(median), float(low), float(high), int(samples))
        shutil.rmtree(folder, ignore_errors=True)
        self.hangs[case.group] += answer.timed_out
        checks = checks_of(case, answer, seconds)
        self.is_refused = self.is_refused or any(is_refusal(check) for check in checks)
        return checks

    @property
    def mpi_io(self) -> str:
        """The default implementation of MPI-IO."""
        if not self.families:
            return ""
        return "romio" if self.families[0] == "romio" else self.library.other_component


def costs_that_fit(wishes: Wishes, where: FileSystem) -> tuple[list[Case], list[Finding]]:
    """Independent. The measurement of costs, or the reason for omitting it."""
    need = plan.room_for_costs(wishes.ranks, wishes.repetitions)
    if where.free_bytes >= need:
        return [plan.costs_case(wishes.repetitions)], []
    text = f"costs were not measured: that needs {need} bytes, and {where.free_bytes} are free"
    return [], [Finding("note", text, "make room for a record that advise and plan can use")]


def all_cases(
    wishes: Wishes, world: World, library: Library, big: int, measuring: Sequence[Case]
) -> list[Case]:
    """Independent. The cases, the fastest first."""
    extent = Extent(wishes.quick, big)
    found = plan.locking_cases()
    found += plan.transport_cases(world.transports, extent)
    if world.library_text:
        found.append(plan.reductions_case())
        found += plan.mpi_io_cases(library, extent)
    return [*found, *measuring, *wishes.extra]


def examine(wishes: Wishes, progress: Progress = lambda done, all_, what: None) -> Record:
    """Independent. Run all tests in a folder inside the directory, which is removed afterwards.

    Raises CannotRunError where no launcher works or nothing can be written.
    """
    probe = probe_path()
    if probe is None:
        raise CannotRunError("the program quire-probe does not exist: build it, or set QUIRE_PROBE")
    if not wishes.directory.is_dir():
        raise CannotRunError(f"{wishes.directory} is not a directory")
    try:
        where = file_system_of(wishes.directory)
        require_room(wishes, where)
        folder = Path(tempfile.mkdtemp(prefix=".quire-doctor-", dir=wishes.directory.resolve()))
    except OSError as problem:
        raise CannotRunError(f"nothing can be written in {wishes.directory}: {problem.strerror}") from None
    try:
        world, findings = find_world(wishes.launcher, wishes.ranks, probe, wishes.seconds)
        examination = Examination(wishes, probe, world, folder)
        big, remark = big_request(wishes, where)
        measuring, left_out = costs_that_fit(wishes, where)
        todo = all_cases(wishes, world, examination.library, big, measuring)
        checks = []
        for done, case in enumerate(todo):
            progress(done, len(todo), f"{case.group}: {case.subject}")
            checks += examination.run(case)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    library = examination.library
    findings += [remark, *left_out] if remark else left_out
    findings += refusals(checks, where)
    findings += judge(checks)
    findings += version_findings(library.name, examination.version, examination.mpi_io)
    findings += file_system_findings(where)
    order = {"unsafe": 0, "caution": 1, "note": 2}
    return Record(
        when=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        directory=str(wishes.directory.resolve()),
        ranks=wishes.ranks,
        launcher=list(world.launcher.words),
        hosts=world.hosts,
        cores=len(os.sched_getaffinity(0)),
        quire=__version__,
        mpi=world.library_text,
        mpi_name=library.name,
        mpi_version=examination.version,
        mpi_io=examination.mpi_io,
        file_system=where,
        big_request=big,
        costs=examination.costs,
        checks=checks,
        findings=sorted(findings, key=lambda finding: order[finding.severity]),
    )


def is_refusal(check: Check) -> bool:
    """Independent. Whether a check failed for a reason that does not depend on the method."""
    return any(os.strerror(number) in check.detail for number in REFUSALS)


def refusals(checks: Sequence[Check], where: FileSystem) -> list[Finding]:
    """Independent. What the system refuses for every method: this shows nothing about ways to write, but that
    no run will get its data here.
    """
    findings = []
    for number, (what, advice) in REFUSALS.items():
        refused = [check for check in checks if check.is_bad and os.strerror(number) in check.detail]
        if refused:
            tried = f"{len(refused)} checks ended by it, {where.free_bytes} bytes were free before"
            findings.append(Finding("unsafe", f"{what}: {tried}", advice, "tried here"))
    return findings


def judge(checks: Sequence[Check]) -> list[Finding]:
    """Independent. The findings of the checks: a failure of a default is unsafe, others are cautions."""
    findings = []
    for subject in dict.fromkeys((check.group, check.subject) for check in checks):
        own = [check for check in checks if (check.group, check.subject) == subject]
        bad = [check for check in own if check.is_bad and not is_refusal(check)]
        if not bad:
            continue
        worst = bad[0]
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        text = f"{subject[0]} {subject[1]}: {worst.check}: {worst.outcome}, {worst.detail}{more}"
        if subject[0] in ("transport", "mpi-io"):
            severity = "unsafe" if worst.default else "caution"
            advice = f"do not use {subject[1]} here" if worst.default else f"avoid {subject[1]}"
            findings.append(Finding(severity, text, advice, "tried here"))
        else:
            findings.append(Finding("caution", text, ADVICE.get(subject[0], ""), "tried here"))
    unsupported = [check for check in checks if check.outcome == "unsupported"]
    if unsupported:
        names = ", ".join(check.check for check in unsupported)
        text = f"locks do not work here: {names} ({unsupported[0].detail})"
        findings.append(Finding("caution", text, ADVICE["locks"], "tried here"))
    return findings
