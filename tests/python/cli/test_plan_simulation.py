"""quire plan --workload: the requests of a program on any number of ranks to storage."""

from __future__ import annotations

import contextlib
import json
import math
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from quire.errors import UsageError
from quire.io.formats import format_infos
from quire.lab.doctor import save
from quire.lab.doctor.record import Cost, FileSystem, Record
from quire.lab.plan.estimate import BYTES_OF_OBJECT, MODEL_FACTOR, caution, estimate
from quire.lab.plan.planning import write_plan
from quire.lab.plan.simulation import (
    Load,
    Machine,
    Method,
    Report,
    compare,
    grid_of,
    parse_method,
    parse_workload,
    simulate,
)

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

TABLES = [info.name for info in format_infos() if info.tables]
STREAMS = [info.name for info in format_infos() if info.holds_streams]
ELEMENTS = [info.name for info in format_infos() if not info.tables and not info.holds_streams]
ONE_STEP = [info.name for info in format_infos() if info.tables and info.one_step]


def asked(run: Run, *words: str) -> dict[str, Any]:
    """Return the answer to a question as JSON."""
    outcome = run("plan", *words, "--json")
    assert outcome.code == 0, outcome.errors
    return dict(json.loads(outcome.output))


def check_sums(report: dict[str, Any]) -> None:
    """Check that all written bytes are counted exactly once in every table."""
    assert sum(one["bytes"] for one in report["sizes"]) == report["bytes"]
    assert sum(one["requests"] for one in report["sizes"]) == report["requests"]
    assert sum(one["bytes"] for one in report["targets"]) == report["bytes"]
    assert report["requests"] <= report["extents"] + report["bytes"] // (1 << 20) + 1


@pytest.mark.parametrize("format", [*TABLES, *STREAMS])
def test_the_bytes_of_a_table_add_up(run: Run, format: str) -> None:
    options = ("--stripe-count", "3", "--targets", "5", "--stripe-size", "4KiB", "--aggregators", "2")
    answer = asked(run, "--workload", "table:10001x7", "--ranks", "12", "--method", format, *options)
    (method,) = answer["methods"]
    report = method["report"]
    assert report["payload"] >= 10001 * 7 * 8
    assert report["file_bytes"] > report["payload"]
    assert report["bytes_of_rank"]["count"] == 12
    assert report["writers"] == 12
    assert len(report["targets"]) == 5
    assert len(report["aggregators"]) == 2
    assert report["crossings"] >= 100
    check_sums(report)


def test_extents_are_those_of_the_plan() -> None:
    for format in TABLES:
        columns = [(f"c{number}", "float64") for number in range(3)]
        plan = write_plan(format, columns, 1000, 7)
        report = simulate(Method(format), parse_workload("table:1000x3"), 7)
        around = len([one for one in plan.publication if one[1] > 0]) + len(plan.guard)
        assert report.extents == around + sum(len(one.extents) for one in plan.ranks)


def test_options_of_a_plan_are_any_mapping() -> None:
    info = next(info for info in format_infos() if info.tables)
    options = {option.name: option.preset for option in info.write_options if option.choices}
    plan = write_plan(info.name, [("x", "float64")], 10, 2, options=MappingProxyType(options))
    assert options
    assert plan == write_plan(info.name, [("x", "float64")], 10, 2, options=options)


@pytest.mark.parametrize("format", TABLES[:1])
def test_a_million_ranks_are_counted(run: Run, format: str) -> None:
    answer = asked(run, "--workload", "table:2500000x2", "--ranks", "1000000", "--method", format)
    report = answer["methods"][0]["report"]
    assert report["bytes_of_rank"]["count"] == 1_000_000
    assert report["writers"] == 1_000_000
    assert report["payload"] == 2_500_000 * 16
    assert report["bytes_of_rank"]["least"] == 32
    check_sums(report)


def test_methods_are_printed_side_by_side(run: Run) -> None:
    words = [word for format in (*TABLES, *STREAMS) for word in ("--method", format)]
    outcome = run("plan", "--workload", "particles,rows=20000,columns=4xfloat64", "--ranks", "8", *words)
    assert outcome.code == 0
    lines = outcome.output.splitlines()
    assert "20000 rows" in lines[0]
    assert lines[2].split() == [*TABLES, *STREAMS]
    for what in ("files", "payload", "requests", "busiest target", "lock conflicts", "creates, opens"):
        assert any(line.startswith(what) for line in lines)
    assert not any("seconds" in line for line in lines), "no times without a record"


