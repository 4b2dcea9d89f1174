"""A page of the viewer in Chromium, as tests use it."""

from __future__ import annotations

import csv
import io
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Page

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

READY = "body[data-ready=yes]"


class Tab:
    """A page that is watched: what it asks for, and what it complains about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.hosts: set[str | None] = set()
        self.complaints: list[str] = []
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).hostname))
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

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

    def numbers(self) -> list[list[str]]:
        """Return the rows of the saved numbers."""
        return list(csv.reader(io.StringIO(self.saved("#save-csv").decode())))

    def line(self) -> list[str]:
        """Return the words of the first command below the picture."""
        return shlex.split(re.split("; | && ", self.text("#line"))[0])
