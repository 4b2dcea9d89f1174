"""sdds2stream: values as text for shells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.python.legacy.support import X, Y, write_table

from quire.legacy.running import main

PROGRAM = "sdds2stream"

WITH_FORMAT = """SDDS1
&parameter name=p, format_string=%8.3lf, type=double, &end
&array name=m, type=long, &end
&data mode=ascii, &end
0.6251
3
1 2 3
"""


def printed(capfd: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert main(PROGRAM, [str(word) for word in words]) == 0
    return capfd.readouterr().out


def test_columns_are_rows_of_numbers_with_all_digits(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = printed(capfd, source, "-col=y,x")
    assert np.loadtxt(text.splitlines()).tolist() == np.column_stack([Y, X]).tolist()
    assert text.splitlines()[0] == "2.000000000000000e+00 1.000000000000000e+00"
    assert printed(capfd, source, "-columns=n,k", r"-delimiter=\,").splitlines()[0] == "Q1,1"


def test_parameters_of_all_pages_are_lines(several: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert [float(one) for one in printed(capfd, several, "-par=p").split()] == [3, 4, 5]
    assert printed(capfd, several, "-par=p", "-page=2") == "4.000000000000000e+00\n"
    assert (
        printed(capfd, several, "-par=label,p", "-page=1", "-delim= ") == '"page 0" 3.000000000000000e+00\n'
    )
    assert printed(capfd, several, "-par=label", "-page=1", "-noquotes") == "page 0\n"


def test_counts(source: Path, several: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert printed(capfd, several, "-rows=bare") == "6\n6\n6\n"
    assert printed(capfd, several, source, "-rows=bare,total") == "18\n6\n"
    assert printed(capfd, several, "-npages=bare") == "3\n"


def test_formats_and_arrays(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in.sdds"
    path.write_text(WITH_FORMAT)
    assert printed(capfd, path, "-par=p") == "   0.625\n"
    assert printed(capfd, path, "-par=p", "-ignoreFormats") == "6.251000000000000e-01\n"
    assert printed(capfd, path, "-arrays=m") == "1\n2\n3\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-col=q"], "no column 'q'"),
        (["-par=x"], "no parameter 'x'"),
        (["-col=x", "-par=p"], "and not several"),
        ([], "is needed"),
        (["-col"], "names are missing"),
        (["-page=a", "-col=x"], "no integer"),
        (["-col=x,y", "-delimiter=,"], r"'-delimiter=\,'"),
    ],
)
def test_errors(source: Path, words: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(PROGRAM, [str(source), *words]) == 1
    captured = capfd.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_a_damaged_file_prints_its_whole_pages_and_fails(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write_table(tmp_path / "cut.sdds", 2)
    path.write_bytes(path.read_bytes()[:-20])
    assert main(PROGRAM, [str(path), "-par=p"]) == 1
    captured = capfd.readouterr()
    assert captured.out.split() == ["3.000000000000000e+00"]
    assert "cut.sdds" in captured.err