def test_methods_that_cannot_hold_the_load_are_reported(run: Run) -> None:
    both = ("--method", ELEMENTS[0], "--method", TABLES[0])
    outcome = run("plan", "--workload", "table:100x2", "--ranks", "2", *both)
    assert outcome.code == 0
    assert f"{ELEMENTS[0]}: not possible:" in outcome.output
    refused = run("plan", "--workload", "table:100x2", "--ranks", "2", "--method", ELEMENTS[0], "--json")
    assert refused.code == 1
    assert "refused" in json.loads(refused.output)["methods"][0]


@pytest.mark.parametrize(
    "words",
    [
        ["--method", TABLES[0]],
        ["--workload", "nonsense", "--method", TABLES[0]],
        ["--workload", "table:100x2,rows", "--method", TABLES[0]],
        ["--workload", "table:many", "--method", TABLES[0]],
        ["--workload", "table:100x2,imbalance=linear", "--method", TABLES[0]],
        ["--workload", "streams:1MB,holes=3", "--method", STREAMS[0]],
        ["--workload", "table:100x2", "--method", "nonsense"],
        ["--workload", "table:100x2", "--method", f"{TABLES[0]}:nonsense=1"],
        ["--workload", "table:100x2", "--method", f"{TABLES[0]}:nonsense"],
        ["--workload", "table:100x2", "--method", TABLES[0], "--stripe-count", "4", "--targets", "2"],
        ["--workload", "table:100x2", "--method", TABLES[0], "--stripe-size", "wide"],
        ["--workload", "table:100x2", "--method", TABLES[0], "--write"],
    ],
)
def test_invalid_options_are_usage_errors(run: Run, words: list[str]) -> None:
    assert run("plan", "--ranks", "4", *words).code == 2


def test_fields_are_split_by_the_decomposition() -> None:
    assert grid_of("row", 12, 3) == ([12, 1, 1], False)
    assert grid_of("column", 12, 2) == ([1, 12], True)
    assert grid_of("chunk", 12, 3) == ([1, 4, 3], False)
    assert grid_of("block3d", 12, 3) == ([3, 2, 2], False)
    assert grid_of("pattern", 4, 2) == ([2, 2], True)
    extents = {}
    for decomposition in ("row", "column", "chunk", "pattern"):
        workload = parse_workload(f"field:64x48,decomposition={decomposition}")
        report = simulate(Method(TABLES[0]), workload, 4)
        extents[decomposition] = report.requests_of_rank.most
    # 32 lines of 24 elements, or one per element; rank 0 also writes a header.
    assert extents["row"] <= 3
    assert 32 <= extents["chunk"] <= 34
    assert 64 * 12 <= extents["column"] <= 64 * 12 + 2
    assert 32 * 24 <= extents["pattern"] <= 32 * 24 + 2


def test_elements_and_streams_use_the_formats_that_hold_them() -> None:
    small = parse_workload("checkpoint-small")
    assert simulate(Method(ELEMENTS[0]), small, 6).payload == 4 * 8 * (414 * 64 + 413 * 125)
    streams = simulate(Method(STREAMS[0]), parse_workload("streams:1MB,pieces=3,chunk=2MB"), 5)
    assert streams.payload == 5_000_000
    assert streams.bytes >= 5_000_000
    # A format of streams receives as bytes what other formats receive as values.
    assert simulate(Method(STREAMS[0]), small, 6).payload >= simulate(Method(ELEMENTS[0]), small, 6).payload


def test_steps_of_formats_of_one_step_are_files() -> None:
    workload = parse_workload("table:1000x2,steps=3")
    for format in ONE_STEP:
        one = simulate(Method(format), parse_workload("table:1000x2"), 4)
        three = simulate(Method(format), workload, 4)
        assert (three.files, three.bytes, three.payload) == (3, 3 * one.bytes, 3 * one.payload)
        assert three.opens == 3 * one.opens
    others = [name for name in TABLES if name not in ONE_STEP]
    assert simulate(Method(others[0]), workload, 4).files == 1


