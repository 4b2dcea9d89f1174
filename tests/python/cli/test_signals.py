"""A command that receives a signal removes its unfinished files, and its exit code states the signal."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from tests.python.cli.conftest import write_beam
from tests.python.support.mpi import ROOT

import quire
from quire.io.formats import format_infos, is_series

# The conversion stops while its target is incomplete. The command itself loads the core, as usual.
PROGRAM = """
import sys, time
from quire.cli import convert, main

def wait(*given):
    for _ in range(600):
        time.sleep(0.1)

def copy_and_wait(*given):
    from quire.toolkit.copier import StepCopier
    StepCopier.write_rows = wait
    copy_file(*given)

module = sys.modules["quire.cli.convert"]
copy_file = module.copy_file
module.copy_file = copy_and_wait
assert "quire._core" not in sys.modules
sys.modules["quire.cli.main"].main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_conversion_leaves_no_files_after_a_signal(one_beam: Path, number: signal.Signals) -> None:
    before = set(one_beam.parent.iterdir())
    target = one_beam.with_name("copy.h5")
    words = [sys.executable, "-c", PROGRAM, "convert", str(one_beam), str(target)]
    words += ["--format", quire.formats()[0]]

    def restore_default() -> None:
        """Restore the default handler: shells ignore the signal in background processes."""
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

    with subprocess.Popen(words, stderr=subprocess.PIPE, preexec_fn=restore_default) as process:
        last = time.monotonic() + 30
        while not list(one_beam.parent.glob(".quire-*")) and time.monotonic() < last:
            time.sleep(0.02)
        time.sleep(0.2)
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert errors.decode() == f"quire: interrupted: {target} was not written\n"
    assert set(one_beam.parent.iterdir()) == before


# A command that waits when it calls a function of the toolkit for the n-th time.
WAITS = """
import importlib, sys, time

module, owner, name, calls = sys.argv[1:5]
owner = importlib.import_module(module) if owner == "-" else getattr(importlib.import_module(module), owner)
original, count = getattr(owner, name), 0

def wait(*given, **named):
    global count
    count += 1
    if count < int(calls):
        return original(*given, **named)
    print("waits", flush=True)
    time.sleep(60)

setattr(owner, name, wait)
sys.argv[1:5] = []
from quire.cli.main import main
main()
"""


def restore_interruption() -> None:
    """Restore the handler of Python: shells ignore the signal in background processes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def interrupted(folder: Path, place: str, *words: str) -> str:
    """Interrupt a command from the keyboard where it waits; return what it printed."""
    with subprocess.Popen(
        [sys.executable, "-c", WAITS, *place.split(), *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=restore_interruption,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waits\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    return errors.decode()


SUFFIX = format_infos()[0].suffixes[0]
COPIER = "quire.toolkit.copier StepCopier write_rows 2"


@pytest.mark.parametrize(
    ("place", "words", "printed"),
    [
        (COPIER, "convert beam.h5 out.h5", "out.h5 was not written"),
        (COPIER, "filter beam.h5 out.h5 id>3", "out.h5 was not written"),
        (COPIER, "define beam.h5 old.h5 r=x --overwrite", "old.h5 is unchanged"),
        (COPIER, "concat beam.h5 beam.h5 out.h5 --renumber", "out.h5 was not written"),
        ("quire.toolkit.text_import Importer write 1", "import data.csv out.h5", "out.h5 was not written"),
        ("quire.toolkit.text_export - select_names 2", "export beam.h5 out.csv", "out.csv was not written"),
        (
            "quire.toolkit.statistics - select_names 2",
            "stats beam.h5 --columns x --json",
            "no file was changed",
        ),
        ("quire.toolkit.difference Comparison compare_steps 2", "diff beam.h5 old.h5", "no file was changed"),
    ],
)
def test_an_interruption_is_one_line_that_says_what_is_left(
    tmp_path: Path, place: str, words: str, printed: str
) -> None:
    for name in ("beam.h5", "old.h5"):
        write_beam(tmp_path / name.replace(".h5", SUFFIX), quire.formats()[0])
    (tmp_path / "data.csv").write_text("x,y\n1,2\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    words, printed = (text.replace(".h5", SUFFIX) for text in (words, printed))
    assert interrupted(tmp_path, place, *words.split()) == f"quire: interrupted: {printed}\n"
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_interruption_before_the_command_begins_is_one_line(tmp_path: Path) -> None:
    printed = interrupted(tmp_path, "quire.cli.main - built 1", "info", "beam.h5")
    assert printed == "quire: interrupted: no file was changed\n"


# A program that waits while it imports the command line.
IMPORTS = """
import runpy, sys, time

class Waiting:
    def find_spec(self, name, path=None, target=None):
        if name in ("typer", "quire.legacy.running"):
            print("imports", flush=True)
            time.sleep(60)

