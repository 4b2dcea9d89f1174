"""Several ranks: one file, any number of readers, and errors that free everybody."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for, refusal, same, sample_columns, step_formats, write_table
from tests.python.support.mpi import run_ranks

import quire
from quire.io.formats import format_infos, transports
from quire.io.refusal import agreed

pytestmark = pytest.mark.mpi
ROWS = 1001


def part_of(rank: int, size: int, rows: int = ROWS) -> slice:
    """Return uneven rows: rank 0 of several has nothing."""
    edges = [0, 0] + [rows * (rank + 1) // (size - 1) for rank in range(size - 1)] if size > 1 else [0, rows]
    return slice(edges[rank], edges[rank + 1])


def write_parts(comm: Any, path: str, format_name: str, transport: str) -> list[int]:
    columns = sample_columns(ROWS)
    mine = part_of(comm.rank, comm.size)
    with quire.create(path, comm, format_name, transport, deadline=30) as out:
        out.attrs["code"] = "test"
        assert (out.rank, out.size, out.comm) == (comm.rank, comm.size, comm)
        for number in (1, 5):
            with out.step(number) as step:
                step.set("time", 0.5 * number, unit="s")
                for name, values in columns.items():
                    step.put(name, (values * number).astype(values.dtype)[mine])
    with quire.open(path, comm, transport=transport, deadline=30) as file:
        assert file.numbers == [1, 5]
        for number, opened in zip((1, 5), file, strict=True):
            assert opened.attrs["time"] == 0.5 * number
            table = opened.table
            share = table.share(comm.rank, comm.size)
            read = table.read(rows=share)
            for name, values in columns.items():
                assert same(read[name], (values * number).astype(values.dtype)[share]), name
        assert (file.rank, file.size) == (comm.rank, comm.size)
        assert ("rank" in repr(file)) is (comm.size > 1)
        return [share.start, share.stop]


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_parts_become_one_file(tmp_path: Path, format_name: str, ranks: int) -> None:
    path = path_for(tmp_path, format_name)
    shares = run_ranks(write_parts, ranks, str(path), format_name, "posix")
    assert shares[0][0] == 0
    assert shares[-1][1] == ROWS
    alone = path_for(tmp_path, format_name, "alone")
    columns = sample_columns(ROWS)
    with quire.create(alone, format=format_name) as out:
        out.attrs["code"] = "test"
        for number in (1, 5):
            with out.step(number) as step:
                step.set("time", 0.5 * number, unit="s")
                for name, values in columns.items():
                    step.put(name, (values * number).astype(values.dtype))
    assert path.read_bytes() == alone.read_bytes(), "the bytes do not depend on the number of ranks"


@pytest.mark.parametrize("transport", [name for name in transports() if name != "posix"])
def test_other_transports(tmp_path: Path, format_name: str, transport: str) -> None:
    run_ranks(write_parts, 2, str(path_for(tmp_path, format_name)), format_name, transport)


def one_rank_raises(comm: Any, path: str, format_name: str, where: str) -> str:
    """Write a good step, then one in which rank 1 fails; return what this rank raises."""
    raised = ""
    try:
        with quire.create(path, comm, format_name, deadline=20) as out:
            with out.step(0) as step:
                step.put("x", np.arange(3))
            if where == "between" and comm.rank == 1:
                raise ZeroDivisionError("between the steps")
            with out.step(1) as step:
                values = np.array([0.1, 0.2]) if where == "type" and comm.rank == 1 else np.arange(2)
                step.put("x", values, type="int64")
                if where == "inside" and comm.rank == 1:
                    raise ZeroDivisionError("inside the step")
                if where == "interrupt" and comm.rank == 1:
                    raise KeyboardInterrupt
    except (quire.Error, ZeroDivisionError, KeyboardInterrupt) as error:
        raised = f"{type(error).__name__}: {error}"
    with quire.open(path, comm, deadline=20) as file:
        assert file.numbers == [0]
        assert len(file[0].table) == 3 * comm.size
    return raised


WRONG_WAYS: dict[str, dict[str, Any]] = {
    "lossy must be True or False, not 'yes'": {"lossy": "yes"},
    "tolerant must be True or False, not 1": {"tolerant": 1},
    "a deadline cannot be 0 seconds": {"deadline": 0},
    "a deadline must be a number of seconds, not a str": {"deadline": "1"},
    "option some is a float": {"some": 1.5},
    "format must be a string, not a int": {"format": 3},
    "transport must be a string, not a NoneType": {"transport": None},
}
WRONG_WAYS_TO_WRITE: dict[str, dict[str, Any]] = {
    **{reason: wrong for reason, wrong in WRONG_WAYS.items() if "tolerant" not in wrong},
    "durable must be True or False, not 'no'": {"durable": "no"},
}
WRONG_WAYS_TO_APPEND: dict[str, dict[str, Any]] = {
    **WRONG_WAYS_TO_WRITE,
    "later cannot be 'never'": {"after": quire.After(0, "never")},  # type: ignore[arg-type]
    "the number of a step must be an integer, not a float": {"after": 0.5},
    f"{2**63} is not a number of a step": {"after": 2**63},
}


def write_as_one_rank_cannot(comm: Any, path: str, format_name: str, own_rank: int) -> list[str]:
    """Make and continue a file in ways that are wrong on one rank; return what this rank raises."""
    raised = []

    def attempt(way: Any, wrong: dict[str, Any]) -> None:
        given = {"format": format_name, "deadline": 20} | (wrong if comm.rank == own_rank else {})
        try:
            way(path, comm, **given)
        except quire.Error as error:
            raised.append(f"{type(error).__name__}: {error}")

    for wrong in WRONG_WAYS_TO_WRITE.values():
        attempt(quire.create, wrong)
    yes: Any = np.True_
    out = quire.create(path, comm, format_name, lossy=yes, durable=yes, deadline=float("inf"))
    with out, out.step(0) as step:
        step.put("x", np.arange(3))
    for wrong in WRONG_WAYS_TO_APPEND.values():
        attempt(quire.append, wrong)
    with quire.open(path, comm) as file:
        assert file.numbers == [0]
    return raised


def test_wrong_arguments_for_writing_on_one_rank_are_raised_on_all(tmp_path: Path) -> None:
    format_name = step_formats()[0]
    reasons = [*WRONG_WAYS_TO_WRITE, *WRONG_WAYS_TO_APPEND]
    for own_rank in (0, 1):
        path = path_for(tmp_path, format_name, f"of_{own_rank}")
        for raised in run_ranks(write_as_one_rank_cannot, 2, str(path), format_name, own_rank):
            assert len(raised) == len(reasons)
            for text, reason in zip(raised, reasons, strict=True):
                assert text.startswith(("UsageError: ", "TypeMismatchError: "))
                assert f"{path}: {reason}" in text
                assert f"[rank {own_rank}]" in text


def name_a_file_wrongly(comm: Any, path: str, format_name: str) -> str:
    """Make a file that one rank gives an attribute without a type; return what this rank raises."""
    try:
        with quire.create(path, comm, format_name, deadline=20) as out:
            out.attrs["code"] = object() if comm.rank == 1 else "test"
            with out.step(0) as step:
                step.put("x", np.arange(3))
    except quire.Error as error:
        return type(error).__name__
    return ""


def test_a_wrong_attribute_on_one_rank_keeps_no_other_waiting(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    raised = run_ranks(name_a_file_wrongly, 2, str(path), format_name)
    assert raised == ["AbortedError", "TypeMismatchError"]


def open_as_one_rank_cannot(comm: Any, path: str) -> list[str]:
    """Open a file in ways that are wrong on rank 1 alone, then rightly; return what this rank raises."""
    raised = []
    for wrong in WRONG_WAYS.values():
        try:
            quire.open(path, comm, **({"deadline": 20} | (wrong if comm.rank == 1 else {})))
        except quire.Error as error:
            raised.append(f"{type(error).__name__}: {error}")
    of_numpy: dict[str, Any] = {"lossy": np.True_, "tolerant": np.bool_(comm.rank == 1)}
    with quire.open(path, comm, deadline=20, **of_numpy) as file:
        assert file.numbers == [0]
    return raised


def test_wrong_arguments_for_opening_on_one_rank_are_raised_on_all(tmp_path: Path) -> None:
    format_name = step_formats()[0]
    path = path_for(tmp_path, format_name)
    write_table(path, format_name, {"x": np.arange(3)})
    for raised in run_ranks(open_as_one_rank_cannot, 3, str(path)):
        assert len(raised) == len(WRONG_WAYS)
        for text, reason in zip(raised, WRONG_WAYS, strict=True):
            assert text.startswith(("UsageError: ", "TypeMismatchError: "))
            assert f"{path}: {reason}" in text
            assert "[rank 1]" in text


FAILURES = {
    "inside": "ZeroDivisionError",
    "between": "ZeroDivisionError",
    "type": "TypeMismatchError",
    "interrupt": "KeyboardInterrupt",
}


def each_way_of_raising(comm: Any, path: str, format_name: str) -> dict[str, str]:
    return {where: one_rank_raises(comm, path, format_name, where) for where in FAILURES}


def test_an_exception_on_one_rank_frees_the_others(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    first, second, third = run_ranks(each_way_of_raising, 3, str(path), format_name)
    for where, own in FAILURES.items():
        assert second[where].startswith(f"{own}: ")
        for others in (first, third):
            assert others[where].startswith("AbortedError: ")
    assert "inside the step" in first["inside"]
    # The error names the rank that left the file, although it was between two steps.
    assert "between the steps" in first["between"]
    assert "rank 1" in third["between"]
    assert "0.1 of row 0" in third["type"]


def one_rank_closes_early(comm: Any, path: str, format_name: str, early: int) -> str:
    """Close a file on one rank and ask it for its steps on the others; return what this rank raises."""
    with quire.create(path, comm, format_name) as out, out.step(0) as step:
        step.put("x", np.arange(3))
    file = quire.open(path, comm, deadline=2)
    try:
        if comm.rank != early:
            assert file.numbers == [0]
        return ""
    except quire.Error as error:
        return type(error).__name__
    finally:
        file.close()


def test_a_rank_that_closes_early_is_waited_for_until_the_deadline(tmp_path: Path, format_name: str) -> None:
    """A rank that closes does not wait for others: this and the errors of the others are documented."""
    path = str(path_for(tmp_path, format_name))
    raised = run_ranks(one_rank_closes_early, 2, path, format_name, 0, time_limit=40)
    assert raised == ["", "DeadlineError"]


def columns_differ(comm: Any, path: str, format_name: str) -> str:
    try:
        with quire.create(path, comm, format_name, deadline=20) as out, out.step(0) as step:
            step.put("x", np.zeros(2))
            if comm.rank == 1:
                step.put("y", np.zeros(2))
    except quire.ConflictError as error:
        return f"{error.rank} {error.object}"
    return "nothing"


def test_ranks_with_other_columns(tmp_path: Path, format_name: str) -> None:
    raised = run_ranks(columns_differ, 2, str(path_for(tmp_path, format_name)), format_name)
    assert raised == ["1 y", "1 y"]


def open_differently(comm: Any, folder: str, format_name: str) -> list[str]:
    own = Path(folder, f"own{comm.rank}")
    write_table(own, format_name, {"x": np.full(comm.rank + 1, comm.rank)})
    half = comm.Split(comm.rank % 2, comm.rank)
    shared = Path(folder, f"half{comm.rank % 2}")
    with (
        quire.create(shared, half, format_name, deadline=20) as out,
        quire.open(own, quire.SELF, deadline=20) as alone,
        out.step(0) as step,
    ):
        step.put("x", alone[0]["x"][:])
    with quire.open(shared, half, deadline=20) as file:
        values = file[0]["x"][:].tolist()
    half.Free()
    raised = [str(values)]
    for action in (
        lambda: quire.open(Path(folder, "absent"), comm, deadline=20),
        lambda: quire.create(Path(folder, "no-suffix"), comm, deadline=20),
        lambda: quire.open(own, "world"),
    ):
        try:
            action()
        except quire.Error as error:
            raised.append(type(error).__name__)
    return raised


def test_files_on_communicators_of_their_own(tmp_path: Path, format_name: str) -> None:
    results = run_ranks(open_differently, 4, str(tmp_path), format_name)
    errors = ["MissingFileError", "UsageError", "TypeMismatchError"]
    assert results == [
        ["[0, 2, 2, 2]", *errors],
        ["[1, 1, 3, 3, 3, 3]", *errors],
        ["[0, 2, 2, 2]", *errors],
        ["[1, 1, 3, 3, 3, 3]", *errors],
    ]


def write_boxes(comm: Any, path: str, format_name: str) -> None:
    values = np.arange(5.0 * 4 * 2).reshape(5, 4, 2)
    mine = slice(5 * comm.rank // comm.size, 5 * (comm.rank + 1) // comm.size)
    with quire.create(path, comm, format_name, deadline=20) as out, out.step(0) as step:
        step.put_field("e", values[mine, :, 0], quire.Grid((5, 4), (mine.start, 0)), unit="V/m")
        step.put("x", np.zeros(1))
    with quire.open(path, comm, deadline=20) as file:
        field = file[0].fields["e"]
        # A format may keep it with axes of one element in front.
        assert same(field[..., comm.rank].reshape(5), values[:, comm.rank, 0])
        assert same(field[...].reshape(5, 4), values[..., 0])


def refused_boxes(comm: Any, path: str, format_name: str) -> bool:
    return refusal(lambda: write_boxes(comm, path, format_name)) is not None


def test_boxes_of_a_field(tmp_path: Path, format_name: str) -> None:
    refused = run_ranks(refused_boxes, 3, str(path_for(tmp_path, format_name)), format_name)
    assert len(set(refused)) == 1


def boxes_that_do_not_fit(comm: Any) -> list[str]:
    raised = []
    for odd in (np.s_[0:2, 0:2], np.s_[0:2:2, 0:2, 0:2], 7):
        box: Any = odd if comm.rank == 1 else np.s_[comm.rank : comm.rank + 1, 0:2, 0:2]
        for function in (quire.disjoint_box, quire.require_disjoint):
            try:
                function(box, comm)
            except quire.UsageError as error:
                raised.append(error.args[0])
    line = slice(2 * comm.rank, 2 * comm.rank + 3)
    assert quire.disjoint_box(line, comm)[0].stop <= line.stop
    return raised


def test_ranks_whose_boxes_do_not_fit_are_named(tmp_path: Path) -> None:
    for raised in run_ranks(boxes_that_do_not_fit, 3):
        assert len(raised) == 6
        assert "axes" in raised[0]


def leaves_files_open(comm: Any, path: str, format_name: str) -> int:
    with quire.create(path, comm, format_name) as out, out.step(0) as step:
        step.put("x", np.zeros(2))
    kept = quire.open(path, comm)
    # It is not released before MPI is finalised.
    sys.modules["kept"] = kept  # type: ignore[assignment]
    return len(kept)


def test_programs_may_end_with_open_files(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    assert run_ranks(leaves_files_open, 2, str(path), format_name) == [1, 1]


def write_texts(comm: Any, path: str, format_name: str) -> None:
    with quire.create(path, comm, format_name, deadline=20) as out, out.step(0) as step:
        texts = [f"{comm.rank}-{i}" * i for i in range(comm.rank * 3)]
        step.put("name", texts, type="string")


def refused_texts(comm: Any, path: str, format_name: str) -> bool:
    return refusal(lambda: write_texts(comm, path, format_name)) is not None


def test_strings_of_uneven_ranks(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    refused = run_ranks(refused_texts, 3, str(path), format_name)
    assert len(set(refused)) == 1
    if refused[0]:
        return
    wanted = [f"{rank}-{i}" * i for rank in range(3) for i in range(rank * 3)]
    with quire.open(path) as file:
        assert file[0]["name"][:].tolist() == wanted


def wrong_world(comm: Any) -> None:
    raise ValueError("seen by the caller")


def test_failures_of_ranks_are_seen(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="seen by the caller"):
        run_ranks(wrong_world, 2)


def hangs(comm: Any) -> None:
    if comm.rank == 0:
        comm.Barrier()
    else:
        import time

        time.sleep(600)


def test_hanging_ranks_are_ended() -> None:
    with pytest.raises(AssertionError, match="did not end within"):
        run_ranks(hangs, 2, time_limit=3)


def test_serial_programs_do_not_load_mpi4py(tmp_path: Path, format_name: str) -> None:
    program = (
        "import sys, numpy, quire\n"
        "with quire.create(sys.argv[1], format=sys.argv[2]) as out, out.step(0) as step:\n"
        "    step.put('x', numpy.arange(4.0))\n"
        "with quire.open(sys.argv[1]) as file:\n"
        "    assert (file.comm, file.rank, file.size) == (None, 0, 1)\n"
        "    print(file[0]['x'][:].tolist(), 'mpi4py' in sys.modules)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(path_for(tmp_path, format_name)), format_name],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.stdout == "[0.0, 1.0, 2.0, 3.0] False\n", run.stderr


def attach_together(comm: Any, path: str, format_name: str, holds: bool) -> None:
    with quire.create(path, comm, format_name, deadline=30) as out:
        # Only rank 0 has the bytes; all ranks learn whether they were taken.
        content = b"of rank 0" if comm.rank == 0 else None
        if not holds:
            with pytest.raises(quire.UnsupportedError):
                out.attach("run.in", content)
        else:
            out.attach("run.in", content)
            with pytest.raises(quire.ConflictError):
                out.attach("run.in", content)
        with out.step(0) as step:
            step.put("x", np.arange(3.0))
        if holds:
            out.attach("late", b"at close" if comm.rank == 0 else None)
    with quire.open(path, comm, deadline=30) as file:
        assert file[0]["x"][:].shape == (3 * comm.size,)
        assert dict(file.attachments) == ({"late": 8, "run.in": 9} if holds else {})
        if holds:
            assert file.attachment("run.in") == b"of rank 0"
            with pytest.raises(quire.MissingError):
                file.attachment("none")


def test_files_are_attached_by_all_ranks_together(tmp_path: Path, format_name: str) -> None:
    (holds,) = [info.holds_attachments for info in format_infos() if info.name == format_name]
    run_ranks(attach_together, 3, str(path_for(tmp_path, format_name)), format_name, holds)


def refuse_few_rows(comm: Any, path: str) -> str:
    def computed() -> int:
        if comm.rank == 1:
            raise quire.DataError("too few rows", file=path)
        return 0

    with quire.open(path, comm, deadline=30) as file, pytest.raises(quire.ConflictError) as caught:
        agreed(file._communicator, "compute", computed)
    return str(caught.value)


def test_all_ranks_raise_if_the_data_of_one_do_not_suffice(tmp_path: Path) -> None:
    path = path_for(tmp_path, quire.formats()[0])
    write_table(path, quire.formats()[0], sample_columns(5))
    assert run_ranks(refuse_few_rows, 2, str(path)) == [f"{path}: too few rows [rank 1]"] * 2
