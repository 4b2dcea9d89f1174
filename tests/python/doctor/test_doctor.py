"""Doctor names methods that write wrong data or hang, and states whether a directory is safe."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.python.support.mpi import mpi_program, mpiexec
from typer.testing import CliRunner

import quire.lab.doctor.examination as examination
from quire.cli.doctor import pattern_table
from quire.cli.main import app
from quire.lab.doctor import CannotRunError, Check, Record, Wishes, cases, examine
from quire.lab.doctor.cases import FULL_BIG, SCALED_BIG, Case
from quire.lab.doctor.examination import big_request, checks_of, judge
from quire.lab.doctor.known import is_within
from quire.lab.doctor.launching import Answer
from quire.lab.doctor.record import OPERATIONS, FileSystem
from quire.lab.doctor.world import World
from quire.starters import SECONDS_TO_START, Launcher, candidates

PROBE = ("python", "probe", "quire-probe")


def planted(
    fault: str, method: str = "transport:posix", default: bool = True, seconds: float | None = None
) -> Case:
    """A case with a planted fault, examined like all others."""
    arguments: dict[str, str | int] = {"method": method, "plant": fault, "pieces": 5, "large": 4096}
    return Case("transport", f"planted to {fault}", "patterns", arguments, default=default, seconds=seconds)


@pytest.fixture
def only_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run only the cases that a test adds."""
    monkeypatch.setenv("QUIRE_PROBE", mpi_program(*PROBE))
    monkeypatch.setattr(examination, "all_cases", lambda wishes, *_: list(wishes.extra))


def run_cases(folder: Path, *cases: Case) -> Record:
    """Examine a folder with these cases on two ranks."""
    return examine(Wishes(folder, 2, mpiexec(), quick=True, extra=cases))


def outcomes(record: Record, subject: str) -> dict[str, str]:
    """The result of each check of a subject."""
    return {check.check: check.outcome for check in record.checks if check.subject == subject}


@pytest.mark.mpi
@pytest.mark.usefixtures("only_extra")
@pytest.mark.parametrize("method", ["transport:posix", "transport:mpi_collective", "mpi-io:view"])
def test_a_method_that_writes_wrong_bytes_is_named(tmp_path: Path, method: str) -> None:
    record = run_cases(tmp_path, planted("lie", method), planted("late", method))
    patterns = outcomes(record, "planted to lie")
    assert len(patterns) == 8
    assert set(patterns.values()) == {"wrong"}
    assert "wrong" in outcomes(record, "planted to late").values()
    assert not record.safe
    unsafe = [finding for finding in record.findings if finding.severity == "unsafe"]
    assert ["planted to lie" in unsafe[0].text, "planted to late" in unsafe[1].text] == [True, True]
    lie = next(check for check in record.checks if check.outcome == "wrong")
    assert "1 bytes are wrong" in lie.detail
    assert "at byte" in lie.detail
    assert list(tmp_path.iterdir()) == []


@pytest.mark.mpi
@pytest.mark.usefixtures("only_extra")
def test_a_method_that_hangs_is_named_with_its_pattern_and_the_next_is_tried(tmp_path: Path) -> None:
    sound = planted("", "transport:aggregated")
    record = run_cases(tmp_path, planted("hang", seconds=5.0), sound)
    assert outcomes(record, "planted to hang") == {"interleaved": "hang"}
    assert set(outcomes(record, sound.subject).values()) == {"right"}
    assert not record.safe
    assert "planted to hang: interleaved: hang, no end after 5 s" in record.findings[0].text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.mpi
