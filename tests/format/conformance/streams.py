"""Multifiles: the streams of all tasks, byte for byte, and the same bytes written again."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import Any

import pytest
from tests.format.conformance.vectors import Truth

import quire

# Notes of truths whose files were not made by calls that can be repeated.
KEYS_INSIDE = 51
OFFSET_BITS = (1 << 46) - 1
MADE_BY_HAND = ("editing the header", "stale", "write buffer")


def belongs(truth: Truth) -> bool:
    """Whether a truth describes a multifile."""
    return "physical_files" in truth or "fails_at" in truth


def sha256(data: bytes) -> str:
    """The digest of a truth."""
    return hashlib.sha256(data).hexdigest()


def compare(path: str, truth: Truth) -> None:
    """Assert that a multifile is read or refused as its truth states, and that it is written the same."""
    # The file to open may be missing.
    path = str(Path(path).with_name(truth["files"][0]))
    if truth["expect"] == "error":
        refuse(path, truth.get("fails_at") == "read")
        return
    if truth["expect"] == "lenient":
        for options in ({}, {"lenient": True}):
            read_or_refuse(path, truth, **options)
        return
    if truth["expect"] == "buddy":
        refuse(path, False)
        read(path, truth, buddy=True)
        return
    assert truth["expect"] == "ok", f"unknown expectation: {truth['expect']}"
    read(path, truth)
    if "_BUDDY_" in str(truth["files"]):
        for copy in sorted(Path(path).parent.glob(Path(path).name + "_BUDDY_??")):
            read(str(copy), truth, buddy=True)
    if is_repeatable(truth):
        write_again(path, truth)


def refuse(path: str, by_reading: bool) -> None:
    """Assert that a damaged file raises an error, at the latest when its streams are read."""
    with pytest.raises(quire.Error) as caught:
        read_everything(path, by_reading)
    assert caught.value.kind in ("bad file", "missing"), caught.value
    assert caught.value.message


def read_everything(path: str, by_reading: bool) -> None:
    """Read all bytes and records of a damaged file. Its step may be described only if reading fails."""
    with quire.open(path) as file:
        step = file[0]
        assert by_reading, "the step is described"
        assert file.check().damage is not None
        for stream in step.streams.at(range(len(step.streams))):
            stream.readall()
            if stream.has_records:
                stream.records()


def read_or_refuse(path: str, truth: Truth, **options: Any) -> None:
    """Assert that a file is refused for the right reason, or read exactly."""
    try:
        with quire.open(path, **options) as file:
            for stream in file[0].streams.at(range(len(file[0].streams))):
                stream.readall()
    except (quire.BadFileError, quire.MissingError):
        return
    if "tasks" in truth:
        read(path, truth, **options)


def read(path: str, truth: Truth, **options: Any) -> None:
    """Every task has the bytes, chunks, records and keys of the truth."""
    with quire.open(path, **options) as file:
        assert len(file) == 1
        step = file[0]
        if not options and "physical_files" in truth:
            compare_layout(file, truth)
        assert len(step.streams) == len(truth["tasks"])
        assert file.check().damage is None
        tasks = in_order_of(step.streams.ranks, truth["tasks"])
        for task, stream in zip(tasks, step.streams.at(range(len(tasks))), strict=True):
            assert stream.rank == task["globalrank"]
            data = stream.readall()
            assert len(data) == task["bytes"] == stream.size
            assert sha256(data) == task["sha256"], f"task {stream.rank}"
            # Empty chunks have no extent.
            sizes = task.get("chunks", [task["bytes"]])
            assert [length for _, length in stream.chunks] == [size for size in sizes if size]
            if "local" in task:
                assert (stream.file, stream.file_index) == (task["file"], task["local"])
                # The high bits of an address are the number of the file.
                assert not sizes[0] or (stream.chunks[0][0] & OFFSET_BITS) == task["start"]
            if "records" in task:
                compare_records(stream, task)
        compare_table(step.table, tasks, truth)


def in_order_of(ranks: list[int], tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tasks in the order of the file: groups of exact size begin with collectors, without any table."""
    if len(set(ranks)) < len(ranks):
        return tasks
    by_rank = {task["globalrank"]: task for task in tasks}
    assert sorted(by_rank) == sorted(ranks)
    return [by_rank[rank] for rank in ranks]


def compare_table(table: quire.Table, tasks: list[dict[str, Any]], truth: Truth) -> None:
    """Compare the table of tasks."""
    assert [int(value) for value in table["bytes"].read()] == [task["bytes"] for task in tasks]
    if not all("local" in task for task in tasks):
        return
    assert list(table["file"].read()) == [task["file"] for task in tasks]
    assert list(table["index"].read()) == [task["local"] for task in tasks]
    assert list(table["chunks"].read()) == [len(task["chunks"]) for task in tasks]
    assert list(table["chunk_size"].read()) == [space_of(task, truth) for task in tasks]


