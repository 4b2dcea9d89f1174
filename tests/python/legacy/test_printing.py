"""Values as texts: many at once are printed as one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.legacy.support import run

import quire
from quire.errors import UsageError
from quire.legacy.printing import formatted, formatted_all, number_text, number_texts

RANDOM = np.random.default_rng(7)
FLOATS = [
    *RANDOM.normal(size=50) * 10.0 ** RANDOM.integers(-300, 300, 50),
    0.0,
    -0.0,
    np.nan,
    np.inf,
    -np.inf,
]
INTEGERS = [*RANDOM.integers(-(2**62), 2**62, 20).tolist(), 0, -1, 2**64 - 1]
TEXTS = ["a", "two words", "", 'a "quoted" word', "tab\there", "100 %", "ä\u2003b", "no-break\u00a0space"]


@pytest.mark.parametrize(
    ("form", "values"),
    [
        ("%15.8e", FLOATS),
        ("%.3lf m", FLOATS),
        ("%-12g|", [*FLOATS, *INTEGERS]),
        ("%ld", INTEGERS),
        ("100 %% of %5lld%%", INTEGERS),
        ("%u", [1, 2]),
        ("%x", [255]),
        ("%10s", [*TEXTS, *FLOATS, *INTEGERS]),
        ("%s", [np.float32(0.1), np.float64(0.1)]),
        ("%c", TEXTS),
    ],
)
def test_many_values_are_formatted_as_one_by_one(form: str, values: list[Any]) -> None:
    assert formatted_all(form, values) == [formatted(form, one) for one in values]


@pytest.mark.parametrize("form", ["%d", "%s %s", "none", "%y"])
def test_formats_that_do_not_fit_are_errors(form: str) -> None:
    with pytest.raises(UsageError, match=form):
        formatted_all(form, [1.0, np.nan])


@pytest.mark.parametrize("kind", ["float32", "float64", "float80", "int32", "uint64", "string"])
def test_all_digits_of_many_values_are_those_of_one(kind: str) -> None:
    given: dict[str, Any] = {
        "float32": np.array([*FLOATS[-5:], 0.1, 1e30], np.float32),
        "float64": np.array(FLOATS),
        "float80": np.array(FLOATS, np.longdouble),
        "int32": np.array([1, -5], np.int32),
        "uint64": np.array([0, 2**64 - 1], np.uint64),
        "string": np.array(TEXTS, object),
    }
    values = given[kind]
    assert number_texts(values, kind) == [number_text(one, kind) for one in values]
    widths = {"float32": "15.8e", "float64": "21.15e"}
    if kind in widths:
        assert number_texts(values, kind) == [f"{one:{widths[kind]}}" for one in values]


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A page with numbers that are not finite, integers, and texts with blanks."""
    path = tmp_path / "mixed.sdds"
    data = quire.sdds.DataSet()
    data.column("f", [np.array(FLOATS[-8:])])
    data.column("i", [np.array(INTEGERS[:8])])
    data.column("t", [TEXTS])
    data.column("s", [np.array([0.1, np.nan, 1, 2, 3, 4, 5, -np.inf], np.float32)], display="%8.2f")
    quire.sdds.save(data, path)
    return path


def test_rows_are_printed_value_by_value(mixed: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run("sdds2stream", mixed, "-col=f,t,i,s", r"-delimiter=\,")
    data = quire.sdds.load(mixed)
    columns = [data.columns[name].pages[0] for name in "ftis"]
    expected = ""
    for number, text, integer, short in zip(*columns, strict=True):
        is_quoted = not text or any(map(str.isspace, text))
        word = '"' + text.replace('"', '\\"') + '"' if is_quoted else text
        expected += f"{number:21.15e},{word},{integer},{short:8.2f}\n"
    assert capfd.readouterr().out == expected


def test_a_printout_is_aligned_value_by_value(mixed: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run("sddsprintout", mixed, "-col=f", "-col=t", "-col=i,format=%ld", "-noTitle", "-noLabels")
    data = quire.sdds.load(mixed)
    columns = [data.columns[name].pages[0] for name in "fti"]
    texts = [[f"{one:13.6e}", f"{text:>16}", str(number)] for one, text, number in zip(*columns, strict=True)]
    widths = [max(map(len, some)) for some in zip(*texts, strict=True)]
    lines = [" ".join(map(str.rjust, row, widths)) + "\n" for row in texts]
    assert capfd.readouterr().out == "".join([*lines, "\n"])
    run("sddsprintout", mixed, "-col=f,factor=2", "-col=t", "-spreadsheet=csv", "-noLabels")
    printed = capfd.readouterr().out.split("\n")
    assert printed[0] == f'{float(2 * FLOATS[-8])!r},"a"'
    assert printed[-2].startswith('-inf,"no-break')
