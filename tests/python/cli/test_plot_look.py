"""quire plot: styles, panels, limits and magnets of curves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import LogNorm
from tests.python.support.files import path_for

import quire
from quire import Attribute
from quire.errors import ConflictError, MissingError, UsageError
from quire.numeric.histograms import Bins
from quire.toolkit.axes import Scale
from quire.toolkit.binning import Distribution
from quire.toolkit.curves import Curve, Curves, continued
from quire.toolkit.distribution_picture import draw_counts
from quire.toolkit.look import STYLES, Look
from quire.toolkit.magnets import read_magnets
from quire.toolkit.panels import grid_size, in_lists, panels_of, styled
from quire.toolkit.picture import COLOURS, colours_of, draw_curves

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

ENDS = np.array([0.5, 1.0, 2.0, 2.0, 2.5, 3.0])
TYPES = ["KQUAD", "DRIFT", "CSBEND", "MONI", "QUAD", "KSEXT"]


@pytest.fixture
def line(tmp_path: Path) -> Path:
    """The optics of a short line."""
    path = path_for(tmp_path, quire.formats()[0], "line")
    with quire.create(path) as out, out.step(0) as step:
        step.put("s", ENDS, unit="m").put("betax", 2.0 + ENDS, unit="m").put("error", ENDS / 10, unit="m")
        step.put("ElementType", np.array(TYPES, dtype=object)).put("K1", np.array([2.0, 0, 0, 0, -2, 0]))
    return path


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    """A curve for each of three steps."""
    path = path_for(tmp_path, quire.formats()[0], "scan")
    with quire.create(path) as out:
        for number in range(3):
            with out.step(number) as step:
                step.put("x", np.arange(5.0) * 1e-3, unit="m").put("y", np.arange(5.0) + number, unit="T")
    return path


def curves(count: int = 2) -> Curves:
    """Some curves of two quantities each, in millimetres if they are drawn."""
    x = np.linspace(1e-3, 2e-3, 11)
    made = [
        Curve(f"{name}, step {step}", x, np.full(11, step + 1.0) + x, name, origin=f"step {step}")
        for step in range(count)
        for name in "ab"
    ]
    up = [Attribute(name, 0.0, "float64", "T", symbol) for name, symbol in (("a", "$ga$r"), ("b", ""))]
    return Curves(made, [Attribute("x", 0.0, "float64", "m")], up)


def drawn(look: Look, found: Curves | None = None) -> list[Any]:
    """Draw curves and return the axes."""
    figure = draw_curves(curves() if found is None else found, look)
    figure.canvas.draw()
    plt.close(figure)
    return list(figure.axes)


def test_curves_and_quantities_have_styles_of_their_own() -> None:
    some = curves().curves
    by_quantity = [one.style for one in styled(some, ["points", "line"], ["a", "b"])]
    assert by_quantity == ["points", "line", "points", "line"]
    assert [one.style for one in styled(some, ["bars"] * 4, ["?"])] == ["bars"] * 4
    both = Curves(styled(some[:2], ["points", "line"], ["a", "b"]), curves().across, curves().up)
    (axes,) = drawn(Look(), both)
    assert [one.get_linestyle() for one in axes.lines] == ["None", "-"]


def test_lists_of_quantities_have_panels(run: Run, line: Path, tmp_path: Path) -> None:
    some = in_lists(curves().curves, [["a", "b"], ["b"]])
    assert [one.name for one in some] == ["a", "b", "a", "b", "b", "b"]
    panels = panels_of(Curves(some, curves().across, curves().up), "list")
    assert [[one.label for one in found.curves] for _, found in panels] == [
        ["a, step 0", "b, step 0", "a, step 1", "b, step 1"],
        ["b, step 0", "b, step 1"],
    ]
    words = ["-x", "s", "-y", "betax,2*betax", "-y", "error", "--y2", "", "--y2", "K1", "--panels", "list"]
    outcome = run("plot", line, *words, "--style", "points,line,both,bars", tmp_path / "picture.png")
    assert (outcome.code, outcome.errors) == (0, "")
    assert "4 curves" in outcome.output


@pytest.mark.parametrize("style", STYLES)
def test_every_style_is_drawn(run: Run, line: Path, tmp_path: Path, style: str) -> None:
    picture = tmp_path / "picture.png"
    outcome = run("plot", line, "-x", "s", "-y", "betax,2*betax", "--style", style, picture)
    assert outcome.code == 0, outcome.errors
    (axes,) = drawn(Look(style=style))
    kinds = (axes.lines, axes.collections, axes.patches)
    assert [len(one) > 0 for one in kinds] == [
        style in ("line", "points", "both", "steps"),
        style == "impulses",
        style == "bars",
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["--error", "error", "--labels", "mine", "--style", "both"],
        ["--magnets", "LINE", "--subtitle", "second", "--title", "first"],
        ["--x-range", "0:1", "--y-range=-1:5", "--mark", "x=0.5", "--mark", "y=2"],
        ["--palette", "turbo", "--zero", "xy", "--no-legend", "--equal", "--joined"],
        ["--panels", "curve", "--layout", "1x2", "--share", "xy", "--x-label", "a", "--y-label", "b"],
    ],
)
def test_options_are_accepted_together(run: Run, line: Path, tmp_path: Path, words: list[str]) -> None:
    picture = tmp_path / "picture.svg"
    given = [line if word == "LINE" else word for word in words]
    outcome = run("plot", line, "-x", "s", "-y", "betax", *given, picture)
    assert (outcome.code, outcome.errors) == (0, "")
    assert "1 curve" in outcome.output
    text = picture.read_text()
    assert all(f"<!-- {one} -->" in text for one in words if one in ("second", "first", "a", "b"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-x", "x", "-y", "y", "--style", "dots"], "'dots' is no style"),
        (["-x", "x", "-y", "y", "--palette", "turb"], "turbo"),
        (["-x", "x", "-y", "y", "--panels", "page"], "quantity, list, step, curve"),
        (["-x", "x", "-y", "y", "--panels", "step", "--layout", "1x2"], "no room for 3 panels"),
        (["-x", "x", "-y", "y", "--layout", "2"], "'2' is no layout"),
        (["-x", "x", "-y", "y", "--mark", "z=1"], "'z=1' is no place"),
        (["-x", "x", "-y", "y", "--style", "line,points"], "2 styles for 1 quantities and 3 curves"),
        (["--histogram", "x", "--panels", "list"], "--panels belongs to curves"),
        (["-x", "x", "-y", "y", "--labels", "one"], "1 labels for 3 curves"),
        (["-x", "x", "-y", "y", "--error", "y,x"], "2 errors for 1 columns"),
        (["-x", "x", "-y", "y", "--y2", "2*y", "--equal"], "--equal"),
        (["-x", "x", "-y", "y", "--x-range", "2:1"], "'2:1' is not a range"),
        (["--histogram", "x", "--zero", "y"], "--zero belongs to curves"),
        (["--histogram", "x", "--error", "y"], "--error and --joined belong to columns"),
    ],
)
def test_wrong_options_are_one_line_and_draw_nothing(
    run: Run, scan: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    outcome = run("plot", scan, *words, tmp_path / "picture.png")
    assert outcome.code in (1, 2)
    assert len(outcome.errors.splitlines()) == 1
    assert message in outcome.errors
    assert not (tmp_path / "picture.png").exists()


def test_limits_and_marks_are_in_the_unit_of_the_file() -> None:
    look = Look(limits={"x": (0.0, 5e-3), "y": (0.0, 9.0)}, marks=[("x", 1e-3)], has_legend=False)
    (axes,) = drawn(look)
    assert axes.get_xlabel() == "x [mm]"
    assert (axes.get_xlim(), axes.get_ylim()) == ((0.0, 5.0), (0.0, 9.0))
    assert list(axes.lines[-1].get_xdata()) == [1.0, 1.0]
    (axes,) = drawn(Look(limits={"x": (0.0, 5.0)}, units={"x": "mm"}))
    assert axes.get_xlim() == (0.0, 5.0)


def test_axes_contain_zero_on_request() -> None:
    assert drawn(Look())[0].get_ylim()[0] > 0.5
    (axes,) = drawn(Look(zero="xy"))
    assert (axes.get_xlim()[0], axes.get_ylim()[0]) == (0.0, 0.0)


def test_panels_have_their_curves_and_their_titles() -> None:
    assert [title for title, _ in panels_of(curves(3), "step")] == ["step 0", "step 1", "step 2"]
    assert [[one.label for one in some.curves] for _, some in panels_of(curves(), "step")] == [["a", "b"]] * 2
    assert [[one.label for one in some.curves] for _, some in panels_of(curves(), "quantity")] == [
        ["step 0", "step 1"]
    ] * 2
    assert [len(some.curves) for _, some in panels_of(curves(), "curve")] == [1] * 4
    named = curves(1)
    named.curves[0] = Curve("mine", *(named.curves[0].x,) * 2, "a", origin="step 0")
    assert [one.label for one in panels_of(named, "step")[0][1].curves] == ["mine", "b"]


def test_panels_share_limits_on_request() -> None:
    alone = drawn(Look(panels="step"))
    assert alone[0].get_ylim() != alone[1].get_ylim()
    shared = drawn(Look(panels="step", share="xy"))
    assert shared[0].get_ylim() == shared[1].get_ylim()
    assert [one.get_xlabel() for one in shared] == ["", "x [mm]"]
    side_by_side = drawn(Look(panels="step", share="y", layout=(2, 1)))
    assert [bool(one.get_ylabel()) for one in side_by_side] == [True, False]


def test_panels_with_shared_limits_have_equal_scales() -> None:
    shared = drawn(Look(panels="step", share="xy", is_equal=True))
    assert [one.get_aspect() for one in shared] == [1.0, 1.0]
    assert shared[0].get_ylim() == shared[1].get_ylim()


def test_small_counts_have_logarithmic_colours_on_request() -> None:
    figure, axes = plt.subplots()
    counts = np.array([[1, 5], [0, 9]])
    found = Distribution(("x", "y"), (Bins.between(0.0, 2.0, 2), Bins.between(0.0, 2.0, 2)), counts, 0, 15)
    for is_log in (False, True):
        draw_counts(figure, axes, found, [Scale(), Scale()], is_log)
    assert [isinstance(one.norm, LogNorm) for one in axes.collections] == [False, True]
    plt.close(figure)


def test_the_size_of_the_grid() -> None:
    assert [grid_size(count, None) for count in (1, 4, 5, 9, 10)] == [(1, 1), (1, 4), (3, 2), (3, 3), (4, 3)]
    assert grid_size(3, (3, 1)) == (3, 1)
    with pytest.raises(UsageError, match="2x1"):
        grid_size(3, (2, 1))


def test_legends_have_symbols() -> None:
    (axes,) = drawn(Look(), curves(1))
    texts = [one.get_text() for one in axes.get_legend().get_texts()]
    assert texts == [r"$\mathrm{{\alpha}}$, step 0", "b, step 0"]
    assert drawn(Look(has_legend=False))[0].get_legend() is None


def test_steps_are_joined_to_one_curve(run: Run, scan: Path, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers.csv"
    outcome = run("plot", scan, "-x", "x", "-y", "y", "--joined", "--data", numbers, tmp_path / "a.png")
    assert outcome.output.endswith(": 1 curve\n")
    assert len(numbers.read_text().splitlines()) == 16
    some = [Curve(label, np.arange(2.0), np.arange(2.0), error=np.ones(2)) for label in "aba"]
    assert [(one.label, len(one.x), len(one.error)) for one in continued(some) if one.error is not None] == [
        ("a", 4, 4),
        ("b", 2, 2),
    ]


def test_elements_of_a_line(line: Path) -> None:
    magnets = read_magnets(str(line))
    found = [(begin, end, kind.low, kind.high) for begin, end, kind in magnets.elements]
    assert found == [
        (0.0, 0.5, 0.0, 1.0),
        (1.0, 2.0, -0.5, 0.5),
        (2.0, 2.5, -1.0, 0.0),
        (2.5, 3.0, -0.75, 0.75),
    ]
    assert (magnets.factor_to("mm"), magnets.factor_to("")) == (1000.0, 1.0)
    with pytest.raises(ConflictError, match='"m"'):
        magnets.factor_to("s")


def test_a_strip_of_magnets_is_below_the_curves(line: Path, tmp_path: Path) -> None:
    panel, strip = drawn(Look(magnets=read_magnets(str(line))))
    assert panel.get_position().y0 > strip.get_position().y1
    assert (panel.get_xlabel(), strip.get_xlabel()) == ("", "x [mm]")
    assert [one.get_x() for one in strip.patches] == [0.0, 1000.0, 2000.0, 2500.0]
    assert strip.get_xlim() == panel.get_xlim()


def test_an_outline_of_magnets_is_drawn_as_it_is(tmp_path: Path) -> None:
    path = path_for(tmp_path, quire.formats()[0], "magnets")
    with quire.create(path) as out, out.step(0) as step:
        step.put("s", [0.0, 0.0, 1.0, 1.0], unit="m").put("Profile", [0.0, 1.0, 1.0, 0.0])
    magnets = read_magnets(str(path))
    assert magnets.outline is not None
    assert magnets.outline[1].tolist() == [0, 1, 1, 0]
    assert len(drawn(Look(magnets=magnets))[1].collections) == 1
    with quire.create(tmp_path / path.name.replace("magnets", "none")) as out, out.step(0) as step:
        step.put("s", [0.0])
    with pytest.raises(MissingError, match="ElementType"):
        read_magnets(str(tmp_path / path.name.replace("magnets", "none")))


def test_values_without_a_logarithm_are_counted(run: Run, line: Path, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    outcome = run("plot", line, "-x", "s", "-y", "s - 2", "--log", "y", picture, "--overwrite")
    assert "1 curve, without 4 values that no logarithmic axis has: 0 or below" in outcome.output
    outcome = run("plot", line, "-x", "s", "-y", "s", "--log", "xy", picture, "--overwrite")
    assert outcome.output == f"{picture}: 1 curve\n"
    assert run("plot", line, "-x", "s", "-y", "s", picture, "--overwrite", "--quiet").output == ""


def test_steps_of_a_histogram_are_counted(run: Run, scan: Path, tmp_path: Path) -> None:
    for steps, said in (("0,2", "10 rows, of 2 steps together"), ("1", "5 rows\n")):
        outcome = run("plot", scan, "--histogram", "y", "--steps", steps, tmp_path / f"{steps}.png")
        assert said in outcome.output


def test_axes_of_whole_numbers_have_whole_ticks() -> None:
    steps = [Curve("a", np.arange(6.0), np.arange(6.0), "a")]
    up = [Attribute("a", 0.0, "float64")]
    for kind, is_whole in (("int64", True), ("float64", False)):
        (axes,) = drawn(Look(), Curves(steps, [Attribute("step", 0, kind)], up))
        axes.set_xlim(0, 2)
        assert all(tick == round(tick) for tick in axes.get_xticks()) == is_whole


def test_attributes_of_the_file_and_numbers_of_steps_are_drawn(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "file.h5"
    with quire.create(path) as out:
        out.attrs["charge"] = 2.5
        for number in (3, 5):
            out.step(number).set("s", 0.5 * number).put("x", [1.0]).commit()
    words = ["--attributes", "charge,step,step", "-x", "s", "-o", tmp_path / "picture.png", "--data", "-"]
    assert run("plot", path, *words).output.split() == ["s,charge,step", "1.5,2.5,3.0", "2.5,2.5,5.0"]


def test_many_curves_have_different_colours() -> None:
    for count in (3, len(COLOURS), 40):
        assert len({mpl.colors.to_hex(colour) for colour in colours_of(count)[:count]}) == count


def drawn_texts(figure: Any) -> tuple[str, list[str], str]:
    """The title, the texts of the legend and the label of the vertical axis."""
    legend = figure.axes[0].get_legend()
    entries = [] if legend is None else [one.get_text() for one in legend.get_texts()]
    return figure.get_suptitle(), entries, figure.axes[0].get_ylabel()


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """A curve for each of two steps, which have a name and a charge."""
    path = path_for(tmp_path, quire.formats()[0], "named")
    with quire.create(path) as out:
        for number, name in ((2, "cold"), (3, "hot")):
            with out.step(number) as step:
                step.set("case", name).set("q", number / 3, unit="C")
                step.put("x", np.arange(5.0), unit="m").put("y", np.arange(5.0) + number, unit="T")
                step.put("z", np.arange(5.0), unit="T")
    return path


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (["-y", "y", "--labels", "@case", "--title", "@q"], ("0.6666667", ["cold", "hot"], "y [T]")),
        (["-y", "y", "--labels", "@step", "--title", "@step"], ("2", ["2", "3"], "y [T]")),
        (["-y", "y,z", "--labels", "@case", "--joined"], ("", ["y, cold", "z, cold"], "y, z [T]")),
        (["-y", "y", "--steps", "3", "--title", "@case", "--y-label", "@case"], ("hot", [], "hot")),
        (["-y", "y", "--title", "@@case", "--labels", "a,@q"], ("@case", ["a", "@q"], "y [T]")),
    ],
)
def test_texts_are_values_of_attributes(
    run: Run, named: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], texts: Any
) -> None:
    figures = []
    monkeypatch.setattr("quire.toolkit.picture.save", lambda figure, path: figures.append(figure))
    done = run("plot", named, "-x", "x", *words, named.with_name("a.png"))
    assert done.code == 0, done.errors
    assert drawn_texts(figures[0]) == texts


@pytest.mark.parametrize("words", [["--title", "@lost"], ["--labels", "@lost"], ["--x-label", "@lost"]])
def test_texts_of_missing_attributes_are_errors(run: Run, named: Path, words: list[str]) -> None:
    done = run("plot", named, "-x", "x", "-y", "y", *words, named.with_name("a.png"))
    assert done.code == 1
    assert "there is no attribute 'lost'" in done.errors
    assert not named.with_name("a.png").exists()


@pytest.mark.parametrize("values", ["x=nan,nan", "x=-1,-2"])
@pytest.mark.parametrize("log", ["x", "xy"])
def test_logarithmic_axes_need_a_value_above_0(
    values: str, log: str, run: Run, tmp_path: Path, text_format: str
) -> None:
    table, picture = path_for(tmp_path, text_format), tmp_path / "picture.png"
    quire.new(values, "y=1,2").write(table)
    outcome = run("plot", table, "-x", "x", "-y", "y", "--log", log, picture)
    assert (outcome.code, picture.exists()) == (1, False)
    assert outcome.errors == f"quire: {table}: no value of x is above 0, as the logarithmic axis needs\n"
