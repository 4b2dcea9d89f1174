"""What the server of the viewer answers, without a browser."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.viewer.conftest import FIRST, NUMBERS, ROWS, Client, Serve, write_bunch

import quire
from quire.errors import UsageError
from quire.io.formats import is_series
from quire.viewer import opening, surveys
from quire.viewer.library import Kept


def columns_of(path: Path, step: int = 0) -> dict[str, np.ndarray[Any, Any]]:
    with quire.open(path) as file:
        return file.step(step).table.read()


def test_the_page_and_its_modules_are_served(client: Client) -> None:
    status, headers, page = client.request("GET", f"/{client.token}/")
    assert status == 200
    assert b"<title>" in page
    assert "default-src 'self'" in headers["content-security-policy"]
    addresses = re.findall(rb'(?:src|href)="([^"#]+)"', page)
    assert addresses
    for address in addresses:
        assert b":" not in address  # relative: with the token, and below the path of a proxy
        assert client.request("GET", f"/{client.token}/{address.decode()}")[0] == 200


def test_only_modules_and_styles_are_kept_by_browsers(client: Client) -> None:
    kept = {"js/main.js", "style.css", "icon.svg"}
    for name in kept | {"", "index.html", "js/none.js"}:
        found = client.request("GET", f"/{client.token}/{name}")[1]["cache-control"]
        assert ("immutable" in found) == (name in kept), name
        assert (found == "no-cache") == (name not in kept), name


@pytest.mark.parametrize("path", ["/", "/wrong/", "/wrong/api/files", "/api/files", "/wrong/js/main.js"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_without_the_token_nothing_is_answered(client: Client, path: str, method: str) -> None:
    status, _, body = client.request(method, path)
    assert status == 403
    assert b"no valid token" in body


@pytest.mark.parametrize("host", ["example.org", "example.org:80", "127.0.0.1.example.org", ""])
def test_other_hosts_are_refused(client: Client, host: str) -> None:
    status, _, body = client.request("GET", f"/{client.token}/", headers={"Host": host})
    assert status == 421
    assert b"no answer for the host" in body


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1", "[::1]:8000"])
def test_the_port_of_a_tunnel_is_accepted(client: Client, host: str) -> None:
    assert client.request("GET", f"/{client.token}/", headers={"Host": host})[0] == 200


def test_the_host_of_a_proxy_is_accepted_if_it_is_named(serve: Serve, bunch: Path) -> None:
    client = serve(bunch, hosts=["hub.example.org"])
    assert client.request("GET", f"/{client.token}/", headers={"Host": "hub.example.org"})[0] == 200


@pytest.mark.parametrize(
    "path", ["../server.py", "..%2fserver.py", "%2e%2e/__init__.py", "/etc/passwd", "js"]
)
def test_no_file_outside_of_the_page_is_served(client: Client, path: str) -> None:
    assert client.request("GET", f"/{client.token}/{path}")[0] in (403, 404)


@pytest.mark.parametrize("part", ["x", "weight", "where"])
@pytest.mark.parametrize("is_there", [True, False])
def test_expressions_use_no_other_file(
    serve: Serve, bunch: Path, tmp_path: Path, part: str, is_there: bool
) -> None:
    other = tmp_path / "other.h5"
    if is_there:
        write_bunch(other, numbers=(0,))
    asked = {"x": "x", "sources": FIRST, "bins": [8], part: f"x + `{other}:s` > 0"}
    client = serve(bunch)
    answers = client.frames("distribution", **asked)
    answers += client.frames("along", ys=[f"s + `{other}:s`"], sources=FIRST)
    if part == "where":
        answers += [client.last(name, **asked) for name in ("rows", "quantities")]
        answers += client.frames("along", ys=["sigma_x"], **asked)
    for answer in answers:
        if answer.content["kind"] != "points":
            assert "other files are not read" in answer.content["error"], answer.content
    assert sum(one.content["kind"] == "error" for one in answers) == (5 if part == "where" else 2)


def test_names_that_look_like_files_are_columns(serve: Serve, tmp_path: Path) -> None:
    with quire.create(tmp_path / "orbit.h5") as out, out.step(0) as step:
        step.set("BPM.A:gain", 2.0)
        step.put("BPM.A:x", np.arange(10.0))
    client = serve(tmp_path / "orbit.h5")
    asked = {"where": "BPM.A:x > 3", "sources": FIRST}
    for name in ("BPM.A:x", "BPM.A:x * 1"):
        drawn = client.last("distribution", x=name, bins=[2], **asked)
        assert drawn.arrays[0].tolist() == [3, 3], drawn.content
    assert client.last("rows", columns=["BPM.A:x"], **asked).content["numbers"] == list("456789")
    gain = client.last("along", ys=["BPM.A:gain", "BPM.A:gain / 2"], sources=FIRST)
    assert gain.arrays[0][:, 0].tolist() == [0.0, 2.0, 1.0]


def test_files_are_described(serve: Serve, bunch: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.h5"
    broken.write_bytes(bunch.read_bytes()[:700])
    found = serve(bunch, broken).ask("files")["files"]
    assert found[0]["label"] == "bunch.h5"
    assert found[0]["numbers"] == list(NUMBERS)
    assert [one["name"] for one in found[0]["first"]["tables"][0]["columns"]][:2] == ["x", "px"]
    assert found[1]["numbers"] == []
    assert "broken.h5" in found[1]["error"]


def test_a_density_is_that_of_numpy(client: Client, bunch: Path) -> None:
    answer = client.last("distribution", x="x", y="px", bins=[30, 20], sources=FIRST)
    values = columns_of(bunch)
    expected, across, up = np.histogram2d(values["x"], values["px"], (30, 20))
    # The edges of numpy differ in the last bit.
    assert np.abs(answer.arrays[0] - expected).sum() <= 4
    assert answer.arrays[0].sum() == ROWS
    panel = answer.content["panels"][0]
    assert [axis["low"] for axis in answer.content["axes"]] == [across[0], up[0]]
    assert answer.content["axes"][1]["unit"] == "m$be$nc"
    assert panel["means"] == pytest.approx([values["x"].mean(), values["px"].mean()])
    np.testing.assert_allclose(panel["covariances"], np.cov(values["x"], values["px"], bias=True), rtol=1e-10)


def test_a_cut_and_expressions_select_rows_of_a_histogram(client: Client, bunch: Path) -> None:
    answer = client.last("distribution", x="x * 2", bins=[10], where="px > 0", sources=FIRST)
    values = columns_of(bunch)
    chosen = 2 * values["x"][values["px"] > 0]
    assert answer.arrays[0].tolist() == np.histogram(chosen, 10)[0].tolist()
    assert answer.content["panels"][0]["rows"] == len(chosen)


def test_files_share_axes_and_given_limits_hold(serve: Serve, bunch: Path, tmp_path: Path) -> None:
    client = serve(bunch, write_bunch(tmp_path / "other.h5", seed=2))
    sources = [{"file": 0, "step": 0}, {"file": 1, "step": 35}]
    both = client.last("distribution", x="x", bins=[50], sources=sources)
    lowest = min(columns_of(bunch)["x"].min(), columns_of(tmp_path / "other.h5", 35)["x"].min())
    assert both.content["axes"][0]["low"] == lowest
    assert [one.sum() for one in both.arrays] == [ROWS, ROWS]
    given = client.last("distribution", x="x", bins=[5], limits=[[0, 1e-4]], sources=sources)
    x = columns_of(bunch)["x"]
    assert given.arrays[0].sum() == ((x >= 0) & (x <= 1e-4)).sum()


def test_files_that_cannot_be_shown_leave_the_others(serve: Serve, bunch: Path, tmp_path: Path) -> None:
    with quire.create(tmp_path / "other.h5") as out, out.step(0) as step:
        step.put("q", np.arange(3.0))
    client = serve(bunch, tmp_path / "other.h5")
    sources = [*FIRST, {"file": 1, "step": 0}]
    density = client.last("distribution", x="x", bins=[5], sources=sources)
    assert [one["file"] for one in density.content["panels"]] == [0]
    assert [one["file"] for one in density.content["failed"]] == [1]
    assert 'no column "x"' in density.content["failed"][0]["error"]
    cut = client.last("distribution", x="row * 2", bins=[5], where="x > 0", sources=sources)
    assert [one["file"] for one in cut.content["failed"]] == [1]
    drawn, failed = client.frames("curves", x="x", ys=["px"], sources=sources)
    assert drawn.content["file"] == 0
    assert 'no column "x"' in failed.content["failed"][0]["error"]
    assert "q2" in client.last("curves", x="q2", ys=["px"], sources=sources).content["error"]


def test_repeated_files_are_drawn_once_and_too_many_bins_leave_files_out(
    serve: Serve, bunch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = serve(bunch, write_bunch(tmp_path / "other.h5", seed=2))
    once = client.last("distribution", x="x", y="y", bins=[2048, 2048], sources=FIRST * 500).content
    assert (len(once["panels"]), once["failed"]) == (1, [])
    steps = [{"file": 0, "step": number} for number in range(500)]
    assert "at most 256" in client.last("distribution", x="x", bins=[2], sources=steps).content["error"]
    monkeypatch.setattr(opening, "MOST_NUMBERS", 2 * ROWS)
    both = [*FIRST, {"file": 1, "step": 0}]
    density = client.last("distribution", x="x", y="y", bins=[60, 60], sources=both).content
    assert [one["file"] for one in density["panels"]] == [0]
    assert [one["file"] for one in density["failed"]] == [1]
    assert "bins" in density["failed"][0]["error"]
    drawn = client.frames("curves", x="x", ys=["y"], sources=both)
    assert [one.content["kind"] for one in drawn] == ["curves", "failed"]
    assert "points" in drawn[1].content["failed"][0]["error"]


def test_weights_are_summed(client: Client, bunch: Path) -> None:
    answer = client.last("distribution", x="x", bins=[8], weight="id", sources=FIRST)
    values = columns_of(bunch)
    expected = np.histogram(values["x"], 8, weights=values["id"].astype(float))[0]
    np.testing.assert_allclose(answer.arrays[0], expected)


def test_numbers_without_a_place_are_left_out(serve: Serve, tmp_path: Path) -> None:
    with quire.create(tmp_path / "odd.h5") as out, out.step(0) as step:
        step.put("x", np.array([1.0, np.nan, np.inf, -np.inf, 1e305, 3.0]))
        step.put("n", np.full(6, 2**62))
    client = serve(tmp_path / "odd.h5")
    answer = client.last("distribution", x="x", bins=[2], sources=FIRST)
    assert answer.arrays[0].tolist() == [1, 1]
    assert (answer.content["panels"][0]["rows"], answer.content["panels"][0]["drawable"]) == (6, 2)
    assert client.last("distribution", x="n", bins=[3], sources=FIRST).arrays[0].sum() == 6
    assert client.last("distribution", x="x", bins=[3], where="x > 5e305", sources=FIRST).arrays[0].sum() == 0


def test_a_large_table_is_first_a_sample(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surveys, "SAMPLED_ROWS", 64)
    monkeypatch.setattr(surveys, "SAMPLED_BLOCKS", 4)
    client = serve(write_bunch(tmp_path / "large.h5"))
    body: dict[str, Any] = {"x": "x", "y": "px", "bins": [20, 20], "sources": FIRST}
    sample, whole = client.frames("distribution", **body)
    assert sample.content["isSample"]
    assert sample.arrays[0].sum() == 4 * 64
    assert not whole.content["isSample"]
    assert whole.arrays[0].sum() == ROWS
    # What is known of the columns is kept, so that the next picture needs no sample.
    again = client.frames("distribution", **{**body, "bins": [10, 10]})
    assert [one.content["isSample"] for one in again] == [False]


def test_attributes_and_quantities_of_the_beam_along_the_run(client: Client, bunch: Path) -> None:
    answer = client.last("along", x="s", ys=["rms_x", "sigma_x", "rms_x * 2"], sources=FIRST)
    s, rms, sigma, double = answer.arrays[0]
    assert s.tolist() == [0.0, 2.5, 5.0, 7.5]
    np.testing.assert_allclose(sigma, rms)
    np.testing.assert_allclose(double, 2 * rms)
    terms = answer.content["terms"]
    assert [one["unit"] for one in terms] == ["m", "m", "m", "m"]
    assert [bool(one.get("isBeam")) for one in terms] == [False, False, True, False]
    cut = client.last("along", ys=["particles"], where="x > 0", sources=FIRST)
    assert cut.arrays[0][1][0] == (columns_of(bunch)["x"] > 0).sum()


def test_quantities_of_the_beam_and_statistics_of_other_tables(client: Client, serve: Serve) -> None:
    found = client.last("quantities", where="x > 0", sources=FIRST).content
    assert found["isBeam"]
    names = {one["name"]: one["value"] for one in found["quantities"]}
    assert 0 < names["particles"] < ROWS
    assert names["emittance_nx"] > 0


def test_statistics_of_a_table_without_particles(serve: Serve, tmp_path: Path) -> None:
    with quire.create(tmp_path / "plain.h5") as out, out.step(0) as step:
        step.put("a", np.arange(4.0))
    found = serve(tmp_path / "plain.h5").last("quantities", sources=FIRST).content
    assert not found["isBeam"]
    assert {"name": "mean_a", "value": 1.5, "unit": "", "text": "mean"} in found["quantities"]
    assert found["reason"]


def test_curves_of_columns_and_expressions(client: Client, bunch: Path) -> None:
    answer = client.last("curves", x="z", ys=["pz", "px * 2"], where="id < 10", sources=FIRST)
    values = columns_of(bunch)
    assert answer.arrays[0].tolist() == [
        values["z"][:10].tolist(),
        values["pz"][:10].tolist(),
        (2 * values["px"][:10]).tolist(),
    ]
    assert [one["unit"] for one in answer.content["terms"]] == ["m", "m$be$nc", "m$be$nc"]
    assert (answer.content["rows"], answer.content["tableRows"]) == (10, ROWS)


def test_curves_of_long_tables_have_every_kth_row(
    client: Client, bunch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.toolkit.curves.MOST_POINTS", 1000)
    answer = client.last("curves", x="id", ys=["x"], sources=FIRST)
    assert answer.arrays[0][0].tolist() == list(range(0, ROWS, 3))
    assert answer.content["rows"] == ROWS


def test_parts_of_a_field(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(2 * 3 * 4 * 2.0).reshape(2, 3, 4, 2)
    grid = quire.Grid(origin=[0.0, 1.0, 2.0], spacing=[0.5, 1.0, 1.0], components=2)
    with quire.create(tmp_path / "field.h5") as out, out.step(0) as step:
        step.put_field("e", values, grid, unit="V/m")
    client = serve(tmp_path / "field.h5")
    plane = client.last("field", component=1, sources=FIRST)
    assert plane.content["slices"] == "z=@1"
    assert plane.content["value"] == {"name": "e[1]", "unit": "V/m", "symbol": ""}
    assert [one["name"] for one in plane.content["axes"]] == ["y", "x"]
    assert plane.arrays[0].tolist() == values[1, :, :, 1].tolist()
    assert plane.arrays[1].tolist() == [0.5, 1.5, 2.5, 3.5]  # edges of y
    assert plane.arrays[4].tolist() == [2.0, 3.0, 4.0, 5.0]  # positions of x
    line = client.last("field", at="z=0, y=@2", component=0, sources=FIRST)
    assert line.arrays[0].tolist() == values[0, 2, :, 0].tolist()
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"at": "z"}, "not a slice"),
        ({"at": "z=9"}, "no place in the field"),
        ({"at": "z=0,y=1,x=2"}, "one or two axes"),
        ({"field": "b"}, "b"),
        ({"component": 7}, "2 components"),
    ]
    for body, words in mistakes:
        assert words in client.last("field", sources=FIRST, **body).content["error"]
    monkeypatch.setattr("quire.viewer.fields.MOST_ELEMENTS", 20)
    assert "24 values, more than 20" in client.last("field", sources=FIRST).content["error"]


def test_steps_without_numbers_have_no_statistics(serve: Serve, tmp_path: Path) -> None:
    with quire.create(tmp_path / "texts.h5") as out:
        with out.step(0) as step:
            step.put("name", np.array(["QF", "QD"], object))
        with out.step(1) as step:
            step.set("s", 1.0)
    client = serve(tmp_path / "texts.h5")
    texts, nothing = (
        client.last("quantities", sources=[{"file": 0, "step": number}]).content for number in (0, 1)
    )
    assert texts["quantities"] == nothing["quantities"] == []
    assert nothing["reason"] == "this step has no table"


def test_rows_are_texts(client: Client, bunch: Path) -> None:
    found = client.last("rows", first=ROWS - 2, count=5, columns=["id", "x"], sources=FIRST).content
    assert [row[0] for row in found["rows"]] == [str(ROWS - 2), str(ROWS - 1)]
    assert not found["hasMore"]
    cut = client.last("rows", first=3, count=2, where="x > 0", sources=FIRST).content
    matching = np.flatnonzero(columns_of(bunch)["x"] > 0)
    assert cut["numbers"] == [str(one) for one in matching[3:5]]
    assert cut["hasMore"]


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("distribution", {"x": "x", "bins": [10], "where": "x > > 1"}, "a value is expected"),
        ("distribution", {"x": "xx", "bins": [10]}, "no column"),
        ("distribution", {"x": "x", "bins": [10**9]}, "not a whole number from 1 to 2048"),
        ("distribution", {"x": "x", "bins": [10], "limits": [[0, 1e400]]}, "not a range"),
        ("distribution", {"x": "x", "bins": [10], "limits": [[-1e308, 1e308]]}, "not a range"),
        ("distribution", {"x": "x", "bins": [10], "limits": [[0, 10**400]]}, "not a range"),
        ("distribution", {"x": "x", "bins": [10], "sources": [{"file": 7, "step": 0}]}, "no file 7"),
        ("distribution", {"x": "x", "bins": [10], "sources": [{"file": 0, "step": 10**30}]}, "step"),
        ("distribution", {"x": "x", "bins": [10], "sources": [{"file": "/etc/passwd", "step": 0}]}, "file"),
        ("distribution", {"x": "x", "bins": [10], "sources": []}, "no file is chosen"),
        ("distribution", {"x": "x", "bins": [10], "sources": [{"file": 0, "step": 5}]}, "no step 5"),
        ("distribution", {"x": "x" * 30000, "bins": [10]}, "not a text"),
        ("curves", {"x": "x", "ys": ["nothing"]}, "nothing"),
        ("curves", {"x": "x", "ys": ["x"], "where": "x > > 1"}, "a value is expected"),
        ("curves", {"x": "x", "ys": [f"x + {one}" for one in range(99)]}, "at most"),
        ("field", {}, "no field"),
        ("along", {"ys": ["nothing"]}, "no attribute 'nothing'"),
        (
            "along",
            {"ys": ["sigma_x + rms_x"]},
            "contains sigma_x, a quantity of the beam, which is no part of expressions",
        ),
        ("along", {"ys": ["sigma_x + rms_x"]}, "write sigma_x alone; expressions have attributes"),
        ("along", {"ys": ["rms_x + nothing"]}, 'no column or attribute "nothing"'),
        ("along", {"ys": ["x"]}, "write a statistic such as max(x), or the quantity mean_x of the beam"),
        ("along", {"ys": ["x * 2"]}, "write a statistic such as max(x * 2)"),
        ("along", {"ys": ["x * 2"]}, "needs one for each step"),
        ("along", {"ys": 5}, "not a list of texts"),
        ("along", {"ys": ["sigma_x"], "where": "q > 1"}, "q"),
        ("quantities", {"where": "x >"}, "the expression ends"),
        ("quantities", {"table": "other"}, "other"),
        ("rows", {"first": -1}, "not a whole number"),
        ("rows", {"first": 1e300}, "not a whole number"),
        ("rows", {"columns": ["nothing"]}, "nothing"),
        ("rows", {"columns": [f"x + {one}" for one in range(99)]}, "at most"),
    ],
)
def test_errors_are_words_and_the_server_goes_on(
    client: Client, name: str, body: dict[str, Any], words: str
) -> None:
    assert words in client.last(name, **{"sources": FIRST, **body}).content["error"]
    assert client.ask("files")["files"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100000, b"\xff", b"x" * (2 << 20), b'{"plot": 1}'])
def test_bodies_that_are_no_requests_are_refused(client: Client, body: bytes) -> None:
    status, _, answer = client.request("POST", f"/{client.token}/api/rows", body)
    assert status == 400
    assert b"error" in answer


def test_a_file_that_changes_vanishes_and_comes_back(client: Client, bunch: Path) -> None:
    assert client.last("rows", count=1, sources=FIRST).content["tableRows"] == ROWS
    write_bunch(bunch.with_name("next.h5"), rows=50).replace(bunch)
    assert client.last("rows", count=1, sources=FIRST).content["tableRows"] == 50
    whole = bunch.read_bytes()
    bunch.unlink()
    assert "the file is gone" in client.last("rows", count=1, sources=FIRST).content["error"]
    assert "the file is gone" in client.ask("files")["files"][0]["error"]
    bunch.write_bytes(whole[: len(whole) // 3])
    assert "bunch.h5" in client.last("rows", count=1, sources=FIRST).content["error"]
    bunch.write_bytes(whole)
    assert client.last("rows", count=1, sources=FIRST).content["tableRows"] == 50


def test_new_members_of_a_series_are_found(serve: Serve, tmp_path: Path) -> None:
    series = next(name for name in quire.formats() if is_series("run_%T.h5", name))

    def write(name: str, numbers: tuple[int, ...], rows: int = 4) -> None:
        with quire.create(tmp_path / name / "run_%T.h5", format=series) as out:
            for number in numbers:
                with out.step(number) as step:
                    step.put("x", np.arange(float(rows)))

    for folder in ("run", "later"):
        (tmp_path / folder).mkdir()
    write("run", (0, 1))
    write("later", (1, 2), rows=5)
    client = serve(tmp_path / "run" / "run_%T.h5")

    def numbers() -> list[int]:
        return list(client.ask("files")["files"][0]["numbers"])

    def rows() -> int:
        found = client.last("rows", count=1, sources=[{"file": 0, "step": 1}]).content["tableRows"]
        return int(found)

    assert (numbers(), numbers(), rows()) == ([0, 1], [0, 1], 4)
    (tmp_path / "later" / "run_2.h5").rename(tmp_path / "run" / "run_2.h5")
    assert (numbers(), rows()) == ([0, 1, 2], 4)
    (tmp_path / "later" / "run_1.h5").replace(tmp_path / "run" / "run_1.h5")
    assert rows() == 5
    for path in (tmp_path / "run").iterdir():
        path.unlink()
    assert "error" in client.ask("files")["files"][0]


def test_a_notebook_has_a_frame_below_the_path_of_its_proxy(
    bunch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/me/")
    page = quire.view(bunch, height=500)
    found = re.fullmatch(r"/user/me/proxy/(\d+)/([\w-]+)/", page.address)
    assert found is not None
    assert f"src='{page.address}'" in page._repr_html_()
    assert "height:500px" in page._repr_html_()
    # The proxy leaves its own path out, and sends the name of its host.
    client = Client(int(found[1]), found[2])
    headers = {"Host": "hub.example.org"}
    assert client.request("GET", f"/{client.token}/", headers=headers)[0] == 200
    status, answered, _ = client.request("GET", f"/{client.token}", headers=headers)
    assert (status, answered["location"]) == (307, f"{client.token}/")
    page.stop()
    with pytest.raises(OSError, match="refused"):
        client.request("GET", f"/{client.token}/")
    other = quire.view(bunch, proxy="/proxy")
    assert other.address.startswith("/proxy/")
    other.stop()
    with pytest.raises(UsageError, match="height in pixels"):
        quire.view(bunch, height=0)


def test_only_the_last_results_are_kept() -> None:
    kept = Kept(most=2)
    for name in "abac":
        kept.put(name, name.upper())
    assert [kept.get(name) for name in "abc"] == ["A", None, "C"]


def test_the_command_reports_what_it_cannot_show(bunch: Path, serve: Serve) -> None:
    client = serve(bunch)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "quire", "view", "--no-browser", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    missing = run(str(bunch.with_name("none.h5")))
    assert (missing.returncode, "none.h5" in missing.stderr) == (4, True)
    taken = run(str(bunch), "--port", str(client.port))
    assert f"port {client.port}" in taken.stderr
    assert taken.returncode == 4


def write_in(path: Path, unit: str, factor: float) -> Path:
    """Write a column and an attribute of four rows in a unit."""
    with quire.create(path) as out, out.step(0) as step:
        step.set("size", 2.0 * factor, unit=unit)
        step.put("x", factor * np.array([1.0, 2.0, 3.0, 4.0]), unit=unit)
        step.put("y", np.arange(4.0), unit="m")
    return path


def test_files_in_other_units_are_shown_in_that_of_the_first(tmp_path: Path, serve: Serve) -> None:
    client = serve(write_in(tmp_path / "mm.h5", "mm", 1.0), write_in(tmp_path / "m.h5", "m", 1e-3))
    both = [{"file": 0, "step": 0}, {"file": 1, "step": 0}]
    counts = client.last("distribution", x="x", y="", bins=[3], sources=both)
    assert counts.content["axes"][0]["unit"] == "mm"
    assert [one["means"] for one in counts.content["panels"]] == [[2.5], [pytest.approx(2.5)]]
    assert counts.arrays[0].tolist() == counts.arrays[1].tolist()
    for name, term, values in (("curves", "x", [1, 2, 3, 4]), ("along", "size", [2])):
        frames = client.frames(name, x="y" if name == "curves" else "step", ys=[term], sources=both)
        for frame in frames:
            assert frame.content["terms"][1]["unit"] == "mm"
            assert frame.arrays[0][1].tolist() == pytest.approx(values)


def test_files_in_units_of_another_dimension_are_left_out(tmp_path: Path, serve: Serve) -> None:
    client = serve(write_in(tmp_path / "m.h5", "m", 1.0), write_in(tmp_path / "s.h5", "s", 1.0))
    both = [{"file": 0, "step": 0}, {"file": 1, "step": 0}]
    counts = client.last("distribution", x="x", y="", bins=[3], sources=both).content
    curves = client.last("curves", x="y", ys=["x"], sources=both).content
    along = client.last("along", ys=["size"], sources=both).content
    assert [one["file"] for one in counts["panels"]] == [0]
    for content, term in ((counts, "x"), (curves, "x"), (along, "size")):
        [failed] = content["failed"]
        assert failed["file"] == 1
        assert f"{term} is in s, and that of the first file is in m" in failed["error"]


def test_along_the_run_a_file_that_is_gone_leaves_the_others(tmp_path: Path, serve: Serve) -> None:
    paths = [write_bunch(tmp_path / name, rows=50) for name in ("gone.h5", "here.h5")]
    client = serve(*paths)
    asked = {"ys": ["rms_x"], "sources": [{"file": 0, "step": 0}, {"file": 1, "step": 0}]}
    assert {one.content["file"] for one in client.frames("along", **asked)} == {0, 1}
    paths[0].unlink()
    *points, failed = client.frames("along", **asked)
    assert {one.content["file"] for one in points} == {1}
    assert "the file is gone" in failed.content["failed"][0]["error"]
    paths[1].unlink()
    assert "the file is gone" in client.last("along", **asked).content["error"]
