"""sddsprocess: the cases of specs/sdds-toolkit.md, section 11, and what NumPy computes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.python.legacy.support import K, N, X, Y, made

import quire
from quire.legacy.running import main

PROGRAM = "sddsprocess"


def parameter(source: Path, *words: str, name: str = "r") -> Any:
    return made(PROGRAM, source, *words).parameters[name].pages[0]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("median", 5),
        ("percentile,r,percent=50", 4),
        ("qrange", 3),
        ("drange", 7),
        ("prange,r,percent=50", 3),
        ("standard", 3.188521078284832),
        ("mode", 0.96),
        ("spread", 8),
        ("integral,r,functionOf=x", 23.5),
        ("slope,r,func=x", 1.285714285714286),
        ("standard,r,weight=x", 3.151503258623675),
        ("ave,r,weight=x", 5.904761904761905),
        ("rms,r,weight=x", 6.568322247184371),
        ("sigma,r,weight=x", 1.286595817724409),
        ("count", 6),
        ("max,r,functionOf=x,position", 6),
        ("max,r,functionOf=n,position", "Q3"),
        ("ave,r,match=n=Q*", 5),
        ("ave,r,match=n,value=Q*", 5),
        ("ave,r,func=x,lower=2,upper=@p", 2.5),
        ("first,r,head=-2", 1),
        ("ave,r,offset=1,factor=2", 2 * (Y.mean() + 1)),
        ("ave,r,offset=1,factor=2,invert=both", (Y.mean() - 1) / 2),
    ],
)
def test_reductions(source: Path, mode: str, expected: Any) -> None:
    text = mode if ",r" in mode else f"{mode},r"
    found = parameter(source, f"-process=y,{text}")
    assert found == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-14))


def test_results_have_units_descriptions_and_the_type_double(source: Path) -> None:
    data = made(
        PROGRAM, source, "-proc=y,integral,i,func=x", "-proc=y,slope,s,func=x", "-proc=y,max,m,func=x,pos",
        "-proc=k,sum,k", "-proc=y,ave,%sAve,symbol=A", "-proc=n,last,n",
    ).parameters  # fmt: skip
    units = {name: one.unit for name, one in data.items()}
    assert (units["i"], units["s"], units["m"], units["yAve"]) == ("T*m", "(T)/(m)", "m", "T")
    assert (data["k"].type, data["n"].pages[0]) == ("float64", "Q3")
    assert (data["yAve"].description, data["yAve"].symbol) == ("average of y", "A")


def test_the_result_of_no_rows_is_not_a_number_or_the_default(source: Path) -> None:
    data = made(PROGRAM, source, "-filter=col,x,10,20", "-proc=y,ave,a", "-proc=y,ave,b,default=-1")
    assert np.isnan(data.parameters["a"].pages[0])
    assert data.parameters["b"].pages[0] == -1
    assert len(data) == 1


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["-filter=col,x,0,2,y,8,9,|"], [1, 2, 4, 6]),
        (["-filter=col,x,2,4,!"], [1, 5, 6]),
        (["-filter=col,x,2,4,y,1,4,&"], [2, 3]),
        (["-filter=col,x,2,4,y,1,4,&,!"], [1, 4, 5, 6]),
        (["-filter=col,x,p,4"], [3, 4]),
        (["-match=col,n=^Q*"], [3, 4, 5]),
        (["-match=col,n=+q*"], [1, 2, 6]),
        (["-match=col,n=Q*,!"], [3, 4, 5]),
        (["-match=col,n=Q*,n=S?,|"], [1, 2, 5, 6]),
        (["-test=col,y 4 >"], [4, 5, 6]),
        (["-test=col,y>4,algebraic"], [4, 5, 6]),
        (["-clip=1,2"], [2, 3, 4]),
        (["-clip=1,0,invert"], [1]),
        (["-clip=1,1,invert"], [1, 6]),
        (["-fclip=0.5,0"], [4, 5, 6]),
        (["-sparse=2,1"], [2, 4, 6]),
    ],
)
def test_rows_are_chosen(source: Path, words: list[str], kept: list[int]) -> None:
    assert made(PROGRAM, source, *words).columns["x"].pages[0].tolist() == kept


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["-filter=par,p,3.5,9"], [4, 5]),
        (["-match=par,label=*2"], [5]),
        (["-test=par,p 4 =="], [4]),
        (["-filter=par,p,3.5,9", "-def=par,q,i_page"], [4, 5]),
    ],
)
def test_pages_are_chosen_and_keep_their_numbers(several: Path, words: list[str], kept: list[int]) -> None:
    data = made(PROGRAM, several, *words)
    assert data.parameters["p"].pages == kept
    if "q" in data.parameters:
        assert data.parameters["q"].pages == [2, 3]


@pytest.mark.parametrize(
    ("equation", "values"),
    [
        ("y 4 > ? 1 : 0 $", [0, 0, 0, 1, 1, 1]),
        ("y run + sto run", [2, 6, 7, 15, 20, 29]),
        ("p", [3] * 6),
        ("i_row 10 * i_page +", [1, 11, 21, 31, 41, 51]),
        ("y x +", [3, 6, 4, 12, 10, 15]),
        ("y 0 &y [ -", [0, 2, -1, 6, 3, 7]),
        ("x p * n_rows -", [-3, 0, 3, 6, 9, 12]),
        ("mev", [0.51099906] * 6),
    ],
)
def test_columns_are_defined(source: Path, equation: str, values: list[float]) -> None:
    column = made(PROGRAM, source, "-rpnExpression=0 sto run", f"-def=col,r,{equation}").columns["r"]
    assert column.pages[0].tolist() == values
    assert (column.type, column.unit) == ("float64", "")


def test_definitions_have_entries_and_are_in_the_order_of_the_options(source: Path) -> None:
    data = made(
        PROGRAM, source, "-proc=y,max,a", "-filter=col,y,0,5", "-proc=y,max,b",
        "-def=col,z,x 2 /,type=long,units=mm,symbol=Z,description=half", "-redefine=col,y,y 10 *",
        "-redefine=col,x,x 1e3 *,units=mm", "-def=par,q,p 2 *,units=m", "-def=col,%s2,%s 2 *,select=[xy]",
    )  # fmt: skip
    z, y = data.columns["z"], data.columns["y"]
    assert (z.pages[0].tolist(), z.type, z.unit, z.symbol) == ([0, 1, 1, 2], "int32", "mm", "Z")
    assert (y.pages[0].tolist(), y.unit, y.symbol) == ([20, 40, 10, 50], "T", "B")
    assert (data.columns["x"].pages[0][0], data.columns["x"].unit) == (1000, "mm")
    assert (data.parameters["a"].pages, data.parameters["b"].pages, data.parameters["q"].pages) == (
        [9],
        [5],
        [6],
    )
    assert data.columns["x2"].pages[0][0] == 2000


def test_equations_of_parameters_and_definitions_of_files(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    definitions = source.with_name("defns.rpn")
    definitions.write_text("/* mine\n2.5 sto factor\nudf\ntwice\n2 *\n\n")
    monkeypatch.setenv("RPN_DEFNS", str(definitions))
    data = made(PROGRAM, source, "-print=par,eq,x %s *,p", "-def=col,r,@eq", "-def=col,t,y twice factor *")
    assert data.columns["r"].pages[0].tolist() == (3 * X).tolist()
    assert data.columns["t"].pages[0].tolist() == (5 * Y).tolist()


def test_texts_are_printed_edited_and_scanned(source: Path) -> None:
    data = made(
        PROGRAM, source, "-print=col,t,%s at %.2lf %s,n,x,x.units", "-edit=col,e,n,%/Q/Quad/",
        "-scan=col,number,n,%ld,edit=1d,type=long", "-reedit=par,label,label,ei/!/", "-print=par,c,%g,p",
    )  # fmt: skip
    assert data.columns["t"].pages[0][0] == "Q1 at 1.00 m"
    assert data.columns["e"].pages[0].tolist() == ["Quad1", "Quad2", "D1", "D2", "S1", "Quad3"]
    assert data.columns["number"].pages[0].tolist() == [1, 2, 1, 2, 1, 3]
    assert (data.parameters["label"].pages, data.parameters["c"].pages) == (["page 0!"], ["3"])


def test_elements_are_chosen_cast_and_converted(source: Path) -> None:
    data = made(
        PROGRAM, source, "-delete=col,*", "-retain=col,[xk]", "-delete=par,l*", "-cast=col,k8,k,long64",
        "-convertUnits=col,x,mm,m,1e3", "-convertUnits=par,p,cm,m,100",
    )  # fmt: skip
    assert list(data.columns) == ["x", "k", "k8"]
    assert list(data.parameters) == ["p"]
    assert (data.columns["x"].pages[0].tolist(), data.columns["x"].unit) == ((1e3 * X).tolist(), "mm")
    assert (data.parameters["p"].pages, data.parameters["p"].unit) == ([300], "cm")
    assert (data.columns["k8"].pages[0].tolist(), data.columns["k8"].type) == (K, "int64")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("-filter=col,x,2,1", "below the lower limit"),
        ("-filter=col,n,2,3", "-filter|n"),
        ("-process=y,pick,a", "unknown mode 'pick'"),
        ("-process=q,max,a", "no column 'q'"),
        ("-process=[xy],max,a", "write %s"),
        ("-def=col,r,q 2 *", "q"),
        ("-def=col,r,x 2 *,unknown=3", "unknown qualifier 'unknown'"),
        ("-convertUnits=col,x,mm,m", "five items"),
        ("-convertUnits=col,x,mm,T,1e3", "not 'T'"),
        ("-scan=col,a,n,%ld", "does not fit the format"),
        ("-system=col,a,n", "-system=col,a,n"),
        ("-ifis=col,z", "missing"),
        ("-ifnot=col,x", "present"),
        ("-clip=a,0", "no integer"),
        ("-unheardOf", "unknown option -unheardOf"),
    ],
)
def test_errors_name_what_is_wrong_and_write_nothing(
    source: Path, word: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    target = source.with_name("none.sdds")
    assert main(PROGRAM, [str(source), str(target), word]) == 1
    printed = capfd.readouterr().err
    assert printed.startswith("sddsprocess: ")
    assert re.search(message, printed)
    assert not target.exists()


def test_one_file_is_replaced_and_kept_as_a_backup(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = source.read_bytes()
    assert main(PROGRAM, [str(source), "-clip=1,0,invert"]) == 0
    assert source.with_name("T.sdds~").read_bytes() == before
    assert quire.sdds.load(source).columns["n"].pages[0].tolist() == N[:1]
    assert "is replaced" in capfd.readouterr().err


def test_texts_of_the_file_arrays_and_the_mode_of_the_data_are_kept(tmp_path: Path) -> None:
    data = quire.sdds.DataSet("title", "contents").column("x", [X]).array("m", [np.arange(6.0).reshape(2, 3)])
    data.parameter("fixed", [7], fixed=True)
    quire.sdds.save(data, tmp_path / "in.sdds", mode="ascii")
    made_ = made(PROGRAM, tmp_path / "in.sdds", "-def=col,r,x fixed *", "-description=text=new")
    assert (made_.title, made_.contents) == ("new", "contents")
    assert made_.parameters["fixed"].pages == [7]
    assert made_.arrays["m"].pages[0].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert made_.columns["r"].pages[0].tolist() == (7 * X).tolist()
    assert b"mode=ascii" in (tmp_path / "made.sdds").read_bytes()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arrays(np.float64, st.integers(0, 8), elements=st.floats(-1e6, 1e6) | st.just(np.nan)))
def test_any_column_is_filtered_and_reduced_as_numpy_does(tmp_path: Path, values: Any) -> None:
    path = tmp_path / "random.sdds"
    quire.sdds.save(quire.sdds.DataSet().column("x", [values]), path)
    data = made(
        PROGRAM, path, "-filter=col,x,-100,1e5", "-def=col,r,x sqr 1 +", "-proc=r,sum,s", "-proc=x,max,m"
    )
    kept = values[(values >= -100) & (values <= 1e5)]
    np.testing.assert_array_equal(data.columns["x"].pages[0], kept)
    np.testing.assert_array_equal(data.columns["r"].pages[0], kept**2 + 1)
    if len(kept):
        assert data.parameters["s"].pages[0] == pytest.approx(np.sum(kept**2 + 1), rel=1e-12)
        assert data.parameters["m"].pages[0] == kept.max()


def test_variables_persist_over_rows_equations_and_pages(several: Path) -> None:
    sums = "-define=col,r,y run + sto run"
    tables = [Y, Y + 1, Y + 2]
    found = made(PROGRAM, several, "-rpnExpression=0 sto run", sums).columns["r"]
    assert np.concatenate(found.pages).tolist() == np.cumsum(np.concatenate(tables)).tolist()
    found = made(PROGRAM, several, "-rpnExpression=10 sto run,repeat", sums).columns["r"]
    assert [page.tolist() for page in found.pages] == [(10 + np.cumsum(one)).tolist() for one in tables]
    data = made(
        PROGRAM, several, "-rpnExpression=6 sto top", "-define=col,m,y top max2 sto top",
        "-define=col,c,k sto n", "-define=par,a,p sto q 1 +", "-define=par,b,q n *", "-test=col,x q <",
    )  # fmt: skip
    assert [page.tolist() for page in data.columns["m"].pages] == [[6, 6], [9, 9, 9], [10, 10, 10, 10]]
    assert data.parameters["a"].pages == [4, 5, 6]
    assert data.parameters["b"].pages == [9, 12, 15]


def test_scanned_integers_have_their_base_and_all_digits(tmp_path: Path) -> None:
    data = quire.sdds.DataSet().column("t", [["q10", "qff"]]).column("big", [["9007199254740993", "-7"]])
    quire.sdds.save(data, tmp_path / "in.sdds")
    found = made(
        PROGRAM, tmp_path / "in.sdds", "-scan=col,x,t,q%x", "-scan=col,n,big,%ld,type=long64"
    ).columns
    assert found["x"].pages[0].tolist() == [16, 255]
    assert found["n"].pages[0].tolist() == [9007199254740993, -7]


@pytest.mark.parametrize(
    "option", ["-cast=col,n,n,short", "-define=col,m,n,type=short", "-def=col,m,n,type=ushort"]
)
def test_integers_that_do_not_fit_are_errors(
    tmp_path: Path, option: str, capfd: pytest.CaptureFixture[str]
) -> None:
    data = quire.sdds.DataSet().column("n", [np.array([1, 40000, -1], np.int32)], type="long")
    quire.sdds.save(data, tmp_path / "in.sdds")
    assert main(PROGRAM, [str(tmp_path / "in.sdds"), str(tmp_path / "out.sdds"), option]) == 1
    assert "does not fit into" in capfd.readouterr().err
