"""quire plot: valid pictures; the counts are tested with the binning."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.support.files import path_for, step_formats

import quire
from quire import Attribute
from quire.numeric.histograms import Bins
from quire.toolkit.axes import (
    Scale,
    axis_label,
    joint_label,
    power_scale,
    prefix_scale,
    scale_of,
)
from quire.toolkit.curves import MOST_POINTS, Curve, Curves, attribute_curves, column_curves
from quire.toolkit.look import Look
from quire.toolkit.markup import is_drawable, marked_up
from quire.toolkit.picture import draw_curves, is_unordered, style

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Values

MAGIC = {".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-", ".svg": b"<?xml"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["-x", "x", "-y", "px,id"],
        ["-x", "id", "-y", "x", "--points", "--title", "50 % of $x"],
        ["--attributes", "s", "-x", "turn"],
        ["--attributes", "s,step", "-x", "step"],
        ["--attributes", "s,turn"],
        ["--histogram", "x"],
        ["--histogram", "x,px", "--bins", "20x30", "--range", "-1e-3:1e-3"],
        ["-x", "id", "-y", "x,hypot(x, 2*x)", "--y2", "px", "--log", "y"],
        ["-x", "x", "-y", "px", "--colour", "id", "--unit", "x=mm", "--steps", "4"],
        ["--histogram", "hypot(x, 2*x)"],
        ["--histogram", "x", "--weight", "abs(px)"],
        ["--histogram", "x,px", "--bins", "20", "--weight", "abs(px)", "--log", "z"],
        ["--attributes", "2*s", "-x", "sqrt(turn)"],
        ["-x", "id", "-y", "x", "--y2", "px", "--log", "x", "--title", "two axes"],
        ["--attributes", "s", "--y2", "turn"],
    ],
)
def test_every_kind_of_picture_is_drawn(
    run: Run, one_beam: Path, tmp_path: Path, arguments: list[str]
) -> None:
    picture = tmp_path / "picture.png"
    outcome = run("plot", one_beam, *arguments, "-o", picture, "--overwrite")
    assert outcome.code == 0, outcome.errors
    content = picture.read_bytes()
    assert content.startswith(MAGIC[".png"])
    assert len(content) > 2000
    assert str(picture) in outcome.output


@pytest.mark.parametrize(("across", "places"), [("step", [1.0, 4.0, 9.0]), ("s", [0.5, 2.0, 4.5])])
def test_a_particle_is_followed_through_the_steps(
    run: Run, beam: Path, values: Values, across: str, places: list[float]
) -> None:
    picture = beam.with_name("track.png")
    outcome = run(
        "plot",
        beam,
        "-x",
        across,
        "-y",
        "x,2*px",
        "--where",
        "id == 17",
        "--data",
        "-",
        picture,
        "--overwrite",
    )
    assert outcome.code == 0, outcome.errors
    assert "2 curves" in outcome.errors
    rows = [line.split(",") for line in outcome.output.splitlines()]
    assert rows[0] == [f"{across} [m]" if across == "s" else across, "x [m]", "2*px [m$be$nc]"]
    assert [float(row[0]) for row in rows[1:]] == places
    assert [float(row[1]) for row in rows[1:]] == [values(n)["x"][16] for n in (1, 4, 9)]
    assert [float(row[2]) for row in rows[1:]] == [2 * values(n)["px"][16] for n in (1, 4, 9)]


def test_tracks_that_do_not_exist_are_refused(run: Run, one_beam: Path) -> None:
    def message(*arguments: str) -> str:
        outcome = run("plot", one_beam, "-y", "x", *arguments, one_beam.with_name("track.png"))
        assert outcome.code in (1, 2)
        return outcome.errors

    assert "step 1 has 100 rows, but a curve through the steps takes one of each" in message("-x", "step")
    assert "select a particle, such as --where 'id == 17'" in message("-x", "s")
    assert "no step has a row with id == 1700" in message("-x", "s", "--where", "id == 1700")
    assert "needs a column" in message("-x", "step", "--where", "id == 1", "--colour", "id")
    assert not one_beam.with_name("track.png").exists()


def test_files_share_a_picture(run: Run, beam: Path, make: Make, other_format: str, tmp_path: Path) -> None:
    other = make(other_format, "other")
    for arguments in (["-x", "id", "-y", "x"], ["--histogram", "x"], ["--attributes", "s"]):
        assert run("plot", beam, other, *arguments, "-o", tmp_path / "picture.png", "--overwrite").code == 0
    outcome = run("plot", beam, other, "--histogram", "x", "-o", tmp_path / "picture.png", "--overwrite")
    assert "600 rows" in outcome.output


def test_files_share_their_bins(
    run: Run, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from quire.toolkit import distribution_picture

    drawn: list[Any] = []
    draw = distribution_picture.draw_distribution

    def note(found: Any, *others: Any) -> Any:
        drawn.extend(found)
        return draw(found, *others)

    monkeypatch.setattr("quire.toolkit.distribution_picture.draw_distribution", note)
    format = quire.formats()[0]
    near = make(format, "near", numbers=[1], rows=3, x=np.array([0.0, 1.0, 2.0]))
    far = make(format, "far", numbers=[1], rows=3, x=np.array([8.0, 9.0, 10.0]))
    assert (
        run(
            "plot",
            near,
            far,
            "--histogram",
            "x",
            "--bins",
            "10",
            "-o",
            tmp_path / "picture.png",
            "--overwrite",
        ).code
        == 0
    )
    assert [one.axes[0] for _, one in drawn] == [Bins.between(0.0, 10.0, 10)] * 2
    assert [one.counts.tolist() for _, one in drawn] == [[1, 1, 1] + [0] * 7, [0] * 8 + [1, 2]]


@pytest.mark.parametrize(
    ("quantities", "header"),
    [
        ("x", "x from [m],x to [m],rows"),
        ("hypot(x, 2*x)", "from [m],to [m],rows"),
        ("x,hypot(x, 2*x)", "x from [m],x to [m],vertical from [m],vertical to [m],rows"),
    ],
)
def test_bins_of_expressions_are_called_by_their_axis(
    run: Run, one_beam: Path, tmp_path: Path, quantities: str, header: str
) -> None:
    outcome = run("plot", one_beam, "--histogram", quantities, "--data", "-", tmp_path / "picture.png")
    assert outcome.output.partition("\n")[0] == header


def test_rows_outside_the_bins_are_reported(run: Run, one_beam: Path, tmp_path: Path) -> None:
    outcome = run(
        "plot",
        one_beam,
        "--histogram",
        "id",
        "--range",
        "1:50",
        "-o",
        tmp_path / "picture.png",
        "--overwrite",
    )
    assert "150 rows, 150 outside the bins" in outcome.output


def test_weights_are_summed_in_bins(run: Run, tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    x, q = random.normal(size=1000), random.normal(size=1000)
    q[::10] = np.nan
    with quire.create(tmp_path / "charges.h5") as out, out.step(0) as step:
        step.put("x", x, unit="m")
        step.put("q", q, unit="C")
    outcome = run(
        "plot", tmp_path / "charges.h5", "--histogram", "x", "--weight", "abs(q)", "--bins", "6",
        "--data", "-", tmp_path / "picture.png",
    )  # fmt: skip
    header, *rows = outcome.output.splitlines()[:7]
    assert header == "x from [m],x to [m],sum of abs(q) [C]"
    expected = np.histogram(x, 6, weights=np.nan_to_num(np.abs(q)))[0]
    np.testing.assert_allclose([float(row.split(",")[2]) for row in rows], expected)
    assert "1000 rows" in outcome.errors


def test_empty_data_give_no_picture(run: Run, make: Make, tmp_path: Path) -> None:
    path, whole = make(quire.formats()[0], rows=0), make(quire.formats()[0], "whole")
    for arguments in (["-x", "x", "-y", "px"], ["--histogram", "x"], ["--histogram", "x,px"]):
        outcome = run("plot", path, *arguments, tmp_path / "picture.png")
        assert outcome.code == 1
        assert outcome.errors.endswith("no step has a row: there is nothing to draw\n")
        assert not (tmp_path / "picture.png").exists()
    assert run("plot", path, whole, "--histogram", "x", tmp_path / "picture.png").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["-x", "x", "-y", "px", "-o", "picture.gif"],
        ["-x", "x", "-y", "z", "-o", "picture.png"],
        ["-x", "z", "-y", "x", "-o", "picture.png"],
        ["-y", "x", "-o", "picture.png"],
        ["-o", "picture.png"],
        ["--attributes", "nothing", "-o", "picture.png"],
        ["--attributes", "s", "--histogram", "x", "-o", "picture.png"],
        ["--histogram", "x,px,id", "-o", "picture.png"],
        ["--histogram", "x", "--bins", "0", "-o", "picture.png"],
        ["--histogram", "x", "--range", "1:0", "-o", "picture.png"],
        ["--histogram", "x", "--steps", "77", "-o", "picture.png"],
        ["-x", "x", "-y", "px", "--log", "q", "picture.png"],
        ["-x", "x", "-y", "px", "--unit", "x=furlongs", "picture.png"],
        ["--histogram", "x", "--y2", "px", "picture.png"],
        ["-x", "x", "-y", "px", "--weight", "px", "picture.png"],
        ["--attributes", "s", "--colour", "turn", "picture.png"],
        ["-x", "x", "-y", "px", "--sum", "y", "picture.png"],
        ["-x", "x", "-y", "px", "--data", "picture.png", "picture.png"],
        ["--attributes", "s", "--where", "x > 0", "picture.png"],
        ["-x", "x", "-y", "px,id", "--colour", "id", "picture.png"],
        ["--histogram", "x"],
    ],
)
def test_wrong_requests_are_one_line_and_draw_nothing(
    run: Run, one_beam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("plot", one_beam, *arguments)
    is_missing = {"z", "nothing", "77"} & set(arguments)
    assert outcome.code == (1 if is_missing else 2)
    assert len(outcome.errors.splitlines()) == 1
    assert list(tmp_path.iterdir()) == [one_beam]


def test_curves_have_the_values_of_the_file(beam: Path, values: Values) -> None:
    with quire.open(beam) as file:
        found = column_curves([file.step(4)], lambda step: f"step {step.number}", "id", ["x"])
        (curve,) = found.curves
        assert curve.label == "step 4"
        np.testing.assert_array_equal(curve.x, values(4)["id"])
        np.testing.assert_array_equal(curve.y, values(4)["x"])
        assert [quantity.name for quantity in (*found.across, *found.up)] == ["id", "x"]
        (along,) = attribute_curves("", file, None, ["s"]).curves
        np.testing.assert_array_equal(along.x, [1, 4, 9])
        np.testing.assert_array_equal(along.y, [0.5, 2.0, 4.5])


def test_long_columns_are_thinned_evenly(
    one_beam: Path, values: Values, monkeypatch: pytest.MonkeyPatch
) -> None:
    from quire.toolkit import curves

    monkeypatch.setattr(curves, "MOST_POINTS", 30)
    with quire.open(one_beam) as file:
        found = curves.thinned(file.step(4).table, ["x", "id"])
    np.testing.assert_array_equal(found["id"], values(4)["id"][::4])
    np.testing.assert_array_equal(found["x"], values(4)["x"][::4])


def test_the_same_input_draws_the_same_bytes(run: Run, one_beam: Path, tmp_path: Path) -> None:
    for suffix in MAGIC:
        pictures = [tmp_path / f"{name}{suffix}" for name in ("a", "b")]
        for picture in pictures:
            assert run("plot", one_beam, "--histogram", "x", "-o", picture, "--overwrite").code == 0
        content = pictures[0].read_bytes()
        assert content.startswith(MAGIC[suffix])
        assert content == pictures[1].read_bytes()


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        ("m", "m"),
        ("m$be$nc", r"$\mathrm{m_{e}c}$"),
        ("1/m$a2$n", r"$\mathrm{1/m^{2}}$"),
        ("m$a2", r"$\mathrm{m^{2}}$"),
        ("$gp$r mm", r"$\mathrm{{\pi}\ mm}$"),
        ("$gb$r$bx$n", r"$\mathrm{{\beta}_{x}}$"),
        ("$ge$r$bx,$gd$r$n", r"$\mathrm{{\epsilon}_{x,{\delta}}}$"),
        ("x$u2$v y", r"$\mathrm{x^{2}\ y}$"),
        ("$a2$b3$n", r"$\mathrm{^{2}_{3}}$"),
        ("A/s$a2$n", r"$\mathrm{A/s^{2}}$"),
        ("$gJo$r {50 %}", r"$\mathrm{Jo\ \{50\ \%\}}$"),
        ("x^ $bi$n", "x^ i"),
        ("5 $", r"5 \$"),
    ],
)
def test_mark_up_of_units_and_symbols_becomes_legible(unit: str, text: str) -> None:
    assert marked_up(unit) == text


@given(st.text(st.sampled_from("$abgnruvs^_{}\\ %x2")))
def test_any_mark_up_can_be_drawn(text: str) -> None:
    drawn = marked_up(text)
    assert is_drawable(drawn)
    assert drawn.startswith("$\\mathrm{") or drawn.replace("\\$", "").count("$") == 0


def test_labels_join_names_that_share_a_unit(one_beam: Path) -> None:
    with quire.open(one_beam) as file:
        table = file[0].table
        assert joint_label([table["x"], table["x"]]) == "x [m]"
        assert joint_label([table["x"], table["id"]]) == "x [m]; id"
    assert axis_label("x", "") == "x"
    assert axis_label("x_$", "m", "$gb$r") == r"$\mathrm{{\beta}}$ [m]"


def test_a_picture_never_replaces_an_input(run: Run, one_beam: Path, tmp_path: Path) -> None:
    source = tmp_path / "data.png"
    source.write_bytes(one_beam.read_bytes())
    assert run("plot", source, "--histogram", "x", "-o", source).code == 2
    assert source.read_bytes() == one_beam.read_bytes()


def test_steps_without_the_columns_are_left_out(run: Run, tmp_path: Path) -> None:
    for format in step_formats():
        path = tmp_path / format
        try:
            with quire.create(path, format=format) as out:
                with out.step(1) as step:
                    step.set("s", 1.0)
                with out.step(2) as step:
                    step.put("x", np.arange(5.0))
        except quire.ConflictError:
            continue
        for arguments in (["-x", "x", "-y", "x"], ["--histogram", "x"]):
            assert run("plot", path, *arguments, "-o", tmp_path / "picture.png", "--overwrite").code == 0
        assert (
            "5 rows"
            in run("plot", path, "--histogram", "x", "-o", tmp_path / "picture.png", "--overwrite").output
        )


def test_the_largest_numbers_do_not_break_a_picture(run: Run, make: Make, tmp_path: Path) -> None:
    huge = np.array([-1.7e308, 0.0, 1.7e308])
    path = make(quire.formats()[0], numbers=[1], rows=3, x=huge)
    picture = tmp_path / "picture.png"
    assert run("plot", path, "-x", "id", "-y", "x", "-o", picture, "--overwrite").code == 0
    outcome = run("plot", path, "--histogram", "x", "-o", picture, "--overwrite")
    assert outcome.code == 2
    assert "range" in outcome.errors
    assert run("plot", path, "--histogram", "x", "--range", "-1:1", "-o", picture, "--overwrite").code == 0


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_texts_that_are_not_utf8_are_drawn(run: Run, tmp_path: Path, suffix: str) -> None:
    path, picture = path_for(tmp_path, quire.formats()[0], "b\udcffd"), tmp_path / f"picture{suffix}"
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", [1.0, 2.0], unit="\udcb5m").put("y", [1.0, 2.0], unit="\udcb5m")
    for words in (["-x", "x", "-y", "y"], ["--histogram", "x"]):
        outcome = run("plot", path, path, *words, "--title", "\udce4\ud800", "-o", picture, "--overwrite")
        assert outcome.code == 0, outcome.errors
        assert picture.stat().st_size > 1000


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_curves_that_jump_to_and_fro_are_drawn(tmp_path: Path) -> None:
    """As many points as a curve may have, each far from the previous one."""
    random = np.random.default_rng(1)
    curve = random.random((2, MOST_POINTS))
    with style():
        figure, axes = plt.subplots()
        axes.plot(*curve)
        figure.savefig(tmp_path / "noise.png")
    plt.close(figure)
    assert (tmp_path / "noise.png").stat().st_size > 0


def test_a_picture_is_replaced_only_on_request(run: Run, one_beam: Path, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    words = ("plot", one_beam, "--histogram", "x", picture)
    assert run(*words).code == 0
    outcome = run(*words)
    assert outcome.code == 2
    assert "--overwrite" in outcome.errors
    assert run(*words, "--overwrite").code == 0


def test_the_numbers_of_a_plot_are_those_of_the_file(
    run: Run, one_beam: Path, values: Values, tmp_path: Path
) -> None:
    data, x = tmp_path / "data.csv", values(4)["x"]
    steps = ("--steps", "4", "--data")
    assert run("plot", one_beam, "-x", "id", "-y", "1000*x", *steps, data, tmp_path / "a.png").code == 0
    written = np.loadtxt(data, delimiter=",", skiprows=1)
    np.testing.assert_array_equal(written[:, 1], 1000 * x)
    outcome = run("plot", one_beam, "--histogram", "x", "--bins", "7", *steps, "-", tmp_path / "b.png")
    rows = np.array([line.split(",") for line in outcome.output.splitlines()[1:]], dtype=float)
    counts, edges = np.histogram(x, 7)
    np.testing.assert_array_equal(rows[:, 2], counts)
    np.testing.assert_allclose(rows[:, 0], edges[:-1])


@pytest.mark.parametrize(
    ("unit", "largest", "expected"),
    [
        ("m", 2e-3, (1e3, "mm")),
        ("m", 0.9999e-3, (1e6, "\N{MICRO SIGN}m")),
        ("m", 1.0, (1.0, "m")),
        ("eV", 2.5e8, (1e-6, "MeV")),
        ("V/m", 3e7, (1e-6, "MV/m")),
        ("m$be$nc", 1e-3, (1.0, "m$be$nc")),
        ("mm", 5.0, (1.0, "mm")),
        ("mm", 5e-3, (1e3, "\N{MICRO SIGN}m")),
        ("um", 2.5e4, (1e-3, "mm")),
        ("MeV", 2e4, (1e-3, "GeV")),
        ("MeV/c", 0.02, (1e3, "keV/c")),
        ("Tm", 2e4, (1.0, "Tm")),
        ("m", 0.0, (1.0, "m")),
        ("", 1e9, (1.0, "")),
    ],
)
def test_axes_have_the_prefix_of_their_largest_value(
    unit: str, largest: float, expected: tuple[float, str]
) -> None:
    found = prefix_scale(unit, largest)
    assert found.unit == expected[1]
    assert found.factor == pytest.approx(expected[0])


@pytest.mark.parametrize(
    ("unit", "largest", "expected"),
    [
        ("m$be$nc", 2e-3, (1e3, "10$a-3$n m$be$nc")),
        ("m$be$nc", 0.5, (1.0, "m$be$nc")),
        ("", 2e5, (1e-3, "10$a3$n")),
        ("1", 0.0, (1.0, "1")),
    ],
)
def test_other_axes_have_a_power_of_ten_before_the_unit(
    unit: str, largest: float, expected: tuple[float, str]
) -> None:
    found = power_scale(unit, largest)
    assert found.unit == expected[1]
    assert found.factor == pytest.approx(expected[0])
    assert scale_of([Attribute("a", 0.0, "float64", unit)], [np.array([largest])], {}, True) == Scale(
        1.0, unit
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-y", "px,2*x"], ["x [m],px [m$be$nc],2*x [m]"]),
        (["-y", "px", "--colour", "id"], ["x [m],px [m$be$nc],id"]),
        (["-y", "px", "--unit", "x=mm"], ["x [mm],px [m$be$nc]"]),
    ],
)
def test_numbers_of_curves_are_named_by_what_they_are(
    run: Run, one_beam: Path, tmp_path: Path, words: list[str], expected: list[str]
) -> None:
    outcome = run("plot", one_beam, "-x", "x", *words, "--steps", "4", "--data", "-", tmp_path / "a.png")
    assert outcome.code == 0, outcome.errors
    assert [
        line for line in outcome.output.splitlines() if not line[0].isdigit() and line[0] != "-"
    ] == expected


def test_numbers_of_several_steps_and_files_share_a_header(run: Run, one_beam: Path, tmp_path: Path) -> None:
    outcome = run(
        "plot",
        one_beam,
        one_beam,
        "-x",
        "id",
        "-y",
        "x,px",
        "--steps",
        "1,4",
        "--data",
        "-",
        tmp_path / "a.png",
    )
    rows = list(csv.reader(outcome.output.splitlines()))
    assert rows[0] == ["curve", "id", "x [m]", "px [m$be$nc]"]
    origins = [f"{one_beam.name}, step {number}" for number in (1, 4)] * 2
    assert [row[0] for row in rows[1:]] == [origin for origin in origins for _ in range(100)]


def curves_of(count: int, points: int = 50) -> Curves:
    """Curves that reach into every corner."""
    x = np.linspace(0.0, 1.0, points)
    up = [Attribute(f"quantity {index}", 0.0, "float64", "m") for index in range(count)]
    curves = [
        Curve(item.name, x, np.cos(np.arange(points) * index), item.name) for index, item in enumerate(up)
    ]
    return Curves(curves, [Attribute("s", 0.0, "float64", "m")], up)


@pytest.mark.parametrize(("count", "title"), [(2, ""), (5, "a title"), (30, "a title")])
@pytest.mark.parametrize("right", [(), ("quantity 1",)])
def test_legends_and_titles_cover_nothing(count: int, title: str, right: Sequence[str]) -> None:
    figure = draw_curves(curves_of(count), Look(title, right=right))
    figure.draw_without_rendering()
    axes = figure.axes[0]
    legend = axes.get_legend()
    assert legend is not None
    boxes = [axes.get_window_extent(), legend.get_window_extent()]
    boxes += [text.get_window_extent() for text in figure.texts]
    for one, other in itertools.combinations(boxes, 2):
        assert one.y1 <= other.y0 or other.y1 <= one.y0
    assert all(figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1 for box in boxes)
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)
    plt.close(figure)


def test_rows_without_an_order_are_drawn_as_points() -> None:
    random = np.random.default_rng(1).random(1000)
    turn = np.cos(np.linspace(0.0, 20.0, 1000))
    assert is_unordered(random)
    assert not is_unordered(np.sort(random))
    assert not is_unordered(np.repeat(np.arange(200.0), 3))
    assert not is_unordered(turn)
    assert not is_unordered(random[:20])


def test_a_constant_shows_no_errors_of_rounding() -> None:
    found = curves_of(1)
    found.curves = [replace(found.curves[0], y=1.0 + 1e-13 * found.curves[0].y)]
    figure = draw_curves(found, Look())
    low, high = figure.axes[0].get_ylim()
    assert low < 0.99 < 1.01 < high
    plt.close(figure)


def test_files_with_other_units_are_drawn_in_those_of_the_first(run: Run, tmp_path: Path) -> None:
    files = [tmp_path / "metres.h5", tmp_path / "millimetres.h5", tmp_path / "seconds.h5"]
    for path, unit, factor in zip(files, ("m", "mm", "s"), (1.0, 1e3, 1.0), strict=True):
        with quire.create(path) as out:
            for number in (0, 1):
                with out.step(number) as step:
                    step.set("size", factor * (number + 1), unit=unit)
                    step.put("x", factor * np.arange(3.0), unit=unit).put("y", np.zeros(3))
    target, data = tmp_path / "plot.png", tmp_path / "plot.csv"
    for words, heading in ((["--attributes", "size"], "size [m]"), (["-x", "x", "-y", "y"], "x [m]")):
        outcome = run("plot", *files[:2], *words, target, "--data", data, "--overwrite")
        assert outcome.code == 0, outcome.errors
        header, *lines = csv.reader(data.read_text().splitlines())
        place = header.index(heading)
        numbers = [float(line[place]) for line in lines]
        assert numbers[: len(numbers) // 2] == numbers[len(numbers) // 2 :]
        outcome = run("plot", files[0], files[2], *words, target, "--overwrite")
        assert outcome.code == 1
        assert "cannot be converted" in outcome.errors
    outcome = run("plot", *files[:2], "--histogram", "x", target, "--overwrite")
    assert outcome.code == 1
    assert "'x' has different units: m and mm" in outcome.errors


def with_units_by_step(folder: Path) -> Path:
    """A file whose steps have x and size in other units, of the first format that stores such steps."""
    for name in step_formats():
        path = path_for(folder, name)
        with suppress(quire.ConflictError), quire.create(path, format=name) as out:
            for number, (unit, factor) in enumerate((("m", 1.0), ("mm", 1e3))):
                with out.step(number) as step:
                    step.set("size", 2 * factor, unit=unit)
                    step.put("x", factor * np.arange(3.0), unit=unit).put("id", np.arange(3))
        with quire.open(path) as file:
            if [one["x"].unit for one in file] == ["m", "mm"]:
                return path
    raise AssertionError("no format stores units by step")


def test_steps_with_other_units_are_drawn_in_those_of_the_first(run: Run, tmp_path: Path) -> None:
    source, target, data = with_units_by_step(tmp_path), tmp_path / "plot.png", tmp_path / "plot.csv"
    for words, expected in (
        (["-x", "id", "-y", "x"], [0, 1, 2, 0, 1, 2]),
        (["-x", "step", "-y", "x", "--where", "id == 2"], [2, 2]),
        (["--attributes", "size"], [2, 2]),
    ):
        outcome = run("plot", source, *words, target, "--data", data, "--overwrite")
        assert outcome.code == 0, outcome.errors
        header, *lines = csv.reader(data.read_text().splitlines())
        assert header[-1].endswith(" [m]")
        assert [float(line[-1]) for line in lines] == expected
    outcome = run("plot", source, "--histogram", "x", target, "--overwrite")
    assert outcome.code == 1
    assert "'x' has different units: m and mm" in outcome.errors
    with quire.open(source) as file, pytest.raises(quire.ConflictError, match="different units"):
        file.plot.hist("x")
