"""Shims as programs: installing, pipes, and the commands that they explain."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import quire
from quire.cli.main import GROUPS
from quire.errors import ConflictError, MissingError
from quire.legacy.install import install, remove
from quire.legacy.names import INSTEAD, PROGRAMS
from quire.legacy.running import main

TIME_LIMIT = 60


def shell(command: str, folder: Path, *path: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the shell in a folder, with folders before those of PATH."""
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([*map(str, path), os.environ["PATH"]]),
        "PYTHONPATH": str(Path(quire.__file__).parents[1]),
    }
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )


def test_shims_are_programs_for_pipes(source: Path, tmp_path: Path) -> None:
    assert [path.name for path in install(tmp_path / "bin")] == list(PROGRAMS)
    chain = (
        "sddsprocess T.sdds -pipe=out '-define=column,r,x sqr y sqr + sqrt' | "
        "sddsprocess -pipe -process=r,max,rMax | sdds2stream -pipe=in -parameters=rMax"
    )
    done = shell(chain, tmp_path, tmp_path / "bin")
    assert float(done.stdout) == pytest.approx(np.sqrt(117), rel=1e-15)
    assert done.stderr == ""
    done = shell("sddsprocess T.sdds out.sdds -nonsense=1", tmp_path, tmp_path / "bin")
    assert (done.returncode, done.stdout) == (1, "")
    assert "-nonsense=1" in done.stderr


def test_a_program_on_the_path_is_not_shadowed_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "sdds2stream").write_text("#!/bin/sh\n")
    (real / "sdds2stream").chmod(0o755)
    monkeypatch.setenv("PATH", str(real), prepend=os.pathsep)
    with pytest.raises(ConflictError, match="sdds2stream already"):
        install(tmp_path / "bin")
    assert not (tmp_path / "bin").exists()
    install(tmp_path / "bin", shadow=True)
    install(tmp_path / "bin", shadow=True)
    with pytest.raises(ConflictError, match="no shim"):
        install(real, ["sdds2stream"], shadow=True)
    assert [path.name for path in remove(tmp_path / "bin")] == list(PROGRAMS)
    assert list(remove(real)) == []
    with pytest.raises(MissingError, match="sddsplod"):
        install(tmp_path / "bin", ["sddsplod"])


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("sddshist -data=y -cdf", ["y", "frequency", "yCdf"]),
        ("sddsderiv -diff=y,x -versus=k", ["k", "yDeriv", "yDerivSigma"]),
        ("sddsinteg -integ=y -versus=x -method=gill", ["x", "yInteg", "yIntegError"]),
        ("sddsenvelope -mean=x,y", ["xMean", "yMean"]),
        ("sddscollapse", ["p", "label", "PageNumber"]),
        ("sddspfit -col=x,y", ["yFit", "yResidual"]),
        ("sddsnaff -col=x,y", ["yFrequency", "yPhase"]),
        ("sddsfft -col=x,y -psd -full", ["f", "FFTy", "PSDy", "ArgFFTy", "UnwrapArgFFTy"]),
        ("sddspseudoinverse -largest=2", ["OldColumnNames", "Q1", "S1"]),
    ],
)
def test_explained_commands_make_columns_of_the_same_names(
    several: Path, words: str, names: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    program, *given = words.split()
    new = several.with_name("new.sdds")
    assert main(program, [str(several), str(new), *given, "--explain"]) == 0
    assert shell(capfd.readouterr().out, several.parent).returncode == 0
    assert {*names} <= {*quire.sdds.load(new).columns}


@pytest.mark.parametrize(
    "words",
    [
        ["-def=col,r,x sqr sqrt,units=m,symbol=R", "-def=col,c,p", "-def=par,q,p 2 *,type=long"],
        ["-proc=y,ave,yAve", "-proc=y,slope,s,func=x", "-proc=[y],max,yMax,func=x,position,lower=2,upper=4"],
        ["-match=col,n=^Q*", "-filter=col,x,3,4,y,8,8,|", "-clip=0,1"],
        ["-convertUnits=col,x,mm,m,1e3", "-delete=col,n", "-cast=col,k,k,double"],
        ["-clip=0,2,invert", "-def=col,z,x 2.7 *,type=long,units=m"],
        ["-filter=col,x,2,4", "-def=col,share,i_row n_rows /"],
    ],
)
def test_explained_commands_make_the_same_values(
    source: Path, words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    folder = source.parent
    assert main("sddsprocess", [str(source), str(folder / "old.sdds"), *words]) == 0
    assert main("sddsprocess", [str(source), str(folder / "new.sdds"), *words, "--explain"]) == 0
    explained = capfd.readouterr().out
    assert not (folder / "new.sdds").exists()
    if explained.startswith("quire run "):
        assert shell(explained, folder).stderr == ""
    else:
        exec(compile(explained, "explained", "exec"), {})
    old, new = (quire.sdds.load(folder / name) for name in ("old.sdds", "new.sdds"))
    for kind in ("parameters", "columns"):
        before, after = getattr(old, kind), getattr(new, kind)
        assert list(before) == list(after)
        for name, one in before.items():
            assert np.asarray(one.pages[0]).tolist() == np.asarray(after[name].pages[0]).tolist()
            assert one.type == after[name].type


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("sddssmooth", "there is no shim of sddssmooth; quire smooth does the same"),
        ("sddsproces", "there is no shim of sddsproces (nearest: sddsprocess)"),
        ("running", "there is no shim of running"),
        ("", "name a program"),
    ],
)
def test_a_program_without_a_shim_has_a_command(
    program: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(program, ["a", "b"]) == 1
    assert message in capfd.readouterr().err


def test_commands_for_other_programs_exist() -> None:
    names = {name for group in GROUPS.values() for name in group}
    assert {words.split()[0] for words in INSTEAD.values()} <= names
    assert not set(INSTEAD) & set(PROGRAMS)


@pytest.mark.parametrize(
    "line",
    [
        "sddsprintout T.sdds",
        "sddsquery T.sdds",
        "sddsfft T.sdds -pipe=out -col=x,y",
        "sdds2stream T.sdds -col=x",
    ],
)
def test_a_reader_that_closes_the_pipe_is_no_error(line: str, source: Path, tmp_path: Path) -> None:
    closed, left = os.pipe()
    os.close(closed)
    done = subprocess.run(
        [sys.executable, "-m", "quire.legacy", *line.split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(quire.__file__).parents[1])},
        stdout=left,
        stderr=subprocess.PIPE,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    os.close(left)
    assert (done.returncode, done.stderr) == (0, "")
