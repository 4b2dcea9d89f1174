"""quire-bench runs the cells of a plan: every method is verified, and wrong data are detected."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.bench.driver import ELEMENTS, FIELD, LIMIT, MPIIO, RAW, TABLE, cell, command, holders, run

from quire.lab.bench.cells import ENGINES, Cell, Method
from quire.lab.bench.files import files_of

# Payload of two steps: a column, a field of two components, a variable of 4 + 3 + 3 of the elements.
SUBSETS = {"table": 2 * 103 * 8, "field": 2 * 2 * 168 * 8, "elements": 2 * 640}
OPERATIONS = ["write", "rewrite", "read", "read-other", "read-subset"]
pytestmark = [pytest.mark.mpi, pytest.mark.timeout(120)]


def most_files(given: dict[str, Any]) -> int:
    """Return the number of files that a cell may create, as the limits of a plan count them."""
    options = given["method"]["options"]
    method = Method(given["method"]["name"], format=given["method"]["format"], options=options)
    return files_of(Cell(method, given["operation"], given["workload"], given["ranks"], given["readers"]))


@pytest.mark.parametrize("workload", [TABLE, FIELD, ELEMENTS], ids=lambda one: one["kind"])
def test_every_format_is_verified(folder: Path, program: str, workload: dict[str, Any]) -> None:
    """All contents of a format are written, rewritten, and read in three ways: values and sizes are right."""
    methods = holders(program, workload)
    assert methods
    cells = [cell(method, workload, operation) for method in methods for operation in OPERATIONS]
    predicted = 0
    for line in run(program, folder, cells):
        assert line["verified"], line
        assert line["error"] is None
        assert line["times"]["returned"] > 0
        assert len(line["began"]) >= 2
        if line["cell"]["operation"] == "read-subset":
            assert line["bytes"]["payload"] == SUBSETS[workload["kind"]]
        reads = line["cell"]["operation"].startswith("read")
        ranks = 2 if line["cell"]["operation"] == "read-other" else 3
        assert all(len(seconds) == ranks for seconds in line["phases"].values())
        assert {"plan", "create", "metadata", "data", "wait", "close", "barrier", "total"} <= set(
            line["phases"]
        )
        assert max(line["phases"]["total"]) == line["times"]["returned"]
        assert (line["times"]["durable"] is None) == reads
        assert line["counters"]["files"] > 0
        assert line["counters"]["files"] <= most_files(line["cell"])
        if line["bytes"]["predicted"] is not None:
            predicted += 1
            assert line["bytes"]["file"] == line["bytes"]["predicted"], line
    assert predicted >= 5


@pytest.mark.parametrize("workload", [TABLE, FIELD, ELEMENTS], ids=lambda one: one["kind"])
def test_files_of_one_call_are_verified(folder: Path, program: str, workload: dict[str, Any]) -> None:
    """Files of one step are written by one call each; several steps are refused."""
    methods = [
        method | {"options": {**method["options"], "call": "write_file"}}
        for method in holders(program, workload)
    ]
    cells = [cell(method, workload | {"steps": 1}, "write") for method in methods]
    for line in run(program, folder, cells):
        assert line["verified"], line
        assert line["counters"]["files"] <= most_files(line["cell"])
        if line["bytes"]["predicted"] is not None:
            assert line["bytes"]["file"] == line["bytes"]["predicted"], line
    if workload["kind"] == "elements":
        return
    (line,) = run(program, folder, [cell(methods[0], workload, "write")], code=1)
    assert "files of one step" in line["error"]


def test_transports_and_conversions_are_verified(folder: Path, program: str) -> None:
    """Every transport moves every kind of workload; data converted from one file to another are right."""
    two = {"ranks": 2, "readers": 1}
    known = json.loads(subprocess.run([program, "list"], capture_output=True, check=True).stdout)
    cells = []
    for workload in (TABLE, FIELD, ELEMENTS):
        first, second, *others = holders(program, workload)
        for transport in known["transports"]:
            method = first | {"name": transport, "transport": transport}
            cells += [cell(method, workload, operation, **two) for operation in ("write", "read-other")]
        cells.append(cell(first, workload, "convert", to=second))
        if workload["kind"] != "elements":
            other = next(one for one in others if one["format"] != first["format"])
            cells.append(cell(second, workload, "convert", to=other))
    for line in run(program, folder, cells):
        assert line["verified"], line
        counters = line["counters"]
        assert sum(counters["write_sizes"].values()) == counters["writes"]
        assert counters["collectives"] > 0
        if line["cell"]["operation"] != "read-other":
            assert counters["bytes_written"] >= line["bytes"]["payload"]
            assert counters["creates"] > 0


def test_decompositions_are_verified(folder: Path, program: str) -> None:
    """Plain MPI-IO and the library store any part of a field at its offset."""
    cells = []
    for decomposition in ("row", "column", "pattern", "chunk", "block3d"):
        workload = FIELD | {"decomposition": decomposition, "name": decomposition, "steps": 1}
        library, together = holders(program, workload)[0], MPIIO[1]
        cells += [cell(library, workload, operation) for operation in ("write", "read", "read-subset")]
        cells += [
            cell(together, workload, operation, ranks=2, readers=1) for operation in ("write", "read-other")
        ]
    assert all(line["verified"] for line in run(program, folder, cells))


def test_plain_mpi_io_is_verified(folder: Path, program: str) -> None:
    """Plain MPI-IO moves the bytes of each workload; on two ranks, since oversubscribed ranks are slow."""
    cells = [
        cell(method, workload | {"imbalance": "last-empty"}, operation, ranks=2, readers=1)
        for workload in (TABLE, FIELD, ELEMENTS)
        for method in MPIIO
        for operation in ("rewrite", "read", "read-other", "read-subset")
    ]
    assert all(line["verified"] for line in run(program, folder, cells, ranks=2))


@pytest.mark.parametrize(
    ("engine", "transfer"),
    [
        ("raw-shared", "independent"),
        ("raw-own", "independent"),
        ("mpiio", "independent"),
        *((engine, transfer) for engine in ("hdf5", "pnetcdf") for transfer in ("independent", "collective")),
    ],
)
def test_engines_of_this_build_move_any_block_of_numbers(
    folder: Path, program: str, engine: str, transfer: str
) -> None:
    """Every engine of this build, also parallel HDF5 and PnetCDF: write, rewrite and read."""
    known = json.loads(subprocess.run([program, "list"], capture_output=True, check=True).stdout)
    assert known["ranks"] == 1
    assert {"library", "raw-shared", "raw-own", "mpiio"} <= set(known["engines"]) <= {*ENGINES}
    if engine not in known["engines"]:
        pytest.skip(f"this build has no engine {engine}")
    method = {"name": "m", "engine": engine, "transfer": transfer}
    numbers = TABLE | {"columns": "3xfloat64"}
    workloads = [numbers, FIELD, FIELD | {"name": "dealt", "decomposition": "pattern"}]
    on_two = {"ranks": 2, "readers": 1}
    cells = [cell(method, one, operation, **on_two) for one in workloads for operation in OPERATIONS]
    assert all(line["verified"] for line in run(program, folder, cells, ranks=2))
    spoilt = cell(method, FIELD, "write", fault={"kind": "spoil"}, **on_two)
    (wrong,) = run(program, folder, [spoilt], ranks=2, code=1)
    assert not wrong["verified"]


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("imbalance", ["lognormal", "last-empty"])
def test_raw_engines_are_verified(folder: Path, program: str, ranks: int, imbalance: str) -> None:
    """The baselines move the bytes of each workload, for any distribution over the ranks."""
    cells = [
        cell(method, workload | {"imbalance": imbalance}, operation, ranks=ranks, readers=4 - ranks)
        for workload in (TABLE, FIELD, ELEMENTS)
        for method in RAW
        for operation in OPERATIONS
    ]
    for line in run(program, folder, cells):
        assert line["verified"], line
        if not line["cell"]["operation"].startswith("read"):
            assert line["bytes"]["file"] == line["bytes"]["predicted"]
            assert line["times"]["durable"] > line["times"]["returned"]


def test_sleep_is_measured_exactly(folder: Path, program: str) -> None:
    """A method that only sleeps takes as long as it slept, within 1 %; a slow rank is the maximum, not the
    median. A single rank does not wait for others that may lack a processor, and its shortest sleep counts.
    """
    nothing = {"name": "nothing", "engine": "nothing"}
    sleep = {"kind": "sleep", "seconds": 0.2}
    alone = {"ranks": 1, "readers": 1, "fault": sleep | {"rank": None}}
    *sleeps, everybody, one = run(
        program,
        folder,
        [
            *(cell(nothing, TABLE, "write", **alone) for _ in range(4)),
            cell(nothing, TABLE, "write", fault=sleep | {"rank": None}),
            cell(nothing, TABLE, "rewrite", fault=sleep | {"rank": 2}),
        ],
    )
    beyond = []
    for line in (*sleeps, everybody):
        slept = max(line["phases"]["slept"])
        assert line["times"]["returned"] >= slept >= 0.2
        beyond.append(line["times"]["returned"] / slept - 1)
    assert min(beyond) < 0.01
    own = sorted(one["phases"]["total"][rank] - one["phases"]["barrier"][rank] for rank in range(3))
    assert own[1] < 0.1
    assert own[2] >= 0.2
    assert one["phases"]["slept"][2] >= 0.2
    assert one["times"]["returned"] >= 0.2


def test_cold_reads_are_checked(tmp_path: Path, program: str) -> None:
    """An evicted file counts as cold only if the system confirms it; direct reads are for raw files."""
    methods = [*RAW, *holders(program, TABLE)[:1]]
    modes = ("warm", "evicted", "direct")
    cells = [
        cell(method, TABLE, "read", cache=mode, id=f"{method['name']} {mode}")
        for method in methods
        for mode in modes
    ]
    *lines, refused = run(program, tmp_path, cells, code=1)
    assert "page cache" in refused["error"]
    for line in lines:
        assert line["verified"], line
        resident = line["cache"]["resident_before"]
        assert line["cache"]["cold"] == (resident <= 0.01)
        assert line["cache"]["mode"] != "warm" or resident == 1


def cells_of_other_shares(program: str) -> list[dict[str, Any]]:
    """Return cells whose ranks have shares given by a file, or elements from anywhere, also read shifted."""
    given = TABLE | {"name": "given", "imbalance": "given", "shares": [50, 0, 53]}
    random = ELEMENTS | {"name": "random", "distribution": "random", "modes": [1, 3]}
    methods = [(TABLE, RAW[1]), (given, RAW[0]), (random, RAW[1]), (FIELD, MPIIO[0])]
    methods += [(given, holders(program, TABLE)[0]), (random, holders(program, ELEMENTS)[0])]
    reads = [{"operation": "read", "cache": "shifted"}, {"operation": "read-other"}]
    return [
        cell(method, workload, "write") | more
        for workload, method in methods
        for more in ({}, {"id": "shifted", **reads[0]}, {"id": "other", **reads[1]})
    ]


@pytest.mark.parametrize("nodes", [1, 3])
def test_shifted_reads_return_data_of_other_ranks(
    folder: Path, program: str, monkeypatch: pytest.MonkeyPatch, nodes: int
) -> None:
    """Each rank reads data that another one wrote; cold only if ranks do not share memory."""
    if nodes == 3:
        monkeypatch.setenv("MPIR_CVAR_NOLOCAL", "1")
    lines = run(program, folder, cells_of_other_shares(program))
    shifted = [line for line in lines if line["id"] == "shifted"]
    assert len(shifted) == 6
    warm = {line["cache"]["warm_ranks"] for line in shifted}
    assert warm <= ({3} if nodes == 1 else {0, 3})
    for line in lines:
        assert line["verified"], line
    for line in shifted:
        assert line["cache"]["cold"] == (line["cache"]["warm_ranks"] == 0)
        assert 0 < line["cache"]["shift"] < 3


def test_ranks_have_their_shares(folder: Path, program: str) -> None:
    """The files of ranks are as long as their shares; other workloads are shared evenly."""
    given = TABLE | {"steps": 1, "columns": "1xuint8", "imbalance": "given", "shares": [50, 0, 53]}
    lines = run(
        program, folder, [cell(RAW[1], given, "write"), cell(RAW[1], given, "write", ranks=2, readers=2)]
    )
    assert [line["bytes"]["payload"] for line in lines] == [103, 103]
    assert lines[0]["counters"]["writes"] == 2  # one rank has nothing
    assert lines[1]["counters"]["writes"] == 2


def test_clocks_of_ranks_are_compared(folder: Path, program: str) -> None:
    """Before and after, with the possible error: here all ranks have the same clock."""
    words = command(program, folder, [cell(RAW[0], TABLE, "write")], 3)
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=True)
    first, line, last = (json.loads(one) for one in done.stdout.splitlines())
    for clocks in (first["clocks"], last["clocks"]):
        assert len(clocks["offsets"]) == 3
        assert clocks["offsets"][0] == clocks["uncertainty"][0] == 0
        pairs = zip(clocks["offsets"][1:], clocks["uncertainty"][1:], strict=True)
        assert all(abs(offset) <= error for offset, error in pairs)
        assert all(0 < error < 10 for error in clocks["uncertainty"][1:])
    assert all(0 < began < last["seconds"] + 10 for began in line["began"])


@pytest.mark.parametrize("kind", ["lie", "spoil"])
def test_wrong_data_are_detected(folder: Path, program: str, kind: str) -> None:
    """A method that returns without writing, and one wrong byte, are errors and not data points."""
    methods = [*RAW, MPIIO[0], *holders(program, TABLE)[:1]]
    table = TABLE | {"rows": 5000, "steps": 1}
    cells = [cell(method, table, "write", fault={"kind": kind}) for method in methods]
    for line in run(program, folder, cells, code=1):
        assert not line["verified"]
        assert line["error"]
        assert line["times"] == {"returned": None, "durable": None}


def test_reading_nothing_is_detected(folder: Path, program: str) -> None:
    """A reader that reads nothing is detected."""
    (line,) = run(program, folder, [cell(RAW[0], TABLE, "read", fault={"kind": "lie"})], code=1)
    assert not line["verified"]


def test_limits_refuse_cells(folder: Path, program: str) -> None:
    """A cell beyond a limit is not run, and reported."""
    cells = [cell(RAW[1], TABLE, "write")]
    for limit, value in (("bytes", 100), ("files", 2), ("seconds", 0)):
        (line,) = run(program, folder, cells, code=1, limits={limit: value})
        assert (line["kind"], line["limit"]) == ("refused", limit)
    (line,) = run(program, folder, [cells[0] | {"files": 4}], code=1, limits={"files": 3})
    assert (line["kind"], line["limit"]) == ("refused", "files")
    (line,) = run(program, folder, cells, limits={"bytes": 1e6, "files": 3, "seconds": 1000})
    assert line["verified"]


def test_truncated_writes_are_errors(folder: Path, program: str) -> None:
    """A file size limit of the system is an error with its reason, not a data point; the next cell runs."""
    # MPI has its own files in memory, of a few MiB.
    limit = 16 << 20
    large = TABLE | {"rows": 750_000, "columns": "3xfloat64", "steps": 1, "name": "large"}
    cells = [
        cell(method, workload, "write", ranks=2, readers=2)
        for workload in (large, TABLE)
        for method in (RAW[0], holders(program, TABLE)[0])
    ]
    done = subprocess.run(
        command(program, folder, cells, 2),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 1, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()][1:-1]
    assert [line["verified"] for line in lines] == [False, False, True, True]
    for line in lines[:2]:
        assert "File too large" in line["error"]
        assert line["times"]["returned"] is None


def test_bad_plans_are_usage_errors(folder: Path, program: str) -> None:
    """Invalid plans, and those that need more ranks, are reported before anything runs."""
    shifted = {"operation": "read-other", "cache": "shifted"}
    for broken in ({"operation": "dance"}, {"ranks": 4}, {"workload": {"kind": "table"}}, shifted):
        cells = [cell(RAW[0], TABLE, "write") | broken]
        done = subprocess.run(
            command(program, folder, cells, 3), capture_output=True, timeout=LIMIT, check=False
        )
        assert done.returncode == 2, done.stderr
        assert [path.name for path in folder.iterdir()] == ["plan.json"]


def test_a_signal_leaves_no_files(folder: Path, program: str) -> None:
    """An interrupted program removes its own folder, and nothing else."""
    (folder / "kept").touch()
    cells = [cell(RAW[0], TABLE, "write", fault={"kind": "sleep", "seconds": 30, "rank": None})]
    cells[0] |= {"ranks": 1, "readers": 1}
    words = command(program, folder, cells, 1)[3:]
    until = time.monotonic() + 20
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        scratch = Path(json.loads(process.stdout.readline())["scratch"])
        assert scratch.parent == folder
        while not list(scratch.rglob("data")) and time.monotonic() < until:
            time.sleep(0.01)
        assert list(scratch.rglob("data"))
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(LIMIT) == 128 + signal.SIGTERM
    assert sorted(path.name for path in folder.iterdir()) == ["kept", "plan.json"]
