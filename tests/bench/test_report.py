"""Every number of a report is that of the raw lines, and its page refers to nothing outside."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.bench import recomputed
from tests.bench.page import Page
from tests.bench.studies import run_trial, study_of, trial
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.lab.bench.export import export_figures
from quire.lab.bench.report import write_page
from quire.lab.bench.summary import Rule, seconds_text

TINY = 1e-12
PANEL_END = 400.0
"""Below the upper panel of the figures of these tests."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Results of two days; on the first day one method had an outlier and another wrote wrong values."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for day, slow, lie in [("monday", "one/write/3", "other & more/read/1"), ("friday", "", "")]:
            folder = tmp_path_factory.mktemp(day)
            patch.setenv("FAKE_DRIVER_SLOW", slow)
            patch.setenv("FAKE_DRIVER_WRONG", lie)
            run_trial(folder, trial(passes=6), day=day)
            found.append(folder)
    return found


@pytest.fixture(scope="module")
def page(folders: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The page of both days."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_page(study_of(*folders), path)
    return Page(path)


@pytest.fixture(scope="module")
def cells(folders: list[Path]) -> dict[str, recomputed.Lines]:
    """The raw lines of each cell."""
    return recomputed.by_cell(recomputed.good_lines(*(folder / "results.jsonl" for folder in folders)))


class Scatter:
    """The upper panel of a figure: the positions of its marks."""

    def __init__(self, text: str) -> None:
        self.text = text

    def heights_of(self, title: str) -> list[float]:
        """Return the ordinates of the marks in the first panel whose titles have this text."""
        marks = re.findall(r"<title>([^<]*)</title>(.*?)</g>\s*</g>", self.text, re.DOTALL)
        found = [re.search(r'<use [^>]*y="([\d.]+)"', shape) for tip, shape in marks if title in tip]
        return [height for one in found if one and (height := float(one[1])) < PANEL_END]

    def height_of(self, title: str) -> float:
        """Return the only ordinate."""
        (height,) = self.heights_of(title)
        return height


def same(shown: dict[str, float], wanted: dict[str, Any]) -> None:
    """Assert that all numbers exist and are equal."""
    wanted = {name: value for name, value in wanted.items() if value is not None}
    assert shown == pytest.approx(wanted, rel=1e-9, abs=TINY)


@pytest.mark.parametrize("kind", ["returned", "durable"])
def test_times_are_recomputed(page: Page, cells: dict[str, recomputed.Lines], kind: str) -> None:
    """Count, quartiles, mean, deviation, interval, outliers, rate: with and without outliers."""
    shown = {(row.about["cell"], row.about["set"]): row.numbers for row in page.rows(kind)}
    wanted = {
        (key, name): one
        for key, lines in cells.items()
        for name, one in recomputed.times(lines, key, kind).items()
    }
    assert shown.keys() == wanted.keys()
    assert any(name == "kept" for _, name in shown)
    for key, numbers in shown.items():
        same(numbers, wanted[key])


def test_shown_times_are_rounded_numbers(page: Page) -> None:
    """The text shows the number of the cell with three digits."""
    for row in page.rows("returned"):
        for name in ("min", "median", "mean", "sd"):
            assert row.texts[name].replace("\N{MICRO SIGN}s", "us") == seconds_text(row.numbers[name])


@pytest.mark.parametrize("kind", ["ratio", "pair"])
def test_ratios_are_recomputed(page: Page, cells: dict[str, recomputed.Lines], kind: str) -> None:
    """Ratios within each pass, their medians and intervals: to the raw methods, and of any two."""
    names = ["raw shared", "raw own", "one", "other & more"]
    others = names[:2] if kind == "ratio" else names
    shown = {(row.about["cell"], row.about["other"]): row.numbers for row in page.rows(kind)}
    assert len(shown) == sum(
        key.replace(f"/{own}/", f"/{name}/", 1) in cells
        for key in cells
        for own in names
        if f"/{own}/" in key
        for name in others
        if name != own
    )
    for (key, name), numbers in shown.items():
        (own,) = [one for one in names if f">/{one}/" in key]
        other = cells[key.replace(f">/{own}/", f">/{name}/")]
        same(numbers, recomputed.ratio(cells[key], other, f"{key}:{name}"))


def test_phases_and_facts_are_recomputed(page: Page, cells: dict[str, recomputed.Lines]) -> None:
    """Mean phases of the slowest rank, bytes, calls, and the differences between ranks."""
    for kind, recompute in [
        ("phases", recomputed.phases),
        ("facts", recomputed.facts),
        ("write-calls", recomputed.calls),
    ]:
        shown = {row.about["cell"]: row.numbers for row in page.rows(kind)}
        assert shown.keys() == cells.keys()
        for key, numbers in shown.items():
            same(numbers, recompute(cells[key]))


def test_the_fastest_are_recomputed(page: Page, cells: dict[str, recomputed.Lines]) -> None:
    """The fastest method on the most ranks, and those whose difference from it is not significant."""
    rows = page.rows("short")
    case = "some <particles>"
    suffixes = ["write/3-3/none", "read/3-3/evicted", "read-other/3-1/evicted"]
    assert len(rows) == len(suffixes)
    for row, suffix in zip(rows, suffixes, strict=True):
        keys = {name: f"{case}/{name}/{suffix}" for name in ("one", "other & more")}
        medians = {name: recomputed.times(cells[key], key, "returned")["all"] for name, key in keys.items()}
        first, last = sorted(keys, key=lambda name: medians[name]["median"] or 0)
        assert row.about["cell"] == keys[first]
        raw = {name: f"{case}/{name}/{suffix}" for name in ("raw shared", "raw own")}
        wanted = {"median": medians[first]["median"]}
        for name, key in raw.items():
            seed = f"{keys[first]}:{name}"
            wanted[f"to {name}"] = recomputed.ratio(cells[keys[first]], cells[key], seed)["median"]
        same(row.numbers, wanted)
        low = recomputed.ratio(cells[keys[last]], cells[keys[first]], f"{keys[last]}:{first}")["low"]
        assert row.about["equal"] == (last if low is not None and low <= 1 else "")


def test_days_are_recomputed(page: Page, cells: dict[str, recomputed.Lines]) -> None:
    """The median of each day."""
    shown = {row.about["cell"]: row.numbers for row in page.rows("days")}
    assert shown.keys() == cells.keys()
    for key, numbers in shown.items():
        for day in ("monday", "friday"):
            values = [line["times"]["returned"] for line in cells[key] if line["day"] == day]
            wanted = recomputed.summary(values, "")["median"] if values else None
            assert numbers.get(f"median {day}") == pytest.approx(wanted)


def test_numbers_for_programs_are_those_of_the_tables(page: Page, folders: list[Path]) -> None:
    """The JSON inside the page, and that of the command, have the same numbers as the tables."""
    inside = page.numbers()
    command = ["bench", "report", "--json", *(str(folder / "results.jsonl") for folder in folders)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1  # there are wrong values
    assert json.loads(done.stdout) == inside
    shown = {(row.about["cell"], row.about["set"]): row.numbers for row in page.rows("returned")}
    for cell in inside["cells"]:
        timing = cell["returned"]
        assert timing["every"]["median"] == shown[cell["key"], "all"]["median"]
        assert timing["every"]["low"] == shown[cell["key"], "all"]["low"]
        assert len(timing["outliers"]) == shown[cell["key"], "all"]["outliers"]


def test_outliers_and_errors_are_listed(page: Page, cells: dict[str, recomputed.Lines]) -> None:
    """Outliers are on the page with pass, value and host; wrong values are there and in no statistic."""
    rows = page.rows("outlier")
    assert {row.about["cell"] for row in rows} == {"some <particles>/one/write/3-3/none"}
    assert all(row.numbers["pass"] == 3 for row in rows)
    lines = [line for line in cells[rows[0].about["cell"]] if line["pass"] == 3 and line["day"] == "monday"]
    assert [row.numbers["seconds"] for row in rows] == [
        lines[0]["times"]["returned"],
        lines[0]["times"]["durable"],
    ]
    assert "values differ" in page.text
    shown = {(row.about["cell"], row.about["set"]): row.numbers for row in page.rows("returned")}
    assert shown["some <particles>/other & more/read/1-1/evicted", "all"]["n"] == 6  # of friday alone


def test_page_is_self_contained(page: Page) -> None:
    """The page is well-formed and refers to nothing outside: no style, script, font or picture."""
    assert page.references() == []
    assert "<script" not in page.text.replace('<script type="application/json"', "")
    assert len(page.figures()) >= 8


def test_figures_are_numbered_consecutively(tmp_path: Path) -> None:
    """Several cases on a page never have figures with the same number."""
    path = tmp_path / "page.html"
    run_trial(tmp_path, trial(passes=1, case=[{"workload": "particles", "name": name} for name in "ab"]))
    write_page(study_of(tmp_path), path)
    numbers = [int(one) for one in re.findall(r"<b>Figure (\d+)\.</b>", path.read_text())]
    assert len(numbers) > 8
    assert numbers == list(range(1, len(numbers) + 1))


def test_figures_show_the_means(page: Page, cells: dict[str, recomputed.Lines]) -> None:
    """The large marks of the scatter, and the lines over ranks, are at the means without outliers."""
    titles = page.titles()
    for key, lines in cells.items():
        found = recomputed.times(lines, key, "returned")
        mean = (found.get("kept") or found["all"])["mean"]
        name = lines[0]["cell"]["method"]["name"]
        text = seconds_text(mean).replace("us", "\N{MICRO SIGN}s")
        assert titles.count(f"{name}: mean {text}") >= 2, key


def test_outliers_are_marked_with_their_values(folders: list[Path], tmp_path: Path) -> None:
    """The scatter marks an outlier at the edge, with its value."""
    study = study_of(folders[0])
    (outlier,) = [point for cell in study.cells if cell.returned for point in cell.returned.outliers]
    paths = export_figures(study, tmp_path, "svg")
    (scatter,) = [path for path in paths if path.name.endswith("times-read-evicted-write.svg")]
    assert f">{seconds_text(outlier.seconds)}</text>" in scatter.read_text()


def test_slow_passes_are_marked_at_the_lower_edge_of_rates(folders: list[Path], tmp_path: Path) -> None:
    """The longest times are the lowest rates, and no tick is below 0."""
    study = study_of(folders[0], quantity="rate")
    (scatter,) = [
        path
        for path in export_figures(study, tmp_path, "svg")
        if path.name.endswith("times-read-evicted-write.svg")
    ]
    picture = Scatter(scatter.read_text())
    mark = picture.height_of("outlier ")
    assert mark > max(picture.heights_of(": mean "))
    assert mark > max(picture.heights_of(", pass "))
    assert "at the lower edge: outliers" in picture.text
    assert ">-" not in picture.text


@pytest.mark.nightly
def test_few_points_are_stated(tmp_path: Path, folders: list[Path]) -> None:
    """The page states that intervals of fewer than six points are the minimum and maximum."""
    run_trial(tmp_path, trial(passes=5))
    for folder, is_few in ((tmp_path, True), (folders[1], False)):
        study = study_of(folder)
        write_page(study, tmp_path / "page.html")
        assert ("with fewer than 6 the interval" in (tmp_path / "page.html").read_text()) == is_few
        output = CliRunner().invoke(app, ["bench", "report", str(folder / "results.jsonl")]).output
        assert ("with fewer than 6 the interval" in output) == is_few
        for cell in study.cells:
            assert cell.returned is not None
            every = cell.returned.every
            assert ((every.low, every.high) == (every.minimum, every.maximum)) == is_few


@pytest.mark.parametrize(
    ("kind", "place", "value"),
    [
        ("repetition", ("phases", "data"), ["x"]),
        ("repetition", ("phases",), 3),
        ("repetition", ("bytes", "payload"), "many"),
        ("repetition", ("counters", "files"), 1.5),
        ("repetition", ("times", "durable"), float("inf")),
        ("repetition", ("cell", "operation"), "dance"),
        ("repetition", ("cell", "workload", "rows"), "7"),
        ("repetition", ("cell", "workload", "kind"), "box"),
        ("repetition", ("pass",), None),
        ("environment", ("load",), "much"),
        ("environment", ("hosts",), [3]),
        ("plan", ("cells",), 7),
        ("plan", ("seed",), "x"),
    ],
)
def test_lines_with_values_of_other_kinds_are_bad_files(
    folders: list[Path], tmp_path: Path, kind: str, place: tuple[str, ...], value: Any
) -> None:
    """A damaged line is a bad file with its line number, and not an internal error."""
    lines = [json.loads(line) for line in (folders[0] / "results.jsonl").read_text().splitlines()]
    number = next(index for index, line in enumerate(lines) if line["kind"] == kind)
    entry = lines[number]
    for name in place[:-1]:
        entry = entry[name]
    entry[place[-1]] = value
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(quire.BadFileError, match=f"line {number + 1} is no result"):
        study_of(tmp_path)


def test_invalid_options_of_a_report_are_errors(tmp_path: Path, folders: list[Path]) -> None:
    """The directory of a page must exist, and a limit of outliers is above the quartile."""
    results = str(folders[0] / "results.jsonl")
    done = CliRunner().invoke(app, ["bench", "report", results, "-o", str(tmp_path / "a" / "b.html")])
    assert (done.exit_code, "no such directory to write the page in" in done.stderr) == (4, True)
    assert not (tmp_path / "a").exists()
    for factor in ("--read-factor", "--write-factor"):
        assert CliRunner().invoke(app, ["bench", "report", results, factor, "-1"]).exit_code == 2


def test_clocks_are_shown(tmp_path: Path) -> None:
    """The page shows the offset of the clocks, its uncertainty, and when the last rank began."""
    run_trial(tmp_path, trial(passes=1))
    results = tmp_path / "results.jsonl"
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    for line in lines:
        if line["kind"] == "environment":
            line["clocks"] = {"offsets": [0.0, 2e-3], "uncertainty": [0.0, 3e-6]}
        if line["kind"] == "repetition":
            line["began"] = [1.0, 1.0005]
    results.write_text("".join(json.dumps(line) + "\n" for line in lines))
    write_page(study_of(tmp_path), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "up to 2.00 ms apart, known within 3.00 us" in text
    assert "the clock 500 us after the first one" in text
    assert text.count("<h3>Environment</h3>") == 1


@pytest.mark.parametrize("load", ["0.4", "2.5"])
def test_busy_machine_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, load: str) -> None:
    """If other programs used the machine before the first launch, the page states the consequence."""
    monkeypatch.setenv("FAKE_DRIVER_LOAD", load)
    run_trial(tmp_path, trial(passes=1, ranks=[1], operations=["write"]))
    monkeypatch.setenv("FAKE_DRIVER_LOAD", "7")  # during the first pass itself
    run_trial(tmp_path, trial(passes=2, ranks=[1], operations=["write"]), resume=True)
    path = tmp_path / "page.html"
    write_page(study_of(tmp_path), path)
    assert ("The machine was busy (load 2.5 at the start)" in path.read_text()) == (load == "2.5")
    assert "The machine was busy (load 7" not in path.read_text()


def test_rule_can_be_set(folders: list[Path]) -> None:
    """Another factor gives other outliers."""
    strict = study_of(folders[0], rule=Rule(0.1, 0.1))
    usual = study_of(folders[0])
    count = [
        sum(len(cell.returned.outliers) for cell in one.cells if cell.returned) for one in (strict, usual)
    ]
    assert count[0] > count[1] == 1


def test_rates_are_drawn(folders: list[Path], tmp_path: Path) -> None:
    """Figures show rates where the plan or the command requests them."""
    study = study_of(folders[1], quantity="rate")
    paths = export_figures(study, tmp_path, "svg")
    pages = "".join(path.read_text() for path in paths)
    assert "payload, MB/s" in pages
    means = [
        cell.rate(cell.returned.kept.mean) for cell in study.cells if cell.method == "one" and cell.returned
    ]
    assert means
    assert all(f"one: mean {mean:.4g} MB/s" in pages for mean in means)


@pytest.mark.parametrize("form", ["png", "pdf"])
def test_figures_become_pictures(folders: list[Path], tmp_path: Path, form: str) -> None:
    """PNG and PDF are drawn as well."""
    path = export_figures(study_of(folders[1]), tmp_path, form)[0]
    assert path.read_bytes().startswith({"png": b"\x89PNG", "pdf": b"%PDF"}[form])
