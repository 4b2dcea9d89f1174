"""What commands do about signals while programs that they started are running."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Independent. A request to end, or the end of the terminal, counts as an interruption: what was
    started is ended.
    """

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    # One that is ignored already, as by nohup, stays so.
    numbers = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) != signal.SIG_IGN]
    before = {one: signal.signal(one, interrupt) for one in numbers}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
