"""A command that is told to end removes what it has begun, and says by its exit code what ended it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import quire

# The conversion stops where its target is half made. The core is loaded by the command itself, as ever.
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
def test_a_conversion_that_is_told_to_end_leaves_nothing(one_beam: Path, number: signal.Signals) -> None:
    before = set(one_beam.parent.iterdir())
    target = one_beam.with_name("copy.h5")
    words = [sys.executable, "-c", PROGRAM, "convert", str(one_beam), str(target)]
    words += ["--format", quire.formats()[0]]

    def hear() -> None:
        """Requests are heard even where this test runs in the background, whose shell has them ignored."""
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

    with subprocess.Popen(words, stderr=subprocess.PIPE, preexec_fn=hear) as process:
        last = time.monotonic() + 30
        while not list(one_beam.parent.glob(".quire-*")) and time.monotonic() < last:
            time.sleep(0.02)
        time.sleep(0.2)
        process.send_signal(number)
        _, told = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert b"Traceback" not in told
    assert set(one_beam.parent.iterdir()) == before


# A lock that is taken twice: as in a wait for a rank that hangs, the main thread does not come back.
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


def test_a_second_request_ends_what_waits_outside_of_python() -> None:
    def hear() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    with subprocess.Popen(
        [sys.executable, "-c", WAITS_IN_C], stdout=subprocess.PIPE, preexec_fn=hear
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waits\n"
        time.sleep(0.3)  # from its last line to the lock
        process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 128 + signal.SIGTERM
