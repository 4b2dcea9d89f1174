"""The page that tests have one after another is as new for each of them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import View

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")

STATE = """() => ({
    size: [innerWidth, innerHeight],
    theme: document.documentElement.dataset.theme,
    isDark: matchMedia("(prefers-color-scheme: dark)").matches,
    stored: [localStorage.length, sessionStorage.length, document.cookie],
    hash: location.hash,
    read: document.getElementById("read").innerText,
    boxes: [...document.querySelectorAll("input, select, textarea")]
        .map((one) => [one.id, one.value, one.checked]),
    picture: document.querySelector("#plot canvas").toDataURL(),
    hovered: [...document.querySelectorAll("button:hover, #plot :hover")].map((one) => one.id),
})"""


def state_of(tab: Tab, address: str) -> dict[str, Any]:
    """Open an address, and return all that a test before could have left."""
    found: dict[str, Any] = tab.open(address).page.evaluate(STATE)
    return found


@pytest.mark.nightly
def test_a_page_is_as_new_after_a_test(tab: Tab, own_tab: Tab, view: View) -> None:
    address = view("a.h5", "b.h5")
    new = state_of(own_tab, address)
    assert state_of(tab, address) == new
    tab.page.emulate_media(color_scheme="dark")
    tab.page.set_viewport_size({"width": 500, "height": 700})
    tab.press("d").fill("where", "x > 0").press("2").click("#files label:nth-child(2) input")
    tab.page.hover("#next")
    assert tab.page.evaluate("() => localStorage.length") == 1
    tab.leave()
    assert state_of(tab, address) == new
