"""A command that receives a signal removes its unfinished files, and its exit code states the signal."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import quire

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
    assert b"Traceback" not in errors
    assert set(one_beam.parent.iterdir()) == before


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