def test_methods_keep_their_options() -> None:
    method = parse_method(f"{STREAMS[0]}:files=2,block_size=512")
    assert method == Method(STREAMS[0], {"files": "2", "block_size": "512"})
    assert method.name == f"{STREAMS[0]}:files=2,block_size=512"
    assert simulate(method, parse_workload("streams:1kB"), 4).files == 2
    with pytest.raises(UsageError):
        parse_method(f"{STREAMS[0]}:files")


def record(kind: str = "ext4", **costs: float) -> Record:
    """Return a record of one node with 4 ranks; the quartiles of its costs are the half and the double."""
    known = {"create": 1e-3, "open": 1e-4, "stat": 1e-6, "fsync": 1e-2, "polite_barrier": 1e-5}
    known |= {"write_1mib": 1e-3, "write_1mib_shared_file": 2e-3, "message_there_and_back": 1e-5}
    known |= {
        "write_1mib_own_files": 1.5e-3,
        "print_1mib": 4e-3,
        "deflate_1mib": 2e-2,
        "make_16_objects": 1e-4,
    }
    known |= costs
    measured = {name: Cost(time, time / 2, time * 2, 9) for name, time in known.items()}
    place = FileSystem(type=kind, mount="/", options="", free_bytes=1, block_bytes=4096)
    return Record(
        "", ".", 4, ["mpiexec"], ["here"], 4, "0", "MPI", "mpich", "4", "romio", place, 0, costs=measured
    )


def report_of(ranks: int, **machine: int) -> tuple[Report, Machine]:
    """Simulate a table of 1 MiB for each rank."""
    storage = Machine(**machine)
    rows = ranks * (1 << 17)
    return simulate(Method(TABLES[0]), parse_workload(f"table:{rows}x1"), ranks, storage), storage


def test_times_follow_from_the_costs() -> None:
    report, machine = report_of(4)
    found = estimate(report, record(), machine)
    # 4 ranks wrote 1 MiB each in 2 ms together; the header is small.
    assert found.parts["data"].likely == pytest.approx(2e-3, rel=0.01)
    assert found.parts["metadata"].likely == pytest.approx(1e-3 + math.sqrt(3) * 1e-4, rel=0.01)
    assert found.parts["locks"].likely == 0
    total = sum(part.likely for part in found.parts.values())
    assert found.total.likely == pytest.approx(total)
    assert found.total.low == pytest.approx(sum(part.low for part in found.parts.values()) / MODEL_FACTOR)
    assert found.total.high == pytest.approx(sum(part.high for part in found.parts.values()) * MODEL_FACTOR)


def test_encoded_values_cost_processor_time_and_objects_library_time() -> None:
    report, machine = report_of(4)
    assert report.encoded_bytes == 0
    assert estimate(report, record(), machine).parts["encoding"].high == 0
    text = replace(report, encoded_bytes=report.payload)
    encoding = estimate(text, record(), machine).parts["encoding"]
    # 1 MiB of each rank, printed twice or compressed once.
    assert encoding.likely == pytest.approx(math.sqrt(2 * 4e-3 * 2e-2), rel=0.01)
    assert encoding.low == pytest.approx(4e-3, rel=0.01)
    assert encoding.high == pytest.approx(4e-2, rel=0.01)
    plain = estimate(report, record(), machine).parts["metadata"]
    published = replace(report, publish_bytes=report.publish_bytes + 32 * BYTES_OF_OBJECT)
    objects = estimate(published, record(), machine).parts["metadata"]
    assert objects.likely - plain.likely == pytest.approx(2e-4, rel=0.01)


def test_encoded_values_are_counted_separately() -> None:
    """Values that must be printed or compressed to determine their size are counted, in all steps."""
    encoded = set()
    for info in format_infos():
        for option in info.write_options:
            for choice in option.choices:
                method = Method(info.name, {option.name: choice})
                with contextlib.suppress(UsageError):  # options that need others
                    (found,) = compare([method], parse_workload("table:100x2,steps=3"), 2)
                    if isinstance(found, Report) and found.encoded_bytes:
                        assert found.encoded_bytes == found.payload
                        encoded.add(info.name)
    assert encoded


