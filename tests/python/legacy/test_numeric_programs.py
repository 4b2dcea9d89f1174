"""Programs that compute: cases of specs/sdds-toolkit.md, section 11, names of results, and mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.legacy.support import made, run

import quire
from quire.legacy.running import main

SAW = np.array([0.0, 1, 0, 2, 0, 3, 0, 4, 0, 5])
LINE = np.arange(1.0, 11)


@pytest.fixture
def saw(tmp_path: Path) -> Path:
    """The values 0, 1, 0, 2 ... of 1 to 10."""
    data = quire.sdds.DataSet().parameter("p", [7.0]).column("x", [LINE], unit="m")
    quire.sdds.save(data.column("y", [SAW], unit="T").column("e", [np.full(10, 0.5)]), tmp_path / "saw.sdds")
    return tmp_path / "saw.sdds"


def values(data: quire.sdds.DataSet, *names: str) -> list[float]:
    return [data.parameters[name].pages[0] for name in names]


def column(data: quire.sdds.DataSet, name: str, page: int = 0) -> list[Any]:
    found: list[Any] = np.asarray(data.columns[name].pages[page]).tolist()
    return found


def test_a_line_is_fitted(saw: Path) -> None:
    data = made("sddspfit", saw, "-columns=x,y")
    assert values(data, "Slope", "SlopeSigma", "InterceptSigma", "RmsResidual") == pytest.approx(
        [1 / 3, 0.18802535827259, 1.1666666666667, 1.527525231651947], rel=1e-13
    )
    assert values(data, "Coefficient01", "Coefficient01Sigma") == values(data, "Slope", "SlopeSigma")
    assert list(data.columns) == ["x", "y", "yFit", "yResidual"]
    assert column(data, "yResidual") == pytest.approx((SAW - np.array(column(data, "yFit"))).tolist())
    assert values(data, "p") == [7]
    assert data.parameters["Slope"].unit == "T/m"


def test_terms_orders_symmetry_and_errors_of_fits(saw: Path) -> None:
    cubic = np.polynomial.polynomial.polyfit(LINE, SAW, 3)
    data = made("sddspfit", saw, "-col=x,y", "-terms=4")
    assert values(data, "Intercept", "Slope", "Curvature", "Coefficient03") == pytest.approx(cubic.tolist())
    data = made("sddspfit", saw, "-col=x,y", "-orders=0,2")
    assert "Slope" not in data.parameters
    same = made("sddspfit", saw, "-col=x,y", "-terms=2", "-symmetry=even")
    assert values(same, "Curvature") == values(data, "Curvature")
    data = made("sddspfit", saw, "-col=x,y,ySigma=e")
    assert values(data, "SlopeSigma") == pytest.approx([0.5 / np.sqrt(((LINE - 5.5) ** 2).sum())])
    assert 0 <= values(data, "SignificanceLevel")[0] < 1e-6


def test_several_columns_are_fitted(saw: Path) -> None:
    data = made("sddsmpfit", saw, "-independent=x", "-dependent=y,e", "-terms=2")
    assert values(data, "ySlope", "eSlope", "eIntercept") == pytest.approx([1 / 3, 0, 0.5], abs=1e-12)
    assert list(data.columns) == ["x", "y", "e", "yFit", "yResidual", "eFit", "eResidual"]


def test_derivatives_and_integrals(saw: Path) -> None:
    data = made("sddsderiv", saw, "-differentiate=y", "-versus=x")
    assert column(data, "x") == [1.5, 2, 3, 4, 5, 6, 7, 8, 9, 9.5]
    assert column(data, "yDeriv")[:3] + column(data, "yDeriv")[-2:] == [1, 0, 0.5, 0.5, 5]
    data = made("sddsderiv", saw, "-diff=y,e", "-versus=x")
    assert column(data, "yDerivSigma")[1] == pytest.approx(0.5 / np.sqrt(2))
    data = made("sddsinteg", saw, "-integrate=y", "-versus=x", "-copy=e")
    assert list(data.columns) == ["x", "e", "yInteg"]
    assert column(data, "yInteg")[-1] == 12.5


def test_matrices_are_transposed_and_multiplied(source: Path) -> None:
    data = made("sddstranspose", source)
    assert list(data.columns) == ["OldColumnNames", "Q1", "Q2", "D1", "D2", "S1", "Q3"]
    assert column(data, "OldColumnNames") == ["x", "y", "k"]
    run("sddsconvert", source, source.with_name("numbers.sdds"), "-delete=column,n")
    data = made("sddstranspose", source.with_name("numbers.sdds"))
    assert list(data.columns)[1:3] == ["Column000", "Column001"]
    run("sddstranspose", source.with_name("numbers.sdds"), source.with_name("turned.sdds"), "-root=R")
    target = source.with_name("product.sdds")
    run("sddsmatrixmult", source.with_name("turned.sdds"), source.with_name("numbers.sdds"), target)
    product = quire.sdds.load(target)
    assert list(product.columns) == ["x", "y", "k"]
    assert column(product, "x")[0] == 91
    run(
        "sddsmatrixmult",
        source.with_name("numbers.sdds"),
        source.with_name("turned.sdds"),
        target,
        "-commute",
    )
    assert column(quire.sdds.load(target), "x")[0] == 91


def test_pseudo_inverses_have_the_names_of_rows(tmp_path: Path) -> None:
    matrix = np.array([[1.0, 0], [0, 2], [1, 1]])
    path = tmp_path / "matrix.sdds"
    data = quire.sdds.DataSet().column("n", [["r1", "r2", "r3"]])
    quire.sdds.save(data.column("a", [matrix[:, 0]]).column("b", [matrix[:, 1]]), path)
    found = made("sddspseudoinverse", path)
    assert list(found.columns) == ["OldColumnNames", "r1", "r2", "r3"]
    assert column(found, "OldColumnNames") == ["a", "b"]
    inverse = np.stack([column(found, f"r{row}") for row in (1, 2, 3)], axis=1)
    np.testing.assert_allclose(inverse, np.linalg.pinv(matrix), atol=1e-14)
    singular = np.linalg.svd(matrix, compute_uv=False)
    assert values(found, "NumberOfSingularValuesUsed") == [2]
    assert values(found, "ConditionNumber") == pytest.approx([singular[0] / singular[1]])
    largest = np.linalg.pinv(matrix, rcond=singular[1] / singular[0] * 1.001)
    for option in ("-largest=1", "-smallest=1", "-delete=1", "-min=0.9"):
        found = made("sddspseudoinverse", path, option, "-oldColumnNames=old")
        assert column(found, "r1") == pytest.approx(largest[:, 0].tolist())
    run("sddsconvert", path, "-delete=column,n")
    assert list(made("sddspseudoinverse", path, "-digits=2").columns)[1:] == [
        "Column00",
        "Column01",
        "Column02",
    ]


def test_spectra(tmp_path: Path) -> None:
    time = np.arange(64) * 0.5
    signal = 1 + 2 * np.sin(2 * np.pi * 0.25 * time)
    path = tmp_path / "sine.sdds"
    data = quire.sdds.DataSet().parameter("p", [7.0]).column("t", [time], unit="s")
    quire.sdds.save(data.column("y", [signal], unit="m"), path)
    found = made("sddsfft", path, "-columns=t,y")
    assert list(found.columns) == ["f", "FFTy"]
    amplitudes = dict(zip(column(found, "f"), column(found, "FFTy"), strict=True))
    assert (amplitudes[0.25], amplitudes[0.0]) == pytest.approx((2, 1))
    assert values(found, "p", "fftFrequencies", "fftFrequencySpacing", "SpectrumFolded") == [7, 33, 1 / 32, 1]
    found = made("sddsfft", path, "-col=t,y", "-psd=integrated", "-suppress")
    assert list(found.columns) == ["f", "FFTy", "PSDy", "IntegPSDy", "SqrtIntegPSDy"]
    assert column(found, "IntegPSDy")[-1] == pytest.approx(2)
    assert column(found, "SqrtIntegPSDy")[-1] == pytest.approx(np.sqrt(2))
    assert found.columns["SqrtIntegPSDy"].unit == "m"
    found = made("sddsfft", path, "-col=t,y", "-psd=rint", "-full")
    assert column(found, "IntegPSDy")[0] == pytest.approx(3)
    assert {"RealFFTy", "ImagFFTy", "ArgFFTy", "UnwrapArgFFTy"} < set(found.columns)
    assert column(found, "ArgFFTy")[8] == pytest.approx(-90)
    found = made("sddsfft", path, "-col=t,y", "-psd", "-window=hann,correct", "-suppress")
    assert sum(column(found, "PSDy")) / 32 == pytest.approx(2, rel=0.05)


def test_beams_are_analysed_as_by_the_old_program(tmp_path: Path) -> None:
    codes = Path(__file__).parents[2] / "data" / "codes"
    run("sddsanalyzebeam", codes / "elegant_line.w1", tmp_path / "beam.sdds")
    found, expected = (
        quire.sdds.load(tmp_path / "beam.sdds"),
        quire.sdds.load(codes / "analyzebeam_line_w1.sdds"),
    )
    assert set(expected.columns) == set(found.columns)
    # The beam is centred and without dispersion: these are rounding alone.
    rounding = {"etax", "etaxp", "etay", "etayp", "Cx", "Cxp", "Cy", "Cyp", "Cdelta"}
    rounding |= {"s16", "s26", "s36", "s46"}
    for name in found.columns:
        theirs, ours = column(expected, name), column(found, name)
        assert found.columns[name].unit == expected.columns[name].unit
        if isinstance(theirs[0], float):
            relative = 1e-4 if name in ("Ct", "s56") else 1e-9
            absolute = 1e-14 if name in rounding else 1e-30
            assert ours == pytest.approx(theirs, rel=relative, abs=absolute), name
        else:
            assert ours == theirs
    run("sddsanalyzebeam", codes / "elegant_line.w1", tmp_path / "beam.sdds", "-corrected")
    corrected = quire.sdds.load(tmp_path / "beam.sdds")
    assert "ecx" not in corrected.columns
    assert column(corrected, "betax") == column(found, "betacx")


def test_beams_without_particles_are_missing_values(tmp_path: Path) -> None:
    data = quire.sdds.DataSet()
    for name in ("x", "xp", "y", "yp", "t", "p"):
        data.column(name, [np.empty(0)])
    quire.sdds.save(data, tmp_path / "empty.sdds")
    found = made("sddsanalyzebeam", tmp_path / "empty.sdds")
    assert np.isnan([column(found, name)[0] for name in ("ex", "betax", "el", "Sx", "s11")]).all()


def test_histograms(source: Path) -> None:
    data = made("sddshist", source, "-dataColumn=y", "-bins=4", "-cdf", "-normalize=sum")
    assert list(data.columns) == ["y", "frequency", "yCdf"]
    assert column(data, "frequency") == pytest.approx([2 / 6, 1 / 6, 1 / 6, 2 / 6])
    assert values(data, "sddshistBins", "sddshistBinSize") == [4, 2]
    data = made("sddshist", source, "-data=y", "-sizeOfBins=5", "-lower=0", "-upper=10", "-weight=k")
    assert column(data, "frequency") == [4, 8]


def test_envelopes_of_pages(several: Path) -> None:
    data = made(
        "sddsenvelope", several, "-copy=x", "-maximum=y", "-sum=1,y", "-slope=p,y", "-percentile=50,y"
    )
    assert list(data.columns) == ["x", "yMax", "ySum", "ySlope", "y50Percentile"]
    assert column(data, "x") == [1, 2, 3, 4, 5, 6]
    assert column(data, "yMax") == [4, 6, 3, 10, 7, 11]
    assert column(data, "ySum") == [9, 15, 6, 27, 18, 30]
    assert column(data, "ySlope") == pytest.approx([1] * 6)
    assert column(data, "y50Percentile") == [3, 5, 2, 9, 6, 10]
    assert not data.parameters


def test_envelopes_of_patterns_are_those_of_columns(several: Path) -> None:
    assert list(made("sddsenvelope", several, "-mean=*").columns) == ["xMean", "yMean", "kMean"]
    assert "ySlope" in made("sddsenvelope", several, "-maximum=y*", "-slope=p,y").columns


def test_interpolation_saturates(source: Path) -> None:
    data = made("sddsinterp", source, "-columns=x,y", "-atValues=0,1.5,9")
    assert (column(data, "x"), column(data, "y")) == ([0, 1.5, 9], [2, 3, 9])
    data = made("sddsinterp", source, "-columns=x,y", "-atValues=0,7", "-aboveRange=extrapolate")
    assert column(data, "y") == [2, 13]
    data = made("sddsinterp", source, "-columns=x,y", "-atValues=0,7", "-belowRange=extrapolate")
    assert column(data, "y") == [0, 9]
    data = made("sddsinterp", source, "-columns=x,y", "-sequence=3,1,6", "-order=2")
    assert column(data, "x") == [1, 3.5, 6]
    run("sddsinterp", source, source.with_name("at.sdds"), f"-fileValues={source}", "-columns=x,y")
    assert column(quire.sdds.load(source.with_name("at.sdds")), "y") == [2, 4, 1, 8, 5, 9]


def test_frequencies_of_several_columns(tmp_path: Path) -> None:
    turns = np.arange(256.0)
    data = quire.sdds.DataSet().column("Pass", [turns])
    for name, tune in (("x", 0.31), ("y", 0.78)):
        data.column(name, [np.cos(2 * np.pi * tune * turns)])
        data.column(f"{name}p", [-np.sin(2 * np.pi * tune * turns)])
    quire.sdds.save(data, tmp_path / "turns.sdds")
    found = made("sddsnaff", tmp_path / "turns.sdds", "-col=Pass", "-pair=x,xp", "-pair=y,yp")
    assert [*column(found, "xFrequency"), *column(found, "yFrequency")] == pytest.approx(
        [0.31, 0.78], abs=1e-9
    )
    found = made("sddsnaff", tmp_path / "turns.sdds", "-col=Pass,y", "-term=frequencies=1")
    assert column(found, "yFrequency") == pytest.approx([0.22], abs=1e-9)


def test_a_gaussian_is_fitted_and_a_failure_is_an_error(tmp_path: Path, capsys: Any) -> None:
    x = np.linspace(-3, 3, 31)
    data = quire.sdds.DataSet().column("x", [x]).column("y", [1 - 2 * np.exp(-((x - 0.5) ** 2) / 2 / 0.7**2)])
    quire.sdds.save(data, tmp_path / "in.sdds")
    found = made("sddsgfit", tmp_path / "in.sdds", "-columns=x,y", "-fullOutput")
    names = ("gfitBaseline", "gfitHeight", "gfitMean", "gfitSigma")
    assert values(found, *names) == pytest.approx([1, -2, 0.5, 0.7])
    assert list(found.columns) == ["x", "y", "yFit", "yResidual"]
    fixed = made("sddsgfit", tmp_path / "in.sdds", "-columns=x,y", "-fixValue=mean=0", "-guesses=height=-1")
    assert values(fixed, "gfitMean") == [0]
    words = [str(tmp_path / "in.sdds"), str(tmp_path / "out.sdds"), "-columns=x,y", "-fitRange=0,0.5"]
    assert main("sddsgfit", words) == 1
    assert "did not converge" in capsys.readouterr().err


def test_sequences(tmp_path: Path) -> None:
    target = tmp_path / "out.sdds"
    run(
        "sddssequence", target, "-define=n,type=long", "-sequence=begin=1,number=3,delta=1",
        "-define=x,units=m", "-sequence=begin=0,end=1,number=2", "-sequence=end=3,delta=2", "-repeat=2",
    )  # fmt: skip
    data = quire.sdds.load(target)
    assert (column(data, "n"), column(data, "x")) == ([1, 2, 3] * 2, [0, 1, 3] * 2)
    assert (data.columns["n"].type, data.columns["x"].unit) == ("int32", "m")
    run("sddssequence", target, "-define=n", "-sequence=begin=1,number=3,delta=1", "-repeat=2", "-break")
    broken = quire.sdds.load(target)
    assert (column(broken, "n", 1), broken.columns["n"].type) == ([1, 2, 3], "float64")


def test_samples_of_tabulated_densities(tmp_path: Path) -> None:
    data = quire.sdds.DataSet().column("t", [np.arange(3.0)], unit="s").column("f", [np.ones(3)])
    quire.sdds.save(data, tmp_path / "f.sdds")
    words = ["-samples=3", "-columns=independentVariable=t,df=f,haltonRadix=2,output=u,factor=2,offset=1"]
    found = made("sddssampledist", tmp_path / "f.sdds", *words)
    assert column(found, "u") == [1 + 2 * 2 * one for one in (0.5, 0.25, 0.75)]
    assert found.columns["u"].unit == "s"
    words = ["-samples=50", "-uniform=columnName=v,minimumValue=2,maximumValue=3", "-seed=3"]
    run("sddssampledist", tmp_path / "v.sdds", *words)
    run("sddssampledist", tmp_path / "w.sdds", *words)
    first, second = (column(quire.sdds.load(tmp_path / name), "v") for name in ("v.sdds", "w.sdds"))
    assert first == second
    assert 2 < min(first) < max(first) < 3


def test_random_words_of_equations(source: Path) -> None:
    words = ["-rpnExpression=11 srnd", "-define=column,a,grnd x *", "-redefine=column,y,y rnd + rnd -"]
    found = made("sddsprocess", source, *words)
    assert list(found.columns) == ["x", "y", "n", "k", "a"]
    again = made("sddsprocess", source, *words)
    assert column(found, "a") == column(again, "a")
    assert len(set(column(found, "a"))) == 6
    assert np.abs(np.array(column(found, "y")) - [2, 4, 1, 8, 5, 9]).max() < 1
    cut = made("sddsprocess", source, "-define=column,a,1.5 grndl")
    assert np.abs(column(cut, "a")).max() < 1.5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("sddspfit T.sdds out.sdds", "-columns is needed"),
        ("sddspfit T.sdds out.sdds -columns=x", "the column y is missing"),
        ("sddspfit T.sdds out.sdds -columns=x,y -chebyshev", "-chebyshev: it is not translated"),
        ("sddspfit T.sdds out.sdds -columns=x,q", "there is no column 'q'"),
        (
            "sddsnaff T.sdds out.sdds -columns=x,y -terminate=changeLimit=1",
            "frequencies=N or maxFrequencies=N",
        ),
        ("sddsnaff T.sdds out.sdds -columns=x -pair=y,k -pair=k,x", "named in the same way"),
        ("sddsfft T.sdds out.sdds -columns=x", "the columns to transform are missing"),
        ("sddsfft T.sdds out.sdds -columns=x,y -pad -trunc", "it excludes -padWithZeroes"),
        ("sddsfft T.sdds out.sdds -columns=x,y -psd=int,rint", "choose one of integrated and rintegrated"),
        ("sddspseudoinverse T.sdds out.sdds -tikhonov=SVN=3", "one of alpha=NUMBER and beta=NUMBER"),
        ("sddspseudoinverse T.sdds out.sdds -weights=w", "-weights=w: it is not translated"),
        ("sddsanalyzebeam T.sdds out.sdds", "there is no column 'xp'"),
        ("sddsmatrixmult T.sdds", "two files are needed"),
        ("sddshist T.sdds out.sdds -data=y -sides=2", "an argument is not translated"),
        ("sddsenvelope T.sdds out.sdds -sum=2,y", "powers other than 1"),
        ("sddsderiv T.sdds out.sdds -diff=y -versus=x -savitzky=1,2,2", "equally many rows before and after"),
        ("sddsinterp T.sdds out.sdds -columns=x,y -at=9 -below=wrap -above=abort", "outside of the range"),
        ("sddssequence out.sdds -sequence=begin=1", "-define comes before it"),
        ("sddssequence -pipe -define=n -sequence=begin=1,number=2,delta=1", "-pipe=in has no meaning"),
        ("sddssampledist out.sdds -samples=3", "a distribution is needed"),
        ("sddssampledist T.sdds out.sdds -samples=3 -columns=indep=x", "df=NAME or cdf=NAME"),
        ("sddsprocess T.sdds out.sdds -define=column,a,grndl", "the limit of grndl is missing"),
    ],
)
def test_mistakes_are_named_and_nothing_is_written(
    source: Path, words: str, said: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(source.parent)
    program, *given = words.split()
    assert main(program, given) == 1
    assert said in capsys.readouterr().err
    assert not Path("out.sdds").exists()
