"""With an index every command with a condition reads only blocks of rows that can match; answers stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.cli.conftest import Run
from tests.python.support.files import path_for, step_formats

import quire
from quire.io import histograms
from quire.io.sidecar import BLOCK_ROWS
from quire.toolkit import binning

BLOCKS = 40
CONDITION = "x < 0.01 or x > 0.99"

COMMANDS = [
    "query IN COND",
    "query IN COND --ids",
    "stats IN --where COND",
    "stats IN --columns y --weight w --where COND",
    "get IN y --where COND --index 0",
    "show IN --where COND",
    "sum IN --where COND",
    "filter IN OUT COND",
    "convert IN OUT --where COND",
    "export IN OUT.csv --where COND",
    "select IN OUT y --where COND",
    "sort IN OUT y --where COND",
    "hist IN OUT y --where COND",
    "hist IN OUT y --weight w --where COND",
    "hist IN OUT y w --joint --where COND",
    "run IN / define r=hypot(y,w) / filter COND / hist r / write OUT",
    "run IN / filter COND / define r=hypot(y,w) / hist r / write OUT",
    "track IN OUT --where COND",
    "plot IN OUT.svg --histogram y --data OUT.csv --where COND",
    "plot IN OUT.svg --histogram y,w --data OUT.csv --where COND",
    "plot IN OUT.svg --histogram hypot(y,w) --data OUT.csv --where COND",
    "plot IN OUT.svg -x y -y w --data OUT.csv --where COND",
    "plot IN OUT.svg -x y -y hypot(y,w) --data OUT.csv --where COND",
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two steps, whose rows are in increasing order of x."""
    path = path_for(tmp_path, step_formats()[0])
    rows = BLOCKS * BLOCK_ROWS
    random = np.random.default_rng(1)
    with quire.create(path) as out:
        for number in (0, 5):
            with out.step(number) as step:
                step.put("x", np.arange(rows) / rows)
                for name in "yw":
                    step.put(name, random.normal(size=rows))
                step.put("id", np.arange(rows))
    return path


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes that are read of each file that is closed from then on."""
    found: list[int] = []
    close = quire.File.close

    def noted(self: quire.File) -> None:
        found.append(self.counters.bytes_read)
        close(self)

    monkeypatch.setattr(quire.File, "close", noted)
    return found


def result_of(run: Run, command: str, source: Path, target: Path) -> Any:
    """What a command prints and writes."""
    places = {"IN": str(source), "COND": CONDITION, "OUT": str(target)}
    places |= {f"OUT.{suffix}": str(target.with_suffix(f".{suffix}")) for suffix in ("csv", "svg")}
    outcome = run(*(places.get(word, word) for word in command.split()))
    assert outcome.code == 0, outcome.errors
    written = [one for one in (target, target.with_suffix(".csv")) if one.exists()]
    found = outcome.output, [one.read_bytes() for one in written]
    for one in (*written, target.with_suffix(".svg")):
        one.unlink(missing_ok=True)
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_read_blocks_that_can_match(run: Run, source: Path, read: list[int], command: str) -> None:
    target = source.with_stem("out")
    expected = result_of(run, command, source, target)
    whole = max(read)
    read.clear()
    quire.build_index(source)
    read.clear()
    assert result_of(run, command, source, target) == expected
    assert max(read) < whole / 5, (max(read), whole)


def test_bins_between_limits_of_the_index_need_one_pass(
    run: Run, source: Path, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (histograms, binning):
        monkeypatch.setattr(module, "KEPT_BYTES", 0)
    target = source.with_stem("out")
    one_pass = 4 * 8 * 2 * BLOCKS * BLOCK_ROWS  # this format stores row after row
    for command in ("hist IN OUT y", "plot IN OUT.svg --histogram y --data OUT.csv"):
        found = []
        for passes in (2, 1):
            quire.remove_index(source)
            if passes == 1:
                quire.build_index(source)
            read.clear()
            found.append(result_of(run, command, source, target))
            assert 1 <= max(read) / one_pass / passes < 1.1, (command, passes)
        assert found[0] == found[1]