@pytest.mark.usefixtures("only_extra")
def test_methods_that_reach_a_limit_of_the_system_end_and_are_not_blamed(tmp_path: Path) -> None:
    starter = tmp_path / "starter"
    # Leaves a few MiB for the shared memory of MPI itself.
    starter.write_text(f'#!/bin/sh\nulimit -f 16000\nexec {mpiexec()} "$@"\n')
    starter.chmod(0o755)
    folder = tmp_path / "runs"
    folder.mkdir()
    sizes: dict[str, str | int] = {"large": 8 << 20, "patterns": "contiguous,unaligned"}
    ways = ("transport:posix", *(f"mpi-io:{calls}" for calls in cases.CALLS))
    tried = [Case("mpi-io", way, "patterns", {"method": way, **sizes}, seconds=30.0) for way in ways]
    tried.append(cases.costs_case(15))
    record = examine(Wishes(folder, 2, str(starter), quick=True, extra=tried))
    for way in ways:
        assert outcomes(record, way) == {"contiguous": "error", "unaligned": "error"}, way
    assert outcomes(record, "costs") == {"write_1mib": "error"}
    unsafe = [finding.text for finding in record.findings if finding.severity == "unsafe"]
    assert len(unsafe) == 1
    assert unsafe[0].startswith("files may not become as large as the patterns: 11 checks ended by it")


def test_a_full_disk_is_named_before_anything_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = FileSystem("tmpfs", "/", "rw", 3_000_000, 4096)
    with pytest.raises(CannotRunError, match=r"is full: 3000000 bytes are free, .* 2 ranks need 17825792"):
        examination.require_room(Wishes(tmp_path), where)
    with pytest.raises(CannotRunError, match=r"is full: .* 2 ranks need 3145728; make room$"):
        examination.require_room(Wishes(tmp_path, quick=True), where)
    examination.require_room(Wishes(tmp_path, quick=True), replace(where, free_bytes=3_145_728))
    measuring, left_out = examination.costs_that_fit(Wishes(tmp_path), where)
    assert (measuring, left_out[0].severity) == ([], "note")
    assert "needs 79691776 bytes, and 3000000 are free" in left_out[0].text
    assert big_request(Wishes(tmp_path), where)[0] == 0


@pytest.mark.mpi
@pytest.mark.usefixtures("only_extra")
def test_methods_that_hang_get_less_time_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    def hangs(*_: object, seconds: float, **__: object) -> Answer:
        limits.append(seconds)
        return Answer([["begin", "far"]], timed_out=True)

    monkeypatch.setattr(examination, "launch", hangs)
    world = World(Launcher(("none",)), "Some MPI 1.0", ["here"], [])
    monkeypatch.setattr(examination, "find_world", lambda *_: (world, []))
    tried = [Case(group, f"way {number}", "patterns") for group in ("mpi-io", "locks") for number in range(5)]
    record = examine(Wishes(tmp_path, 2, quick=True, extra=tried))
    assert limits == [60, 30, 30, 30, 30, 30]
    assert [check.outcome for check in record.checks] == 2 * (3 * ["hang"] + 2 * ["skipped"])
    assert record.checks[4].detail == "3 others of its kind hung"


def test_the_wait_is_short_after_a_refused_write(tmp_path: Path) -> None:
    world = World(Launcher(("none",)), "Some MPI 1.0", ["here"], [])
    examined = examination.Examination(Wishes(tmp_path), Path("probe"), world, tmp_path)
    case = Case("mpi-io", "way", "patterns", {"big": 40_000_000})
    assert examined.seconds_of(case) == 62
    examined.is_refused = True
    assert examined.seconds_of(case) == 32


def test_a_slow_start_is_no_hang(tmp_path: Path) -> None:
    world = World(Launcher(("none",)), "Some MPI 1.0", ["here"], [])
    case = Case("mpi-io", "way", "patterns")
    for refused, hangs in ((True, 0), (False, 9)):
        examined = examination.Examination(Wishes(tmp_path), Path("probe"), world, tmp_path)
        examined.is_refused = refused
        examined.hangs["locks"] = hangs
        assert examined.seconds_of(case) >= SECONDS_TO_START + 10
    # Where starts are known to be fast, the limit may be lower.
    impatient = examination.Examination(Wishes(tmp_path, seconds=5), Path("probe"), world, tmp_path)
    assert impatient.seconds_of(case) == 5