def test_separate_files_do_not_wait_and_aggregators_join_pieces() -> None:
    report, machine = report_of(4)
    own = estimate(replace(report, files=4), record(), machine).parts["data"].likely
    assert own / estimate(report, record(), machine).parts["data"].likely == pytest.approx(0.75, rel=0.01)
    alone = replace(report, aggregators=[Load(1 << 22, 100_000)])
    data = estimate(alone, record(stat=1e-3), machine).parts["data"]
    # Between one request of 4 MiB and 100 000 of one millisecond.
    assert data.low < 0.01 < data.likely < 1 < 100 < data.high


def test_times_grow_if_storage_does_not_scale() -> None:
    few, one_target = report_of(4)
    many, _ = report_of(64)
    spread, targets = report_of(64, stripe_count=16, targets=16, stripe_size=1 << 20)
    alone = estimate(few, record(), one_target).parts["data"].likely
    full = estimate(many, record(), one_target).parts["data"].likely
    wide = estimate(spread, record(), targets).parts["data"].likely
    assert full == pytest.approx(16 * alone, rel=0.02)
    assert wide == pytest.approx(alone, rel=0.1)


def test_locks_cost_only_on_file_systems_with_locks() -> None:
    report, machine = report_of(16, stripe_size=3 << 20)
    assert report.conflicts > 0
    assert estimate(report, record(), machine).parts["locks"].high == 0
    parallel = estimate(report, record("lustre"), machine).parts["locks"]
    assert parallel.high == pytest.approx(report.conflicts * 2e-5)
    assert parallel.low < parallel.likely


@pytest.mark.parametrize(
    "workload", ["table:99999999999999999999x3", "table:3x99999999999999999999", "streams:99999999999GB"]
)
def test_sizes_beyond_63_bits_are_refused(run: Run, workload: str) -> None:
    outcome = run("plan", "--workload", workload, "--ranks", "4", "--method", TABLES[0])
    assert (outcome.code, "63 bits" in outcome.errors) == (2, True)


def test_a_record_of_one_node_gives_a_warning_for_several(run: Run, tmp_path: Path) -> None:
    assert caution(4, record(), Machine()) == caution(64, record("lustre"), Machine()) == ""
    assert caution(64, record(), Machine(ranks_per_node=64)) == ""
    save(record(), tmp_path / "doctor.json")
    question = ["--workload", "table:1000x2", "--ranks", "64", "--method", TABLES[0]]
    outcome = run("plan", *question, "--measured", tmp_path / "doctor.json")
    assert (outcome.code, "16 nodes that share storage were not measured" in outcome.errors) == (0, True)


def test_the_command_reads_the_record(run: Run, tmp_path: Path) -> None:
    save(record(), tmp_path / "doctor.json")
    question = ["--workload", "table:1000x2", "--ranks", "4", "--method", TABLES[0]]
    outcome = run("plan", *question, "--measured", tmp_path / "doctor.json", "--durable")
    assert outcome.code == 0
    assert "not measured" not in outcome.errors
    assert "seconds" in outcome.output
    assert "  sync" in outcome.output
    (tmp_path / "other.json").write_text("{}")
    assert run("plan", *question, "--measured", tmp_path / "other.json").code == 2
    incomplete = record()
    del incomplete.costs["create"]
    save(incomplete, tmp_path / "less.json")
    assert run("plan", *question, "--measured", tmp_path / "less.json").code == 2


def test_without_methods_all_formats_are_compared(run: Run) -> None:
    answer = asked(run, "--workload", "table:100x2", "--ranks", "2")
    assert [one["format"] for one in answer["methods"]] == [info.name for info in format_infos()]


def test_requests_without_a_workload_are_explained(run: Run) -> None:
    outcome = run("plan", "--method", STREAMS[0])
    assert (outcome.code, "need --workload" in outcome.errors) == (2, True)
    for words in (["beam.h5"], ["--write"], ["--rows", "7"], ["--read-option", "a=b"]):
        outcome = run("plan", "--workload", "particles", *words)
        assert (outcome.code, "--workload needs no file" in outcome.errors) == (2, True)
