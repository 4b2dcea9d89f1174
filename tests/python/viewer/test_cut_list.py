"""The list of cuts on the page, by clicks and keys."""

from __future__ import annotations

import re

import pytest
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import View

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")

SPACE = "view=space"


def conditions(tab: Tab) -> list[str]:
    """Return what the cuts of the list are called."""
    found: list[str] = tab.page.eval_on_selector_all(
        "#cuts [data-part=name]", "all => all.map((one) => one.value || one.placeholder)"
    )
    return found


def rows(tab: Tab) -> int:
    """Return the rows that the cuts select."""
    return int(tab.settled().text("#note").split()[0])


def control(number: int, part: str) -> str:
    return f"#cuts li:nth-child({number}) [data-part={part}]"


def test_cuts_apply_together_and_are_switched_off_named_and_removed(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"), SPACE).fill("where", "id < 80")
    assert conditions(tab) == ["id < 80"]
    tab.click("#cut-new").fill("where", "id >= 20 or id == 7")
    assert conditions(tab) == ["id < 80", "id >= 20 or id == 7"]
    assert rows(tab) == 61
    tab.click(control(1, "tick"))
    assert rows(tab) == 181
    tab.page.fill(control(1, "name"), "head")
    tab.press("Enter").click(control(1, "tick"))
    assert (conditions(tab), rows(tab)) == (["head", "id >= 20 or id == 7"], 61)
    tab.click(control(1, "edit"))
    assert tab.page.input_value("#where") == "id < 80"
    assert rows(tab.fill("where", "id < 30")) == 11
    assert conditions(tab) == ["head", "id >= 20 or id == 7"]
    tab.click(control(2, "remove"))
    assert (conditions(tab), rows(tab)) == (["head"], 30)
    tab.click("#cut-clear")
    assert (conditions(tab), rows(tab)) == ([], 200)


def test_the_link_and_the_command_have_the_combination(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"), "view=rows").fill("where", "id < 80").click("#cut-new").fill("where", "id >= 20")
    assert tab.line()[-1] == "(id < 80) and (id >= 20)"
    tab.page.fill(control(2, "name"), "tail")
    tab.press("Enter")
    link = tab.page.url
    tab.page.goto("about:blank")
    tab.open(link)
    assert conditions(tab) == ["id < 80", "tail"]
    assert tab.page.input_value("#where") == "id >= 20"
    tab.click(control(1, "tick"))
    assert tab.line()[-1] == "id >= 20"


def test_drawn_boxes_are_further_cuts(tab: Tab, view: View) -> None:
    tab.open(view("a.h5")).fill("where", "id < 80")
    tab.drag("#plot", (0.3, 0.4), (0.6, 0.7))
    tab.click("#box-cut")
    first, second = conditions(tab)
    assert first == "id < 80"
    assert re.fullmatch(r"x >= \S+ and x <= \S+ and px >= \S+ and px <= \S+", second)
    assert tab.line()[tab.line().index("--where") + 1] == f"(id < 80) and ({second})"
    tab.click("#cut-follow")
    assert tab.text("#followed-where") == f"(id < 80) and ({second})"
    assert conditions(tab) == []


@pytest.mark.nightly
def test_the_list_is_used_by_keys(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"), SPACE).press("/")
    tab.page.keyboard.type("id < 80")
    tab.press("Enter").press("Escape").press("a")
    tab.page.keyboard.type("id >= 20")
    assert rows(tab.press("Enter")) == 60
    tab.page.focus(control(1, "tick"))
    assert rows(tab.press("Space")) == 180
    assert tab.page.evaluate("() => document.activeElement.dataset.part") == "tick"
    tab.press("Tab")
    tab.page.keyboard.type("head")
    tab.press("Tab").press("Tab").press("Enter")
    assert (conditions(tab), rows(tab)) == (["id >= 20"], 180)


def test_a_wrong_cut_is_corrected_in_the_box(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"), SPACE).fill("where", "id < 80").press("Escape").press("a").fill(
        "where", "id > > 2"
    )
    assert "a value is expected" in tab.text("#alert")
    assert rows(tab.fill("where", "id > 2")) == 77
    assert tab.page.is_hidden("#alert")


def test_a_wrong_one_of_several_cuts_is_reported_at_its_place(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"), SPACE).fill("where", "id < 80").click("#cut-new").fill("where", "x > > 2")
    tab.click("#cut-new").fill("where", "id > 2")
    assert tab.text("#alert").startswith("Cut 2: ")
    lines = tab.text("#alert").splitlines()
    assert lines[-2].strip() == "x > > 2"
    assert lines[-2].index("> 2") == lines[-1].index("^")
    assert tab.page.locator("#cuts li code").count() == 1
    assert tab.text("#cuts li:nth-child(2) code") == "x > > 2"
    assert tab.text("#cuts li:nth-child(2) mark") == ">"
    assert "a value is expected" in tab.text("#cuts li:nth-child(2) p")
    assert "wrong" not in (tab.page.get_attribute("#where", "class") or "")
    tab.click(control(2, "edit"))
    assert tab.page.input_value("#where") == "x > > 2"
    assert rows(tab.fill("where", "x > 2")) == 0
    assert tab.page.locator("#cuts li code").count() == 0
    tab.page.fill(control(1, "name"), "head")
    tab.press("Enter").click(control(1, "edit")).fill("where", "q < 80")
    assert tab.text("#alert").startswith("Cut head: ")
    assert tab.text("#cuts li:nth-child(1) mark") == "q"
    assert "wrong" in (tab.page.get_attribute("#where", "class") or "")
    tab.click(control(1, "tick"))
    assert tab.page.is_hidden("#alert")
    assert tab.page.locator("#cuts li code").count() == 0


def test_cuts_that_are_right_only_together_are_wrong(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"), SPACE).fill("where", "id < 80").click("#cut-new").fill(
        "where", "id > 2) or (id < 1"
    )
    assert tab.text("#alert").startswith("Cut 2: ")


@pytest.mark.nightly
def test_what_is_written_stays_while_another_cut_is_switched(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"), SPACE).fill("where", "id < 80").click("#cut-new")
    tab.page.fill("#where", "id >")
    tab.click(control(1, "tick"))
    assert tab.page.input_value("#where") == "id >"