@pytest.mark.mpi
@pytest.mark.parametrize("failure", ["open", "read"])
def test_ranks_that_examine_locks_end_with_one_that_fails(tmp_path: Path, failure: str) -> None:
    ways = [tmp_path / "first", tmp_path / "second"]
    ways[0].mkdir()
    if failure == "read":
        ways[1].mkdir()
        (ways[1] / "locks").touch()
    probe = mpi_program(*PROBE)
    parts = [["-n", "1", probe, "locks", f"directory={way}", "seconds=30"] for way in ways]
    ended = subprocess.run(
        [mpiexec(), *parts[0], ":", *parts[1]], capture_output=True, text=True, timeout=40, check=False
    )
    reported = [line.split("\t") for line in ended.stdout.splitlines() if line.startswith("@error")]
    reasons = {"open": "cannot open", "read": "the file ends too early"}
    assert len(reported) == 1, ended
    assert reasons[failure] in reported[0][1]
    assert ended.returncode == 4


@pytest.mark.mpi
@pytest.mark.usefixtures("only_extra")
def test_wrong_data_of_optional_methods_are_a_caution(tmp_path: Path) -> None:
    record = run_cases(tmp_path, planted("lie", default=False))
    assert record.safe
    assert [finding.severity for finding in record.findings if "planted" in finding.text] == ["caution"]


@pytest.mark.mpi
@pytest.mark.usefixtures("only_extra")
def test_a_program_that_dies_is_named(tmp_path: Path) -> None:
    crash = Case("mpi-io", "no such calls", "patterns", {"method": "mpi-io:none"})
    missing = Case("mpi-io", "no such component", "none", may_be_missing=True)
    record = run_cases(tmp_path, crash, missing)
    assert set(outcomes(record, "no such calls").values()) == {"error"}
    assert not record.safe


def test_a_record_that_cannot_be_saved_is_an_error_before_any_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def error_of(saved: Path) -> str:
        words = ["doctor", str(tmp_path), "--launcher", "none", "--save", str(saved)]
        outcome = CliRunner().invoke(app, words)
        assert outcome.exit_code == 4
        return outcome.output

    assert "its directory does not exist" in error_of(tmp_path / "nowhere" / "doctor.json")
    assert "is a directory" in error_of(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert "doctor.json: cannot be written" in error_of(tmp_path / "doctor.json")


def test_a_read_only_directory_is_an_error_before_ranks_are_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> str:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "name")

    monkeypatch.setattr(examination, "probe_path", lambda: Path("probe"))
    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.raises(CannotRunError, match=f"nothing can be written in {tmp_path}: Read-only file system$"):
        examine(Wishes(tmp_path, launcher="no-such-program"))


@pytest.mark.mpi
@pytest.mark.usefixtures("only_extra")
def test_reductions_of_unsigned_words_are_examined(tmp_path: Path) -> None:
    record = run_cases(tmp_path, cases.reductions_case())
    found = outcomes(record, "unsigned words")
    kinds = ("uint8", "unsigned", "unsigned long", "unsigned long long")
    assert list(found) == [f"{what} of {kind}" for kind in kinds for what in ("maximum", "minimum")]
    is_faulty = record.mpi_name == "MPICH" and is_within(record.mpi_version, "4.0.0 to 4.0.2")
    if is_faulty:
        assert set(found.values()) == {"wrong"}
        (check, *_) = [one for one in record.checks if one.check == "maximum of unsigned long"]
        assert check.detail == f"5 instead of {2**64 - 6}"
        reported = [one for one in record.findings if one.source == "tried here"]
        assert reported[0].severity == "caution"
        assert "reductions unsigned words: maximum of uint8: wrong" in reported[0].text
    assert any("MPI_MAX" in one.text for one in record.findings) == is_faulty


