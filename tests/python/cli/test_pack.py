"""quire pack, unpack and repack, and the other commands on files of streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.python.support.files import path_for, stream_formats, table_formats

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run, Start

FORMATS = stream_formats()
CONTENTS = [bytes([task]) * (37 * task % 113) for task in range(6)]


@pytest.fixture(params=FORMATS)
def format(request: pytest.FixtureRequest) -> str:
    """A format that holds streams."""
    return str(request.param)


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    """Files, a task each."""
    paths = [tmp_path / f"part.{task:04d}" for task in range(len(CONTENTS))]
    for path, content in zip(paths, CONTENTS, strict=True):
        path.write_bytes(content)
    return paths


@pytest.fixture
def packed(run: Run, tmp_path: Path, parts: list[Path], format: str) -> Path:
    """All parts in a file of streams."""
    path = path_for(tmp_path, format, "packed")
    outcome = run("pack", *parts, path, "--block-size", "64")
    assert outcome.code == 0, outcome.errors
    assert "6 streams" in outcome.output
    return path


def contents(path: Path, **options: Any) -> list[bytes]:
    """The streams of a file in order."""
    with quire.open(path, **options) as file:
        return [stream.readall() for stream in file[0].streams.at(range(len(file[0].streams)))]


def test_files_are_packed_and_unpacked(run: Run, packed: Path, tmp_path: Path) -> None:
    assert contents(packed) == CONTENTS
    out = tmp_path / "out"
    assert run("unpack", packed, "--to", out, "--prefix", "t", "--digits", "2").code == 0
    assert {path.name: path.read_bytes() for path in out.iterdir()} == {
        f"t{task:02d}": content for task, content in enumerate(CONTENTS)
    }
    assert run("unpack", packed, "--to", out, "--prefix", "t", "--digits", "2").code == 1
    assert run("unpack", packed, "--to", out, "--prefix", "t", "--digits", "2", "--overwrite").code == 0
    few = tmp_path / "few"
    answer = json.loads(run("unpack", packed, "--to", few, "--tasks", "2-3", "--json").output)
    assert [Path(name).name for name in answer["files"]] == ["packed.000002", "packed.000003"]
    for missing, named in (("9", "9"), ("2,7-8", "7-8"), ("0-,-6,11-", "11-")):
        outcome = run("unpack", packed, "--to", few, "--tasks", missing, "--overwrite")
        assert outcome.code == 1
        assert f"no task has the number {named}" in outcome.errors
        assert "0 to 5" in outcome.errors
    assert "selection of tasks" in run("unpack", packed, "--tasks", "a").errors
    assert run("unpack", packed, "--to", few, "--prefix", "../x").code == 2


def test_tasks_may_have_the_numbers_of_names(
    run: Run, tmp_path: Path, parts: list[Path], format: str
) -> None:
    path = path_for(tmp_path, format)
    assert run("pack", parts[4], parts[1], path, "--numbers-from-names").code == 0
    with quire.open(path) as file:
        assert file[0].streams.ranks == [1, 4]
        assert file[0].streams[4].readall() == CONTENTS[4]
    assert run("pack", parts[4], parts[1], path).code == 1, "it exists"
    assert run("pack", parts[4], parts[4], path, "--numbers-from-names", "--overwrite").code == 2
    assert run("pack", tmp_path / "none", path, "--overwrite").code == 4


@pytest.mark.parametrize(
    "options",
    [("--compact",), ("--files", "3"), ("--merge",), ("--merge", "--compact"), ("--chunk-size", "16")],
    ids=" ".join,
)
def test_streams_are_the_same_in_any_packing(
    run: Run, packed: Path, tmp_path: Path, format: str, options: tuple[str, ...]
) -> None:
    other = path_for(tmp_path, format, "other")
    outcome = run("repack", packed, other, "--block-size", "32", *options)
    assert outcome.code == 0, outcome.errors
    assert contents(other) == CONTENTS
    assert run("diff", packed, other).code == 0
    sums = [json.loads(run("sum", path, "--json").output)["files"][0]["sum"] for path in (packed, other)]
    assert sums[0] == sums[1]
    back = path_for(tmp_path, format, "back")
    assert run("repack", other, back, "--block-size", "64").code == 0
    assert back.stat().st_size == packed.stat().st_size
    assert contents(back) == CONTENTS


def test_merged_streams_can_be_read_unseparated(run: Run, packed: Path, tmp_path: Path, format: str) -> None:
    merged = path_for(tmp_path, format, "merged")
    assert run("repack", packed, merged, "--merge", "--block-size", "4096").code == 0
    assert contents(merged, merged="true") == [b"".join(CONTENTS)] + [b""] * 5


@pytest.mark.parametrize("tasks", [1, 2, 15, 20])
def test_compact_files_are_merged_for_any_sizes_of_tasks(
    run: Run, tmp_path: Path, format: str, tasks: int
) -> None:
    parts, path = [tmp_path / f"task.{task:02d}" for task in range(tasks)], path_for(tmp_path, format)
    for task, part in enumerate(parts):
        part.write_bytes(bytes([task]) * (task % 4 + 1))
    assert run("pack", *parts, path, "--merge", "--compact").code == 0
    assert contents(path) == [part.read_bytes() for part in parts]
    stored = contents(path, merged="true")
    assert stored[0] == b"".join(part.read_bytes() for part in parts[:16])
    assert stored[1:16] == [b""] * min(tasks - 1, 15)
    assert (
        run("pack", *parts, path, "--merge", "--compact", "--option", "collsize=2", "--overwrite").code == 0
    )
    assert [bool(stream) for stream in contents(path, merged="true")] == [i % 2 == 0 for i in range(tasks)]


@pytest.mark.parametrize("ways", [["--merge"], ["--option", "mode=merge"]], ids=["flag", "option"])
def test_merged_files_keep_the_task_of_their_bytes(
    run: Run, packed: Path, tmp_path: Path, parts: list[Path], format: str, ways: list[str]
) -> None:
    path = path_for(tmp_path, format, "merged")
    for command in (["pack", *parts, path], ["repack", packed, path, "--overwrite"]):
        assert run(*command, *ways).code == 0
        assert contents(path) == CONTENTS
    assert run("pack", *parts, path, *ways, "--option", "origins=dropped", "--overwrite").code == 0
    assert contents(path) == [b"".join(CONTENTS)] + [b""] * 5


def test_rewritten_files_keep_the_block_size(
    run: Run, packed: Path, tmp_path: Path, parts: list[Path], format: str
) -> None:
    def block_size(path: Path) -> str:
        with quire.open(path, format=format) as file:
            return file.layout["block size"]

    for command in ("repack", "convert"):
        anew = path_for(tmp_path, format, command)
        assert run(command, packed, anew).code == 0
        assert (block_size(packed), block_size(anew)) == ("64", "64")
        assert anew.stat().st_size <= packed.stat().st_size
    for options, size in ((["--compact"], "1"), (["--block-size", "512"], "512")):
        assert run("repack", packed, anew, *options, "--overwrite").code == 0
        assert block_size(anew) == size
    for words in (["pack", *parts, anew], ["repack", packed, anew, "--merge"]):
        assert run(*words, "--overwrite").code == 0
        assert block_size(anew) == "4096"


def test_records_keep_their_keys(run: Run, tmp_path: Path, format: str) -> None:
    path = path_for(tmp_path, format, "records")
    with quire.create(path, format=format, keys=True, block_size=16) as out, out.step(0) as step:
        stream = step.stream(rank=4, chunk_size=16)
        for key, value in ((7, b"a" * 50), (3, b""), (7, b"b")):
            stream.write_record(key, value)
    other = path_for(tmp_path, format, "other")
    assert run("repack", path, other, "--compact").code == 0
    with quire.open(other) as file:
        assert [(record.key, record.size) for record in file[0].streams[4].records()] == [
            (7, 50),
            (3, 0),
            (7, 1),
        ]
    assert (
        run("unpack", other, "--to", tmp_path / "keys", "--keys", "--prefix", "k", "--digits", "1").code == 0
    )
    assert (tmp_path / "keys" / f"k4_{7:012d}").read_bytes() == b"a" * 50 + b"b"
    assert (tmp_path / "keys" / f"k4_{3:012d}").read_bytes() == b""


def test_other_commands_support_streams(run: Run, packed: Path, tmp_path: Path, format: str) -> None:
    assert "6 streams" in run("info", packed).output
    assert json.loads(run("info", packed, "--json").output)["files"][0]["steps"][0]["streams"] == 6
    assert "37" in run("show", packed, "--columns", "rank,bytes").output
    assert run("check", packed).code == 0
    changed = path_for(tmp_path, format, "changed")
    data = bytearray(packed.read_bytes())
    data[data.index(CONTENTS[1]) + 3] ^= 1
    changed.write_bytes(data)
    outcome = run("diff", packed, changed)
    assert outcome.code == 1
    assert "task 1 differs from byte 3 on" in outcome.output + outcome.errors
    copy = path_for(tmp_path, format, "copy")
    assert run("convert", packed, copy).code == 0
    assert contents(copy) == CONTENTS
    table = path_for(tmp_path, table_formats()[0], "table")
    outcome = run("convert", packed, table)
    assert outcome.code == 0
    assert "streams are left out" in outcome.errors
    with quire.open(table) as file:
        assert list(file[0]["bytes"].read()) == [len(content) for content in CONTENTS]
    assert run("unpack", table).code == 1


def test_special_files_are_not_reported_as_missing(run: Run, tmp_path: Path, format: str) -> None:
    outcome = run("pack", "/dev/null", path_for(tmp_path, format))
    assert outcome.code == 2
    assert "not a regular file" in outcome.errors
    assert "there is no such file" in run("pack", tmp_path / "nothing", path_for(tmp_path, format)).errors


def test_a_missing_directory_is_an_error(
    run: Run, packed: Path, tmp_path: Path, parts: list[Path], one_beam: Path, format: str
) -> None:
    target = path_for(tmp_path / "no", format)
    beam = (tmp_path / "no" / "beam").with_suffix(one_beam.suffix)
    for words in (["pack", *parts, target], ["repack", packed, target], ["convert", one_beam, beam]):
        outcome = run(*words)
        assert outcome.code == 4, words
        assert f"there is no directory {tmp_path / 'no'} to write it to; create" in outcome.errors
        assert ".quire-" not in outcome.errors
    assert not (tmp_path / "no").exists()


def test_tables_are_no_streams(run: Run, one_beam: Path, tmp_path: Path, format: str) -> None:
    assert run("repack", one_beam, path_for(tmp_path, format)).code == 1
    assert run("pack", one_beam, tmp_path / "x", "--format", table_formats()[0]).code == 1


def test_advice_for_tables_that_are_no_streams_can_be_typed(
    run: Run, one_beam: Path, tmp_path: Path, format: str
) -> None:
    streams = path_for(tmp_path, format, "streams")
    refused = run("convert", one_beam, streams)
    assert refused.code == 1
    assert "=streams" not in refused.errors  # of fields
    assert f"choose a format of tables by --format ({table_formats()[0]}" in refused.errors
    assert run("convert", one_beam, streams, "--steps", "1", "--format", table_formats()[0]).code == 0
    typed = refused.errors.split("pack the file as it is by: ")[1].split()
    assert typed[0] == "quire"
    assert typed[-1] == "OUT"
    assert run(*typed[1:-1], streams, "--overwrite").code == 0
    with quire.open(streams, format=format) as file:
        assert len(file[0].streams) == 1


def test_streams_of_fields_are_unpacked_and_rewritten_as_streams(
    run: Run, tmp_path: Path, format: str
) -> None:
    fields = next(
        path
        for path in sorted((Path(__file__).parents[2] / "data").rglob("*.fld"))
        if path.is_file() and b"<" in path.read_bytes()[:100]
    )
    plain = path_for(tmp_path, format, "plain")
    refused = run("convert", fields, plain)
    assert refused.code != 0
    assert "=streams" in refused.errors
    assert not plain.exists()
    way = refused.errors.split("into streams by ")[1].split()[:4]
    packed = path_for(tmp_path, format, "fields")
    assert run("convert", fields, packed, *way).code == 0
    with quire.open(packed) as file, quire.open(packed, format=format) as same:
        assert not file[0].streams
        [content] = [stream.readall() for stream in same[0].streams.values()]
    assert run("unpack", packed, "--to", tmp_path / "out").code == 0
    assert [path.read_bytes() for path in (tmp_path / "out").iterdir()] == [content]
    anew = path_for(tmp_path, format, "anew")
    assert run("repack", packed, anew, "--block-size", "512").code == 0
    assert run("diff", packed, anew).code == 0, "fields again"
    named = tmp_path / f"anew{fields.suffix}"
    for source in (packed, named):
        assert run("repack", source, named if source == packed else tmp_path / f"2{fields.suffix}").code == 0
    assert run("diff", packed, named).code == 0
    assert run("diff", packed, tmp_path / f"2{fields.suffix}").code == 0
    with quire.open(named) as file:
        assert not file[0].streams, "it opens as fields"
    assert run("repack", packed, tmp_path / "anew", "--format", table_formats()[0]).code == 1
    assert run("pack", fields, tmp_path / f"3{fields.suffix}").code == 1


@pytest.mark.mpi
def test_the_bytes_of_all_ranks_are_reported(start: Start, packed: Path) -> None:
    """Each rank copies other streams."""
    target = packed.with_name(f"copy{packed.suffix}")
    done = start("convert", packed, target, "--json", ranks=2)
    assert done.returncode == 0, done.stderr.decode()
    answer = json.loads(done.stdout)
    assert answer["streams"] == len(CONTENTS)
    assert answer["stream_bytes"] == sum(map(len, CONTENTS))
    assert contents(target) == CONTENTS


@pytest.mark.parametrize("format", stream_formats())
def test_standard_input_is_unpacked_and_repacked(start: Start, run: Run, tmp_path: Path, format: str) -> None:
    part, packed, anew = tmp_path / "part", path_for(tmp_path, format), path_for(tmp_path, format, "anew")
    part.write_bytes(b"bytes")
    assert run("pack", part, packed).code == 0
    assert start("repack", "-", anew, stdin=packed.read_bytes()).returncode == 0
    done = start("unpack", "-", "--to", tmp_path / "out", "--prefix", "t", stdin=anew.read_bytes())
    assert done.returncode == 0
    assert [path.read_bytes() for path in (tmp_path / "out").iterdir()] == [b"bytes"]
    for words in (["pack", part, "-"], ["repack", packed, "-"]):
        outcome = run(*words, "--format", format)
        assert outcome.code == 2
        assert "not standard output" in outcome.errors
