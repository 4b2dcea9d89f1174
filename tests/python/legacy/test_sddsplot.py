"""sddsplot: translated to quire plot, which draws to a file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from quire.legacy.running import main


def explained(capfd: pytest.CaptureFixture[str], words: str) -> str:
    assert main("sddsplot", [*shlex.split(words), "-device=png", "-output=o.png", "--explain"]) == 0
    return capfd.readouterr().out.removeprefix("quire plot ").removesuffix(" -o o.png --overwrite\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-col=s,betax f", "f -y betax -x s --joined"),
        ("-col=s,'(betax,betay)' f -graph=line,vary", "f -y betax,betay -x s --joined --style line"),
        ("-col=s,betax -col=s,betay f g -legend", "f g -y betax,betay -x s --joined"),
        ("-col=s,x f -split=page -order=spectral", "f -y x -x s --palette turbo"),
        ("-par=I,nux f", "f --attributes nux -x I"),
        ("-col=s,x f -graph=dot -col=s,xFit f -graph=line", "f -y x,xFit -x s --joined --style points,line"),
        ("-col=s,x f -graph=dot -col=s,x g -graph=line", "f g -y x -x s --joined --style points,line"),
        ("-graph=dot -col=s,x f -col=s,y f -graph=line", "f -y x,y -x s --joined --style points,line"),
        (
            "-col=s,a f -leg=Spec=A -ysc=id=l -col=s,b f -leg=spec=B -ysc=id=r "
            "-col=s,c f -leg=spec=C -ysc=id=l",
            "f -y a,c -x s --y2 b --joined --labels A,C,B",
        ),
        ("-col=s,x f -mode=y=norm -col=s,y f", "f -y 'x/max(abs(x)),y' -x s --joined"),
        ("-filter=col,s,0,1 -col=s,x f -col=s,y f", "f -y x,y -x s --joined --where '(s between 0 and 1)'"),
        ("-col=s,x,e f -graph=error", "f -y x -x s --error e --joined --style points"),
        ("-col=s,x f -graph=dot", "f -y x -x s --joined --style points"),
        ("-col=s,x f -graph=sym,connect", "f -y x -x s --joined --style both"),
        (
            "-col=s,x f -sep=page -layout=2,3 -split=page -same=x",
            "f -y x -x s --panels step --layout 2x3 --share x",
        ),
        ("-col=s,x f -end -col=s,y f", "f -y x -y y -x s --joined --panels list"),
        (
            "-col=s,'(a,b)' f -ysc=id=l -col=s,e f -ysc=id=r -end -col=s,c f",
            "f -y a,b -y c -x s --y2 e --y2 '' --joined --panels list",
        ),
        ("-col=s,x f -col=s,y f -end", "f -y x,y -x s --joined"),
        ("-col=s,x f -end -col=s,x g", "f g -y x -x s --joined --panels step"),
        ("-col=s,x f -ysc=id=a -col=s,y f -ysc=id=b", "f -y x -x s --y2 y --joined"),
        ("-col=s,'(x,y)' f -ysc=names", "f -y x -x s --y2 y --joined"),
        ("-col=s,x f -col=s,Profile m -overlay=xmode=norm", "f -y x -x s --joined --magnets m"),
        ("-col=s,x f -mode=x=log,y=log", "f -y x -x s --joined --log xy"),
        ("-col=s,x f -mode=y=norm", "f -y 'x/max(abs(x))' -x s --joined"),
        ("-col=s,x f '-title=a\\, b,scale=2'", "f -y x -x s --joined '--title=a, b'"),
        ("-col=s,x f -scales=0,1,0,0 -unsup=y", "f -y x -x s --joined --x-range=0:1 --zero y"),
        (
            "-col=s,x f '-title=a b' -topl=c -xl=d -yl=e",
            "f -y x -x s --joined '--title=a b' --subtitle=c --x-label=d --y-label=e",
        ),
        (
            "-col=s,x f -filter=col,x,0,1 -match=col,n=Q*",
            "f -y x -x s --joined --where '(x between 0 and 1) and (n like \"Q*\")'",
        ),
        ("-thick=2 -grid -col=s,x f -legend=spec=mine", "f -y x -x s --joined --labels mine"),
        ("-col=s,x -pipe", "- -y x -x s --joined"),
        (
            "-col=s,x f -title=@run -topl=@s -xl=@a -yl=@b",
            "f -y x -x s --joined --title=@run --subtitle=@s --x-label=@a --y-label=@b",
        ),
        ("-col=s,x f g -legend=param=Charge,scale=1.5", "f g -y x -x s --joined --labels @Charge"),
        ("-col=s,x f -split=page -legend=par=p -groupBy=page", "f -y x -x s --labels @p"),
        ("-legend=yname -col=s,'(x,y)' f", "f -y x,y -x s --joined --labels x,y"),
        ("-col=s,x f g -leg=filename", "f g -y x -x s --joined --labels f,g"),
        ("-col=s,x f -leg=xname -col=s,y f -leg=spec=b", "f -y x,y -x s --joined --labels s,b"),
        ("-col=s,x f -leg=ysymbol", "f -y x -x s --joined"),
        ("-col=s,'(x,y)' f -groupBy=nameString,page", "f -y x,y -x s --joined"),
        ("-col=s,'(x,y)' f g -sep=nameIndex -group=nameIndex", "f g -y x,y -x s --joined --panels quantity"),
        ("-col=s,'(x,y)' f g -sep=page -groupBy=fileIndex,page -split=page", "f g -y x,y -x s --panels step"),
        ("-col=s,x f g -groupBy=request", "f g -y x -x s --joined"),
        ("-col=s,x f -sparse=3", "f -y x -x s --joined --where '(row % 3 == 0)'"),
        ("-col=s,x f -sparse=3,5", "f -y x -x s --joined --where '(row >= 5 and (row - 5) % 3 == 0)'"),
    ],
)
def test_calls_are_commands(old: str, new: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert explained(capfd, old) == new


@pytest.mark.parametrize(
    ("name", "device", "magic"),
    [
        ("a.png", "lpng", b"\x89PNG"),
        ("a.pdf", "pdf", b"%PDF"),
        ("a.svg", "svg", b"<?xml"),
        ("a.ps", "cpost", b"%!PS"),
        ("a.eps", "post", b"%!PS"),
    ],
)
def test_pictures_are_drawn(source: Path, name: str, device: str, magic: bytes) -> None:
    picture = source.with_name(name)
    assert main("sddsplot", ["-col=x,y", str(source), f"-dev={device}", f"-output={picture}"]) == 0
    assert picture.read_bytes().startswith(magic)


def test_texts_of_parameters_are_drawn(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figures: list[Any] = []
    monkeypatch.setattr("quire.toolkit.picture.save", lambda figure, path: figures.append(figure))
    words = ["-title=@p", "-ylabel=@p", "-col=x,y", str(source), "-legend=param=p", "-col=x,k", str(source)]
    picture = f"-output={source.with_name('a.png')}"
    assert main("sddsplot", [*words, "-legend=param=p", "-dev=png", picture]) == 0
    (figure,) = figures
    (axes,) = figure.axes
    assert (figure.get_suptitle(), axes.get_ylabel()) == ("3", "3")
    assert [one.get_text() for one in axes.get_legend().get_texts()] == ["B, 3", "k, 3"]


@pytest.mark.parametrize(
    ("legend", "shown"), [("", ["B", "k"]), ("=ysymbol", ["B", "k"]), ("=yname", ["y", "k"])]
)
def test_legends_are_symbols_or_names(
    source: Path, monkeypatch: pytest.MonkeyPatch, legend: str, shown: list[str]
) -> None:
    figures: list[Any] = []
    monkeypatch.setattr("quire.toolkit.picture.save", lambda figure, path: figures.append(figure))
    words = [f"-legend{legend}", "-col=x,(y,k)", str(source), f"-output={source.with_name('a.png')}"]
    assert main("sddsplot", [*words, "-dev=png"]) == 0
    assert [one.get_text() for one in figures[0].axes[0].get_legend().get_texts()] == shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-col=x,y f", "there is no display"),
        ("-col=x,y f -device=png", "-output=FILE.png"),
        ("-col=x,y f -device=qt -output=a.png", "there is no display"),
        ("-col=x,y f -device=png -output=a.pdf", "is not .png"),
        ("-dev=png -out=a.png", "-columnNames=X,Y"),
        ("-dev=png -out=a.png f -col=x,y", "before the file f"),
        ("-dev=png -out=a.png -col=x,y", "the input is missing"),
        ("-dev=png -out=a.png -col=x,y f -col=x,z g", "different names and files"),
        ("-dev=png -out=a.png -col=x,a f -col=x,a g -end -col=x,a h", "of several files each has one panel"),
        ("-dev=png -out=a.png -col=x,a f -filter=col,x,0,1 -col=x,b f", "different rows"),
        ("-dev=png -out=a.png -col=x,a f -split=page -col=x,b f", "different rows"),
        ("-dev=png -out=a.png -col=x,a f -sparse=0", "1 or more"),
        ("-dev=png -out=a.png -col=x,a f -col=x,a f", "the same twice"),
        ("-dev=png -out=a.png -col=x,a f -ysc=id=l -col=x,a g -ysc=id=r", "different vertical axes"),
        ("-dev=png -out=a.png -col=x,a f -leg=spec=A -col=x,b f", "for each request"),
        ("-dev=png -out=a.png -col=x,a f -col=s,Profile -overlay", "file of the magnets is missing"),
        ("-dev=png -out=a.png -arr=x,y f", "arrays are not drawn"),
        ("-dev=png -out=a.png -col=x,y f -limit=xmin=0", "not translated"),
        ("-dev=png -out=a.png -col=x,y f -leg=xSym", "xSymbol is not translated"),
        ("-dev=png -out=a.png -col=x,y f -leg=ysym,edit=3d", "edit is not translated"),
        ("-dev=png -out=a.png -col=x,y f -leg=yname,filename", "a legend shows one of them"),
        ("-dev=png -out=a.png -col=x,y f -leg=para", "the text after parameter= is missing"),
        ("-dev=png -out=a.png -col=x,y f -leg=colour", "unknown legend 'colour'"),
        ("-dev=png -out=a.png -col=x,y f -leg=param=p -col=x,z f", "with the same parameter"),
        ("-dev=png -out=a.png -col=x,y* f -leg=yname", "'y*' names several columns"),
        ("-dev=png -out=a.png -col=x,y f -split=page,interval=2", "other intervals"),
        ("-dev=png -out=a.png -col=x,'(y,z)' f g -group=nameIndex", "in the order of files, then names"),
        ("-dev=png -out=a.png -col=x,'(z,y)' f -group=nameString", "in alphabetic order: y, z"),
        ("-dev=png -out=a.png -col=x,y g f -group=fileString", "in alphabetic order: f, g"),
        ("-dev=png -out=a.png -col=x,y f g -split=page -group=page", "in the order of files, then pages"),
        ("-dev=png -out=a.png -col=x,y f -group=tag", "the order of tags is not translated"),
        (
            "-dev=png -out=a.png -col=x,'(y,z)' f g -separate=nameIndex -group=fileIndex",
            "in the order of names, then files",
        ),
        ("-dev=png -out=a.png -col=x,y f -xlabel=x,edit=1d", "an edited text"),
        ("-dev=png -out=a.png -col=x,y f '-title=a, b'", "unknown qualifier ' b'"),
        ("-dev=png -out=a.png -col=x,y -col=z,y f", "one quantity on the horizontal axis"),
        ("-dev=png -out=a.png -col=x,'(a,b,c)' f -ysc=names", "two vertical axes"),
        ("-dev=png -out=a.png -col=x,q T.sdds", "'q'"),
    ],
)
def test_errors(source: Path, words: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    given = [str(source) if one == "T.sdds" else one for one in shlex.split(words)]
    assert main("sddsplot", given) == 1
    assert message in capfd.readouterr().err
    assert not Path("a.png").exists()
