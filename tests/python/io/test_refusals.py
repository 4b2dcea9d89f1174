"""What is wrong with a call on one rank keeps no other rank waiting: every call that ranks make together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for, step_formats, stream_formats, write_table
from tests.python.support.mpi import run_ranks

import quire
from quire.io.formats import format_infos, transports
from quire.toolkit.checksum import checksum

pytestmark = pytest.mark.mpi

FAMILY = (
    "AbortedError",
    "UsageError",
    "TypeMismatchError",
    "MissingError",
    "ConflictError",
    "MemoryBudgetError",
)
Call = Callable[..., Any]
ODD = object()
NEVER: Any = quire.After(0, "never")  # type: ignore[arg-type]

# Wrong arguments of functions with a path, by their messages.
OF_ALL: dict[str, dict[str, Any]] = {
    "path must be a string": {"path": 5},
    "path contains a character": {"path": "\ud800"},
    "a deadline": {"deadline": "soon"},
}
OF_FORMATS = OF_ALL | {
    "format": {"format": 5},
    "transport": {"transport": 5},
    "carrier pigeon": {"transport": "carrier pigeon"},
    "option some": {"some": ODD},
}
OF_READERS = OF_FORMATS | {
    "memory_budget must be a number": {"memory_budget": "all"},
    "memory_budget cannot be": {"memory_budget": -1},
}
OF_WRITERS = OF_FORMATS | {"lossy": {"lossy": "no"}, "durable": {"durable": 1}}
WAYS: dict[str, dict[str, dict[str, Any]]] = {
    "open": OF_READERS | {"lossy": {"lossy": "no"}, "tolerant": {"tolerant": "no"}},
    "create": OF_WRITERS,
    "append": OF_WRITERS
    | {
        "later": {"after": NEVER},
        "must be an integer": {"after": "first"},
    },
    "repair": OF_READERS,
    "copy": {
        "there is no format": {"format": "nope"},
        "'x'": {"steps": "x"},
        "a copy with": {"where": "nope>1"},
        "a copy": {"columns": ["nope"]},
    },
    "checksum": {"checksums of": {"columns": ["nope"]}, "checksums": {"columns": 5}},
    "finish_replacement": OF_ALL,
}

# Calls of an open file, by what is wrong with them: all ranks raise the same.
VOTES: dict[str, tuple[Callable[[quire.File], Any], Callable[[quire.File], Any]]] = {
    "cannot be selected by a str": (lambda file: file[0], lambda file: file["x"]),  # type: ignore[call-overload]
    "rank 0 asks for the step at index 0, this rank": (lambda file: file[0], lambda file: file[1]),
    "slice": (lambda file: file[0:1], lambda file: file[0:1:0]),
    "interpreted as an integer": (lambda file: file[0:1], lambda file: file["a":]),
    "rank 0 asks for step 0": (lambda file: file.step(0), lambda file: file.step(99)),
    "the number of a step must be an integer": (lambda file: file.step(0), lambda file: file.step("0")),  # type: ignore[arg-type]
    "not a float": (lambda file: file.salvage(0), lambda file: file.salvage(0.5)),  # type: ignore[arg-type]
}


def blocks(table: quire.Table, *given: Any) -> list[int]:
    return [first for first, _ in table.blocks(*given)]


# Reads of all ranks together: all raise the error of the one that cannot state its request.
TOGETHER: dict[str, tuple[Callable[[quire.Table], Any], Callable[[quire.Table], Any]]] = {
    'no column "nope"': (lambda table: table.read_all(["x"]), lambda table: table.read_all(["nope"])),
    "not iterable": (lambda table: table.read_all(["x"]), lambda table: table.read_all(5)),  # type: ignore[arg-type]
    "are not inside": (lambda table: table.read_all(["x"]), lambda table: table.read_all(["x"], (0, 99))),
    "no row 98": (lambda table: table["x"].read_all(), lambda table: table["x"].read_all([98])),
    "out has the shape": (
        lambda table: table["x"].read_all(out=np.zeros(3)),
        lambda table: table["x"].read_all(out=np.zeros(2)),
    ),
    "no equal of type": (
        lambda table: table["x"].read_all(slice(None, None, 2), out=np.zeros(2, np.int64)),
        lambda table: table["y"].read_all(out=np.zeros(3, np.int64)),
    ),
}

# Reads, of which only the rank raises that cannot say what it wants.
READS: dict[str, tuple[Callable[[quire.Table], Any], Callable[[quire.Table], Any]]] = {
    'no column "nope"': (lambda table: table.read(["x"]), lambda table: table.read(["nope"])),
    "not iterable": (lambda table: table.read(["x"]), lambda table: table.read(5)),  # type: ignore[arg-type]
    "are not inside": (lambda table: table.read(["x"]), lambda table: table.read(["x"], (0, 99))),
    "cannot be zero": (lambda table: table["x"][:], lambda table: table["x"][::0]),
    "there is no row 99": (lambda table: table["x"][1], lambda table: table["x"][99]),
    "no row 98": (lambda table: table["x"][[1]], lambda table: table["x"][[98]]),
    "out has the shape": (
        lambda table: table["x"].read(out=np.zeros(3)),
        lambda table: table["x"].read(out=np.zeros(2)),
    ),
    "no equal of type": (
        lambda table: table["x"].read(out=np.zeros(3, np.int64)),
        lambda table: table["y"].read(out=np.zeros(3, np.int64)),
    ),
    "not strings": (lambda table: table.read(["x"]), lambda table: table.read_packed(["x"])),
    'has no column "none"': (
        lambda table: table.to_structured(["x"]),
        lambda table: table.to_structured(["none"]),
    ),
    "dimension": (lambda table: table.read(["x"]), lambda table: table.read(["x"], [[1]])),  # type: ignore[list-item]
    'no column "neither"': (lambda table: blocks(table, "x", 1), lambda table: blocks(table, "neither", 1)),
    "rows_per_block cannot be 0": (lambda table: blocks(table, "x", 1), lambda table: blocks(table, "x", 0)),
    "blocks need contiguous rows": (
        lambda table: blocks(table, "x", 1),
        lambda table: blocks(table, "x", 1, slice(None, None, 2)),
    ),
    "nope": (lambda table: table.where("x > 0").read(["x"]), lambda table: table.where("nope > 3").read()),
    "expression": (lambda table: len(table.where("x > 0")), lambda table: len(table.where("x >"))),
    "not a condition": (
        lambda table: table.where("x > 0").numbers(),
        lambda table: table.where("x").numbers(),
    ),
    "conditions need contiguous rows": (
        lambda table: list(table.where("x > 0").blocks()),
        lambda table: list(table.where("x > 0", slice(None, None, 2)).blocks()),
    ),
    "object is not iterable": (
        lambda table: table.where("x > 0").read(),
        lambda table: table.where("x > 0").read(5),  # type: ignore[arg-type]
    ),
    'no column "absent"': (
        lambda table: table.where("1 > 0").count(),  # which needs no column
        lambda table: table.where("1 > 0").read(["absent"]),
    ),
}


CALLS: dict[str, Call] = {
    "open": quire.open,
    "create": quire.create,
    "append": quire.append,
    "repair": quire.repair,
    "finish_replacement": quire.finish_replacement,
    "copy": quire.copy,
    "checksum": checksum,
}


def message_of(call: Callable[..., Any], *given: Any) -> str:
    """What a call raises, or nothing."""
    try:
        call(*given)
    except quire.Error as error:
        return f"{type(error).__name__}: {error}"
    return ""


def make(call: Call, given: dict[str, Any]) -> None:
    made = call(**given)
    if hasattr(made, "close"):
        made.close()


def make_files_wrongly(comm: Any, path: str, format_name: str) -> Iterator[tuple[str, str]]:
    for name, ways in WAYS.items():
        for reason, wrong in ways.items():
            given: dict[str, Any] = {"path": path, "comm": comm, "deadline": 20, "format": format_name}
            call = CALLS[name]
            if call is quire.copy:
                given = {"comm": comm, "source": path, "target": f"{path}.copy", "format": format_name}
            elif call in (quire.finish_replacement, checksum):
                del given["format"]
            given |= wrong if comm.rank == 1 else {}
            yield f"{name}: {reason}", message_of(make, call, given)


def write_wrongly(comm: Any, path: str, format_name: str) -> Iterator[tuple[str, str]]:
    mine = comm.rank == 1
    with quire.create(path, comm, format_name, deadline=20) as out:
        for reason, wrong in {
            "the name of an attachment": lambda: out.attach(5 if mine else "a", b"a"),  # type: ignore[arg-type]
            "an attachment must be bytes": lambda: out.attach("a", 5 if mine else b"a"),  # type: ignore[arg-type]
            "attaching": lambda: out.attach("b" if mine else "a", b"a"),
            "string, not a NoneType": lambda: out.detach(None if mine else "a"),  # type: ignore[arg-type]
        }.items():
            yield f"write: {reason}", message_of(wrong)
        with out.step(0) as step:
            step.put("x", np.arange(2.0))
    with quire.create(path, comm, format_name, deadline=20) as out:
        # A rank that closes the file takes part in the call of the others, which attach.
        leave = out.close if mine else lambda: out.attach("c", b"c")
        message = message_of(leave)
        yield (
            "attach: closes the file",
            message or "UsageError: closes the file [rank 1]" if mine else message,
        )
    box = np.s_[0:1] if comm.rank == 0 else slice("a", "b")
    yield "box: the number of an element must be an integer", message_of(quire.disjoint_box, box, comm)
    yield "box: the number of an element", message_of(quire.require_disjoint, box, comm)


def read_wrongly(comm: Any, path: str, transport: str, kind: str) -> Iterator[tuple[str, str]]:
    with quire.open(path, comm, transport=transport, deadline=20) as file:
        if kind == "vote":
            for reason, of_file in VOTES.items():
                yield f"vote: {reason}", message_of(of_file[comm.rank], file)
            return
        table = file[0].table
        for reason, of_table in (READS if kind == "read" else TOGETHER).items():
            yield f"{kind}: {reason}", message_of(of_table[comm.rank], table)
        seen = []
        for first, _ in table.blocks("x", 1):
            seen.append(first)
            if comm.rank == 1:
                break
        assert seen == ([0] if comm.rank == 1 else [0, 1, 2])
        assert blocks(table, "x", 1, (0, 3 - 2 * comm.rank)) == list(range(3 - 2 * comm.rank))
        assert table.where("x > 1" if comm.rank == 0 else "2 > 1").count() == 1 + 2 * comm.rank
        assert table["x"][:].tolist() == [0, 1, 2]
        assert table.read_all("x", (0, comm.rank))["x"].tolist() == [0.0][: comm.rank]


def open_streams_wrongly(comm: Any, path: str) -> Iterator[tuple[str, str]]:
    with quire.open(path, comm, deadline=20) as file:
        streams = file[0].streams
        for reason, wrong in {
            "not iterable": None,
            "the number of a stream must be an integer": ["a"],
            "is not a number of a stream": [2**70],
            "99": [99],
        }.items():
            asked: Any = wrong if comm.rank == 1 else [3]
            yield f"streams: {reason}", message_of(streams.open, asked)
            yield f"streams at: {reason}", message_of(streams.at, asked if comm.rank else [0])
        assert [stream.rank for stream in streams.open([3])] == [3]


def call_wrongly(comm: Any, folder: str) -> dict[str, list[list[str]]]:
    """Make every call, on rank 1 wrongly; return what this rank raises: where all are to raise it, else."""
    format_name = step_formats()[0]
    holder = next(info.name for info in format_infos() if info.holds_attachments)
    path = str(path_for(Path(folder), format_name, "table"))
    new = str(path_for(Path(folder), holder, "new"))
    votes = [
        *make_files_wrongly(comm, str(path_for(Path(folder), format_name, "other")), format_name),
        *write_wrongly(comm, new, holder),
        *read_wrongly(comm, path, "posix", "vote"),
        *(case for name in transports() for case in read_wrongly(comm, path, name, "together")),
    ]
    for name in stream_formats():
        votes += open_streams_wrongly(comm, str(path_for(Path(folder), name, "streams")))
    reads = list(read_wrongly(comm, path, "mpi_collective", "read"))
    return {"votes": [list(one) for one in votes], "reads": [list(one) for one in reads]}


def test_what_is_wrong_on_one_rank_keeps_no_other_waiting(tmp_path: Path) -> None:
    assert "mpi_collective" in transports()
    format_name = step_formats()[0]
    columns = {"x": np.arange(3.0), "y": np.arange(3.0) / 3}
    for stem in ("table", "other"):
        write_table(path_for(tmp_path, format_name, stem), format_name, columns)
    for name in stream_formats():
        with quire.create(path_for(tmp_path, name, "streams"), format=name) as out, out.step(0) as step:
            step.stream(rank=3, chunk_size=5).write(b"bytes")
    right, wrong = run_ranks(call_wrongly, 2, str(tmp_path), time_limit=40)
    assert len(wrong["votes"]) > 60
    for (case, other), (_, own) in zip(right["votes"], wrong["votes"], strict=True):
        reason = case.split(": ", 1)[1]
        for message in (own, other):
            assert message.startswith(FAMILY), f"{case}: {message!r}"
            assert reason in message, f"{case}: {message!r}"
            assert "[rank 1]" in message, f"{case}: {message!r}"
    assert len(wrong["reads"]) == len(READS)
    for (case, other), (_, own) in zip(right["reads"], wrong["reads"], strict=True):
        assert own.startswith(FAMILY), f"{case}: {own!r}"
        assert case.split(": ", 1)[1] in own, f"{case}: {own!r}"
        assert other == "", f"{case}: {other!r}"
