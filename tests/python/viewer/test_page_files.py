"""The page of the viewer with files that differ: units, steps and contents."""

from __future__ import annotations

import re
import shlex
import struct
from pathlib import Path

import numpy as np
import pytest
from tests.python.support.cases import first_daily
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import View, write_bunch

import quire

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")


def write_in(path: Path, unit: str, factor: float = 1.0) -> Path:
    """Write a step with a column and an attribute in a unit."""
    with quire.create(path) as out, out.step(0) as step:
        step.set("size", 2.0 * factor, unit=unit)
        step.put("x", factor * np.array([-1.0, 2.0, 4.0]), unit=unit)
    return path


def test_files_in_other_units_are_shown_in_that_of_the_first(tab: Tab, view: View, tmp_path: Path) -> None:
    for unit, factor in (("mm", 1.0), ("m", 1e-3), ("s", 1.0)):
        write_in(tmp_path / f"{unit}.h5", unit, factor)
    address = view("mm.h5", "m.h5", "s.h5")
    tab.open(address, "view=histogram&of=x&files=[0,1]")
    assert tab.text("#plot .chart-title").count("mean 1.6667 mm, rms 2.0548 mm") == 2
    assert tab.quantities()["mean_x"] == ["1.67 mm", "1.67 mm", ""]
    assert tab.text("#attributes-of-step").split() == ["size", "2", "mm", "2", "mm"]
    tab.open(f"{address}?", 'view=run&ys=["size"]&files=[0,1,2]')
    assert "size is in s, and that of the first file is in mm" in tab.text("#alert")
    assert [row[1:] for row in tab.numbers()] == [["step", "size [mm]"], ["0", "2"], ["0", "2"]]


def test_a_cut_is_in_the_units_of_the_first_file(tab: Tab, view: View, tmp_path: Path) -> None:
    write_in(tmp_path / "mm.h5", "mm")
    write_in(tmp_path / "m.h5", "m", 1e-3)
    address = view("mm.h5", "m.h5")
    tab.open(address, "view=density&x=x&y=x&files=[0,1]").fill("where", "x > 0")
    first, second = (shlex.split(line) for line in tab.text("#line").split("; "))
    assert [line[line.index("--where") + 1] for line in (first, second)] == ["x > 0", "(x * 1000.0) > 0"]
    assert tab.text("#note") == "4 of 6 rows"
    assert tab.fill("where", "x > 3").text("#note") == "2 of 6 rows"
    assert tab.quantities()["mean_x"] == ["4 mm", "4 mm", ""]
    assert not tab.page.is_visible("#unsaid")
    assert tab.click("[data-view=histogram]").text("#note") == "2 of 6 rows"
    assert "in the units of the first file" in tab.text("#unsaid")
    tab.click("#files label:nth-child(1) input")
    assert tab.text("#note") == "0 of 3 rows"
    assert not tab.page.is_visible("#unsaid")


def test_along_the_run_a_file_that_is_gone_leaves_the_others(tab: Tab, view: View, tmp_path: Path) -> None:
    tab.open(view("gone.h5", "here.h5"), "files=[0,1]")
    (tmp_path / "gone.h5").unlink()
    tab.press("4")
    assert "the file is gone" in tab.text("#alert")
    assert {Path(row[0]).name for row in tab.numbers()[1:]} == {"here.h5"}


def test_side_by_side_commands_write_different_files_over_one_range(tab: Tab, view: View) -> None:
    tab.open(view("a.h5", "b.h5"), "files=[0,1]")
    first, second = (shlex.split(line) for line in tab.text("#line").split("; "))
    assert [first[-1], second[-1]] == ["density-1.png", "density-2.png"]
    ranges = [[word for word in line if ":" in word] for line in (first, second)]
    assert ranges[0] == ranges[1]
    assert len(ranges[0]) == 2


