"""Multifiles: the streams of all tasks, byte for byte, and the same bytes written again."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import Any

import pytest
from tests.format.conformance.vectors import Truth

import quire

# What a truth says about how it was made, where that is no list of calls that could be repeated.
MADE_BY_HAND = ("editing the header", "stale", "write buffer")


def belongs(truth: Truth) -> bool:
    """Whether a truth is one of a multifile."""
    return "physical_files" in truth or "fails_at" in truth


def sha256(data: bytes) -> str:
    """The digest of a truth."""
    return hashlib.sha256(data).hexdigest()


def compare(path: str, truth: Truth) -> None:
    """Assert that a multifile is read, or refused, as its truth says; and that it is written the same."""
    if truth["expect"] == "error":
        refuse(path, truth.get("fails_at") == "read")
        return
    if truth["expect"] == "buddy":
        refuse(path, False)
        read(path, truth, buddy=True)
        return
    read(path, truth)
    if "_BUDDY_" in str(truth["files"]):
        for copy in sorted(Path(path).parent.glob(Path(path).name + "_BUDDY_??")):
            read(str(copy), truth, buddy=True)
    if is_repeatable(truth):
        write_again(path, truth)


def refuse(path: str, by_reading: bool) -> None:
    """A damaged file raises an error that says what is wrong, at the latest where its streams are read."""
    with pytest.raises(quire.Error) as caught:
        read_everything(path, by_reading)
    assert caught.value.kind in ("bad file", "missing"), caught.value
    assert caught.value.message


def read_everything(path: str, by_reading: bool) -> None:
    """All bytes and records of a damaged file; only those that fail by reading may be described."""
    with quire.open(path) as file:
        step = file[0]
        assert by_reading, "the step is described"
        assert file.check().damage is not None
        for stream in step.streams.at(range(len(step.streams))):
            stream.readall()
            if stream.has_records:
                stream.records()


def read(path: str, truth: Truth, **options: Any) -> None:
    """Every task has the bytes, chunks, records and keys of the truth."""
    with quire.open(path, **options) as file:
        assert len(file) == 1
        step = file[0]
        assert len(step.streams) == len(truth["tasks"])
        assert step.streams.ranks == [task["globalrank"] for task in truth["tasks"]]
        assert file.check().damage is None
        for task, stream in zip(truth["tasks"], step.streams.at(range(len(truth["tasks"]))), strict=True):
            assert stream.rank == task["globalrank"]
            data = stream.readall()
            assert len(data) == task["bytes"] == stream.size
            assert sha256(data) == task["sha256"], f"task {stream.rank}"
            # Empty chunks have no extent.
            sizes = task.get("chunks", [task["bytes"]])
            assert [length for _, length in stream.chunks] == [size for size in sizes if size]
            if "records" in task:
                compare_records(stream, task)
        table = step.table
        assert [int(value) for value in table["bytes"].read()] == [task["bytes"] for task in truth["tasks"]]
        if all("local" in task for task in truth["tasks"]):
            assert list(table["file"].read()) == [task["file"] for task in truth["tasks"]]
            assert list(table["index"].read()) == [task["local"] for task in truth["tasks"]]
            assert list(table["chunks"].read()) == [len(task["chunks"]) for task in truth["tasks"]]


def compare_records(stream: quire.Stream, task: dict[str, Any]) -> None:
    """Records in the order of writing, values by key."""
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
    """Whether the calls that made a file are all that decides about its bytes."""
    notes = str(truth.get("note", "")) + str(truth.get("env", ""))
    return "open" in truth and not any(reason in notes for reason in MADE_BY_HAND)


def write_again(path: str, truth: Truth) -> None:
    """The same calls give the same files, byte for byte."""
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
            assert written == Path(path).with_name(name).read_bytes(), f"{name} is written otherwise"
        assert len(list(Path(folder).iterdir())) == len(truth["files"])


def writing_options(path: str, truth: Truth) -> dict[str, Any]:
    """The options of our writer for the arguments of an open call."""
    opened = truth["open"]
    words = opened["mode"].split(",")
    first = truth["physical_files"][0]
    options: dict[str, Any] = {
        "interface": truth["api"],
        "block_size": opened["fsblksize"],
        "byte_order": first["meta_endian"],
        "data_byte_order": first["user_endian"],
        "stored_name": first["prefix"],
        "keys": any(word.startswith("keyval") for word in words),
    }
    if "collective" in words:
        merges = "cmerge" in words or "collectivemerge" in words
        options["mode"] = "merge" if merges else "collective"
    for word in words:
        if word.startswith("buddy"):
            options["copies"] = int(word.partition("=")[2] or 1)
        if word.startswith("collsize="):
            options["collsize"] = int(word.removeprefix("collsize="))
    if "groups" not in opened and "map" not in opened:
        options["files"] = opened.get("nfiles", 1)
    return options


def open_streams(step: quire.WriteStep, truth: Truth) -> list[quire.WriteStream]:
    """The streams by the numbers that the calls use."""
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
    """The calls of the truth, with the bytes that its README describes."""
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
            assert call == "coll", f"a call that nobody knows: {call}"
            for task, count in enumerate(arguments[0]):
                streams[task].write_together(data(task, count))