@pytest.mark.mpi
def test_the_command_examines_a_folder_and_saves_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIRE_PROBE", mpi_program(*PROBE))
    monkeypatch.setattr(cases, "CALLS", ("independent", "view"))
    monkeypatch.setattr(cases, "LOCKING_MODES", ("",))
    folder = tmp_path / "runs"
    folder.mkdir()
    saved = tmp_path / "doctor.json"
    words = ["doctor", str(folder), "--ranks", "2", "--quick", "--launcher", mpiexec(), "--save", str(saved)]
    outcome = CliRunner().invoke(app, words)
    record = examination_of(saved)
    assert outcome.exit_code == (0 if record.safe else 1), outcome.output
    assert set(record.costs) == set(OPERATIONS)
    assert all(0 < cost.low <= cost.median <= cost.high for cost in record.costs.values())
    names = {check.subject for check in record.checks if check.group == "transport"}
    assert names == set(quire_transports())
    assert {check.subject for check in record.checks if check.group == "mpi-io"} == {
        "independent calls",
        "view calls",
    }
    ours = [check for check in record.checks if check.group == "transport"]
    assert {check.outcome for check in ours} == {"right"}
    assert len(ours) == 8 * len(names)
    verdict = "safe" if record.safe else "not safe, for "
    # This MPI may fail the reductions of unsigned words.
    bad = [check.group for check in record.checks if check.is_bad]
    assert set(bad) <= {"reductions"}
    assert f" {len(bad)} bad: {verdict}" in outcome.output
    assert list(folder.iterdir()) == []


def examination_of(saved: Path) -> Record:
    """The record as it is read again, the same as was written."""
    from quire.lab.doctor.record import as_dictionary, load

    record = load(saved)
    assert as_dictionary(record) == json.loads(saved.read_text())
    return record


def quire_transports() -> list[str]:
    """The transports of this build."""
    from quire.io.formats import transports

    return transports()


def test_nothing_is_tried_without_a_launcher_that_works(tmp_path: Path) -> None:
    outcome = CliRunner().invoke(app, ["doctor", str(tmp_path), "--launcher", "no-such-program"])
    assert outcome.exit_code == 4
    assert outcome.stderr.count("\n") == 1
    assert "no launcher starts 2 ranks" in outcome.stderr
    with pytest.raises(CannotRunError, match="not a directory"):
        examine(Wishes(tmp_path / "nothing", 1))


def test_a_launcher_of_another_mpi_is_recognised_by_its_worlds_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = tmp_path / "quire-probe"
    probe.write_text("#!/bin/sh\nprintf '@world\\t1\\tSome MPI 1.0\\there\\n'\n")
    probe.chmod(0o755)
    starter = tmp_path / "mpiexec"
    starter.write_text('#!/bin/sh\nshift 2\n"$@"; "$@"\n')
    starter.chmod(0o755)
    monkeypatch.setenv("QUIRE_PROBE", str(probe))
    with pytest.raises(CannotRunError, match=r"2 worlds of 1 start instead of one of 2.*Some MPI 1\.0"):
        examine(Wishes(tmp_path, 2, str(starter)))


