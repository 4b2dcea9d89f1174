"""The same particles in every step: those of a selection in one step, by their ids."""

from __future__ import annotations

import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.python.support.cases import first_daily
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import Client, Serve, View, write_bunch

import quire
from quire.cli.main import main
from quire.viewer import following

SELECTION = {"file": 0, "step": 10, "where": "x > 2e-4"}
LATER = [{"file": 0, "step": 20}]
LOST = 50


def write_losses(path: Path) -> Path:
    """Write a run in which particles are in another order in each step, and some are lost in the last one."""
    random = np.random.default_rng(3)
    with quire.create(path) as out:
        for number in (0, 10, 20):
            ids = random.permutation(1000)[: 1000 - LOST * (number == 20)]
            with out.step(number) as step:
                step.set("s", 0.1 * number, unit="m")
                for place, name in enumerate(("x", "y", "z")):
                    values = 1e-4 * np.sin(ids * (1.0 + place) + number)
                    step.put(name, values, unit="m")
                for name in ("px", "py"):
                    step.put(name, random.normal(0.0, 0.02, len(ids)), unit="m$be$nc")
                step.put("pz", random.normal(1957.0, 2.0, len(ids)), unit="m$be$nc")
                step.put("id", ids)
    return path


def followed_rows(path: Path, where: str, at: int, step: int) -> tuple[np.ndarray, int]:
    """Return the rows of the followed particles in a step, and how many are absent."""
    with quire.open(path) as file:
        ids = file.step(at).table.where(where).ids()
        there = file.step(step).table.read()["id"]
    rows = np.flatnonzero(np.isin(there, ids))
    return rows, len(ids) - len(rows)


@pytest.fixture(name="losses")
def fixture_losses(tmp_path: Path) -> Path:
    return write_losses(tmp_path / "losses.h5")


