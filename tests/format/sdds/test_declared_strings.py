"""The strings of a step in pieces must have exactly the declared size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import quire

WORDS = ["a", "bbb", "cc", "dddd"]
LENGTHS = [1.0, 3.0, 2.0, 4.0]


def write(out: quire.Writer, number: int, string_bytes: int, blocks: list[slice]) -> None:
    step = out.step(number).rows(len(WORDS)).declare("t", "string", string_bytes=string_bytes)
    step.declare("x", "float64")
    if step.weighs_values:
        step.weigh({"t": WORDS, "x": LENGTHS})
    step.open()
    for block in blocks:
        step.write(block.start, {"t": WORDS[block], "x": LENGTHS[block]})
    step.commit()


@pytest.mark.parametrize(
    "options", [{}, {"major_order": "column"}, {"mode": "ascii"}], ids=["row", "column", "ascii"]
)
def test_wrong_sizes_and_wrong_order_are_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "strings.sdds"
    first, last = slice(0, 2), slice(2, 4)
    with quire.create(path, **options) as out:
        write(out, 0, 10, [first, last])
        for wrong in ([last, first], [first, first], [first], []):
            with pytest.raises(quire.UsageError, match=r"in order|not all rows"):
                write(out, 1, 10, wrong)
        if "mode" not in options:
            with pytest.raises(quire.UsageError, match="2 bytes less than was declared"):
                write(out, 1, 12, [first, last])
            with pytest.raises(quire.UsageError, match="2 bytes more than was declared"):
                write(out, 1, 8, [first, last])
        write(out, 2, 10, [first, last])
    with quire.open(path) as file:
        assert file.numbers == [0, 2]
        assert file.check().whole_steps == 2
        for step in file:
            assert [*step["t"][:]] == WORDS
            assert [*step["x"][:]] == LENGTHS
