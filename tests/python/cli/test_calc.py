"""quire calc."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["1 / 3"], "0.3333333333333333"),
        (["--format", "%.15lg", "1 / 3"], "0.333333333333333"),
        (["--", "-2 ** 2"], "-4.0"),
        (["c_light"], "299792458.0"),
        (["--unit", "c_light / 2"], "m/s"),
        (["rpn: 3 sqr 4 sqr + sqrt"], "5.0"),
        (["3 > 2"], "1"),
        (['where(3 > 2, "yes", "no")'], "yes"),
    ],
)
def test_the_value_is_printed(run: Run, words: list[str], text: str) -> None:
    outcome = run("calc", *words)
    assert (outcome.code, outcome.output) == (0, f"{text}\n"), outcome.errors


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["1 / 0"], 2, "'1 / 0' is inf"),
        (["log(-1)"], 2, "is nan"),
        (["x + 1"], 1, '"x"'),
        (["row"], 2, "for each row"),
        (["max(2)"], 1, "no table"),
        (["1 +"], 2, "1 +"),
        (["1", "--format", "%q"], 2, "'%q' is not a format"),
    ],
)
def test_what_has_no_value_is_an_error(run: Run, words: list[str], code: int, message: str) -> None:
    outcome = run("calc", *words)
    assert (outcome.code, outcome.output) == (code, "")
    assert message in outcome.errors
