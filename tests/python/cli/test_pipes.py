"""Pipes are read like standard input, also those of a shell, and a signal ends the wait for one."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import quire
from quire.errors import Error

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Start

FORMAT = quire.formats()[0]


@contextmanager
def pipe_of(path: Path) -> Iterator[Path]:
    """A named pipe to which the bytes of a file are written once."""
    pipe = path.with_name(f"pipe-{path.name}")
    os.mkfifo(pipe)

    def write() -> None:
        with path.open("rb") as source, pipe.open("wb") as target:
            shutil.copyfileobj(source, target)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    yield pipe
    writer.join(30)
    assert not writer.is_alive()
    pipe.unlink()


def test_a_pipe_is_read_like_standard_input(run: Run, beam: Path) -> None:
    for command in ("info", "sum", "check", "show"):
        expected = run(command, beam)
        with pipe_of(beam) as pipe:
            found = run(command, pipe)
        assert (found.code, found.errors) == (0, "")
        assert found.output.replace(str(pipe), str(beam)) == expected.output
    with pipe_of(beam) as pipe:
        assert run("diff", beam, pipe).code == 0
    with pipe_of(beam) as pipe:
        assert run("convert", pipe, beam.with_name("copy"), "--format", quire.formats()[0]).code == 0
    assert run("diff", beam, beam.with_name("copy")).code == 0


def test_the_pipe_of_a_shell_is_read(one_beam: Path) -> None:
    line = '"$0" -m quire diff <(cat "$1") <(cat "$1")'
    done = subprocess.run(["bash", "-c", line, sys.executable, one_beam], check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


CHAINS = (
    ["filter", "id > 20", "/", "define", "r=hypot(x, x)"],
    ["group", "half=bin(id, 2)"],
    ["stats", "--window", "7", "mean(x)", "t=last(id)"],
    ["pages", "merge"],
)


@pytest.mark.parametrize("first", CHAINS, ids=lambda words: words[0])
def test_chains_with_a_pipe_between_them_are_one_chain(
    start: Start, one_beam: Path, first: list[str]
) -> None:
    """As `quire run a / ... / write - | quire run - / ... / write b`."""
    second = ["sort", "x:desc", "/"] if "stats" not in first else ["sort", "x_mean", "/"]
    alone, piped = (one_beam.with_name(f"{name}{one_beam.suffix}") for name in ("alone", "piped"))
    whole = start("run", one_beam, "/", *first, "/", *second, "write", alone)
    assert whole.returncode == 0, whole.stderr
    writer = start("run", one_beam, "/", *first, "/", "write", "-", "--format", FORMAT)
    assert writer.returncode == 0, writer.stderr
    reader = start("run", "-", "/", *second, "write", piped, stdin=writer.stdout)
    assert reader.returncode == 0, reader.stderr
    with quire.open(alone) as wanted, quire.open(piped) as found:
        assert [step.number for step in found] == [step.number for step in wanted]
        for step, made in zip(wanted, found, strict=True):
            assert dict(made.attrs) == dict(step.attrs)
            for name, values in step.table.read().items():
                assert made[name][:].tobytes() == values.tobytes()
                assert made[name].unit == step[name].unit


def test_the_shell_joins_chains_by_a_pipe(one_beam: Path) -> None:
    quire_run = f"{sys.executable} -m quire run"
    line = (
        f"{quire_run} {one_beam} / rows 0:5 / write - --format {FORMAT} "
        f"| {quire_run} - / filter 'id > 3' / write - --format {FORMAT} | {quire_run} - / get id"
    )
    done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["4", "5"] * 3


def test_an_error_about_a_pipe_names_it(run: Run, tmp_path: Path) -> None:
    letter = tmp_path / "letter"
    letter.write_text("Dear reader,\n")
    with pipe_of(letter) as pipe:
        outcome = run("info", pipe)
    assert outcome.code == 3
    assert str(pipe) in outcome.errors


def received(pipe: Path, content: list[bytes]) -> threading.Thread:
    """Start the reader of a named pipe, which appends what it gets."""
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: content.append(pipe.read_bytes()), daemon=True)
    reader.start()
    return reader


@pytest.mark.parametrize(
    "words",
    [["export"], ["convert", "--format", FORMAT], ["sort", "x", "--format", FORMAT]],
    ids=lambda words: words[0],
)
def test_a_pipe_gets_what_a_file_would_contain(run: Run, one_beam: Path, words: list[str]) -> None:
    name, *rest = words
    assert run(name, one_beam, one_beam.with_name("file"), *rest).code == 0
    pipe, content = one_beam.with_name("pipe"), list[bytes]()
    reader = received(pipe, content)
    outcome = run(name, one_beam, pipe, *rest)
    reader.join(30)
    assert outcome.code == 0, outcome.errors
    assert content == [one_beam.with_name("file").read_bytes()]
    assert pipe.is_fifo()


def test_the_numbers_of_a_plot_are_written_to_a_pipe(run: Run, one_beam: Path) -> None:
    pipe, content = one_beam.with_name("pipe"), list[bytes]()
    reader = received(pipe, content)
    picture = one_beam.with_name("x.png")
    assert run("plot", one_beam, "--histogram", "x", "--data", pipe, picture).code == 0
    reader.join(30)
    assert content[0].startswith(b"x from [m],x to [m],rows\n")


@pytest.mark.parametrize("words", [["export"], ["convert", "--format", FORMAT]], ids=lambda words: words[0])
def test_the_reader_of_a_pipe_is_released_by_an_error(run: Run, tmp_path: Path, words: list[str]) -> None:
    content = list[bytes]()
    reader = received(tmp_path / "pipe", content)
    assert run(words[0], tmp_path / "none", tmp_path / "pipe", *words[1:]).code == 4
    reader.join(30)
    assert content == [b""]


def test_standard_output_and_devices_are_written_by_their_names(
    run: Run, start: Start, one_beam: Path
) -> None:
    expected = start("export", one_beam, "-").stdout
    assert start("export", one_beam, "/dev/stdout").stdout == expected
    copied = start("convert", one_beam, "/dev/stdout", "--format", FORMAT)
    assert start("diff", one_beam, "-", stdin=copied.stdout).returncode == 0
    assert run("export", one_beam, "/dev/null").code == 0
    for words in (["export"], ["convert", "--format", FORMAT]):
        outcome = run(words[0], one_beam, "/dev/full", *words[1:])
        assert (outcome.code, outcome.errors) == (4, "quire: /dev/full: No space left on device\n")


def test_a_pipe_of_the_shell_is_called_by_its_number(make: Make) -> None:
    line = '"$0" -m quire diff <(cat "$1") <(cat "$2"); "$0" -m quire sum <(cat "$1")'
    beams = [make(FORMAT, name, numbers=numbers) for name, numbers in (("a", (1, 4)), ("b", (1,)))]
    done = subprocess.run(["bash", "-c", line, sys.executable, *beams], check=False, capture_output=True)
    assert re.fullmatch(rb"step 4 is only in pipe \d+\n[0-9a-f]{16}  pipe \d+\n", done.stdout)
    assert done.stderr == b""


@pytest.mark.mpi
def test_several_ranks_cannot_share_a_pipe(start: Start, one_beam: Path) -> None:
    pipe = one_beam.with_name("pipe")
    os.mkfifo(pipe)
    done = start("info", pipe, ranks=2)
    assert (done.returncode, b"share" in done.stderr) == (2, True)


def test_the_library_refuses_a_pipe_without_waiting(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(Error, match="a pipe has no offsets"):
        quire.open(pipe)


# Prints a line when it is about to open its input, where it then waits.
PROGRAM = """
import sys