def space_of(task: dict[str, Any], truth: Truth) -> int:
    """The space for a chunk of a task: in old versions the reader rounds it up."""
    physical = truth["physical_files"][task["file"]]
    unit = physical["fsblk"] if physical["format"] <= 3 else 1
    return int(-(-task["chunksize"] // unit) * unit)


def compare_layout(file: quire.File, truth: Truth) -> None:
    """Compare the header of the first file and the names of the set."""
    first = truth["physical_files"][0]
    facts = {
        "byte order": first["meta_endian"],
        "data byte order": first["user_endian"],
        "version": str(first["format"]),
        "block size": str(first["fsblk"]),
        "tasks": str(len(truth["tasks"])),
        "files": str(first["nfiles"]),
        "blocks": str(first["maxchunks"]),
        "keys": "true" if first["keyval"] == KEYS_INSIDE else "false",
        "stored name": first["prefix"],
    }
    assert {name: file.layout[name] for name in facts} == facts
    members = [physical["name"] for physical in truth["physical_files"]]
    assert file.members == (members[: first["nfiles"]] if first["nfiles"] > 1 else [])


def compare_records(stream: quire.Stream, task: dict[str, Any]) -> None:
    """Compare records in the order of writing, and values by key."""
    found = stream.records()
    assert [(record.key, record.size) for record in found] == [
        (record["key"], record["bytes"]) for record in task["records"]
    ]
    for record, wanted in zip(found, task["records"], strict=True):
        assert sha256(stream.read_at(record.offset, record.size)) == wanted["sha256"]
    assert stream.keys() == [key["key"] for key in task["keys"]]
    for key in task["keys"]:
        assert sha256(stream.value(key["key"])) == key["sha256"]


def is_repeatable(truth: Truth) -> bool:
    """Whether the calls of a truth define all bytes of its file."""
    notes = str(truth.get("note", "")) + str(truth.get("env", ""))
    return "open" in truth and not any(reason in notes for reason in MADE_BY_HAND)


def write_again(path: str, truth: Truth) -> None:
    """Assert that the same calls write the same files, byte for byte."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / Path(path).name
        with (
            quire.create(target, format="sion", **writing_options(path, truth)) as out,
            out.step(0) as step,
        ):
            streams = open_streams(step, truth)
            repeat(streams, truth)
        for name in truth["files"]:
            written = (Path(folder) / name).read_bytes()
            assert written == Path(path).with_name(name).read_bytes(), f"{name} is written differently"
        assert len(list(Path(folder).iterdir())) == len(truth["files"])


def writing_options(path: str, truth: Truth) -> dict[str, Any]:
    """The options of our writer for the arguments of an open call."""
    opened = truth["open"]
    words = opened["mode"].split(",")
    environment = {
        # The names of one build of the library begin with an L.
        name.removeprefix("L").removeprefix("SION_"): str(value)
        for name, value in (truth.get("env") or {}).items()
    }
    first = truth["physical_files"][0]
    options: dict[str, Any] = {
        "interface": truth["api"],
        # Other sizes are those of the file system.
        "block_size": opened["fsblksize"] if opened["fsblksize"] > 0 else first["fsblk"],
        "byte_order": first["meta_endian"],
        "data_byte_order": first["user_endian"],
        "stored_name": first["prefix"],
        "keys": first["keyval"] == KEYS_INSIDE,
    }
    for word in words:
        if word.startswith("buddy"):
            options["copies"] = int(word.partition("=")[2] or 1)
    # A mapped writer ignores the words about groups.
    if truth["api"] != "mapped":
        options |= group_options(words, environment, len(opened.get("chunks", [])))
    if "groups" not in opened and "map" not in opened:
        options["files"] = max(opened.get("nfiles", 1), 1)
    return options


def group_options(words: list[str], environment: dict[str, str], tasks: int) -> dict[str, Any]:
    """The options for groups of tasks, from variables and then from the words of a mode."""
    sizes = [int(word.removeprefix("collsize=")) for word in words if word.startswith("collsize=")]
    options: dict[str, Any] = {"collsize": sizes[-1]} if sizes else {}
    is_collective = "collective" in words
    if (size := int(environment.get("COLLSIZE", "0"))) != 0:
        is_collective = True
        options["collsize"] = size
    elif "COLLSIZE" in environment:
        is_collective = False
    elif (groups := int(environment.get("COLLNUM", "0"))) > 0:
        options["collsize"] = -(-tasks // groups)
    if not is_collective:
        return {}
    merges = "cmerge" in words or "collectivemerge" in words
    options["mode"] = "collmsa" if "collmsa" in words else "merge" if merges else "collective"
    return options


def open_streams(step: quire.WriteStep, truth: Truth) -> list[quire.WriteStream]:
    """Open the streams, in the order of the numbers in the calls."""
    opened = truth["open"]
    if "map" in opened:
        streams = {
            one["globalrank"]: step.stream(one["globalrank"], one["chunk"], one["file"], one["local"])
            for one in opened["map"]
        }
        return [streams[rank] for rank in sorted(streams)]
    ranks = opened.get("granks", range(len(opened["chunks"])))
    groups = opened.get("groups", [None] * len(opened["chunks"]))
    return [
        step.stream(rank, chunk, group)
        for rank, chunk, group in zip(ranks, opened["chunks"], groups, strict=True)
    ]


def repeat(streams: list[quire.WriteStream], truth: Truth) -> None:
    """Repeat the calls of the truth, with the bytes that its README describes."""
    done = [0] * len(streams)

    def data(task: int, count: int) -> bytes:
        first = done[task]
        done[task] += count
        return bytes((task * 131 + i * 7 + (i >> 8) * 13 + 17) & 0xFF for i in range(first, first + count))

    for call, *arguments in truth["ops"]:
        if call == "write":
            task, count = arguments
            streams[task].write(data(task, count))
        elif call == "key":
            task, key, count = arguments
            streams[task].write_record(key, data(task, count))
        else:
            assert call == "coll", f"unknown call: {call}"
            for task, count in enumerate(arguments[0]):
                streams[task].write_together(data(task, count))
