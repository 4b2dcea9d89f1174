"""Requests with odd values, and files that are damaged while they are shown, are answered with words."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import socket
import struct
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.viewer.conftest import FIRST, Client, Serve, write_bunch

import quire

USUAL: dict[str, dict[str, Any]] = {
    "distribution": {
        "x": "x",
        "y": "px",
        "bins": [8, 8],
        "limits": None,
        "weight": "",
        "where": "",
        "table": "",
    },
    "along": {"x": "step", "ys": ["rms_x", "sigma_x"], "where": "", "table": ""},
    "curves": {"x": "x", "ys": ["px"], "where": "", "table": ""},
    "field": {"field": "rho", "at": "", "component": None},
    "quantities": {"where": "", "table": "", "unitsOf": None},
    "rows": {"first": 0, "count": 5, "columns": ["x"], "where": "", "table": ""},
    "points": {"x": "x", "y": "y", "z": "z", "colour": "", "count": 100, "where": "", "table": ""},
}
ODD: list[Any] = [
    None, True, -1, 0, 10**12, 10**400, 1.5, float("nan"), float("inf"), -float("inf"), "", "x", "\0", "nan",
    "x" * 5000, "(" * 3000, "1e999 > x", "`", "../../etc/passwd", [], [[]], [None, None], [10**12, 10**12],
    [[float("nan"), 1.0], None], [[float("-inf"), float("inf")], None], [[1, 0], [1, 0]], {}, {"file": 0},
    {"file": -1, "step": 0}, {"file": 0, "step": float("nan")}, [{"file": 0, "step": 0}] * 300,
]  # fmt: skip


@pytest.fixture(name="fielded")
def fixture_fielded(serve: Serve, bunch: Path, tmp_path: Path) -> Client:
    """The server of a bunch with a field."""
    with quire.create(tmp_path / "field.h5") as out, out.step(0) as step:
        for name in ("x", "px", "y", "py", "z", "pz"):
            unit = "m$be$nc" if name.startswith("p") else "m"
            step.put(name, np.linspace(1.0, 2.0, 50), unit=unit)
        step.set("rms_x", 1.0)
        step.put_field("rho", np.arange(24.0).reshape(2, 3, 4))
    return serve(tmp_path / "field.h5")


@pytest.mark.parametrize("name", USUAL)
def test_odd_values_of_every_parameter_have_answers(
    fielded: Client, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    body = {**USUAL[name], "sources": FIRST}
    assert "error" not in fielded.last(name, **body).content
    for part, value in itertools.product(body, ODD):
        status, _, data = fielded.request(
            "POST", f"/{fielded.token}/api/{name}", {"plot": "test", **body, part: value}
        )
        assert status in (200, 400), (part, value)
        assert data, (part, value)
    assert "Traceback" not in capfd.readouterr().err
    assert "error" not in fielded.last(name, **body).content


@pytest.mark.parametrize("value", ODD)
def test_odd_steps_and_plots_have_answers(
    fielded: Client, value: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    for body in ({"sources": value}, {"sources": [value]}, {"sources": [{"file": value, "step": value}]}):
        assert isinstance(fielded.ask("step", **body), dict)
    status, _, data = fielded.request("POST", f"/{fielded.token}/api/rows", {"plot": value, "sources": FIRST})
    assert status in (200, 400)
    assert data
    assert "Traceback" not in capfd.readouterr().err


def every_answer(client: Client) -> list[dict[str, Any]]:
    """Return the last frames of all kinds of answers."""
    names = [name for name in USUAL if name != "field"]
    return [client.last(name, **{**USUAL[name], "sources": FIRST}).content for name in names]


def test_a_file_that_is_damaged_while_it_is_shown(
    client: Client, bunch: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = bunch.read_bytes()
    assert not any("error" in one for one in every_answer(client))
    for damaged in (whole[:200], whole[: len(whole) // 2], b"", b"\xff" * len(whole), os.urandom(5000)):
        bunch.write_bytes(damaged)
        os.utime(bunch, ns=(time.time_ns(), time.time_ns()))
        assert all("error" in one for one in every_answer(client)), len(damaged)
        [described] = client.ask("files")["files"]
        assert described["error"]
    bunch.write_bytes(whole)
    assert not any("error" in one for one in every_answer(client))
    assert "Traceback" not in capfd.readouterr().err


def test_a_file_that_is_replaced_by_others(
    client: Client, bunch: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert not any("error" in one for one in every_answer(client))
    write_bunch(tmp_path / "fewer.h5", seed=3, rows=10)
    os.replace(tmp_path / "fewer.h5", bunch)
    assert client.last("rows", **{**USUAL["rows"], "sources": FIRST}).content["tableRows"] == 10
    with quire.create(tmp_path / "other.h5") as out, out.step(7) as step:
        step.put("q", np.arange(3.0))
    os.replace(tmp_path / "other.h5", bunch)
    words = ("no step 0", "no phase-space convention")
    errors = [answer.get("error", "") for answer in every_answer(client)]
    assert all(any(one in error for one in words) for error in errors), errors
    bunch.unlink()
    assert all("gone" in one["error"] for one in every_answer(client))
    bunch.mkdir()
    assert all("error" in one for one in every_answer(client))
    shutil.rmtree(bunch)
    write_bunch(bunch)
    assert not any("error" in one for one in every_answer(client))
    assert "Traceback" not in capfd.readouterr().err


def test_a_reader_that_is_slow_or_leaves_delays_no_other(serve: Serve, tmp_path: Path) -> None:
    client = serve(write_bunch(tmp_path / "bunch.h5", rows=20_000, numbers=(0,)))
    body = json.dumps({"plot": "slow", "x": "x", "y": "px", "bins": [2048, 2048], "sources": FIRST}).encode()
    head = f"POST /{client.token}/api/distribution HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
    slow = [socket.create_connection(("127.0.0.1", client.port), 30) for _ in range(12)]
    try:
        for place, one in enumerate(slow):
            asked = body.replace(b"slow", f"slow{place}".encode())
            one.sendall(head.encode() + str(len(asked)).encode() + b"\r\n\r\n" + asked)
            # The answer of 16 MB is not read; half of them leave.
            if place % 2:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                one.close()
        assert client.last("distribution", x="x", bins=[9], sources=FIRST).content["kind"] == "distribution"
        assert client.last("quantities", sources=FIRST).content["isBeam"]
    finally:
        for one in slow:
            one.close()


def test_a_request_that_is_never_complete_delays_no_other(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.port), 30) as waiting:
        head = f"POST /{client.token}/api/rows HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99"
        waiting.sendall(f"{head}\r\n\r\n{{".encode())
        assert client.ask("files")["files"]
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(client.ask("files"))) for _ in range(20)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(30)
    assert len(found) == 20
