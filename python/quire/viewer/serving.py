"""Starting and ending the server of the viewer."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import uvicorn

from quire.errors import InputOutputError
from quire.viewer.jobs import Jobs
from quire.viewer.library import Library
from quire.viewer.server import ANY_HOST as ANY_HOST
from quire.viewer.server import NAME_OF_THREADS, make_app, new_token

HOST: Final = "127.0.0.1"

LAST_SECONDS: Final = 0.5
"""How long computations that were stopped may go on after the server has ended."""


class Server(uvicorn.Server):
    """A server that first stops what is computed when it ends, so that it waits for no answer."""

    def __init__(self, config: uvicorn.Config, jobs: Jobs) -> None:
        super().__init__(config)
        self._jobs = jobs

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop all jobs, then end as other servers do."""
        self._jobs.stop_all()
        await super().shutdown(sockets)


class Viewer:
    """A server on a port of the loopback interface. Its address has the token that all requests need."""

    def __init__(self, library: Library, port: int = 0, hosts: Sequence[str] = ()) -> None:
        self.token = new_token()
        self._socket = listening(port)
        self.port: int = self._socket.getsockname()[1]
        jobs = Jobs()
        config = uvicorn.Config(
            make_app(library, self.token, hosts, jobs),
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="on",
            timeout_graceful_shutdown=1,
        )
        self._server = Server(config, jobs)

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def run(self, started: Callable[[], Any]) -> None:
        """Independent. Serve until the process is interrupted. Calls `started` as soon as it answers."""
        threading.Thread(target=self._when_started, args=(started,), daemon=True).start()
        self._server.run(sockets=[self._socket])

    def start(self) -> None:
        """Independent. Serve in a thread of its own until `stop`."""
        self._thread = threading.Thread(target=self._run_in_thread, name="quire-view", daemon=True)
        self._thread.start()
        self._when_started(lambda: None)

    def stop(self) -> None:
        """Independent. End the server, if `start` has started it."""
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()

    def _run_in_thread(self) -> None:
        self._server.run(sockets=[self._socket])

    def _when_started(self, started: Callable[[], Any]) -> None:
        waiting = threading.Event()
        for _ in range(1000):
            if self._server.started:
                started()
                return
            waiting.wait(0.01)


def all_have_ended() -> bool:
    """Independent. Wait a moment for the threads that compute. Return whether all have ended."""
    found = [one for one in threading.enumerate() if one.name.startswith(NAME_OF_THREADS)]
    until = time.monotonic() + LAST_SECONDS
    for one in found:
        one.join(max(until - time.monotonic(), 0.0))
    return not any(one.is_alive() for one in found)


def listening(port: int) -> socket.socket:
    """Independent. Return a socket of the loopback interface; port 0 is any free one."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Otherwise the content of each answer waits 40 ms, until the browser has confirmed its headers.
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        made.bind((HOST, port))
    except OSError as problem:
        made.close()
        raise InputOutputError(
            f"port {port} of {HOST} cannot be used: {problem.strerror}",
            advice="choose another --port, or none",
        ) from None
    return made
