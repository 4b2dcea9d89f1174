"""What the server of the viewer answers, without a browser."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.viewer.conftest import NUMBERS, ROWS, Client, Serve, write_bunch

import quire
from quire.viewer import surveys
from quire.viewer.jobs import Job, Jobs, Stopped, WatchedTable
from quire.viewer.library import Kept

FIRST = [{"file": 0, "step": 0}]


@pytest.fixture(name="bunch")
def fixture_bunch(tmp_path: Path) -> Path:
    return write_bunch(tmp_path / "bunch.h5")


@pytest.fixture(name="client")
def fixture_client(serve: Serve, bunch: Path) -> Client:
    return serve(bunch)


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
    monkeypatch.setattr(surveys, "PART_ROWS", 64)
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
        ("along", {"ys": ["nothing"]}, "no attribute 'nothing'"),
        ("along", {"ys": ["x * 2"]}, "needs one for each step"),
        ("along", {"ys": 5}, "not a list of texts"),
        ("along", {"ys": ["sigma_x"], "where": "q > 1"}, "q"),
        ("quantities", {"where": "x >"}, "the expression ends"),
        ("quantities", {"table": "other"}, "other"),
        ("rows", {"first": -1}, "not a whole number"),
        ("rows", {"first": 1e300}, "not a whole number"),
        ("rows", {"columns": ["nothing"]}, "nothing"),
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


def test_a_job_replaces_the_one_before_it_for_the_same_plot() -> None:
    jobs = Jobs()
    first, other, second = jobs.begin("a"), jobs.begin("b"), jobs.begin("a")
    with pytest.raises(Stopped):
        first.check()
    second.check()
    other.check()


def test_a_stopped_job_ends_at_the_next_block(bunch: Path) -> None:
    job = Job()
    with quire.open(bunch) as file:
        table = WatchedTable(file[0].table, job)
        blocks = table.where("x > -1").blocks(["x"], 100)
        next(blocks)
        job.stop()
        with pytest.raises(Stopped):
            list(blocks)


def test_a_request_ends_the_one_before_it(serve: Serve, bunch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first is stopped while it reads: it answers so, and no counts follow."""
    reading, ended = threading.Event(), threading.Event()
    read = surveys.Rows.parts

    def parts(rows: surveys.Rows) -> Any:
        if rows.where == "x < 1":
            reading.set()
            while not ended.is_set():
                rows.table._job.check()
                time.sleep(0.01)
        yield from read(rows)

    monkeypatch.setattr(surveys.Rows, "parts", parts)
    client = serve(bunch)
    found: list[Any] = []
    body: dict[str, Any] = {"x": "x", "bins": [5], "sources": FIRST}
    first = threading.Thread(
        target=lambda: found.extend(client.frames("distribution", **body, where="x < 1"))
    )
    first.start()
    assert reading.wait(20)
    assert client.last("distribution", **body).arrays[0].sum() == ROWS
    first.join(20)
    ended.set()
    assert [one.content["kind"] for one in found] == ["stopped"]


def test_only_the_last_results_are_kept() -> None:
    kept = Kept(most=2)
    for name in "abac":
        kept.put(name, name.upper())
    assert [kept.get(name) for name in "abc"] == ["A", None, "C"]


def test_the_command_serves_until_it_is_interrupted(bunch: Path) -> None:
    command = [sys.executable, "-m", "quire.cli", "view", str(bunch), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([\w-]+)/", address)
        assert found is not None, address
        client = Client(int(found[1]), found[2])
        assert client.ask("files")["files"][0]["label"] == "bunch.h5"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    assert errors == ""


def test_the_command_reports_what_it_cannot_show(bunch: Path, serve: Serve) -> None:
    client = serve(bunch)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "quire.cli", "view", "--no-browser", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    missing = run(str(bunch.with_name("none.h5")))
    assert (missing.returncode, "none.h5" in missing.stderr) == (4, True)
    taken = run(str(bunch), "--port", str(client.port))
    assert f"port {client.port}" in taken.stderr
    assert taken.returncode == 4