def test_weights_are_named_and_in_the_command(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"), "x=x&y=px")
    assert "--weight" not in tab.line()
    tab.fill("weight", "id")
    assert "--weight abs(id)" in " ".join(tab.line())
    assert tab.numbers()[0][-1] == "sum of id"
    tab.page.hover("#plot canvas")
    assert "sum of id = " in tab.text("#read")
    tab.press("2")
    assert tab.numbers()[0][-1].startswith("sum of id, ")
    tab.page.hover("#plot .u-over")
    assert "sum of id = " in tab.text("#read")
    tab.press("3")
    assert "--weight" not in tab.line()


@pytest.mark.parametrize("state", first_daily(["", "view=histogram", "view=curves", "view=run"]))
def test_the_readout_is_cleared(tab: Tab, view: View, state: str) -> None:
    tab.open(view("a.h5"), state)
    place = "#plot .u-over" if state else "#plot canvas"
    for leave in (lambda: tab.page.hover("#help"), lambda: tab.press("ArrowRight"), lambda: tab.press("6")):
        tab.page.hover("#place")
        for x in (90, 91):
            tab.page.hover(place, position={"x": x, "y": 140})
        assert " = " in tab.text("#read")
        leave()
        assert tab.text("#read") == ""


@pytest.mark.parametrize("bins", first_daily(["abc", "0", "-3", "1e9"]))
def test_wrong_bins_are_reported(tab: Tab, view: View, bins: str) -> None:
    tab.open(view("a.h5"), "view=histogram").fill("bins", bins).press("Tab")
    assert f"'{bins}' is no number of bins" in tab.text("#alert")
    tab.fill("bins", "7").press("Tab")
    assert tab.page.is_hidden("#alert")
    assert len(tab.numbers()) == 8


def test_what_cannot_be_drawn_has_no_command(tab: Tab, view: View, tmp_path: Path) -> None:
    tab.open(view("a.h5")).press("5")
    assert "has no field" in tab.text("#alert")
    assert tab.page.is_hidden("#command")
    tab.press("d")
    assert tab.page.is_hidden("#command")
    assert tab.page.locator("#plot canvas").count() == 0
    tab.press("1")
    assert tab.line()[:2] == ["quire", "plot"]
    with quire.create(tmp_path / "text.h5") as out, out.step(0) as step:
        step.put("name", ["a", "b"])
    tab.open(view("text.h5"), "view=density")
    assert tab.page.is_hidden("#command")


def test_the_file_with_most_steps_is_followed(tab: Tab, view: View, tmp_path: Path) -> None:
    write_bunch(tmp_path / "one.h5", rows=50, numbers=(0,))
    tab.open(view("one.h5", "many.h5"), "files=[0,1]")
    assert tab.page.is_enabled("#play")
    assert tab.press("End").text("#place").startswith("step 35 (4 of 4), s = 7.5 m")
    tab.press("4")
    box = tab.page.locator("#plot .u-over").first.bounding_box()
    assert box is not None
    tab.page.mouse.click(box["x"] + 0.66 * box["width"], box["y"] + 0.5 * box["height"])
    assert tab.settled().text("#place").startswith("step 20 ")


def test_ticks_are_written_without_rounding(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"))
    labels = tab.page.evaluate(
        """async () => {
            const { ticks } = await import("./js/ticks.js");
            const { axisScale, labelOf } = await import("./js/units.js");
            const near = axisScale(100 - 1e-7, 100 + 1e-7, "m");
            const texts = (low, high) => {
                const { values, text } = ticks(low, high, 8);
                return values.map(text);
            };
            return [texts(2.575, 2.75), texts(near.shown(100 - 1e-7), near.shown(100 + 1e-7)),
                    labelOf({ name: "z" }, near.unit, near.origin),
                    labelOf({ name: "x" }, axisScale(-1, 1, "m").unit)];
        }"""
    )
    assert labels[0][:3] == ["2.575", "2.600", "2.625"]
    assert len(set(labels[1])) == len(labels[1]) > 4
    assert labels[2:] == ["z \u2212 100 m  [nm]", "x  [m]"]


def test_units_with_a_prefix_have_another_one(tab: Tab, view: View) -> None:
    shown = tab.open(view("a.h5")).page.evaluate(
        """async () => {
            const { written } = await import("./js/units.js");
            const cases = [[0.0319, "MeV"], [2e4, "MeV"], [5e-3, "mm"], [20, "um"], [0.02, "MeV/c"],
                [2, "Tm"], [7, "rad/m"]];
            return cases.map(([value, unit]) => written(value, unit));
        }"""
    )
    assert shown == ["31.9 keV", "20 GeV", "5 \u00b5m", "20 \u00b5m", "20 keV/c", "2 Tm", "7 rad/m"]


def test_counts_have_whole_ticks_and_bins_suit_the_cut(tab: Tab, view: View, tmp_path: Path) -> None:
    write_bunch(tmp_path / "many.h5", rows=20_000, numbers=(0,))
    tab.open(view("many.h5"), "view=histogram")
    assert len(tab.numbers()) == 1 + 68
    tab.fill("where", "id < 150")
    assert len(tab.numbers()) == 1 + 24
    assert tab.line()[tab.line().index("--bins") + 1] == "24"
    picture = tab.saved("#save-svg").decode()
    ticks = re.findall(r'text-anchor="end"[^>]*>([^<]*)<', picture)
    assert len(ticks) > 3
    assert all(re.fullmatch(r"\d+", tick) for tick in ticks)
    tab.press("1").click("#cut-clear")
    assert tab.line()[tab.line().index("--bins") + 1] == "109x109"


def test_the_name_of_the_file_is_above_the_density(tab: Tab, view: View) -> None:
    """On the page, which is a canvas, as in the saved picture."""
    tab.open(view("a.h5"), "view=density")
    inked = """canvas => {
        const ratio = window.devicePixelRatio;
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, 26 * ratio);
        return data.reduce((sum, one, place) => sum + (place % 4 === 0 && one < 128), 0);
    }"""
    assert tab.page.eval_on_selector("#plot canvas", inked) > 50


def test_numbers_beside_the_colours_differ(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"))
    texts = tab.page.evaluate(
        """async () => {
            const { drawBar } = await import("./js/density.js");
            const texts = [];
            const context = { fillRect() {}, fillText(text) { texts.push(text); } };
            const scale = { least: 196.1, most: 196.3, of: (value) => (value - 196.1) / 0.2 };
            const look = { palette: "viridis", scale: "linear" };
            drawBar(context, { width: 600, height: 400 }, scale, look, { sans: "sans", soft: "#000" }, "pz");
            return texts;
        }"""
    )
    assert texts == ["196.10", "196.15", "196.20", "196.25", "196.30", "pz"]


@pytest.mark.nightly
def test_the_numbers_on_the_right_fit(tab: Tab, view: View, tmp_path: Path) -> None:
    names = ["a.h5", "b.h5", "c.h5"]
    for name, value in zip(names, (-0.0048123456, -12345.678, -4.8123456e-7), strict=True):
        with quire.create(tmp_path / name) as out, out.step(0) as step:
            step.set("size", value)
            step.set("slope", value / 7, unit="rad/m")
            step.put("x", value * np.array([1.0, 2.0, 2.5]))
            step.put("y", 1e-5 * value * np.array([1.0, 2.0, 2.5]))
    address = view(*names)
    for place, shown in enumerate(("[0]", "[0,1]", "[0,2]", "[1,2]", "[0,1,2]")):
        tab.open(f"{address}?{place}", f"files={shown}")
        cut = tab.page.eval_on_selector_all(
            "#right tbody td:not(:first-child)",
            "cells => cells.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)",
        )
        assert cut == []


@pytest.mark.parametrize("state", first_daily(["", "view=histogram", "view=run"]))
def test_pictures_have_twice_the_resolution_of_the_screen(tab: Tab, view: View, state: str) -> None:
    data = tab.open(view("a.h5"), state).saved("#save-png")
    box = tab.page.locator("#plot").bounding_box()
    assert box is not None
    width, height = struct.unpack(">II", data[16:24])
    assert abs(width - 2 * box["width"]) < 8
    assert abs(height - 2 * box["height"]) < 8
    canvas = tab.page.locator("#plot canvas").first
    assert canvas.evaluate("one => one.width / one.getBoundingClientRect().width") == pytest.approx(
        2, abs=0.01
    )
    if state:
        assert re.search(r"\b2[46]px", canvas.evaluate("one => one.getContext('2d').font"))


@pytest.mark.nightly
def test_five_files_are_ticked_side_by_side_and_overlaid(tab: Tab, view: View) -> None:
    names = [f"run{number}.h5" for number in range(1, 6)]
    tab.open(view(*names))
    for place in range(2, 6):
        tab.click(f"#files label:nth-child({place}) input")

    def texts() -> list[str]:
        return re.findall(r"<text[^>]*>([^<]*)</text>", tab.saved("#save-svg").decode())

    assert [text for text in texts() if text in names] == names
    assert texts().count("x  [\u00b5m]") == 5
    tab.press("o")
    assert [text for text in texts() if text in names] == names
    assert texts().count("x  [\u00b5m]") == 1
    assert {Path(row[0]).name for row in tab.numbers()[1:]} == set(names)
    tab.press("2")
    titles = tab.text("#plot .chart-title").split("\n")
    assert [title.split(",")[0] for title in titles] == names
    tab.press("4").fill("ys", "sigma_x")
    assert tab.text("#plot .chart-title").split("\n") == [f"sigma_x, {name}" for name in names]
    tab.click("#files label:nth-child(3) input")
    assert tab.text("#plot .chart-title").count("sigma_x") == 4


def test_files_at_different_steps_have_a_command_each(tab: Tab, view: View, tmp_path: Path) -> None:
    write_bunch(tmp_path / "b.h5", seed=2, rows=200, numbers=(0, 11, 20))
    tab.open(view("a.h5", "b.h5"), "files=[0,1]&view=histogram")
    assert [words.split()[-1] for words in tab.text("#line").split("; ")] == ["histogram.png"]
    lines = tab.press("ArrowRight").text("#line").split("; ")
    assert [re.findall(r"(\w\.h5)|--steps (\d+)|(histogram-\d)", line) for line in lines] == [
        [("a.h5", "", ""), ("", "10", ""), ("", "", "histogram-1")],
        [("b.h5", "", ""), ("", "11", ""), ("", "", "histogram-2")],
    ]
