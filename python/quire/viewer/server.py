"""The server of the viewer: the page, and the answers to its requests, for those who have the token."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from quire.beam.quantities import quantity_names
from quire.errors import Error, UsageError
from quire.viewer.along import along
from quire.viewer.answers import Frame, error_content, json_bytes
from quire.viewer.asked import Asked
from quire.viewer.curves import curves
from quire.viewer.cuts import wrong_cut
from quire.viewer.describe import described_files, described_step
from quire.viewer.distributions import distributions
from quire.viewer.fields import field_part
from quire.viewer.jobs import Job, Jobs, Stopped
from quire.viewer.points import points
from quire.viewer.saving import LARGEST_TABLE, described_formats, table_file
from quire.viewer.tables import beam_quantities, rows_of_step

if TYPE_CHECKING:
    from _typeshed import StrPath
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from quire.viewer.library import Library

PAGE: Final = Path(__file__).parent / "page"

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")

ANY_HOST: Final = "*"
"""As the name of a host: all are accepted, since that of a proxy is not known. The token remains."""

LONGEST_BODY: Final = 1 << 20

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'; object-src 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}

KEPT: Final = "private, max-age=86400, immutable"
"""How long browsers keep modules and styles: all servers have different addresses, by their tokens."""

NAME_OF_THREADS: Final = "quire-answer"

THREADS: Final = 6
"""Computations at once."""

Answer = Callable[["Library", Asked, Job], Iterator[Frame]]

ANSWERS: Final[dict[str, Answer]] = {
    "distribution": distributions,
    "along": along,
    "curves": curves,
    "field": field_part,
    "quantities": beam_quantities,
    "rows": rows_of_step,
    "points": points,
}
"""What is computed, each in a thread of its own."""


class PageFiles(StaticFiles):
    """The files of the page. Browsers ask again only for the page itself when it is loaded again."""

    def file_response(
        self, full_path: StrPath, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return the answer for a file, and for how long it is kept."""
        answer = super().file_response(full_path, stat_result, scope, status_code)
        if Path(full_path).suffix != ".html":
            answer.headers["Cache-Control"] = KEPT
        return answer