def watch(event, given):
    if event == "open" and given[0] == sys.argv[2]:
        print("waits", flush=True)

sys.addaudithook(watch)
from quire.cli.main import main
main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("has_writer", [False, True])
def test_the_first_signal_ends_the_wait_for_a_pipe(
    tmp_path: Path, number: signal.Signals, has_writer: bool
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def restore_default() -> None:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

    words = [sys.executable, "-c", PROGRAM, "info", str(pipe)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=restore_default
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waits\n"
        # Without a writer it waits in open(), with a silent one in read().
        writer = os.open(pipe, os.O_WRONLY) if has_writer else None
        time.sleep(0.3)
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
        if writer is not None:
            os.close(writer)
    assert process.returncode == 128 + number
    assert b"Traceback" not in errors


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("info - <&-", 2, "quire: standard input is closed\n"),
        ("convert - copy.h5 <&-", 2, "quire: standard input is closed\n"),
        ("info nothing.h5 2>&-", 4, ""),
        ("info 2>&-", 2, ""),
        ("formats >&-", 0, ""),
        ("formats >/dev/full", 4, "quire: standard output: No space left on device\n"),
    ],
)
def test_closed_streams_are_no_traceback(tmp_path: Path, line: str, code: int, said: str) -> None:
    program = f"{sys.executable} -m quire {line}"
    folder = str(Path(quire.__file__).parent.parent)
    done = subprocess.run(
        ["bash", "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": folder},
    )
    assert (done.returncode, done.stderr, done.stdout) == (code, said, "")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("is_buffered", [True, False])
@pytest.mark.parametrize("words", [["check"], ["check", "--json"], ["diff"], ["diff", "--json"]])
def test_an_answer_that_is_not_read_keeps_its_exit_code(
    one_beam: Path, words: list[str], is_buffered: bool
) -> None:
    """As in `quire check FILE | grep -q damaged`, which ends at the first match."""
    other = one_beam.with_name(f"other{one_beam.suffix}")
    if words[0] == "diff":
        with quire.create(other) as out, out.step(1) as step:
            step.put("x", [1.0])
        words = [*words, str(one_beam), str(other)]
    else:
        other.write_bytes(one_beam.read_bytes()[:-50])
        words = [*words, str(other)]
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        [sys.executable, *([] if is_buffered else ["-u"]), "-m", "quire", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
    assert (process.returncode, errors) == (1, b"")