@pytest.mark.parametrize("window", [7, following.WINDOW_ROWS])
def test_pictures_have_the_particles_that_were_selected(
    serve: Serve, losses: Path, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    monkeypatch.setattr(following, "WINDOW_ROWS", window)
    client = serve(losses)
    selection = {"file": 0, "step": 0, "where": "x > 9e-5"}
    rows, absent = followed_rows(losses, "x > 9e-5", 0, 20)
    assert absent > 0
    with quire.open(losses) as file:
        values = file.step(20).table.read()
    asked = {"followed": selection, "sources": LATER}
    answer = client.last("distribution", x="x", bins=[9], **asked)
    assert answer.arrays[0].tolist() == np.histogram(values["x"][rows], 9)[0].tolist()
    panel = answer.content["panels"][0]
    assert panel["followed"] == {"particles": len(rows) + absent, "absent": absent}
    assert panel["tableRows"] == 1000 - LOST
    cut = client.last("distribution", x="hypot(x, y)", bins=[5], where="y > 0", **asked)
    chosen = rows[values["y"][rows] > 0]
    expected = np.histogram(np.hypot(values["x"], values["y"])[chosen], 5)[0]
    assert cut.arrays[0].tolist() == expected.tolist()
    curves = client.last("curves", x="x", ys=["id"], **asked)
    assert curves.arrays[0][1].tolist() == values["id"][rows].tolist()
    page = client.last("rows", first=3, count=4, **asked).content
    assert page["numbers"] == [str(row) for row in rows[3:7]]
    assert page["hasMore"]
    page = client.last("rows", first=1, count=4, where="y > 0", **asked).content
    assert page["numbers"] == [str(row) for row in chosen[1:5]]


def test_numbers_of_the_beam_are_those_of_followed_particles(serve: Serve, losses: Path) -> None:
    client = serve(losses)
    selection = {"file": 0, "step": 0, "where": "x > 9e-5"}
    rows, absent = followed_rows(losses, "x > 9e-5", 0, 20)
    with quire.open(losses) as file:
        x = file.step(20).table.read()["x"][rows]
    found = client.last("quantities", followed=selection, sources=LATER).content
    numbers = {one["name"]: one["value"] for one in found["quantities"]}
    assert numbers["particles"] == len(rows)
    assert numbers["sigma_x"] == pytest.approx(x.std())
    assert found["followed"]["absent"] == absent
    run = client.last("along", ys=["particles", "sigma_x"], followed=selection, sources=LATER)
    assert run.arrays[0][1].tolist() == [len(rows) + absent, len(rows) + absent, len(rows)]
    assert run.arrays[0][2][2] == pytest.approx(x.std())
    # Another selection, and none, have other numbers: they are not mixed up.
    other = client.last("quantities", followed={**selection, "where": "x < 0"}, sources=LATER).content
    assert other["quantities"][0]["value"] != len(rows)
    assert client.last("quantities", sources=LATER).content["quantities"][0]["value"] == 1000 - LOST


def test_particles_of_one_run_are_followed_in_another(serve: Serve, losses: Path, bunch: Path) -> None:
    sources = [*LATER, {"file": 1, "step": 20}]
    answer = serve(losses, bunch).last(
        "distribution", x="x", bins=[3], sources=sources, followed={"file": 0, "step": 0, "where": "x > 9e-5"}
    )
    assert answer.content["panels"][1]["followed"]["absent"] == 0
    assert answer.content["panels"][1]["rows"] == answer.content["panels"][0]["followed"]["particles"]


def test_a_run_that_is_written_again_has_other_particles_to_follow(
    serve: Serve, tmp_path: Path, bunch: Path
) -> None:
    path = tmp_path / "selected.h5"

    def write(count: int) -> None:
        with quire.create(path) as out, out.step(0) as step:
            step.put("x", np.where(np.arange(100) < count, 1.0, -1.0))
            step.put("id", np.arange(100))

    write(7)
    client = serve(path, bunch)
    asked = {"x": "x", "bins": [3], "sources": [{"file": 1, "step": 20}]}
    followed = {"file": 0, "step": 0, "where": "x > 0"}
    for count in (7, 12):
        write(count)
        answer = client.last("distribution", followed=followed, **asked)
        assert answer.content["panels"][0]["rows"] == count


def test_what_cannot_be_followed_is_explained(
    client: Client, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def words(of: Client, **selection: object) -> str:
        followed = {**SELECTION, **selection}
        return str(
            of.last("distribution", x="x", bins=[3], sources=LATER, followed=followed).content["error"]
        )

    assert 'no column or attribute "q"' in words(client, where="q > 0")
    assert "is not a condition" in words(client, where="x")
    assert "no condition" in words(client, where="  ")
    assert "selects no particles in step 10" in words(client, where="x > 1")
    assert "there is no file 7" in words(client, file=7)
    assert "not a whole number" in words(client, step="last")
    assert "other files are not read" in words(client, where=f"x > `{tmp_path}/other.h5:s`")
    answer = client.last("distribution", x="x", bins=[3], sources=LATER, followed="x > 0")
    assert "no selection" in answer.content["error"]
    monkeypatch.setattr(following, "MOST_FOLLOWED", 100)
    assert "more than 100 particles" in words(client, where="x > 0")
    with quire.create(tmp_path / "plain.h5") as out:
        for number in (10, 20):
            with out.step(number) as step:
                step.put("x", np.arange(5.0))
    assert "particles cannot be followed: no column is known" in words(serve(tmp_path / "plain.h5"))
    with quire.create(tmp_path / "twice.h5") as out:
        for number in (10, 20):
            with out.step(number) as step:
                step.put("x", np.arange(5.0))
                step.put("id", np.ones(5, np.int64))
    assert "occurs 4 times" in words(serve(tmp_path / "twice.h5"))


needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")


@pytest.fixture(name="address")
def fixture_address(view: View, losses: Path, tmp_path: Path) -> str:
    return view(losses.name, write_bunch(tmp_path / "bunch.h5", rows=1200).name)


@needs_chromium
def test_a_box_is_followed_to_other_steps(tab: Tab, address: str, losses: Path) -> None:
    tab.open(address)
    tab.drag("#plot canvas", (0.55, 0.3), (0.75, 0.7))
    tab.click("#box-follow")
    where = tab.text("#followed-where")
    assert where.startswith("x >= ")
    assert tab.page.input_value("#where") == ""
    rows, absent = followed_rows(losses, where, 0, 20)
    tab.press("End")
    assert tab.text("#followed-counts") == (
        f"of step 0. {len(rows)} of {len(rows) + absent} in step 20, {absent} absent"
    )
    assert tab.quantities()["particles"] == [str(len(rows))]
    assert tab.text("#note") == f"{len(rows) + absent} followed, {absent} of them absent; 950 of 950 rows"
    on_top = tab.numbers()
    assert on_top[0][-1] == "followed"
    assert sum(float(row[-1]) for row in on_top[1:]) == len(rows)
    assert sum(float(row[-2]) for row in on_top[1:]) == 950
    tab.click("#onlyFollowed")
    assert sum(float(row[-1]) for row in tab.numbers()[1:]) == len(rows)
    tab.press("2")
    title = tab.text("#plot .chart-title")
    assert title.count("losses.h5, step 20") == 1
    tab.click("#onlyFollowed")
    assert "losses.h5, step 20, followed: mean" in tab.text("#plot .chart-title")
    tab.press("6")
    assert tab.page.locator("#rows tbody tr").count() == min(100, len(rows))
    tab.click("#followed-end")
    assert tab.page.is_hidden("#followed")
    assert tab.quantities()["particles"] == ["950"]


@needs_chromium
@pytest.mark.parametrize("state", first_daily(["", "view=histogram", "view=rows", 'view=run&ys=["sigma_x"]']))
def test_the_commands_draw_followed_particles(
    tab: Tab, address: str, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab.open(address, f"{state}&step=20")
    tab.press("Home").page.fill("#where", "x > 9e-5")
    tab.click("#cut-follow")
    tab.press("End")
    monkeypatch.chdir(tmp_path)
    lines = tab.text("#line").split(" && ")
    assert lines[0].split()[:2] == ["quire", "track"]
    assert shlex.split(lines[0])[-1] == "x > 9e-5@0"
    for line in lines:
        assert ended(shlex.split(line), monkeypatch) == 0
    rows, absent = followed_rows(tmp_path / "losses.h5", "x > 9e-5", 0, 20)
    with quire.open("tracks.h5") as file:
        x = file.step(20).table.read()["x"]
        assert (np.isnan(x).sum(), len(x)) == (absent, len(rows) + absent)


@pytest.mark.nightly
@needs_chromium
def test_the_commands_draw_no_particles_that_were_followed_before(
    tab: Tab, address: str, tmp_path: Path
) -> None:
    """A file with others is neither replaced nor drawn."""
    tab.open(address).page.fill("#where", "x > 9e-5")
    line = tab.click("#cut-follow").text("#line")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "tracks.h5").write_bytes(b"of others")
    quire_command = f'quire() {{ {shlex.quote(sys.executable)} -m quire "$@"; }}\n'
    run = partial(
        subprocess.run, ["sh", "-c", quire_command + line], cwd=folder, capture_output=True, text=True
    )
    refused = run(check=False)
    assert refused.returncode != 0
    assert "tracks.h5: the target exists already; --overwrite replaces it" in refused.stderr
    assert {one.name: one.read_bytes() for one in folder.iterdir()} == {"tracks.h5": b"of others"}
    (folder / "tracks.h5").unlink()
    run(check=True)
    assert {one.name for one in folder.iterdir()} == {"tracks.h5", "density.png"}


def ended(words: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a command, and return its exit code."""
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


@needs_chromium
def test_the_key_follows_the_cut_and_a_link_restores_it(tab: Tab, address: str) -> None:
    tab.open(address).fill("where", "x > 9e-5")
    tab.page.locator("#where").blur()
    tab.press("t").press("ArrowRight")
    counts = tab.text("#followed-counts")
    assert "in step 10" in counts
    tab.page.reload()
    assert tab.settled().text("#followed-counts") == counts
    tab.press("t")
    assert tab.page.is_hidden("#followed")


@needs_chromium
def test_followed_particles_of_two_files_and_their_commands(
    tab: Tab, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab.open(address, "files=[0,1]&overlay=true").fill("where", "x > 9e-5").click("#cut-follow")
    counts = tab.press("End").press("ArrowLeft").text("#followed-counts")
    assert "losses.h5: " in counts
    assert "bunch.h5: " in counts
    [first, second, *drawn] = [shlex.split(line) for line in tab.text("#line").split(" && ")]
    assert (Path(first[2]).name, *first[3:]) == ("losses.h5", "tracks-1.h5", "--where", "x > 9e-5@0")
    assert (Path(second[2]).name, *second[3:]) == ("bunch.h5", "tracks-2.h5", "--ids-of", "tracks-1.h5")
    assert [words[2] for words in drawn] == ["tracks-1.h5", "tracks-2.h5"]
    tab.press("2")
    assert shlex.split(tab.text("#line").split(" && ")[-1])[:4] == [
        "quire",
        "plot",
        "tracks-1.h5",
        "tracks-2.h5",
    ]
    monkeypatch.chdir(tmp_path)
    for line in tab.text("#line").split(" && "):
        assert ended(shlex.split(line), monkeypatch) == 0
    ids = []
    for name in ("tracks-1.h5", "tracks-2.h5"):
        with quire.open(name) as file:
            ids.append(file.step(20).table["id"].read().tolist())
    assert ids[0] == ids[1]
    assert ids[0]
    tab.click("#files label:first-child input")
    [first, second, drawing] = [shlex.split(line) for line in tab.text("#line").split(" && ")]
    assert (first[1], second[1], drawing[1:3]) == ("track", "track", ["plot", "tracks-2.h5"])


@needs_chromium
def test_particles_of_a_file_in_other_units_are_followed_in_their_file(
    tab: Tab, view: View, tmp_path: Path
) -> None:
    """A box has the units of the first file, in which a condition for another one would be wrong."""
    for unit, factor in (("m", 1.0), ("mm", 1e3)):
        with quire.create(tmp_path / f"{unit}.h5") as out, out.step(0) as step:
            step.put("x", factor * np.arange(9.0), unit=unit)
            step.put("px", np.arange(9.0))
            step.put("id", np.arange(9))
    tab.open(view("m.h5", "mm.h5"), "files=[0,1]&view=density&x=x&y=px")
    tab.drag("#plot canvas", (0.65, 0.3), (0.8, 0.7))
    tab.click("#box-follow")
    assert "The condition is in the units of m.h5" in tab.text("#alert")
    assert tab.page.is_hidden("#followed")
    tab.drag("#plot canvas", (0.15, 0.3), (0.3, 0.7))
    tab.click("#box-follow")
    assert tab.page.is_visible("#followed")
    assert "mm.h5: " in tab.text("#followed-counts")
