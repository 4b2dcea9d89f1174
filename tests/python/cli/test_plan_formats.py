"""quire plan and quire formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run, Values


@pytest.mark.parametrize("ranks", [1, 3, 7])
def test_the_plans_of_all_ranks_cover_all_values_once(
    run: Run, beam: Path, values: Values, ranks: int
) -> None:
    outcome = run("plan", beam, "--ranks", str(ranks), "--columns", "x", "--step", "4", "--json")
    assert outcome.code == 0
    plans = json.loads(outcome.output)["plans"]
    assert [one["rank"] for one in plans] == list(range(ranks))
    assert sum(one["count"] for one in plans) == 100
    size = beam.stat().st_size
    content = beam.read_bytes()
    for one in plans:
        assert all(e["length"] > 0 and e["offset"] + e["length"] <= size for e in one["extents"])
        held = b"".join(content[e["offset"] : e["offset"] + e["length"]] for e in one["extents"])
        first = values(4)["x"][one["first"]]
        assert first.tobytes() in held or first.byteswap().tobytes() in held


def test_rows_can_be_selected_or_be_empty_on_all_ranks(run: Run, beam: Path) -> None:
    plans = json.loads(run("plan", beam, "--ranks", "3", "--rows", "5:7", "--json").output)["plans"]
    assert [(one["first"], one["count"]) for one in plans] == [(5, 1), (6, 1), (7, 0)]
    assert plans[2]["extents"] == []


def test_the_default_output_is_a_table(run: Run, beam: Path) -> None:
    lines = run("plan", beam, "--ranks", "2").output.splitlines()
    assert lines[0].split()[:3] == ["step", "table", "rank"]
    assert len(lines) == 3


def test_invalid_requests_are_usage_errors_and_missing_names_exit_with_1(run: Run, beam: Path) -> None:
    assert run("plan", beam, "--ranks", "0").code == 2
    assert run("plan", beam, "--columns", "z").code == 1
    assert run("plan", beam, "--step", "77").code == 1


def test_every_format_is_listed_with_its_options(run: Run, format: str) -> None:
    from quire.io.formats import format_info

    info = format_info(format)
    text = run("formats").output
    assert f"{info.name}: {info.title}" in text
    for option in (*info.write_options, *info.read_options):
        assert option.name in text
    answer = json.loads(run("formats", "--json").output)
    common = {option["name"] for options in answer["every_format"].values() for option in options}
    assert {"compression", "compression_level", "unconfirmed"} <= common
    assert all(name in text for name in common)
    listed = {one["name"]: one for one in answer["formats"]}
    assert set(listed) == set(quire.formats())
    assert listed[format]["suffixes"] == list(info.suffixes)
    assert len(listed[format]["write_options"]) == len(info.write_options)


def test_numpy_integers_are_plain_in_json() -> None:
    from quire.toolkit.summary import plain

    assert json.dumps(plain(np.array([1, 2], dtype=np.uint64))) == "[1, 2]"
    assert plain(np.longdouble("0.1")) != "0.1"
    assert np.longdouble(plain(np.longdouble("0.1"))) == np.longdouble("0.1")
