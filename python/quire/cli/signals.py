"""What commands do about signals: what was begun is removed or ended, as after an interruption."""

from __future__ import annotations

import importlib
import os
import signal
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress


class EndedError(KeyboardInterrupt):
    """The interruption by a signal that asks to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def code_of(interruption: KeyboardInterrupt) -> int:
    """Independent. The exit code that shells give a program that was ended by that signal."""
    return 128 + (interruption.number if isinstance(interruption, EndedError) else signal.SIGINT)


@contextmanager
def ended_by_a_second(numbers: Collection[int]) -> Iterator[None]:
    """Independent. End the process at the second of these signals, also while it waits for other ranks.

    Handlers of Python run when the main thread comes back to the interpreter. From a wait in the core for a
    rank that hangs it never does; a thread of its own hears all the same.
    """
    hears, tells = os.pipe()
    os.set_blocking(tells, False)
    before = signal.set_wakeup_fd(tells, warn_on_full_buffer=False)

    def listen() -> None:
        is_asked = False
        while number := int.from_bytes(os.read(hears, 1)):
            if is_asked and number in numbers:
                os._exit(128 + number)
            is_asked = is_asked or number in numbers

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(tells)
        listener.join()
        os.close(hears)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Independent. A request to end, or the end of the terminal, counts as an interruption.

    A second one ends the process at once, wherever it is.
    """

    def interrupt(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise EndedError(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with suppress(ImportError):
        # With MPI it may load what takes SIGHUP for itself, as UCX does to show where a program hangs.
        importlib.import_module("quire._core")
    # One that is ignored already, as by nohup, stays so.
    numbers = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) == signal.SIG_DFL]
    for one in numbers:
        signal.signal(one, interrupt)
    try:
        with ended_by_a_second(numbers):
            yield
    finally:
        for one in numbers:
            signal.signal(one, signal.SIG_DFL)
