"""rpnl: a calculator for scripts."""

from __future__ import annotations

import io
import math
from pathlib import Path

import pytest

from quire.legacy.running import main

DEFINITIONS = "/* twice\n\nudf\ntwice\n2 *\n\nudf\nmult\n*\n\n7 sto seven\n"


def printed(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    assert main("rpnl", words) == 0
    return capfd.readouterr().out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 sqrt", math.sqrt(2)),
        ("-1 abs", 1),
        ("pi 6 / sin 20 mult", 10),
        ("1 2 < pop pop ? 5 : 6 $", 5),
        ("3 sto a a *", 9),
        ("1,2;3 + +", 6),
        ("mev", 0.51099906),
        ("1 0 atan2", 0),
        ("-7 2 mod", 1),
        ('"abc" strlen', 3),
    ],
)
def test_the_top_of_the_stack_is_printed(
    text: str, expected: float, capfd: pytest.CaptureFixture[str]
) -> None:
    assert printed(capfd, *text.split()) == printed(capfd, text)
    assert float(printed(capfd, text)) == pytest.approx(expected, rel=1e-14)


def test_numbers_have_15_digits_or_the_format_of_the_variable(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert printed(capfd, "1", "3", "/") == "0.333333333333333\n"
    monkeypatch.setenv("RPNL_FORMAT", "%21.15le")
    assert printed(capfd, "1", "3", "/") == "3.333333333333333e-01\n"
    monkeypatch.setenv("RPNL_FORMAT", "%ld")
    assert printed(capfd, "2", "3", "+") == "5\n"


def test_conditions_are_printed_by_test(capfd: pytest.CaptureFixture[str]) -> None:
    assert printed(capfd, "1", "2", "<", "test") == "true\n"
    assert printed(capfd, "1 2 < 3 2 < && test") == "false\n"


def test_random_numbers_differ(capfd: pytest.CaptureFixture[str]) -> None:
    found = [float(printed(capfd, "rnd rnd -")) for _ in range(3)]
    assert len(set(found)) == 3
    assert all(0 < abs(one) < 1 for one in found)
    assert printed(capfd, "grnd") != printed(capfd, "grnd")


def test_the_expression_may_come_from_standard_input(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("5 +\n2 *\n"))
    assert printed(capfd, "-s", "1") == "12\n"


def test_own_functions_are_read_from_the_file_of_the_variable(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rpn.defns"
    path.write_text(DEFINITIONS)
    monkeypatch.setenv("RPN_DEFNS", str(path))
    assert printed(capfd, "3 twice seven mult") == "42\n"
    assert printed(capfd, "2", "--explain") == ("quire calc --format %.15lg -- 'rpn-1986: 2'\n")
    assert f"--rpn-definitions {path}" in printed(capfd, "3 twice", "--explain")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 /", "is inf, and no finite number"),
        ("0 1 - ln", "is nan"),
        ("1 +", "+ needs 2 numbers, and the stack has 1"),
        ("foo", '"foo"'),
        ("1 2 <", "write test"),
        ("", "an expression is missing"),
        ("1 2 pop pop", "leaves no value"),
        ("0 simpson", "simpson cannot be translated"),
        ('"a', "no closing"),
    ],
)
def test_errors_print_nothing_and_fail(text: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main("rpnl", [text]) == 1
    captured = capfd.readouterr()
    assert captured.out == ""
    assert message in captured.err
