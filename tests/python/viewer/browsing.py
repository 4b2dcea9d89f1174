"""A page of the viewer in Chromium, as tests use it."""

from __future__ import annotations

import csv
import io
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request, ViewportSize

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    # WebGL without a graphics card.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    # Only WebGL is drawn so: an emulated graphics card takes many times as long for the other parts.
    "--disable-gpu-compositing",
    # Chromium itself asks hosts of its maker; no name but the server's is found.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]
OF_CHROMIUM = "GPU stall due to ReadPixels"
"""What Chromium remarks when it copies a picture of WebGL into the page without a graphics card."""

COLOURS = """([left, top, right, bottom]) => {
    const canvas = document.querySelector("#plot canvas");
    const size = [canvas.width - left - right, canvas.height - top - bottom];
    const { data } = canvas.getContext("2d").getImageData(left, top, ...size);
    const counts = new Map();
    for (const one of new Uint32Array(data.buffer)) counts.set(one, (counts.get(one) ?? 0) + 1);
    return [...counts].join();
}"""
READY = "body[data-ready=yes]"
EMPTY = "about:blank"
SIZE: ViewportSize = {"width": 1280, "height": 720}


@contextmanager
def new_tab(browser: Browser) -> Iterator[Tab]:
    """A page of its own, which has the clipboard."""
    context = browser.new_context(viewport=SIZE, color_scheme="light")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield Tab(context.new_page())
    context.close()


class Tab:
    """A page that is watched: what it asks for, and what it complains about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.hosts: set[str | None] = set()
        self.complaints: list[str] = []
        self.expected: list[str] = []
        page.on("request", self._ask)
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def check(self) -> None:
        """Fail if the page asked a foreign host or complained about something since the last check."""
        (hosts, self.hosts), (complaints, self.complaints) = (self.hosts, set()), (self.complaints, [])
        expected, self.expected = self.expected, []
        assert hosts == {"127.0.0.1"}
        assert [one for one in complaints if not any(words in one for words in expected)] == []

    def expect_complaint(self, words: str) -> None:
        """Accept complaints with these words until the next check: they may come after their event."""
        self.expected.append(words)

    def leave(self) -> None:
        """Make the page as a new one, which would take several times as long; added scripts remain."""
        if self.page.url.startswith("http"):
            self.page.evaluate("() => localStorage.clear()")
        self.page.goto(EMPTY)
        self.page.mouse.move(0, 0)
        self.page.emulate_media(color_scheme="light")
        if self.page.viewport_size != SIZE:
            self.page.set_viewport_size(SIZE)

    def _ask(self, request: Request) -> None:
        if request.url != EMPTY:
            self.hosts.add(urlsplit(request.url).hostname)

    def _note(self, message: ConsoleMessage) -> None:
        if OF_CHROMIUM not in message.text:
            self.complaints.append(f"{message.type}: {message.text}")

    def open(self, address: str, state: str = "") -> Tab:
        """Open the page and wait until everything is drawn."""
        self.page.goto(f"{address}#{state}" if state else address)
        return self.settled()

    def settled(self) -> Tab:
        """Wait until the page has drawn what was asked last."""
        self.page.wait_for_selector(READY, timeout=20_000)
        return self

    def fill(self, name: str, text: str) -> Tab:
        """Write into a box, and wait."""
        self.page.fill(f"#{name}", text)
        self.page.press(f"#{name}", "Enter")
        return self.settled()

    def click(self, selector: str) -> Tab:
        """Click, and wait."""
        self.page.click(selector)
        return self.settled()

    def press(self, key: str) -> Tab:
        """Press a key, and wait."""
        self.page.keyboard.press(key)
        return self.settled()

    def text(self, selector: str) -> str:
        """Return the visible text of an element."""
        return self.page.inner_text(selector)

    def quantities(self) -> dict[str, list[str]]:
        """Return the numbers on the right by name."""
        rows = self.page.eval_on_selector_all(
            "#beam tbody tr", "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
        )
        return {row[0]: row[1:] for row in rows}

    def drag(self, selector: str, first: tuple[float, float], last: tuple[float, float]) -> None:
        """Draw with the pointer between two places, as shares of an element."""
        box = self.page.locator(selector).first.bounding_box()
        assert box is not None
        (x0, y0), (x1, y1) = (
            (box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (first, last)
        )
        mouse = self.page.mouse
        mouse.move(x0, y0)
        mouse.down()
        mouse.move((x0 + x1) / 2, (y0 + y1) / 2)
        mouse.move(x1, y1)
        mouse.up()

    def saved(self, button: str) -> bytes:
        """Return the bytes of what a button saves."""
        with self.page.expect_download() as found:
            self.page.click(button)
        return Path(found.value.path()).read_bytes()

    def colours(self, left: int, top: int, right: int, bottom: int) -> NDArray[np.int64]:
        """Return red, green, blue and the number of pixels of all colours of the picture inside of margins.

        The first one is that of the first pixel.
        """
        text = self.settled().page.evaluate(COLOURS, [left, top, right, bottom])
        pixels, counts = np.array(text.split(","), dtype=np.int64).reshape(-1, 2).T
        self.expect_complaint("getImageData")  # of COLOURS
        return np.stack([pixels & 255, pixels >> 8 & 255, pixels >> 16 & 255, counts], axis=1)

    def numbers(self) -> list[list[str]]:
        """Return the rows of the saved numbers."""
        return list(csv.reader(io.StringIO(self.saved("#save-csv").decode())))

    def line(self) -> list[str]:
        """Return the words of the first command below the picture."""
        return shlex.split(re.split("; | && ", self.text("#line"))[0])
