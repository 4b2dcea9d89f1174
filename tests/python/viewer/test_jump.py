"""Going to a step by its number or an attribute."""

from __future__ import annotations

import pytest
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import View

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")


def test_jumps_by_number_and_by_attribute_go_to_the_nearest_step(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"))
    assert tab.fill("jump", "17").text("#place").startswith("step 20 ")
    tab.page.select_option("#jump-by", "s")
    assert tab.fill("jump", "2.9").text("#place").startswith("step 10 ")
    tab.fill("jump", "near")
    assert "'near' is not a number" in tab.text("#alert")


@pytest.mark.nightly
def test_a_jump_says_what_it_has_reached(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"))
    asked = [
        ("99", "35", "The last step is 35."),
        ("-3", "0", "The first step is 0."),
        ("17", "20", "There is no step 17; 20 is the nearest."),
        ("10", "10", ""),
    ]
    for text, reached, remark in asked:
        tab.fill("jump", text)
        assert (tab.page.input_value("#jump"), tab.text("#jump-note")) == (reached, remark)
        assert tab.text("#place").startswith(f"step {reached} ")
    tab.page.select_option("#jump-by", "s")
    for text, reached, remark in (("99", "7.5", "The greatest s is 7.5."), ("2.9", "2.5", "")):
        tab.fill("jump", text)
        assert (tab.page.input_value("#jump"), tab.text("#jump-note")) == (reached, remark)
    tab.fill("jump", "99").click("#first")
    assert (tab.page.input_value("#jump"), tab.text("#jump-note")) == ("", "")


def test_leaving_the_box_goes_to_the_step(tab: Tab, view: View) -> None:
    tab.open(view("a.h5")).page.click("#jump")
    tab.page.keyboard.type("2.6")
    tab.page.select_option("#jump-by", "s")
    assert tab.settled().text("#place").startswith("step 10 ")
    tab.page.click("#jump")
    tab.press("Control+A").page.keyboard.type("7")
    assert tab.press("Tab").text("#place").startswith("step 35 ")
