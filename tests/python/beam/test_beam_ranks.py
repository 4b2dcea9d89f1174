"""Any number of ranks computes the same bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.python.beam.beams import gaussian, write
from tests.python.support.mpi import run_ranks

from quire.beam.request import BeamRequest
from quire.errors import Error
from quire.toolkit.beam import beams
from quire.toolkit.statistics import StatisticsRequest, statistics

ROWS = 70_000
"""Five blocks: some ranks read one, others two."""


def bits(comm: Any, path: str) -> dict[str, list[str]]:
    found = {}
    for where in (None, "x > 1e-3 and row > 20000"):
        for one in beams(path, BeamRequest(where=where, slices=10, robust=where is None), comm=comm):
            values = [*one.beam.values(), *(one.beam.slices["emittance_nx"] if one.beam.slices else ())]
            found[f"{where} {one.number}"] = [float(value).hex() for value in values]
        for step in statistics(path, StatisticsRequest(where=where, weight="q"), comm=comm):
            found[f"{where} columns {step.number}"] = [
                float(value).hex()
                for one in step.columns
                for value in (one.count, one.mean, one.sigma, one.maximum)
            ]
    return found


def failing(comm: Any, path: str) -> str:
    try:
        list(beams(path, BeamRequest(convention="astra"), comm=comm))
    except Error as error:
        return f"{type(error).__name__}: {error.message}"
    return ""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    steps = [gaussian(rows, rows) for rows in (ROWS, 100, 0)]
    weights = [{**one, "q": abs(one["x"]) + 1e-12} for one in steps]
    units = {name: "m" for name in "xyz"} | {f"p{name}": "#beta#gamma" for name in "xyz"} | {"q": "C"}
    return str(write(tmp_path_factory.mktemp("ranks") / "beam.h5", *weights, units=units))


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_change_no_bit(path: str, ranks: int) -> None:
    alone = bits(None, path)
    assert len(alone) == 12
    assert any("nan" not in value for value in alone["None 0"])
    for one in run_ranks(bits, ranks, path):
        assert one == alone


@pytest.mark.mpi
def test_an_error_is_raised_on_all_ranks(path: str) -> None:
    first, *others = run_ranks(failing, 3, path)
    assert first.startswith("UsageError: the convention astra needs columns that are missing")
    assert others == [first, first]


def test_a_file_yields_a_beam_for_each_step(path: str) -> None:
    found = list(beams(Path(path)))
    assert [(one.number, one.beam.particles) for one in found] == [(0, ROWS), (1, 100), (2, 0)]
    assert found[1].attrs["s"] == 0.5
    assert found[1].attrs.info["sigma_x"].unit == "m"
