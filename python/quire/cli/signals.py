"""Signals: commands clean up as after an interruption."""

from __future__ import annotations

import importlib
import os
import signal
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress


class EndedError(KeyboardInterrupt):
    """Interruption by a signal that ends the process."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def code_of(interruption: KeyboardInterrupt) -> int:
    """Independent. Return the exit code that shells report for a program ended by this signal."""
    return 128 + (interruption.number if isinstance(interruption, EndedError) else signal.SIGINT)


@contextmanager
def ended_by_a_second(numbers: Collection[int]) -> Iterator[None]:
    """Independent. End the process at the second of these signals, also while it waits for other ranks.

    Python runs handlers in the main thread, which may wait in the core for a rank that hangs. A separate
    thread receives the signals as well.
    """
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    before = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)

    def listen() -> None:
        is_asked = False
        while number := int.from_bytes(os.read(read_end, 1)):
            if is_asked and number in numbers:
                os._exit(128 + number)
            is_asked = is_asked or number in numbers

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(write_end)
        listener.join()
        os.close(read_end)


@contextmanager
def raised_interruptions() -> Iterator[None]:
    """Independent. Raise KeyboardInterrupt at an interruption that would end the process, as at its start."""
    is_main = threading.current_thread() is threading.main_thread()
    is_quiet = is_main and signal.getsignal(signal.SIGINT) == signal.SIG_DFL
    if is_quiet:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if is_quiet:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Independent. Treat SIGTERM and SIGHUP as an interruption. A second one ends the process at once."""

    def interrupt(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise EndedError(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with suppress(ImportError):
        # Importing it with MPI may install a handler of SIGHUP, as UCX does to show where a program hangs.
        importlib.import_module("quire._core")
    # A signal that is ignored already, as by nohup, remains ignored.
    numbers = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) == signal.SIG_DFL]
    for one in numbers:
        signal.signal(one, interrupt)
    try:
        with ended_by_a_second(numbers):
            yield
    finally:
        for one in numbers:
            signal.signal(one, signal.SIG_DFL)
