"""What is saved and copied belongs to the picture: they have the same request."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.python.support.cases import first_daily
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import View

import quire
from quire.viewer.saving import table_formats

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")

SAVING = ("#save-png", "#save-svg", "#save-csv", "#copy-link")


def downloads_of(tab: Tab) -> list[str]:
    """Return a list to which the names of saved files are added."""
    found: list[str] = []
    tab.page.on("download", lambda one: found.append(one.suggested_filename))
    return found


def saved_table(tab: Tab, path: Path) -> None:
    """Save the numbers in the first format of tables."""
    with tab.page.expect_download() as found:
        tab.page.select_option("#save-table", table_formats()[0].name)
    found.value.save_as(path)


@pytest.mark.parametrize(
    ("state", "box", "wrong", "right"),
    first_daily(
        [
            ("", "where", "x > 1e-4 and", "x > 1e-4"),
            ("view=run", "ys", "sigma_q", "sigma_y"),
            ("view=rows", "where", "x > 1e-4 and", "x > 1e-4"),
            ("", "y", "xp", "py"),
            ("view=histogram", "of", "xp", "py"),
            ("view=curves&across=z", "up", "xp", "py"),
        ],
        3,
    ),
)
def test_nothing_is_saved_under_a_request_that_has_an_error(
    tab: Tab, view: View, tmp_path: Path, state: str, box: str, wrong: str, right: str
) -> None:
    tab.open(view("a.h5"), state).fill("where", "x > 0")
    before, drawn = tab.text("#line"), [tab.text("#note"), tab.text("#plot")]
    names = downloads_of(tab)
    tab.fill(box, wrong)
    for _ in range(2):
        assert tab.page.get_attribute("#plot", "class") == "stale"
        assert tab.page.is_hidden("#command")
        assert [tab.text("#note"), tab.text("#plot")] == drawn
        assert "The picture is the one before the error" in tab.text("#unsaid")
        tab.press("d")  # what is drawn again remains the picture before
    tab.page.evaluate("() => navigator.clipboard.writeText('nothing')")
    for button in SAVING:
        assert tab.page.locator(f"{button}.off").count() == 1
        assert "Nothing is saved or copied" in tab.click(button).text("#alert")
    tab.page.select_option("#save-table", table_formats()[0].name)
    assert tab.settled().page.evaluate("() => navigator.clipboard.readText()") == "nothing"
    tab.fill(box, right)
    assert tab.page.is_hidden("#alert")
    assert tab.text("#line") != before
    path = tmp_path / f"saved{table_formats()[0].suffixes[0]}"
    saved_table(tab, path)
    assert names == [f"{tab.page.get_attribute('[aria-selected=true]', 'data-view')}{path.suffix}"]
    with quire.open(path) as file:
        assert file.attrs["command"] == tab.text("#line")


def test_particles_that_cannot_be_followed_leave_nothing_to_save(
    tab: Tab, view: View, tmp_path: Path
) -> None:
    with quire.create(tmp_path / "a.h5") as out, out.step(0) as step:
        for name in ("x", "px"):
            step.put(name, [0.0, 1.0, 2.0])
    names = downloads_of(tab)
    tab.open(view("a.h5")).fill("where", "x > 0").click("#cut-follow")
    assert "cannot be followed" in tab.text("#alert")
    assert tab.page.is_hidden("#command")
    assert "Nothing is saved" in tab.click("#save-csv").text("#alert")
    assert tab.click("#followed-end").page.is_hidden("#alert")
    assert "track" not in tab.text("#line")
    assert sum(float(row[-1]) for row in tab.numbers()[1:]) == 3
    assert names == ["density.csv"]


@pytest.mark.parametrize(
    ("state", "box", "text", "words"),
    first_daily(
        [
            ("", "where", "x > 0", ["--where", "x > 0"]),
            ("", "y", "py", ["--histogram", "x,py"]),
            ("view=histogram", "bins", "7", ["--bins", "7"]),
            ("", "jump", "20", ["--steps", "20"]),
        ],
    ),
)
def test_what_is_written_applies_before_it_is_saved(
    tab: Tab, view: View, state: str, box: str, text: str, words: list[str]
) -> None:
    tab.open(view("a.h5"), state)
    before = tab.numbers()
    tab.page.click(f"#{box}")
    tab.page.keyboard.press("Control+A")
    tab.page.keyboard.type(text)
    after = tab.numbers()
    assert after != before
    assert [one for one in tab.settled().line() if one in words] == words
    assert tab.numbers() == after


def test_a_wrong_text_is_not_passed_over_by_saving(tab: Tab, view: View) -> None:
    names = downloads_of(tab.open(view("a.h5")))
    for box, text, problem in (
        ("where", "x > >", "a value is expected"),
        ("jump", "near", "is not a number"),
    ):
        tab.page.click(f"#{box}")
        tab.page.keyboard.type(text)
        alert = tab.click("#save-csv").text("#alert")
        assert problem in alert
        assert "Nothing is saved or copied" in alert
        tab.fill(box, "0" if box == "jump" else "")
    assert names == []
    tab.numbers()
    assert names == ["density.csv"]


def test_a_cut_that_is_not_applied_is_marked(tab: Tab, view: View) -> None:
    tab.open(view("a.h5")).page.click("#where")
    assert tab.page.is_hidden("#where-typed")
    tab.page.keyboard.type("x > 0")
    assert "Not applied yet" in tab.text("#where-typed")
    tab.click("#next")
    assert "--where" not in tab.line()
    assert tab.page.is_visible("#where-typed")
    assert tab.click("#cut-apply").page.is_hidden("#where-typed")
    assert "--where" in tab.line()
    tab.page.fill("#where", "")
    assert tab.page.is_visible("#where-typed")
    tab.page.fill("#where", "x > 0")
    assert tab.page.is_hidden("#where-typed")


@pytest.mark.parametrize(
    ("state", "words"),
    first_daily(
        [
            ("", "no rows"),
            ('view=run&ys=["sigma_x"]', ": no values"),
            ("view=space", "no rows"),
            ("view=histogram", ", step 0: no rows"),
            ("view=curves&across=z", ": no rows"),
        ],
    ),
)
def test_a_picture_without_rows_says_so(tab: Tab, view: View, state: str, words: str) -> None:
    def words_of_picture() -> list[str]:
        return re.findall("<text[^>]*>([^<]*)</text>", tab.saved("#save-svg").decode())

    tab.open(view("a.h5"), state)
    assert not any(words in one for one in words_of_picture())
    tab.fill("where", "x > 1")
    assert any(words in one for one in words_of_picture())


@pytest.mark.parametrize(
    ("state", "labels"),
    first_daily(
        [
            ("files=[1]", "b.h5"),
            ("files=[1,2]&view=histogram", "b.h5, c.h5"),
            ("files=[1,2]&view=run", "b.h5, c.h5"),
            ("files=[0,2]&view=curves&across=z", "a.h5, c.h5"),
            ("files=[1,2]&view=rows", "b.h5"),
        ],
    ),
)
def test_saved_titles_name_only_the_files_that_are_shown(
    tab: Tab, view: View, tmp_path: Path, state: str, labels: str
) -> None:
    tab.open(view("a.h5", "b.h5", "c.h5"), state)
    path = tmp_path / f"saved{table_formats()[0].suffixes[0]}"
    saved_table(tab, path)
    with quire.open(path) as file:
        assert file.title == f"{labels} - Quire"
