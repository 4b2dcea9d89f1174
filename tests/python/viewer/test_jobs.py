"""How computations of the viewer end: before others, with their request, and with the server."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.python.viewer.conftest import FIRST, ROWS, Client, Serve, write_bunch

import quire
from quire.viewer import surveys
from quire.viewer.asked import Asked
from quire.viewer.jobs import Job, Jobs, Stopped, WatchedTable
from quire.viewer.library import Library
from quire.viewer.opening import open_table


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


@pytest.mark.parametrize("term", ["x + 1", "x / max(x)"])
def test_a_stopped_job_ends_while_terms_are_made(bunch: Path, term: str) -> None:
    job = Job()
    job.stop()
    asked = Asked({"sources": FIRST})
    with ExitStack() as stack, pytest.raises(Stopped):
        open_table(stack, Library([str(bunch)]), asked, job, (0, 0), [term])


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


def test_a_request_that_is_given_up_ends(serve: Serve, bunch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, stopped = threading.Event(), threading.Event()

    def parts(rows: surveys.Rows) -> Any:
        reading.set()
        try:
            while not stopped.wait(0.01):
                rows.table._job.check()
        finally:
            stopped.set()
        yield []

    monkeypatch.setattr(surveys.Rows, "parts", parts)
    client = serve(bunch)
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
    body = json.dumps({"plot": "given up", "x": "x", "bins": [5], "sources": FIRST})
    connection.request("POST", f"/{client.token}/api/distribution", body)
    assert reading.wait(20)
    connection.close()
    assert stopped.wait(20)


def test_threads_that_read_a_file_do_not_wait_for_each_other(bunch: Path) -> None:
    source = Library([str(bunch)]).sources[0]
    with source.opened() as (one, kept), source.opened() as (other, same):
        assert one is not other
        assert kept is same
    with source.opened() as (again, _):
        assert again in (one, other)
        write_bunch(bunch.with_name("next.h5"), rows=50).replace(bunch)
        with source.opened() as (changed, new):
            assert len(changed[0].table) == 50
            assert new is not kept
    source.close()


def test_the_command_serves_until_it_is_interrupted(bunch: Path) -> None:
    command = [sys.executable, "-m", "quire", "view", str(bunch), "--no-browser"]
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


# A computation that no block of rows ends.
ENDLESS = """
import sys, time
from quire.cli.main import main
from quire.viewer import server

def endless(library, asked, job):
    while True:
        time.sleep(0.1)
    yield

server.ANSWERS["rows"] = endless
sys.argv[1:] = ["view", sys.argv[1], "--no-browser"]
main()
"""


def test_the_command_waits_for_no_computation_when_it_is_interrupted(bunch: Path) -> None:
    command = [sys.executable, "-c", ENDLESS, str(bunch)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port, token = re.findall(r":(\d+)/([\w-]+)/", process.stdout.readline())[0]
        asking = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
        asking.request("POST", f"/{token}/api/rows", json.dumps({"plot": "one"}))
        asking.getresponse()  # the head of the answer, which is sent when the computation begins
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=30)
        finally:
            process.kill()
            asking.close()
    assert process.returncode == 0
    assert errors == ""
