"""A world of MPI ranks that stays up between tests: starting Python and MPI takes longer than most.

The test process has a World for each number of ranks. Each rank is a process of this file, connected to it
by a socket, on which it waits without using the processor.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Client, Connection, wait
from pathlib import Path
from typing import Any

STARTING_LIMIT = 60.0
MOST_CALLS = 100
"""What tests do not release, such as communicators, ends with the world after so many."""


@dataclass(frozen=True)
class Order:
    """A function that every rank calls, with the surroundings of the caller."""

    module: str
    name: str
    arguments: str  # JSON
    folder: str
    changed: dict[str, str]  # environment
    removed: list[str]


@dataclass(frozen=True)
class Answer:
    """The result of a rank as JSON, or the traceback of its exception."""

    result: str = ""
    failure: str = ""


class RanksError(AssertionError):
    """A rank raised, ended or came too late; the world is gone."""


class World:
    """Processes of one MPI program. After an error they are gone, and it takes no further calls."""

    def __init__(self, ranks: int, command: list[str], environment: dict[str, str]) -> None:
        """Start the ranks by a command that lacks the program, and wait for each."""
        self.ranks = ranks
        self.calls_left = MOST_CALLS
        self.started_with = dict(os.environ)
        self.folder = tempfile.TemporaryDirectory(prefix="ranks")
        self.output = Path(self.folder.name, "output")
        self.lines: dict[Connection, int] = {}
        address = str(Path(self.folder.name, "socket"))
        with socket.socket(socket.AF_UNIX) as listener, self.output.open("w") as output:
            listener.bind(address)
            listener.listen(ranks)
            listener.settimeout(STARTING_LIMIT)
            self.process = subprocess.Popen(
                [*command, str(Path(__file__).resolve()), address],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                for _ in range(ranks):
                    line = Connection(listener.accept()[0].detach())
                    rank, size = line.recv()
                    self.lines[line] = rank
                    if size != ranks:
                        raise EOFError
            except (OSError, EOFError):
                said = self.kill().decode(errors="replace")
                raise RanksError(f"{ranks} ranks did not start:\n{said}") from None

    def is_fresh(self) -> bool:
        """Return whether it takes a further call."""
        return self.calls_left > 0 and self.process.poll() is None

    def call(self, module: str, name: str, arguments: tuple[Any, ...], limit: float) -> list[Any]:
        """Return the results of a function of a module, one per rank."""
        self.calls_left -= 1
        now = dict(os.environ)
        changed = {key: value for key, value in now.items() if self.started_with.get(key) != value}
        removed = [key for key in self.started_with if key not in now]
        order = Order(module, name, json.dumps(arguments), str(Path.cwd()), changed, removed)
        before = self.output.stat().st_size
        try:
            for line in self.lines:
                line.send(order)
            answers = self.answers(limit)
        except (RanksError, OSError) as error:
            said = self.kill()[before:].decode(errors="replace")
            raise RanksError(f"{name} on {self.ranks} ranks: {error}\n{said}") from None
        return [json.loads(answers[rank]) for rank in range(self.ranks)]

    def answers(self, limit: float) -> dict[int, str]:
        """Return the results by rank; the first failure ends the wait."""
        end = time.monotonic() + limit
        answers: dict[int, str] = {}
        missing = dict(self.lines)
        while missing:
            ready = wait(list(missing), max(end - time.monotonic(), 0))
            if not ready:
                raise RanksError(f"ranks {sorted(missing.values())} did not end within {limit} s")
            for line in ready:
                assert isinstance(line, Connection)
                rank = missing.pop(line)
                try:
                    answer: Answer = line.recv()
                except (EOFError, OSError):
                    raise RanksError(f"rank {rank} ended") from None
                if answer.failure:
                    raise RanksError(f"rank {rank}:\n{answer.failure}")
                answers[rank] = answer.result
        return answers

    def end(self) -> None:
        """Let the ranks return, which finalises MPI. Raises RanksError if they do not end well."""
        is_gone = self.process.poll() is not None  # after an error, which has been reported
        for line in self.lines:
            line.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(STARTING_LIMIT)
        code = self.process.poll()
        said = self.kill().decode(errors="replace")
        if code != 0 and not is_gone:
            raise RanksError(f"{self.ranks} ranks ended with {code} after their last test:\n{said}")

    def kill(self) -> bytes:
        """End all processes, whatever they do; return what they have printed, once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for line in self.lines:
            line.close()
        said = self.output.read_bytes() if self.output.exists() else b""
        self.folder.cleanup()
        return said


def be_a_rank(address: str) -> None:
    """Carry out orders until the socket is closed."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    initial = dict(os.environ)
    modules: dict[str, Any] = {}
    with Client(address) as line:
        line.send((comm.rank, comm.size))
        with contextlib.suppress(EOFError):
            while True:
                order: Order = line.recv()
                set_environment(order, initial)
                line.send(answer_of(order, comm, modules))
                gc.collect()


def set_environment(order: Order, initial: dict[str, str]) -> None:
    """Take over the folder and the variables of the caller."""
    os.chdir(order.folder)
    wanted = {name: value for name, value in initial.items() if name not in order.removed} | order.changed
    for name in set(os.environ) - set(wanted):
        del os.environ[name]
    os.environ.update(wanted)


def answer_of(order: Order, comm: Any, modules: dict[str, Any]) -> Answer:
    """Call the function of an order."""
    try:
        if order.module not in modules:
            modules[order.module] = load(order.module, f"rank_module_{len(modules)}")
        function = getattr(modules[order.module], order.name)
        return Answer(result=json.dumps(function(comm, *json.loads(order.arguments))))
    except BaseException:
        return Answer(failure=traceback.format_exc())


def load(path: str, name: str) -> Any:
    """Return a test module."""
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


if __name__ == "__main__":
    # Answers and orders are of the classes of the imported module, not of this one.
    from tests.python.support import world

    world.be_a_rank(sys.argv[1])
