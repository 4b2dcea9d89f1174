"""The view of points in space in Chromium, by the pointer and keys."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.cases import first_daily
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import View, write_bunch

import quire

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")


def seen(tab: Tab) -> dict[str, Any]:
    """Return the colour of the background, and number and mean of the pixels with colours."""
    found = tab.colours(0, 60, 140, 60)
    shown = found[np.ptp(found[:, :3], axis=1) > 60]
    count = int(shown[:, 3].sum())
    mean = (shown[:, 3] @ shown[:, :3] / count).tolist() if count else None
    return {"around": found[0, :3].tolist(), "count": count, "mean": mean}


def turn(tab: Tab) -> list[float]:
    """Return the angles and the zoom of the link."""
    found: list[float] = tab.page.evaluate(
        "() => JSON.parse(new URLSearchParams(location.hash.slice(1)).get('turn') ?? '[-38, 22, 1]')"
    )
    return found


def test_points_are_drawn_and_say_what_they_are(tab: Tab, view: View, tmp_path: Path) -> None:
    write_bunch(tmp_path / "a.h5", rows=3000)
    tab.open(view("a.h5")).press("7")
    assert tab.page.get_attribute("#plot canvas", "aria-label") == "points of x, y, z"
    assert tab.text("#note") == "3\u2009000 rows"
    assert seen(tab)["count"] > 2000
    assert not tab.page.is_visible("#command")
    rows = tab.numbers()
    assert rows[0] == ["file", "step", "x [m]", "y [m]", "z [m]"]
    with quire.open(tmp_path / "a.h5") as file:
        x = file.step(0).table["x"].read()
    np.testing.assert_allclose([float(row[2]) for row in rows[1:]], x, atol=1e-10)


@pytest.mark.nightly
def test_a_sample_is_named_on_the_page_and_the_cut_applies(
    tab: Tab, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.viewer.points.USUAL_POINTS", 50)
    tab.open(view("a.h5"), "view=space")
    assert tab.text("#note") == "sample of 50 of 200 rows"
    assert tab.fill("where", "id < 80").text("#note") == "sample of 50 of 80 rows"
    assert tab.fill("where", "id < 30").text("#note") == "30 rows"
    assert tab.press("ArrowRight").text("#place").startswith("step 10 ") or tab.click("#next")
    tab.fill("where", "id < > 3")
    assert "a value is expected" in tab.text("#alert")


def test_the_pointer_turns_and_zooms(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"), "view=space")
    before = seen(tab)
    tab.drag("#plot", (0.4, 0.5), (0.6, 0.5))
    around, above, zoom = turn(tab)
    assert (around, above, zoom) != (-38, 22, 1)
    assert above == 22
    assert seen(tab) != before
    tab.page.mouse.wheel(0, -600)
    tab.page.wait_for_function("() => location.hash.includes('turn')")
    assert turn(tab)[2] > 2
    assert seen(tab)["count"] > before["count"] / 2
    link = tab.page.url
    tab.press("0")
    assert turn(tab) == [-38, 22, 1]
    tab.open(f"{link.split('#')[0]}?again", link.split("#")[1])
    assert turn(tab)[2] > 2


@pytest.mark.nightly
def test_keys_turn_look_along_axes_and_zoom(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"), "view=space")
    tab.page.click("#plot")
    tab.press("Shift+ArrowRight").press("Shift+ArrowUp")
    assert turn(tab) == [332, 32, 1]
    assert tab.text("#place").startswith("step 0 ")
    tab.press("+")
    assert turn(tab)[2] == pytest.approx(1.2)
    tab.press("-")
    for key, angles in (("x", [-90, 0]), ("y", [0, 90]), ("z", [0, 0])):
        assert turn(tab.press(key))[:2] == angles
    tab.press("ArrowRight")
    assert tab.text("#place").startswith("step 10 ")
    assert tab.page.is_visible("#unzoom")
    assert turn(tab.click("#unzoom")) == [-38, 22, 1]


def test_a_colour_and_its_palette(tab: Tab, view: View) -> None:
    tab.open(view("a.h5"), "view=space")
    density = seen(tab)
    tab.fill("colour", "hypot(x, y)")
    value = seen(tab)
    assert value["mean"] != density["mean"]
    assert tab.numbers()[0][-1] == "hypot(x, y) [m]"
    tab.page.select_option("#palette", "magma")
    assert seen(tab)["mean"] != value["mean"]
    tab.fill("colour", "q")
    assert "no column" in tab.text("#alert")


@pytest.mark.parametrize("theme", first_daily(["dark", "light"]))
def test_more_points_are_further_from_the_background(
    tab: Tab, view: View, tmp_path: Path, theme: str
) -> None:
    """A place with a hundred points differs more from the background than one with a single point."""
    with quire.create(tmp_path / "two.h5") as out, out.step(0) as step:
        x = np.concatenate([np.full(100, -1.0), np.full(1, 1.0)])
        for name in ("x", "y", "z"):
            step.put(name, x)
        step.put("one", np.ones(101))
    tab.open(view("two.h5"), "view=space&colour=one")
    if theme == "dark":
        tab.press("d")
    differences = tab.page.evaluate(
        """async () => {
            const { camera } = await import("./js/camera.js");
            const canvas = document.querySelector("#plot canvas");
            const ratio = canvas.width / canvas.clientWidth;
            const seen = camera({ width: canvas.clientWidth - 54, height: canvas.clientHeight });
            const context = canvas.getContext("2d");
            const at = (one) => [...context.getImageData(one.x * ratio, one.y * ratio, 1, 1).data];
            const back = at({ x: 5, y: 60 });
            return [-0.5, 0.5].map((one) => at(seen.place([one, one, one]))
                .reduce((sum, part, place) => sum + Math.abs(part - back[place]), 0));
        }"""
    )
    tab.expect_complaint("getImageData")
    assert differences[0] > 1.3 * differences[1] > 0


def test_several_files_have_their_colours(tab: Tab, view: View) -> None:
    tab.open(view("a.h5", "b.h5"), "view=space&files=[0]")
    one = seen(tab)
    tab.click("#files label:nth-child(2) input")
    assert tab.text("#note") == "400 rows"
    assert seen(tab)["mean"] != one["mean"]
    assert {row[0][-4:] for row in tab.numbers()[1:]} == {"a.h5", "b.h5"}


def test_followed_particles_are_shown_alone(tab: Tab, view: View) -> None:
    followed = '{"file":0,"step":0,"where":"id < 30"}'
    tab.open(view("a.h5"), f"view=space&step=20&followed={followed}")
    assert tab.text("#note") == "30 followed rows"
    assert [row[1] for row in tab.numbers()[1:]] == ["20"] * 30


@pytest.mark.nightly
def test_names_of_axes_are_inside_of_a_narrow_picture(own_tab: Tab, view: View) -> None:
    own_tab.page.set_viewport_size({"width": 820, "height": 1180})
    own_tab.page.add_init_script(
        """window.names = [];
        const usual = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
            const width = this.measureText(text).width;
            const start = x - { left: 0, center: 0.5, right: 1 }[this.textAlign] * width;
            const most = this.canvas.clientWidth;
            if (/^[xyz]  /.test(text)) window.names.push([text, start, start + width, most]);
            return usual.call(this, text, x, y, ...rest);
        };"""
    )
    own_tab.open(view("a.h5"), "view=space")
    names = own_tab.page.evaluate("() => window.names")
    assert {name[0][0] for name in names} == {"x", "y", "z"}
    assert all(first >= 0 and last <= most for _, first, last, most in names)


def test_the_picture_is_saved(tab: Tab, view: View) -> None:
    data = tab.open(view("a.h5"), "view=space").saved("#save-png")
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24])[0] > 1200
    assert len(data) > 20_000


REFUSES = """let inside = 0;
    const usual = WebGL2RenderingContext.prototype.texImage2D;
    WebGL2RenderingContext.prototype.texImage2D = function (target, level, format, ...rest) {
        if (rest.at(-1) === null) inside = format;
        return usual.call(this, target, level, format, ...rest);
    };
    const status = WebGL2RenderingContext.prototype.checkFramebufferStatus;
    WebGL2RenderingContext.prototype.checkFramebufferStatus = function (target) {
        return [%s].includes(inside) ? this.FRAMEBUFFER_UNSUPPORTED : status.call(this, target);
    };"""
"""Graphics that cannot draw into textures of some formats."""

RGBA32F, RGBA16F = 0x8814, 0x881A


@pytest.mark.nightly
def test_thousands_of_points_on_a_pixel_are_counted(tab: Tab, view: View, tmp_path: Path) -> None:
    with quire.create(tmp_path / "one.h5") as out, out.step(0) as step:
        for name in ("x", "y", "z"):
            step.put(name, np.concatenate([np.zeros(9000), np.ones(1)]))
    tab.open(view("one.h5"), "view=space")
    assert tab.text("#note") == "9\u2009001 rows"
    greatest = """async () => {
        const { KINDS, Points } = await import("./js/points_gl.js");
        const cloud = new Points();
        const values = new Float32Array(3 * 9000).fill(0.5);
        cloud.keep([{ shape: [9000, 3], values }]);
        const rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        return cloud.draw({
            size: { width: 41, height: 41 }, ratio: 1, kind: KINDS.density, tints: [], isMoving: false,
            camera: { rows, scale: 10, centre: { x: 20.5, y: 20.5 }, distance: 1 },
            colours: "viridis" });
    }"""
    assert tab.page.evaluate(greatest) > 6000


@pytest.mark.nightly
def test_sums_of_fewer_bits_are_named(own_tab: Tab, view: View) -> None:
    own_tab.page.add_init_script(REFUSES % RGBA32F)
    own_tab.open(view("a.h5"), "view=space")
    assert (
        own_tab.text("#note")
        == "200 rows; the graphics of this machine count at most 2\u2009048 points on a pixel"
    )
    assert seen(own_tab)["count"] > 100


@pytest.mark.nightly
def test_graphics_that_cannot_add_points_are_explained(own_tab: Tab, view: View) -> None:
    own_tab.page.add_init_script(REFUSES % f"{RGBA32F}, {RGBA16F}")
    own_tab.open(view("a.h5"), "view=space")
    assert "cannot add points" in own_tab.text("#alert")


def test_without_webgl_the_page_says_what_to_do(own_tab: Tab, view: View) -> None:
    own_tab.page.add_init_script(
        """const usual = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
            return kind === "webgl2" ? null : usual.call(this, kind, ...rest);
        };"""
    )
    own_tab.open(view("a.h5"), "view=space")
    assert "This browser has no WebGL 2" in own_tab.text("#alert")
    assert "Phase space shows two axes" in own_tab.text("#alert")
    own_tab.press("1")
    assert not own_tab.page.is_visible("#alert")


@pytest.mark.nightly
def test_a_context_that_is_lost_is_made_again(own_tab: Tab, view: View) -> None:
    own_tab.page.add_init_script(
        """const usual = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
            const made = usual.call(this, kind, ...rest);
            if (kind === "webgl2") window.lastGl = made;
            return made;
        };"""
    )
    own_tab.open(view("a.h5"), "view=space")
    before = seen(own_tab)["count"]
    own_tab.page.evaluate(
        """() => new Promise((done) => {
            window.lastGl.canvas.addEventListener("webglcontextlost", done);
            window.lastGl.getExtension("WEBGL_lose_context").loseContext();
        })"""
    )
    assert seen(own_tab.press("Shift+ArrowRight"))["count"] > before / 2
    own_tab.expect_complaint("CONTEXT_LOST")