class Guard:
    """Refuses requests for other hosts, and adds headers that keep the page from loading anything else."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app = app
        self._hosts = {*LOOPBACK, *(host.lower() for host in hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if its host is known."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                known = {name.lower() for name, _ in message["headers"]}
                added = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [
                    *message["headers"],
                    *(pair for pair in added if pair[0] not in known),
                ]
            await send(message)

        host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
        if ANY_HOST in self._hosts or name_of_host(host) in self._hosts:
            await self._app(scope, receive, with_headers)
        else:
            words = f"quire view: no answer for the host '{host[:100]}'. Open the address that was printed."
            await PlainTextResponse(words, 421)(scope, receive, with_headers)


def name_of_host(host: str) -> str:
    """Independent. Return a Host header without its port.

    >>> from quire.viewer.server import name_of_host
    >>> name_of_host("localhost:8000"), name_of_host("[::1]:8000")
    ('localhost', '[::1]')
    """
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


def make_app(
    library: Library, token: str | None = None, hosts: Sequence[str] = (), jobs: Jobs | None = None
) -> ASGIApp:
    """Independent. Return the application, which computes in `jobs`. All addresses begin with the token.

    `hosts` are names of hosts besides those of the loopback interface, for a proxy before the server.
    """
    token = token or new_token()
    service = Service(library, jobs or Jobs())

    async def to_page(request: Request) -> Response:
        return RedirectResponse(f"{token}/")  # relative, for a proxy that serves this below a path

    async def unknown(request: Request) -> Response:
        words = "quire view: this address has no valid token. Open the address that quire view printed."
        return PlainTextResponse(words, 403)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        service.close()

    routes: list[BaseRoute] = [
        Route(f"/{token}", to_page),
        Mount(f"/{token}", routes=service.routes()),
        Route("/{rest:path}", unknown, methods=["GET", "POST"]),
    ]
    return Guard(Starlette(routes=routes, lifespan=lifespan), hosts)


def new_token() -> str:
    """Independent. Return a random token."""
    return secrets.token_urlsafe(24)


class Service:
    """Answers the requests of the page."""

    def __init__(self, library: Library, jobs: Jobs) -> None:
        self._library = library
        self._jobs = jobs
        self._threads = ThreadPoolExecutor(THREADS, NAME_OF_THREADS)
        self._describers = ThreadPoolExecutor(2, f"{NAME_OF_THREADS}-describe")

    def routes(self) -> list[BaseRoute]:
        """Independent. Return the addresses after the token."""
        return [
            Route("/api/files", guarded(self.files, status=200), methods=["POST"]),
            Route("/api/step", guarded(self.step, status=200), methods=["POST"]),
            Route("/api/table", self.table, methods=["POST"]),
            *(
                Route(f"/api/{name}", guarded(self.computing(answer), status=400), methods=["POST"])
                for name, answer in ANSWERS.items()
            ),
            Mount("/", PageFiles(directory=PAGE, html=True)),
        ]

    def close(self) -> None:
        """Independent. Stop what is computed, and close the files."""
        self._jobs.stop_all()
        for threads in (self._threads, self._describers):
            threads.shutdown(wait=False, cancel_futures=True)
        self._library.close()

    async def files(self, asked: Asked) -> Response:
        """Answer with the descriptions of all files."""
        found = await self._in_thread(lambda: described_files(self._library))
        return json_response({"files": found, "quantities": quantity_names(), "formats": described_formats()})

    async def step(self, asked: Asked) -> Response:
        """Answer with the description of a step."""
        [(file, number), *_] = asked.sources()

        def described() -> dict[str, Any]:
            with self._library.source(file).opened() as (opened, _):
                return described_step(opened.step(number))

        return json_response(await self._in_thread(described))

    async def table(self, request: Request) -> Response:
        """Answer with a file of the numbers that the page sends."""
        try:
            body = await body_of(request, LARGEST_TABLE)
            made = await self._in_thread(lambda: table_file(body))
        except Exception as problem:
            return json_response(reported(problem), 400 if isinstance(problem, Error | OSError) else 500)
        return Response(made, media_type="application/octet-stream")

    async def _in_thread(self, make: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._describers, make)

    def computing(self, answer: Answer) -> Callable[[Asked], Awaitable[Response]]:
        """Independent. Return an end point that sends frames while they are computed."""

        async def end_point(asked: Asked) -> Response:
            plot = asked.text("plot")
            if not plot:
                raise UsageError("the name of a plot is missing")
            return StreamingResponse(self.frames(answer, asked, plot), media_type="application/octet-stream")

        return end_point

    async def frames(self, answer: Answer, asked: Asked, plot: str) -> AsyncIterator[bytes]:
        """Yield frames that a thread computes; it stops if the page no longer waits for them."""
        job = self._jobs.begin(plot)
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Frame | None] = asyncio.Queue()

        def send(frame: Frame | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(queue.put_nowait, frame)

        def compute() -> None:
            try:
                job.check()
                if wrong := wrong_cut(self._library, asked):
                    send(Frame("error", {**error_content(wrong.problem), "cut": wrong.place}))
                    return
                for frame in answer(self._library, asked, job):
                    send(frame)
                    job.check()
            except Stopped:
                pass
            except Exception as problem:
                send(Frame("error", reported(problem)))
            finally:
                send(None)

        def stopped() -> None:
            # The computation may go on for a while.
            send(Frame("stopped"))
            send(None)

        job.report = lambda share: send(Frame("progress", {"share": share}))
        job.stopped = stopped
        self._threads.submit(compute)
        try:
            while (frame := await queue.get()) is not None:
                yield frame.packed
        finally:
            self._jobs.end(plot, job)


def guarded(
    answer: Callable[[Asked], Awaitable[Response]], status: int
) -> Callable[[Request], Awaitable[Response]]:
    """Independent. Return an end point whose errors are answers in words, with this status.

    Descriptions have errors with status 200, as computations have them in frames: files may be damaged.
    Bodies that are no requests have status 400.
    """

    async def end_point(request: Request) -> Response:
        try:
            asked = await asked_by(request)
        except Error as problem:
            return json_response(error_content(problem), 400)
        try:
            return await answer(asked)
        except Exception as problem:
            return json_response(reported(problem), status if isinstance(problem, Error | OSError) else 500)

    return end_point


async def asked_by(request: Request) -> Asked:
    """Return what a request asks. Raises UsageError for a body that is no object of JSON."""
    body = await body_of(request, LONGEST_BODY)
    try:
        content = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise UsageError("the request is no object of JSON")
    return Asked(content)


async def body_of(request: Request, most: int) -> bytes:
    """Return the body of a request. Raises UsageError for one of more bytes."""
    parts, size = [], 0
    async for part in request.stream():
        parts.append(part)
        size += len(part)
        if size > most:
            raise UsageError(f"the request is longer than {most} bytes", advice="show fewer numbers")
    return b"".join(parts)


def reported(problem: Exception) -> dict[str, str]:
    """Independent. Return the words of an error. One that is no error of the library is printed as well."""
    if not isinstance(problem, Error | OSError | MemoryError):
        traceback.print_exception(problem, file=sys.stderr)
    return error_content(problem)


def json_response(content: Any, status: int = 200) -> Response:
    """Independent. Return an answer of JSON."""
    return Response(json_bytes(content), status, media_type="application/json")
