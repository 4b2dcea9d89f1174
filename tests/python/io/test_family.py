"""Whatever callers give, and whatever happens to their files: what is raised is a `quire.Error`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for, table_formats, write_table
from tests.python.support.mpi import run_ranks

import quire
from quire import errors
from quire.toolkit.recover import recover

SURROGATE = "\ud800"
HOSTILE: list[Any] = [
    SURROGATE,
    "a\0b",
    "",
    "\udc80",
    b"x\xff",
    "x" * 5000,
    None,
    True,
    1.5,
    float("nan"),
    complex(1, 1),
    -1,
    2**31,
    2**62,
    2**63,
    2**64,
    -(2**63) - 1,
    2**100,
    [],
    {},
    (1, 2, 3),
    [2**62],
    [2**100],
    [-1],
    [float("nan")],
    [SURROGATE],
    np.zeros(3),
    np.array([SURROGATE], object),
    slice(None, None, 0),
    slice(2**70),
    object(),
    Ellipsis,
]

Call = Callable[[Any], object]


def bare_errors(calls: dict[str, Call]) -> list[str]:
    """Make every call with every value. Return those that raise no error of the family."""
    bare = []
    for name, call in calls.items():
        for value in HOSTILE:
            try:
                found = call(value)
                if isinstance(found, Iterator):
                    list(found)
            except quire.InternalError as error:
                bare.append(f"{name}({value!r:.30}): {error!r}")
            except quire.Error as error:
                # It can be shown and sent, whatever it is about.
                errors.as_text(error).encode()
            except Exception as error:
                bare.append(f"{name}({value!r:.30}): {error!r}")
    return bare


def names_a_file(value: Any) -> bool:
    """Return whether a file could be created with this name, outside of the directory of the test."""
    return isinstance(value, str | bytes | int) and value not in ("", SURROGATE, "a\0b")


@pytest.fixture(params=table_formats())
def file_of_table(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    path = path_for(tmp_path, request.param)
    with quire.create(path, format=request.param) as out, out.step(0) as step:
        step.set("a", 1).put("x", np.arange(5.0))
    return path, request.param


def test_hostile_ways_to_open(file_of_table: tuple[Path, str]) -> None:
    path, _ = file_of_table
    calls: dict[str, Call] = {
        call.__name__: call for call in (quire.open, quire.append, quire.repair, quire.finish_replacement)
    }
    words = (
        "comm",
        "format",
        "transport",
        "deadline",
        "memory_budget",
        "tolerant",
        "lossy",
        "unconfirmed",
        "no",
    )
    for word in words:
        calls[f"open {word}"] = lambda value, word=word: quire.open(path, **{word: value}).close()  # type: ignore[misc]
    calls["append after"] = lambda value: quire.append(path, after=value).close()
    calls["append After"] = lambda value: quire.append(path, after=quire.After(value)).close()
    calls["append later"] = lambda value: quire.append(path, after=quire.After(0, value)).close()
    calls["repair dropped"] = lambda value: quire.repair(path, dropped=[value])
    assert bare_errors(calls) == []


def test_hostile_ways_to_create(file_of_table: tuple[Path, str]) -> None:
    path, format_name = file_of_table
    calls: dict[str, Call] = {
        "create": lambda value: names_a_file(value) or quire.create(value, format=format_name),
    }
    words = ("comm", "format", "transport", "deadline", "durable", "lossy", "no")
    for word in (*words, "compression", "compression_level", "replacement"):
        calls[f"create {word}"] = lambda value, word=word: quire.create(  # type: ignore[misc]
            path, **{"format": format_name, word: value}
        ).close()
    assert bare_errors(calls) == []


def assign(target: Any, name: Any, value: Any) -> None:
    target[name] = value


def test_hostile_steps(file_of_table: tuple[Path, str]) -> None:
    path, format_name = file_of_table

    def in_step(action: Callable[[quire.Writer, quire.WriteStep, Any], object]) -> Call:
        def call(value: Any) -> None:
            # Else every value waits for the disk where a file of one step replaces another.
            with (
                quire.create(path, format=format_name, replacement="direct") as out,
                out.step(0) as step,
            ):
                action(out, step, value)

        return call

    def in_file(action: Callable[[quire.Writer, Any], object]) -> Call:
        def call(value: Any) -> None:
            with quire.create(path, format=format_name, replacement="direct") as out:
                action(out, value)

        return call

    x = np.zeros(2)
    f = np.zeros((2, 2))
    calls: dict[str, Call] = {
        "step": in_file(lambda out, value: out.step(value).abort("enough")),
        "Writer.abort": in_file(lambda out, value: out.abort(value)),
        "WriteStep.abort": in_file(lambda out, value: out.step(0).abort(value)),
        "attach": in_file(lambda out, value: out.attach(value, b"")),
        "attach bytes": in_file(lambda out, value: out.attach("a", value)),
        "detach": in_file(lambda out, value: out.detach(value)),
        "Writer.set": in_step(lambda out, step, value: out.set(value, 1)),
        "Writer.set value": in_step(lambda out, step, value: out.set("a", value)),
        "Writer.attrs": in_step(lambda out, step, value: assign(out.attrs, value, 1)),
        "Writer.attrs value": in_step(lambda out, step, value: assign(out.attrs, "a", value)),
        "Writer.title": in_step(lambda out, step, value: setattr(out, "title", value)),
        "Writer.contents": in_step(lambda out, step, value: setattr(out, "contents", value)),
        "set": in_step(lambda out, step, value: step.set(value, 1)),
        "set value": in_step(lambda out, step, value: step.set("a", value)),
        "WriteStep.attrs": in_step(lambda out, step, value: assign(step.attrs, value, 1)),
        "WriteStep.attrs value": in_step(lambda out, step, value: assign(step.attrs, "a", value)),
        "WriteStep[]": in_step(lambda out, step, value: assign(step, value, x)),
        "WriteStep[] field": in_step(lambda out, step, value: assign(step, value, f)),
        "WriteStep[] value": in_step(lambda out, step, value: assign(step, "x", value)),
        "put": in_step(lambda out, step, value: step.put(value, x)),
        "put values": in_step(lambda out, step, value: step.put("x", value)),
        "put table": in_step(lambda out, step, value: step.put("x", x, table=value)),
        "put_table": in_step(lambda out, step, value: step.put_table(value)),
        "put_field": in_step(lambda out, step, value: step.put_field(value, f)),
        "put_field values": in_step(lambda out, step, value: step.put_field("f", value)),
        "rows": in_step(lambda out, step, value: step.rows(value)),
        "rows_at": in_step(lambda out, step, value: step.rows_at(value).put("x", np.zeros(1))),
        "rows_at total": in_step(lambda out, step, value: step.rows_at([0, 1], total=value).put("x", x)),
        "declare": in_step(lambda out, step, value: step.declare(value, "float64")),
        "declare type": in_step(lambda out, step, value: step.declare("x", value)),
        "string_bytes": in_step(lambda out, step, value: step.declare("x", "float64", string_bytes=value)),
        "declare_field": in_step(
            lambda out, step, value: step.declare_field(value, "float64", quire.Grid([2, 2]))
        ),
        "declare_field extents": in_step(
            lambda out, step, value: step.declare_field("f", "float64", quire.Grid(value))
        ),
        "declare_field box": in_step(
            lambda out, step, value: step.declare_field("f", "float64", quire.Grid([2], box=value))
        ),
        "put_elements": in_step(lambda out, step, value: step.put_elements(value)),
        "stream": in_step(lambda out, step, value: step.stream(value)),
    }
    for word in ("unit", "symbol", "description", "display"):
        calls[f"texts {word}"] = in_step(
            lambda out, step, value, word=word: step.put("x", x, quire.Texts(**{word: value}))  # type: ignore[misc]
        )
    for word in ("unit", "type"):
        calls[f"set {word}"] = in_step(lambda out, step, value, word=word: step.set("a", 1, **{word: value}))  # type: ignore[misc]
        calls[f"put {word}"] = in_step(lambda out, step, value, word=word: step.put("x", x, **{word: value}))  # type: ignore[misc]
    for word in ("extents", "start", "components", "box", "boxes", "origin", "spacing", "coordinates"):
        calls[f"put_field {word}"] = in_step(
            lambda out, step, value, word=word: step.put_field("f", f, quire.Grid(**{word: value}))  # type: ignore[misc]
        )
    for word in ("grid", "unit", "type", "group", "attributes"):
        calls[f"put_field {word}"] = in_step(
            lambda out, step, value, word=word: step.put_field("f", f, **{word: value})  # type: ignore[misc]
        )
    assert bare_errors(calls) == []


def test_hostile_reads(file_of_table: tuple[Path, str]) -> None:
    path, _ = file_of_table
    with quire.open(path) as file:
        step = file[0]
        table = step.table
        calls: dict[str, Call] = {
            "File[]": lambda value: file[value],
            "File.step": file.step,
            "File.salvage": file.salvage,
            "File.attrs": lambda value: file.attrs[value],
            "File.attrs.info": lambda value: file.attrs.info[value],
            "File.attachment": file.attachment,
            "Step[]": lambda value: step[value],
            "in Step": lambda value: operator.contains(step, value),
            "Step.attrs": lambda value: step.attrs[value],
            "Step.attrs.info": lambda value: step.attrs.info[value],
            "Step.tables": lambda value: step.tables[value],
            "Step.fields": lambda value: step.fields[value],
            "Table[]": lambda value: table[value],
            "in Table": lambda value: operator.contains(table, value),
            "Table.read": table.read,
            "Table.read rows": lambda value: table.read("x", rows=value),
            "Table.read out": lambda value: table.read(out=value),
            "Table.share": lambda value: table.share(0, value),
            "Table.blocks": table.blocks,
            "Table.blocks size": lambda value: table.blocks("x", value),
            "Table.blocks rows": lambda value: table.blocks("x", rows=value),
            "Table.plan": table.plan,
            "Table.rows_per_block": table.rows_per_block,
            "Table.where": lambda value: table.where(value).count(),
            "Column[]": lambda value: table["x"][value],
            "Column.read": table["x"].read,
            "Column.read out": lambda value: table["x"].read(out=value),
            "expression": quire.expression,
            "evaluate": lambda value: quire.expression("x > 0")(x=value),
        }
        assert bare_errors(calls) == []


def test_hostile_copies_and_boxes(file_of_table: tuple[Path, str], tmp_path: Path) -> None:
    path, format_name = file_of_table
    target = path_for(tmp_path, format_name, "copy")
    calls: dict[str, Call] = {
        "copy": lambda value: quire.copy(value, target, overwrite=True),
        "copy options": lambda value: quire.copy(path, target, overwrite=True, options=value),
        "copy to": lambda value: names_a_file(value) or quire.copy(path, value),
        "recover": recover,
        "recover to": lambda value: value is None or names_a_file(value) or recover(path, value),
        "disjoint_box": quire.disjoint_box,
        "disjoint_boxes": quire.disjoint_boxes,
        "require_disjoint": quire.require_disjoint,
        "grid_part": lambda value: quire.grid_part(value, [2], [3]),
        "grid_part grid": lambda value: quire.grid_part(0, value, value),
    }
    for word in ("format", "steps", "columns", "rows", "where", "table", "program", "transport", "no"):
        calls[f"copy {word}"] = lambda value, word=word: quire.copy(  # type: ignore[misc]
            path, target, **{"overwrite": True, word: value}
        )
    assert bare_errors(calls) == []


def test_rows_and_extents_that_no_file_holds_are_usage_errors(file_of_table: tuple[Path, str]) -> None:
    path, format_name = file_of_table

    def check(action: Callable[[quire.WriteStep], object]) -> None:
        with (
            pytest.raises(quire.UsageError, match="more than a file holds"),
            quire.create(path, format=format_name) as out,
            out.step(0) as step,
        ):
            action(step)

    for row in (2**57, 2**60, 2**62):
        check(lambda step, row=row: step.rows_at([row]).put("x", np.zeros(1)))  # type: ignore[misc]
    check(lambda step: step.rows_at([0], total=2**62).put("x", np.zeros(1)))
    for extent in (2**30, 2**40):
        grid = quire.Grid([extent, extent], [0, 0])
        check(lambda step, grid=grid: step.put_field("f", np.zeros((1, 1)), grid))  # type: ignore[misc]


def test_a_file_that_was_away_is_a_missing_file_though_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "back"
    path.write_bytes(b"")
    message = "cannot open: No such file or directory"
    error = errors.from_core("missing", f"{path}: {message}", message, str(path), "", None, None, "")
    assert isinstance(error, quire.MissingFileError)


def test_files_that_the_system_refuses_are_errors_of_the_family(tmp_path: Path, format_name: str) -> None:
    source = path_for(tmp_path, format_name)
    write_table(source, format_name, {"x": np.arange(3.0)})
    for call in (recover, quire.copy):
        with pytest.raises(quire.MissingFileError) as caught:
            call(source, path_for(tmp_path / "nowhere", format_name))
        assert caught.value.file
        assert caught.value.errno is not None
        with pytest.raises(quire.Error):
            call(source, tmp_path, overwrite=True)
        with pytest.raises(quire.Error):
            call(tmp_path, source, overwrite=True)


def raise_what_cannot_be_sent(comm: Any, path: str, format_name: str) -> str:
    try:
        with quire.create(path, comm, format_name, deadline=30) as out, out.step(0) as step:
            step.put("x", np.zeros(1))
            if comm.rank == 1:
                raise ValueError(SURROGATE)
    except ValueError:
        return "left"
    except quire.AbortedError as error:
        return str(error.rank)
    return "nothing"


@pytest.mark.mpi
def test_an_exception_of_any_text_frees_the_other_ranks(tmp_path: Path, format_name: str) -> None:
    path = str(path_for(tmp_path, format_name))
    assert run_ranks(raise_what_cannot_be_sent, 2, path, format_name) == ["1", "left"]


def open_between_two_groups(comm: Any, path: str, format_name: str) -> list[str]:
    from mpi4py import MPI

    group = comm.Split(comm.rank, 0)
    both = group.Create_intercomm(0, comm, 1 - comm.rank, 1)
    kinds = []
    for wrong in (both, MPI.COMM_NULL):
        for call in (quire.open, quire.create, quire.append, quire.repair, quire.finish_replacement):
            with pytest.raises(quire.UsageError) as error:
                call(path, wrong)
            assert error.value.file == path
            kinds.append(error.value.message.split()[1])
        with pytest.raises(quire.UsageError):
            quire.disjoint_box([slice(0, 1)], wrong)
        with pytest.raises(quire.UsageError):
            quire.copy(path, f"{path}.copy", comm=wrong, format=format_name)
    both.Free()
    group.Free()
    return kinds


@pytest.mark.mpi
def test_communicators_of_two_groups_and_of_none_are_refused(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    write_table(path, format_name, {"x": np.arange(3.0)})
    for kinds in run_ranks(open_between_two_groups, 2, str(path), format_name):
        assert kinds == ["intercommunicator"] * 5 + ["communicator"] * 5
