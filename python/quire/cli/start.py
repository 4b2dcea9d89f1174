"""The console script of the package. It imports the command line when an interruption is quiet."""

from __future__ import annotations

import importlib


def end_quietly() -> None:
    """Let an interruption end the process by its signal, without a traceback of imports.

    A command that begins reports interruptions itself (`quire.cli.signals.raised_interruptions`).
    """
    signal = importlib.import_module("_signal")  # `signal` itself imports enum
    # A handler that is not that of Python was chosen before, or the signal is ignored, as by `nohup`.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> None:
    """Run the command line."""
    end_quietly()
    from quire.cli.main import main

    main()