sys.meta_path.insert(0, Waiting())
sys.argv = ["quire", "info", "beam.h5"]
"""


def of_script() -> list[str]:
    """Return module and function of the console script."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return str(project["scripts"]["quire"]).split(":")


@pytest.mark.parametrize("start", ["script", "quire", "quire.legacy"])
def test_an_interruption_of_imports_prints_nothing(start: str) -> None:
    module, name = of_script()
    begin = f"from {module} import {name}; {name}()"
    if start != "script":
        begin = f"runpy.run_module({start!r}, run_name='__main__')"
    with subprocess.Popen(
        [sys.executable, "-c", IMPORTS + begin],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=restore_interruption,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"imports\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (-signal.SIGINT, b"")


@pytest.mark.parametrize("path", ["cmake/QuirePythonInstall.cmake", "scripts/setup.sh"])
def test_scripts_begin_as_that_of_the_package_does(path: str) -> None:
    module, name = of_script()
    assert f"from {module} import {name}" in (ROOT / path).read_text()


def test_an_interrupted_division_keeps_whole_files(tmp_path: Path) -> None:
    write_beam(tmp_path / f"beam{SUFFIX}", quire.formats()[0])
    printed = interrupted(tmp_path, COPIER, "split", f"beam{SUFFIX}", f"part_{{step}}{SUFFIX}")
    assert printed == f"quire: interrupted: part_4{SUFFIX} was not written; 1 of 3 files are complete\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"beam{SUFFIX}", f"part_1{SUFFIX}"]
    with quire.open(tmp_path / f"part_1{SUFFIX}") as file:
        assert file.numbers == [1]


def test_an_interrupted_conversion_of_several_keeps_whole_files(tmp_path: Path) -> None:
    names = [f"{name}{SUFFIX}" for name in "abc"]
    for name in names:
        write_beam(tmp_path / name, quire.formats()[0], [1])
    words = ["convert", *names, "new/", "--format", quire.formats()[0], "--json"]
    printed = interrupted(tmp_path, COPIER, *words)
    assert printed == f"quire: interrupted: new/b{SUFFIX} was not written; 1 of 3 files are complete\n"
    assert [path.name for path in (tmp_path / "new").iterdir()] == [f"a{SUFFIX}"]
    with quire.open(tmp_path / "new" / f"a{SUFFIX}") as file:
        assert file.numbers == [1]


def test_an_interrupted_series_has_whole_steps(tmp_path: Path) -> None:
    write_beam(tmp_path / f"beam{SUFFIX}", quire.formats()[0])
    series = next(name for name in quire.formats() if is_series("run_%T.h5", name))
    words = ["convert", f"beam{SUFFIX}", "run_%T.h5", "--format", series]
    printed = interrupted(tmp_path, COPIER, *words)
    assert printed == "quire: interrupted: run_%T.h5 has whole steps only\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"beam{SUFFIX}", "run_1.h5"]
    with quire.open(tmp_path / "run_1.h5") as file:
        assert file.numbers == [1]


# A command that says that it begins to read standard input.
READS = """
import shutil, sys

copy = shutil.copyfileobj

def say_and_copy(source, target):
    print("reads", flush=True)
    copy(source, target)

shutil.copyfileobj = say_and_copy
from quire.cli.main import main
main()
"""


# A lock that is acquired twice: as in a wait for a hanging rank, the main thread does not return.
WAITS_IN_C = """
import ctypes, sys
from quire.cli.signals import ended_by_signals

lock = ctypes.create_string_buffer(256)
take = ctypes.CDLL(None).pthread_mutex_lock
with ended_by_signals():
    take(lock)
    print("waits", flush=True)
    take(lock)
"""


def test_a_second_signal_ends_a_wait_outside_of_python() -> None:
    def restore_default() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    with subprocess.Popen(
        [sys.executable, "-c", WAITS_IN_C], stdout=subprocess.PIPE, preexec_fn=restore_default
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waits\n"
        time.sleep(0.3)  # from its last line to the lock
        process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 128 + signal.SIGTERM


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("is_sent", [False, True])
def test_one_signal_ends_the_wait_for_standard_input(number: signal.Signals, is_sent: bool) -> None:
    """Standard input that stays open, also after some bytes of a file."""

    def restore_default() -> None:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

    with subprocess.Popen(
        [sys.executable, "-c", READS, "info", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=restore_default,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if is_sent:
            process.stdin.write(bytes(100))
            process.stdin.flush()
        assert process.stdout.readline() == b"reads\n"
        time.sleep(0.3)  # from its last line to the wait for bytes
        process.send_signal(number)
        assert process.wait(30) == 128 + number
        assert process.stderr is not None
        assert process.stderr.read() == b"quire: interrupted: no file was changed\n"
