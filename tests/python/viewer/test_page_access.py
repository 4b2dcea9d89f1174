"""Who sees the page and how: addresses, frames, links, fingers, and values that are out of the usual."""

from __future__ import annotations

import http.server
import re
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from tests.python.support.cases import first_daily
from tests.python.viewer.browsing import ARGUMENTS, CHROMIUM, READY, Tab
from tests.python.viewer.conftest import View, write_bunch

import quire

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")

ALL_ROWS = "200 of 200 rows"


def test_without_the_token_the_page_is_not_shown(tab: Tab, view: View) -> None:
    parts = urlsplit(view("a.h5"))
    for path in ("/", "/wrong/", parts.path[:-2] + "/"):
        with tab.page.expect_console_message(lambda message: "403" in message.text):
            answer = tab.page.goto(f"http://{parts.netloc}{path}")
        assert answer is not None
        assert answer.status == 403
        assert "no valid token" in tab.text("body")
    tab.expect_complaint("403")


def test_a_page_of_another_host_is_refused(browser: Browser, view: View) -> None:
    """A name of somebody else that leads to this machine shows no file, even with the token."""
    address = urlsplit(view("a.h5"))
    rule = "--host-resolver-rules=MAP evil.example 127.0.0.1"
    others = [one for one in ARGUMENTS if "host-resolver" not in one]
    with browser.browser_type.launch(executable_path=CHROMIUM, args=[*others, rule]) as misled:
        page = misled.new_page()
        answer = page.goto(f"http://evil.example:{address.port}{address.path}")
        assert answer is not None
        assert answer.status == 421
        assert "no answer for the host 'evil.example" in page.inner_text("body")


def test_files_that_were_not_named_are_not_read(tab: Tab, view: View, tmp_path: Path) -> None:
    other = write_bunch(tmp_path / "other.h5", rows=20)
    tab.open(view("a.h5"))
    for path in (other, "../other.h5", "/etc/passwd"):
        alert = tab.fill("where", f"x > `{path}:s`").text("#alert")
        assert "values of other files are not read here" in alert
    assert tab.fill("where", "").text("#note") == ALL_ROWS
    tab.open(f"{tab.page.url.split('#')[0]}?", "files=[1]")
    assert "There are no steps to show" in tab.text("#alert")


@pytest.mark.parametrize(
    "state",
    first_daily(
        [
            "files=7&step=x&cuts=1&view=nothing",
            "view=run&ys=5&zoom=3&followed=3",
            'view=curves&up=7&files={"a":1}',
            "view=space&turn=4&row=[]&logy=5&ys=[{",
        ],
    ),
)
def test_a_link_that_is_damaged_shows_the_page(tab: Tab, view: View, state: str) -> None:
    """Parts that cannot be are left out, and the page can be used."""
    tab.open(view("a.h5"), state)
    tab.fill("where", "id < 80")
    tab.click("[data-view=density]").fill("x", "x").fill("y", "px")
    assert tab.text("#note") == "80 of 200 rows"
    assert tab.page.is_hidden("#alert")


@pytest.mark.nightly
def test_a_link_restores_the_view_in_a_page_that_shows_another(tab: Tab, view: View) -> None:
    """What a link does not name is as usual, and not as it was on the page."""
    address = view("a.h5", "b.h5")
    tab.open(address).click("#next").click("#copy-link")
    link = tab.page.evaluate("() => navigator.clipboard.readText()")
    tab.fill("where", "x > 0").press("2")
    tab.click("#files label:nth-child(2) input").click("#last")
    tab.page.evaluate("address => { location.href = address; }", link)
    tab.page.wait_for_function("() => document.getElementById('place').innerText.startsWith('step 10 ')")
    assert tab.settled().text("#note") == ALL_ROWS
    assert tab.page.get_attribute("#plot canvas", "aria-label") == "density of x and px"
    assert tab.page.input_value("#where") == ""
    assert tab.page.locator("#files input:checked").count() == 1


