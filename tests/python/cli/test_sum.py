"""quire sum."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import quire
from quire.toolkit import checksum as engine
from quire.toolkit.checksum import hash_sum

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Start, Values


def sums(run: Run, *arguments: str | Path) -> list[dict[str, Any]]:
    """The output of the command for some files."""
    outcome = run("sum", "--json", *arguments)
    assert outcome.code == 0, outcome.errors
    files: list[dict[str, Any]] = json.loads(outcome.output)["files"]
    return files


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_formats_and_blocks_do_not_change_the_sum(
    run: Run, beam: Path, make: Make, other_format: str, monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    (expected,) = sums(run, beam)
    monkeypatch.setattr(engine, "BLOCK_BYTES", block_bytes)
    (found,) = sums(run, make(other_format, "other"))
    assert found["sum"] == expected["sum"]
    assert [step["tables"][0]["columns"] for step in found["steps"]] == [
        step["tables"][0]["columns"] for step in expected["steps"]
    ]


def test_the_order_of_rows_does_not_change_the_sum(run: Run, make: Make, format: str, values: Values) -> None:
    columns = values(1)
    order = np.random.default_rng(5).permutation(100)
    shuffled = {name: column[order] for name, column in columns.items()}
    left = make(format, "left", numbers=[1])
    (a,) = sums(run, left)
    (b,) = sums(run, make(format, "right", numbers=[1], **shuffled))
    assert a["sum"] == b["sum"]
    # One column alone in another order: the same values, other rows.
    (c,) = sums(run, make(format, "mixed", numbers=[1], x=shuffled["x"]))
    assert c["steps"][0]["tables"][0]["columns"] == a["steps"][0]["tables"][0]["columns"]
    assert c["steps"][0]["tables"][0]["sum"] != a["steps"][0]["tables"][0]["sum"]
    assert c["sum"] != a["sum"]


def test_one_bit_changes_the_sum(run: Run, make: Make, format: str, values: Values) -> None:
    changed = values(1)["x"].copy()
    changed[3] = np.nextafter(changed[3], 1)
    (a,) = sums(run, make(format, "left", numbers=[1]))
    (b,) = sums(run, make(format, "right", numbers=[1], x=changed))
    assert a["sum"] != b["sum"]


def test_rows_are_hashed_as_canonical_bytes() -> None:
    x = np.array([1.5, -2.0])
    name = np.array(["a", "\udcff\u20ac"], dtype=object)
    rows = [
        struct.pack("<dQ", 1.5, 1) + b"a",
        struct.pack("<dQ", -2.0, 4) + b"\xff\xe2\x82\xac",
    ]
    expected = sum(hash_sum([np.frombuffer(row, dtype=f"S{len(row)}")]) for row in rows) % 2**64
    assert hash_sum([x, name]) == expected
    # The same values stored in the other byte order.
    assert hash_sum([x.astype(">f8"), name]) == expected


def test_padding_of_longdouble_is_not_hashed() -> None:
    left = np.zeros(2, dtype=np.longdouble)
    right = np.zeros(2, dtype=np.longdouble)
    right.view(np.uint8).reshape(2, 16)[:, 10:] = 255
    assert hash_sum([left]) == hash_sum([right])


def test_the_output_is_one_line_per_file(run: Run, beam: Path) -> None:
    (answer,) = sums(run, beam)
    assert run("sum", beam).output == f"{answer['sum']}  {beam}\n"
    assert answer["steps"][0]["tables"][0]["columns"]["x"] in run("sum", "--details", beam).output


def test_columns_and_steps_can_be_chosen(run: Run, beam: Path) -> None:
    (answer,) = sums(run, "--columns", "x", "--steps", "4", beam)
    assert [step["number"] for step in answer["steps"]] == [4]
    assert list(answer["steps"][0]["tables"][0]["columns"]) == ["x"]
    assert run("sum", "--columns", "z", beam).code == 1


def test_sums_of_fields_depend_on_positions(run: Run, format: str, tmp_path: Path) -> None:
    found = []
    for name, values in (("a", [1.0, 2.0, 3.0]), ("b", [2.0, 1.0, 3.0]), ("c", [1.0, 2.0, 3.0])):
        path = tmp_path / name
        with quire.create(path, format=format) as out, out.step(1) as step:
            step.put_field("phi", np.array(values))
        found.append(sums(run, path)[0]["steps"][0]["fields"]["phi"])
    assert found[0] == found[2] != found[1]


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3])
def test_any_number_of_ranks_gives_the_same_sum(start: Start, run: Run, beam: Path, ranks: int) -> None:
    done = start("sum", beam, ranks=ranks)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode() == run("sum", beam).output


def test_standard_input_has_the_exit_codes_of_a_file(start: Start, one_beam: Path) -> None:
    done = start("sum", "-", "--steps", "99", stdin=one_beam.read_bytes())
    assert done.returncode == start("sum", one_beam, "--steps", "99").returncode == 1
    assert done.stderr.startswith(b"quire: standard input: no step has one of these numbers;")