def test_doctor_removes_its_files_at_a_signal(tmp_path: Path, start_folder: Path) -> None:
    probe = tmp_path / "quire-probe"
    probe.write_text(
        "#!/bin/sh\n"
        "if [ \"$1\" = world ]; then printf '@world\\t2\\tSome MPI 1.0\\there\\n@end\\n'; else sleep 60; fi\n"
    )
    probe.chmod(0o755)
    starter = tmp_path / "starter"
    starter.write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    starter.chmod(0o755)
    command = [sys.executable, "-m", "quire", "doctor", str(start_folder), "--launcher", str(starter)]
    folder = str(Path(examination.__file__).parents[2])
    environment = {**os.environ, "QUIRE_PROBE": str(probe), "PYTHONPATH": folder}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 60
        while not list(start_folder.glob(".quire-doctor-*/*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert list(start_folder.iterdir()) != []
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 128 + signal.SIGTERM
    assert list(start_folder.iterdir()) == []


@pytest.fixture
def start_folder(tmp_path: Path) -> Path:
    """An empty folder to examine."""
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


def test_missing_locks_are_a_caution() -> None:
    checks = [Check("locks", "operating system", "byte ranges", "unsupported", "Function not implemented")]
    checks += [Check("file locking", "mode", "create", "error", "no locks")]
    assert [finding.severity for finding in judge(checks)] == ["caution", "caution"]
    assert "romio_ds_write=disable" in " ".join(finding.advice for finding in judge(checks))


def test_ranks_do_not_start_doctor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PMI_SIZE", "2")
    outcome = CliRunner().invoke(app, ["doctor", str(tmp_path)])
    assert outcome.exit_code == 2


def test_the_running_check_is_named_when_a_launch_ends() -> None:
    case = Case("mpi-io", "some calls", "patterns", may_be_missing=True)
    lines = [["begin", "interleaved"], ["pattern", "interleaved", "right", ""], ["begin", "holes"]]
    dead = checks_of(case, Answer(lines, code=139, noise="segmentation fault"), 9.0)
    assert [(check.check, check.outcome) for check in dead] == [("interleaved", "right"), ("holes", "crash")]
    assert dead[1].detail == "ended with 139: segmentation fault"
    silent = checks_of(case, Answer(lines[:2]), 9.0)
    assert [(check.check, check.outcome) for check in silent][1] == ("start", "crash")
    assert len(checks_of(case, Answer([*lines[:2], ["end"]]), 9.0)) == 1
    stuck = checks_of(case, Answer(lines, timed_out=True), 9.0)
    assert [(check.check, check.outcome) for check in stuck][1] == ("holes", "hang")
    nothing = checks_of(case, Answer(code=1, noise="no component of this name"), 9.0)
    assert [(check.check, check.outcome) for check in nothing] == [("start", "missing")]
    assert checks_of(Case("x", "y", "patterns"), Answer(code=1), 9.0)[0].outcome == "crash"


def test_the_table_has_cells_for_failed_starts_and_no_rows_for_missing_methods() -> None:
    checks = [
        Check("transport", "a", "holes", "right"),
        Check("transport", "a", "far", "wrong", "x"),
        Check("mpi-io", "b", "start", "missing"),
        Check("mpi-io", "c", "start", "hang"),
        Check("mpi-io", "d", "holes", "error"),
    ]
    assert pattern_table(checks) == [
        ["", "holes", "far"],
        ["transport a", "ok", "WRONG"],
        ["MPI-IO c", "HANG", "HANG"],
        ["MPI-IO d", "ERROR", "-"],
    ]


def test_launchers_that_queue_jobs_are_tried_only_inside_a_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    assert "srun" not in candidates()
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert "srun" in candidates()


def test_launchers_are_written_as_a_user_types_them() -> None:
    assert Launcher.from_text("srun -N 2").command(8) == ["srun", "-N", "2", "-n", "8"]
    assert Launcher.from_text("mpiexec -np {ranks} --bind-to none").command(8) == [
        *["mpiexec", "-np", "8", "--bind-to", "none"]
    ]


@pytest.mark.parametrize(
    ("memory", "space", "big"),
    [
        (10**12, 10**13, FULL_BIG),
        (10**9, 10**13, SCALED_BIG),
        (10**12, 10**9, SCALED_BIG),
        (10**12, 10**8, 0),
    ],
)
def test_the_big_request_fits_memory_and_space(
    monkeypatch: pytest.MonkeyPatch, memory: int, space: int, big: int
) -> None:
    monkeypatch.setattr(examination, "available_memory", lambda: memory)
    where = FileSystem("ext4", "/", "rw", space, 4096)
    size, remark = big_request(Wishes(Path("/")), where)
    assert size == big
    assert (remark is None) == (big == FULL_BIG)
    assert big_request(Wishes(Path("/"), quick=True), where)[0] == 0
    assert big_request(Wishes(Path("/"), big=1), where)[0] == 4 << 20
    assert FULL_BIG > 2**31