class Proxy(http.server.BaseHTTPRequestHandler):
    """A notebook with a page of the viewer, and the proxy of its hub, which leaves its own path out."""

    notebook = ""

    def do_GET(self) -> None:
        """Answer with the notebook, or what the viewer answers."""
        self.answer(None)

    def do_POST(self) -> None:
        """Send the body on to the viewer."""
        self.answer(self.rfile.read(int(self.headers["Content-Length"])))

    def answer(self, body: bytes | None) -> None:
        found = re.fullmatch(r"/user/me/proxy/(\d+)(/.*)", self.path)
        if found is None:
            is_notebook = self.path == "/notebook"
            self.reply(
                200 if is_notebook else 404, "text/html", self.notebook.encode() if is_notebook else b""
            )
            return
        asked = urllib.request.Request(f"http://127.0.0.1:{found[1]}{found[2]}", body)
        asked.add_header("Host", "hub.example.org")
        try:
            with urllib.request.urlopen(asked) as answer:
                self.reply(answer.status, answer.headers["Content-Type"], answer.read())
        except HTTPError as problem:
            self.reply(problem.code, "text/plain", problem.read())

    def reply(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing of requests."""


@pytest.fixture(name="hub")
def fixture_hub() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/notebook"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_notebook_shows_the_page_below_its_proxy(
    tab: Tab, hub: str, bunch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/me/")
    page = quire.view(bunch, height=500)
    try:
        icon = "<link rel='icon' href='data:,'>"
        monkeypatch.setattr(Proxy, "notebook", f"<!doctype html>{icon}<p>cell</p>{page._repr_html_()}")
        tab.page.goto(hub)
        frame = tab.page.frame_locator("iframe")
        frame.locator(READY).wait_for(timeout=20_000)
        assert frame.locator("#note").inner_text() == "3\u2009000 of 3\u2009000 rows"
        frame.locator("#next").click()
        frame.locator("#where").fill("x > 1")
        frame.locator("#where").press("Enter")
        frame.locator(READY).wait_for(timeout=20_000)
        assert frame.locator("#place").inner_text().startswith("step 10 ")
        assert frame.locator("#note").inner_text() == "0 of 3\u2009000 rows"
    finally:
        page.stop()


@pytest.fixture(name="tablet")
def fixture_tablet(browser: Browser) -> Iterator[Tab]:
    context = browser.new_context(viewport={"width": 820, "height": 1180}, has_touch=True)
    tab = Tab(context.new_page())
    yield tab
    context.close()
    assert tab.complaints == []


def swipe(tab: Tab, selector: str, first: tuple[float, float], last: tuple[float, float]) -> None:
    """Draw with a finger between two places, as shares of an element."""
    box = tab.page.locator(selector).first.bounding_box()
    assert box is not None
    session = tab.page.context.new_cdp_session(tab.page)
    for kind, share in (("touchStart", 0.0), ("touchMove", 0.5), ("touchMove", 1.0), ("touchEnd", None)):
        points = []
        if share is not None:
            x, y = ((1 - share) * one + share * other for one, other in zip(first, last, strict=True))
            points = [{"x": box["x"] + x * box["width"], "y": box["y"] + y * box["height"]}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@pytest.mark.parametrize(
    ("state", "place", "names"),
    first_daily(
        [
            ("", "#plot canvas", ["x", "px"]),
            ("view=histogram&of=z", "#plot .u-over", ["z"]),
            ("view=curves&across=z", "#plot .u-over", ["z"]),
        ],
    ),
)
def test_a_finger_draws_boxes_that_become_cuts(
    tablet: Tab, view: View, state: str, place: str, names: list[str]
) -> None:
    tablet.open(view("a.h5"), state)
    swipe(tablet, place, (0.35, 0.4), (0.6, 0.6))
    condition = tablet.click("#box-cut").page.input_value("#where")
    assert re.findall(r"(\w+) >= ", condition) == names
    assert 0 < int(tablet.quantities()["particles"][0]) < 200


@pytest.mark.nightly
def test_a_finger_taps_curves_and_steps(tablet: Tab, view: View) -> None:
    tablet.open(view("a.h5"), "view=run")
    box = tablet.page.locator("#plot .u-over").first.bounding_box()
    assert box is not None
    tablet.page.touchscreen.tap(box["x"] + 0.66 * box["width"], box["y"] + 0.5 * box["height"])
    tablet.page.wait_for_function("() => document.getElementById('place').innerText.startsWith('step 20 ')")
    tablet.settled().page.tap("#next")
    tablet.page.wait_for_function("() => document.getElementById('place').innerText.startsWith('step 35 ')")


HUGE = np.array([-1.5e308, -1.0, 0.0, 3.0, 1.5e308, np.inf, -np.inf, np.nan])


@pytest.mark.nightly
def test_huge_numbers_are_shown_or_explained(tab: Tab, view: View, tmp_path: Path) -> None:
    with quire.create(tmp_path / "huge.h5") as out:
        for number in (0, 2**40):
            with out.step(number) as step:
                step.set("energy", 1e300 * (1 + number))
                step.put("a", HUGE, unit="m")
                step.put("b", np.array([1e300, 2e300, 3e300, 4e300, 5e-324, 1e-300, 0.0, 1.0]), unit="m")
                step.put("id", np.arange(8) + 2**62)
    address = view("huge.h5")
    notes = {
        "view=density&x=b&y=id": "8 of 8 rows, 3 without a place",
        "view=histogram&of=a": "8 of 8 rows, 5 without a place",
        "view=curves&across=id&up=" + quote('["a"]'): "8 of 8 rows",
        "view=space&x3=b&y3=id&z3=b": "8 rows, 3 without a place",
        "view=run&ys=" + quote('["energy"]'): "2 steps",
        "view=rows": "huge.h5, step 0: 8 rows",
    }
    for place, (state, words) in enumerate(notes.items()):
        tab.open(f"{address}?{place}", state)
        assert tab.text("#note").startswith(words), state
        assert tab.page.is_hidden("#alert"), state
    assert str(2**62 + 7) in tab.text("#rows")
    tab.fill("where", f"id == {2**62 + 5}")
    assert tab.page.locator("#rows tbody tr").count() == 1
    for text in ("1e400", "9" * 400):
        assert "is not a number" in tab.fill("jump", text).text("#alert")
    assert tab.fill("jump", "1e300").text("#place").startswith(f"step {2**40} ")
