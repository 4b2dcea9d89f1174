"""A bunch in several steps, and a server that shows files."""

from __future__ import annotations

import http.client
import json
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.python.viewer.browsing import ARGUMENTS, CHROMIUM, Tab, new_tab

import quire
from quire.viewer import serving
from quire.viewer.library import Library
from quire.viewer.serving import Viewer, listening

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROWS = 3000
NUMBERS = (0, 10, 20, 35)
FIRST = [{"file": 0, "step": 0}]
TYPES = {"uint32": "<u4", "float32": "<f4", "float64": "<f8"}


def write_bunch(path: Path, seed: int = 1, rows: int = ROWS, numbers: tuple[int, ...] = NUMBERS) -> Path:
    """Write electrons of about 1 GeV with x and px correlated, and a size that grows along the run."""
    random = np.random.default_rng(seed)
    with quire.create(path) as out:
        for place, number in enumerate(numbers):
            x = random.normal(0.0, 1e-4 * (1 + place), rows)
            with out.step(number) as step:
                step.set("s", 2.5 * place, unit="m")
                step.set("rms_x", float(x.std()), unit="m")
                step.put("x", x, unit="m")
                step.put("px", 50.0 * x + random.normal(0.0, 0.01, rows), unit="m$be$nc")
                step.put("y", random.normal(0.0, 5e-5, rows), unit="m")
                step.put("py", random.normal(0.0, 0.02, rows), unit="m$be$nc")
                step.put("z", random.normal(0.0, 1e-4, rows), unit="m")
                step.put("pz", random.normal(1957.0, 2.0, rows), unit="m$be$nc")
                step.put("id", np.arange(rows))
    return path


@dataclass(frozen=True)
class Answer:
    """A frame of an answer: what it says, and its arrays."""

    content: dict[str, Any]
    arrays: list[np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Client:
    """Asks a server as the page does."""

    port: int
    token: str

    def request(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body of the answer to a path of the server."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            text = body if isinstance(body, bytes | None) else json.dumps(body).encode()
            connection.request(method, path, text, headers or {})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read()
        finally:
            connection.close()

    def ask(self, name: str, **body: Any) -> dict[str, Any]:
        """Return the JSON of an answer."""
        found: dict[str, Any] = json.loads(self.request("POST", f"/{self.token}/api/{name}", body)[2])
        return found

    def frames(self, name: str, **body: Any) -> list[Answer]:
        """Return the frames of an answer, without those of progress."""
        data = self.request("POST", f"/{self.token}/api/{name}", {"plot": "test", **body})[2]
        found = []
        while data:
            head, size = struct.unpack_from("<II", data)
            content = json.loads(data[8 : 8 + head])
            place, arrays = 8 + head, []
            for one in content["arrays"]:
                values = np.frombuffer(data, TYPES[one["type"]], int(np.prod(one["shape"])), place)
                arrays.append(values.reshape(one["shape"]))
                place += values.nbytes
            assert place == 8 + head + size
            found.append(Answer(content, arrays))
            data = data[place:]
        return [one for one in found if one.content["kind"] != "progress"]

    def last(self, name: str, **body: Any) -> Answer:
        """Return the last frame of an answer."""
        return self.frames(name, **body)[-1]


Serve = Callable[..., Client]


@pytest.fixture(name="serve")
def fixture_serve() -> Iterator[Serve]:
    """A function that serves files until the test ends."""
    viewers: list[Viewer] = []

    def serve(*paths: Path | str, **options: Any) -> Client:
        viewer = Viewer(Library([str(path) for path in paths]), **options)
        viewer.start()
        viewers.append(viewer)
        return Client(viewer.port, viewer.token)

    yield serve
    for viewer in viewers:
        viewer.stop()


View = Callable[..., str]
TOKEN = "token-of-all-tests"


@pytest.fixture(name="usual_port", scope="session")
def fixture_usual_port() -> Iterator[int]:
    """A port that remains free for servers of tests."""
    with listening(0) as found:
        yield found.getsockname()[1]


@pytest.fixture(name="view")
def fixture_view(tmp_path: Path, usual_port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[View]:
    """A function that serves files of a folder, and returns the address; missing ones are bunches.

    The first server of each test has the same address, so that the browser keeps the modules of the page.
    """
    monkeypatch.setattr(serving, "new_token", lambda: TOKEN)
    viewers: list[Viewer] = []

    def view(*names: str) -> str:
        for seed, name in enumerate(names):
            if not (tmp_path / name).exists():
                write_bunch(tmp_path / name, seed, rows=200)
        library = Library([str(tmp_path / name) for name in names])
        viewers.append(Viewer(library, 0 if viewers else usual_port))
        viewers[-1].start()
        return viewers[-1].address

    yield view
    for one in viewers:
        one.stop()


@pytest.fixture(name="bunch")
def fixture_bunch(tmp_path: Path) -> Path:
    return write_bunch(tmp_path / "bunch.h5")


@pytest.fixture(name="client")
def fixture_client(serve: Serve, bunch: Path) -> Client:
    return serve(bunch)


@pytest.fixture(name="browser", scope="session")
def fixture_browser() -> Iterator[Browser]:
    """Chromium without a window. While it runs, a test cannot use `asyncio.run` but in another thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(name="shared_tab", scope="session")
def fixture_shared_tab(browser: Browser) -> Iterator[Tab]:
    """The page of all tests, one after another."""
    with new_tab(browser) as tab:
        yield tab


@pytest.fixture(name="tab")
def fixture_tab(shared_tab: Tab) -> Iterator[Tab]:
    """A page of 1280 x 720 that asks no foreign host and complains about nothing.

    Tests have it one after another, each as if it were new; scripts are added to an `own_tab`.
    """
    yield shared_tab
    shared_tab.leave()
    shared_tab.check()


@pytest.fixture(name="own_tab")
def fixture_own_tab(browser: Browser) -> Iterator[Tab]:
    """A page as `tab` that no other test has."""
    with new_tab(browser) as tab:
        yield tab
    tab.check()
