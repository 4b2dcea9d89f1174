"""Behaviour that all commands share."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer
from typer.testing import CliRunner

import quire
from quire.cli.command import ExitCode, command, explain
from quire.cli.main import app
from quire.toolkit.examples import EXAMPLES

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run, Start

COMMANDS = [
    "info",
    "stats",
    "show",
    "get",
    "convert",
    "define",
    "filter",
    "thin",
    "split",
    "concat",
    "run",
    "new",
    "sql",
    "select",
    "sort",
    "group",
    "join",
    "pages",
    "melt",
    "pivot",
    "transpose",
    "text",
    "sample",
    "shims",
    "convert-script",
    "hist",
    "map",
    "fit",
    "correlate",
    "matrix",
    "fft",
    "tunes",
    "smooth",
    "interp",
    "deriv",
    "integ",
    "peaks",
    "zeros",
    "outliers",
    "import",
    "export",
    "attach",
    "pack",
    "unpack",
    "repack",
    "doctor",
    "advise",
    "check",
    "recover",
    "diff",
    "sum",
    "plot",
    "view",
    "open-in",
    "plan",
    "index",
    "query",
    "track",
    "calc",
    "explain",
    "formats",
    "example",
]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(run: Run, name: str) -> None:
    outcome = run(name, "--help")
    assert outcome.code == 0
    assert f"quire {name}" in outcome.output.split("Examples\n", 1)[1]


def test_the_list_of_commands_is_complete(run: Run) -> None:
    listed = typer.main.get_command(app).list_commands(None)  # type: ignore[attr-defined]
    assert sorted(set(listed) - {"bench"}) == sorted(COMMANDS)
    text = run("--help").output
    for name in COMMANDS:
        assert name in text


def test_the_version(run: Run) -> None:
    assert run("--version").output == f"quire {quire.__version__}\n"


def test_help_imports_nothing_heavy() -> None:
    folder = str(Path(quire.__file__).parent.parent)
    code = (
        "import sys; sys.argv = ['quire', '--help']\n"
        "import quire.cli.main as main\n"
        "try: main.main()\n"
        "except SystemExit: pass\n"
        "print([m for m in ('numpy', 'matplotlib', 'mpi4py', 'h5py') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": folder}, capture_output=True, timeout=60, check=False
    )
    assert done.stderr == b"[]\n"


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (quire.UsageError("x"), 2),
        (quire.MissingError("x"), 1),
        (quire.BadFileError("x", offset=3), 3),
        (quire.UnsupportedError("x"), 1),
        (quire.TypeMismatchError("x"), 1),
        (quire.ConflictError("x"), 1),
        (quire.InputOutputError("x"), 4),
        (quire.MemoryBudgetError("x"), 4),
        (quire.AbortedError("x"), 4),
        (quire.DeadlineError("x"), 4),
        (quire.InternalError("x"), 70),
        (FileNotFoundError(2, "no such file", "x"), 4),
        (MemoryError(), 4),
        (ModuleNotFoundError("no", name="matplotlib"), 2),
        (ZeroDivisionError("x"), 70),
    ],
)
def test_exit_codes(problem: Exception, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(problem)[1] == code

    @command
    def failing() -> None:
        raise problem

    import typer

    small = typer.Typer()
    small.command()(failing)
    result = CliRunner().invoke(small, [])
    assert result.exit_code == code
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("quire: ")


def test_debugging_shows_the_traceback(start: Start, tmp_path: Path) -> None:
    letter = tmp_path / "letter"
    letter.write_text("Dear reader,\n")
    assert b"Traceback" not in start("info", letter).stderr
    assert b"Traceback" in start("info", letter, QUIRE_DEBUG="1").stderr


@pytest.mark.parametrize(
    "words", ["doctor .", "advise . --ranks 2", "bench run fields", "plan --workload particles --ranks 4"]
)
def test_commands_of_an_absent_lab_name_the_extra(words: str) -> None:
    program = "import sys; sys.modules['quire.lab'] = None; from quire.cli.main import app; app()"
    done = subprocess.run([sys.executable, "-c", program, *words.split()], capture_output=True, text=True)
    assert done.returncode == ExitCode.USAGE
    assert (
        done.stderr
        == "quire: this command needs quire.lab, which is not installed: pip install 'quire[lab]'\n"
    )


@pytest.mark.parametrize(
    ("package", "words", "extra"),
    [
        ("matplotlib", "plot beam.h5 -x x -y px out.png", "plot"),
        ("uvicorn", "view beam.h5", "view"),
        ("starlette", "view beam.h5", "view"),
        ("scipy", "fit beam.h5 out.h5 px --versus x --model gaussian", "toolkit"),
    ],
)
def test_commands_without_a_package_name_the_extra(
    tmp_path: Path, package: str, words: str, extra: str
) -> None:
    EXAMPLES["beam"].write(tmp_path / "beam.h5")
    program = f"import sys; sys.modules['{package}'] = None; from quire.cli.main import app; app()"
    command = [sys.executable, "-c", program, *words.split()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == ExitCode.USAGE
    assert f"package '{package}', which is not installed: pip install 'quire[{extra}]'\n" in done.stderr
    assert os.listdir(tmp_path) == ["beam.h5"]


def test_commands_of_an_absent_lab_are_not_listed() -> None:
    program = "import sys; {}; from quire.cli.main import app; app(['--help'])"
    listed = []
    for lab in ("sys.modules['quire.lab'] = None", "pass"):
        words = [sys.executable, "-c", program.format(lab)]
        help_text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        listed.append(set(re.findall(r"^  ([a-z]+)  ", help_text, re.MULTILINE)))
    assert listed[1] - listed[0] == {"advise", "bench", "doctor", "plan"}


def test_a_keyboard_interrupt_is_quiet() -> None:
    @command
    def interrupted() -> None:
        raise KeyboardInterrupt

    import typer

    small = typer.Typer()
    small.command()(interrupted)
    assert CliRunner().invoke(small, []).exit_code == ExitCode.INTERRUPTED


def test_the_trace_shows_the_times(start: Start, beam: Path) -> None:
    done = start("sum", beam, QUIRE_TRACE="1")
    line = done.stderr.decode()
    for word in ("plan", "wait", "encode", "transfer", "metadata"):
        assert f"{word} " in line
    assert start("sum", beam).stderr == b""


def test_help_that_cannot_be_written_is_one_line() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(quire.__file__).parent.parent)}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "quire", "--help"],
            env=environment, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 4
    assert done.stderr.count(b"\n") == 1
    assert b"No space left" in done.stderr


def test_the_list_of_commands_has_one_line_for_each(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    commands, _, _ = run("--help").output.partition("\nOptions\n")
    assert set(COMMANDS) <= set(re.findall("^  ([a-z-]+)  ", commands, re.MULTILINE))
    assert [line for line in commands.splitlines() if line.startswith("   ")] == []


def test_a_missing_directory_is_said_once(run: Run, one_beam: Path, tmp_path: Path) -> None:
    outcome = run("convert", one_beam, tmp_path / "none" / "out.h5")
    assert outcome.errors.count("there is no directory") == 1
    assert outcome.code == 4
