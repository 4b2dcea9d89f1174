"""Steps in pieces in files of text, and pages that grow, through the Python layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quire
from quire.errors import ConflictError, TypeMismatchError, UsageError
from quire.toolkit import convert, share

ROWS = 1000


def values(step: int) -> dict[str, Any]:
    """Columns of a step."""
    rng = np.random.default_rng(step)
    texts = [f"row {row}!" * (row % 3) for row in range(ROWS)]
    return {"x": rng.normal(size=ROWS), "n": np.arange(ROWS, dtype=np.int32) - 7, "name": texts}


def write(path: Path, **options: Any) -> Path:
    """Three steps at once."""
    with quire.create(path, **options) as out:
        for number in range(3):
            with out.step(number) as step:
                step.set("s", 0.1 * number, unit="m")
                for name, column in values(number).items():
                    step.put(name, column)
    return path


@pytest.mark.parametrize(
    "options",
    [{"mode": "ascii"}, {"mode": "ascii", "canonical": True}, {"mode": "ascii", "lines_per_row": 2}],
    ids=lambda options: "_".join(options),
)
def test_blocks_write_the_bytes_of_whole_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    source = write(tmp_path / "source.sdds")
    whole = write(tmp_path / "whole.sdds", **options)
    for block in (1, 10_000, 1 << 24):
        monkeypatch.setattr(share, "BLOCK_BYTES", block)
        target = tmp_path / f"blocks{block}.sdds"
        convert.copy(source, target, options=options)
        assert target.read_bytes() == whole.read_bytes()


def declared(out: quire.Writer) -> quire.WriteStep:
    """A step that waits for its blocks."""
    return out.step(0).declare("x", "float64").rows(4)


def test_blocks_that_were_not_weighed_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "beam.sdds"
    block = {"x": np.array([1.0, 2.0])}
    with quire.create(path, mode="ascii") as out:
        step = declared(out)
        assert step.weighs_values
        step.weigh(block)
        with pytest.raises(UsageError, match="already weighed"):
            step.put("y", np.zeros(4))
        with pytest.raises(UsageError, match="not all rows were weighed"):
            step.open()
        step = declared(out)
        for _ in range(2):
            step.weigh(block)
        step.weigh(block)
        with pytest.raises(UsageError, match="beyond"):
            step.open()
        step = declared(out)
        step.weigh({"x": np.array([1, 2])}).weigh(block).open()
        step.write(0, {"x": np.array([1, 2])}).write(2, {"x": np.array([1.0, 2.12345])})
        with pytest.raises(UsageError, match="weighed"):
            step.commit()
        step = declared(out)
        step.weigh(block).weigh(block).open().write(0, block).write(2, block).commit()
    with quire.open(path) as file:
        np.testing.assert_array_equal(file[0]["x"][:], [1.0, 2.0, 1.0, 2.0])


def test_binary_steps_need_no_weighing(tmp_path: Path) -> None:
    with quire.create(tmp_path / "beam.sdds") as out:
        step = declared(out)
        assert not step.weighs_values
        step.open().write(0, {"x": np.arange(4.0)}).commit()


def test_values_that_do_not_convert_are_found_while_weighing(tmp_path: Path) -> None:
    with quire.create(tmp_path / "beam.sdds", mode="ascii") as out:
        step = out.step(0).declare("n", "int32").rows(2)
        step.weigh({"n": np.array([1.0, 2.5])})
        with pytest.raises(TypeMismatchError, match="row 1"):
            step.open()


@pytest.mark.parametrize("mode", ["binary", "ascii"])
def test_the_last_page_grows(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "log.sdds"
    with quire.create(path, mode=mode, fixed_row_count=2) as out:
        out.step(5).set("run", "A").put("t", [0.0]).put("note", ["begin"]).commit()
        for row in range(1, 6):
            out.step(5).put("t", [0.1 * row]).put("note", [f"row {row}"]).commit()
            with quire.open(path) as file:
                assert file.numbers == [5]
                assert len(file[0].table) == row + 1
        with pytest.raises(ConflictError):
            out.step(5).set("run", "B").put("t", [1.0]).put("note", [""]).commit()
    with quire.append(path, fixed_row_count=2) as out:
        out.step(5).put("t", [0.6]).put("note", ["later"]).commit()
        out.step(6).set("run", "B").put("t", [0.7]).put("note", ["end"]).commit()
    with quire.open(path) as file:
        np.testing.assert_allclose(file[0]["t"][:], 0.1 * np.arange(7), rtol=1e-15)
        assert list(file[0]["note"][:]) == ["begin", *(f"row {row}" for row in range(1, 6)), "later"]
        assert [step.attrs["run"] for step in file] == ["A", "B"]
