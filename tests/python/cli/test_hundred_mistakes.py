"""A hundred mistakes on purpose: messages say what is wrong, where, and what to do; nothing is left."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.python.support.files import path_for, step_formats

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

MISTAKES: list[tuple[str, int, str]] = [
    # names of files and commands
    ("info nothing.h5", 4, "quire: nothing.h5: cannot open: No such file or directory"),
    ("info baem.h5", 4, "did you mean beam.h5?"),
    ("info notes.txt", 3, "quire: notes.txt: * belong to no known format * known are"),
    ("info empty.h5", 3, "quire: empty.h5: the file is empty"),
    ("info folder", 3, "quire: folder: this is a directory, and none that a format knows; name a file"),
    ("info ''", 2, "the name of the file is empty"),
    ("import nothing.csv out.h5", 4, "quire: nothing.csv: No such file or directory"),
    ("import dta.csv out.h5", 4, "did you mean data.csv?"),
    ("diff beam.h5 nothing.h5", 4, "quire: nothing.h5: cannot open"),
    ("check nothing.h5", 4, "quire: nothing.h5: cannot open"),
    ("sum notes.txt", 3, "quire: notes.txt: * belong to no known format"),
    ("plto beam.h5", 2, "there is no command 'plto'; did you mean 'plot'?"),
    ("interpolate beam.h5", 2, "there is no command 'interpolate'; see: * interp"),
    ("head beam.h5", 2, "there is no command 'head'; see: * show FILE --rows 0:20"),
    ("help plott", 2, "there is no command 'plott'; did you mean 'plot'?"),
    # arguments and options
    ("info", 2, "missing argument 'FILE...' of * info FILE...; see * --help"),
    ("convert beam.h5", 2, "quire: 'beam.h5' is the only name: give the inputs, and at last the new file"),
    ("convert", 2, "missing argument 'IN... OUT' of * convert IN... OUT; see * --help"),
    ("pack run.pack", 2, "'run.pack' is the only name: give the inputs, and at last the new file"),
    ("pack run.pack notes.txt", 1, "quire: notes.txt: the target exists already; --overwrite replaces it"),
    ("unpack beam.h5 folder2", 2, "there is no place for folder2: it is one argument too many"),
    ("info beam.h5 --al", 2, "no such option: --al (possible options: --all, --help, --list)"),
    ("formats --jsn", 2, "no such option: --jsn (possible options: --json)"),
    ("get beam.h5 -px", 2, "no such option: -p (a value that begins with - goes after --"),
    ("show beam.h5 --index one", 2, "invalid value for '--index': it must be an integer"),
    ("diff beam.h5 other.h5 --rtol small", 2, "invalid value for '--rtol': it must be a number"),
    ("diff beam.h5 other.h5 --rtol -1", 2, "'--rtol': it must be greater than or equal to 0"),
    ("get beam.h5 x --read-option q=1", 2, 'quire: beam.h5: there is no option "q"'),
    ("convert beam.h5 out.h5 --option compression", 2, "is not an option; write name=value"),
    ("show beam.h5 --csv --json", 2, "give only one of --csv, --delimiter"),
    ("show beam.h5 --transpose", 2, "--transpose needs --attributes"),
    ("show beam.h5 --slice z=0", 2, "--slice, --sum and --component need --field"),
    ("show beam.h5 --list colums", 2, "there is no list of 'colums'; the lists are steps, tables, columns"),
    ("lost beam.h5", 2, "see: * stats FILE --beam --columns particles,lost"),
    ("units beam.h5", 2, "see: * show FILE --list columns --units"),
    ("thin beam.h5 folder --every 2", 2, "'folder' is a directory; name a file, such as folder/new"),
    ("thin beam.h5 other.h5 new/", 2, "one command writes one file, except quire convert IN... DIRECTORY/"),
    ("convert beam.h5 folder", 2, "'folder' is a directory, and * suffix of their format; give --format"),
    ("convert beam.h5 other.h5 new --format {first}", 2, "'new' is none; name one at last, such as new/"),
    ("convert beam.h5 cut.h5 other.h5", 2, "'other.h5' is none; name one at last, such as converted/"),
    (
        "convert beam.h5 ./beam.h5 new/ --format {first}",
        2,
        "beam.h5 and ./beam.h5 would both be written to new",
    ),
    ("convert beam.h5 - new/ --format {first}", 2, "an input without a name has none in a directory"),
    ("convert nothing.h5 new/ --format {first}", 4, "quire: nothing.h5: cannot open: No such file"),
    ("convert beam.h5 -o out.h5", 2, "no such option: -o: the new file is the last argument; see"),
    ("show beam.h5 --csv x.csv", 2, "there is no place for x.csv: it is one argument too many; see"),
    (
        "concat beam.h5 twiss.table out.h5 --renumber",
        1,
        "columns x, px, y, py, z, pz, id are in beam.h5 and not",
    ),
    (
        "concat beam.h5 beam.h5 out.h5",
        1,
        "quire: beam.h5: step 0 follows step 20 of beam.h5: the numbers of steps must increase; * --renumber",
    ),
    ("info six.txt", 2, "of several programs: impact-t, * quire import six.txt six.* --from impact-t"),
    # the order of arguments
    (
        "filter beam.h5 'x > 0' out.h5",
        2,
        "the new file comes first; write: quire filter beam.h5 out.h5 'x > 0'",
    ),
    ("filter beam.h5 'x > 0'", 2, "missing argument 'EXPR' of * filter IN OUT EXPR"),
    ("define beam.h5 r=x out.h5 q=x", 2, "write: quire define beam.h5 out.h5 r=x q=x"),
    ("define beam.h5 r=x q=x", 2, "write: quire define beam.h5 OUT r=x q=x"),
    ("convert beam.h5 'x > 0'", 2, "'x > 0' looks like an expression, and the new file is expected here"),
    ("info 'x > 0'", 4, "No such file or directory; this looks like an expression, and a file is expected"),
    ("get rms_x beam.h5", 2, "the file comes before the names; write: quire get beam.h5 rms_x"),
    ("show beam.h5 x px", 2, "one argument too many; columns are chosen by --columns x,px; see"),
    ("show beam.h5 'x > 0'", 2, "one argument too many; a condition is written --where 'x > 0'; see"),
    # steps and rows
    ("info beam.h5 --steps x", 2, "'x' is not a selection of steps; write for example 3 or 1,4-8 or 20-"),
    ("info beam.h5 --steps 5-1", 2, "'5-1' is not a selection of steps"),
    ("show beam.h5 --steps 99", 1, "quire: beam.h5: there is no step 99; the nearest are 20, 15, 10"),
    ("convert beam.h5 out.h5 --steps 99,98", 1, "no step has one of these numbers; quire info lists the"),
    ("show beam.h5 --index 77", 1, "quire: beam.h5: there is no step at index 77: the file has 5 steps"),
    ("show beam.h5 --steps 5 --index 0", 2, "give either --steps or --index"),
    ("show beam.h5 --rows 5:3", 2, "'5:3' is an empty range of rows; the second number is the one after"),
    ("show beam.h5 --rows a:b", 2, "'a:b' is not a range of rows; write for example 0:100 or -10: or 7"),
    ("show beam.h5 --rows 5000:", 2, "no row of step 20 is selected: it has 2000 rows"),
    ("get beam.h5 x --rows 5000", 2, "no row is selected: column 'x' has 2000"),
    ("convert beam.h5 out.h5 --rows 5000:", 2, "no table has one of these rows: the longest has 2000"),
    # columns, attributes, tables and fields
    ("show beam.h5 --columns xx", 1, "quire: beam.h5: there is no column 'xx' (nearest: x); there are: x"),
    ("show beam.h5 --columns Px", 1, "there is no column 'Px' (nearest: px"),
    ("show beam.h5 --columns 'q*'", 1, "there is no column 'q*'; there are: x, px, y, py, z, pz, id"),
    ("show beam.h5 --columns rms_x", 1, "it is an attribute: quire get beam.h5 rms_x prints it"),
    ("convert beam.h5 out.h5 --columns s", 1, "it is an attribute: quire get beam.h5 s prints it"),
    ("diff beam.h5 other.h5 --columns s", 1, "it is an attribute: quire get * s prints it"),
    ("show beam.h5 --columns rho", 1, "it is a field: quire show beam.h5 --field rho prints it"),
    ("show beam.h5 --names x --attributes", 1, "it is a column: quire show beam.h5 --columns x prints it"),
    ("show beam.h5 --table electrons", 1, "there is no table 'electrons' in step 0; there are: one without"),
    ("show beam.h5 --names rmsx --attributes", 1, "there is no attribute 'rmsx' (nearest: rms_x"),
    ("show beam.h5 --field rh", 1, "there is no field 'rh' (nearest: rho)"),
    (
        "show beam.h5 --field rho --slice w=0",
        2,
        "there is no axis 'w' of the field 'rho'; there are: z, y, x",
    ),
    ("show beam.h5 --field rho --slice z=99", 2, "'z=99' is no place in the field 'rho'; z is from"),
    ("get beam.h5 emittance", 1, "quire: beam.h5: there is no attribute, column or field 'emittance'"),
    ("get beam.h5 X", 1, "quire: beam.h5: there is no attribute, column or field 'X' (nearest: x"),
    ("stats beam.h5 --columns z,zz", 1, "quire: beam.h5: there is no column 'zz' (nearest: z)"),
    ("stats twiss.table --columns ElementName", 1, "the column contains text, which has no statistics"),
    ("sum beam.h5 --columns q", 1, "quire: beam.h5: there is no column 'q'"),
    ("export beam.h5 out.h5", 2, "quire convert beam.h5 out.h5 writes it; quire export text beam.h5"),
    ("show beam.h5 --steps -1", 2, "'-1' may be the last of steps, or all up to 1; write --index -1 or 0-1"),
    ("export beam.h5 out.csv --columns q", 1, "quire: beam.h5: there is no column 'q'"),
    # expressions
    ("show beam.h5 --where 'x >'", 2, "quire: beam.h5: the expression ends where a value is expected"),
    ("show beam.h5 --where 'x > 0 AND px > 0'", 2, '"AND" at character 7 is no operator: write and'),
    ("show beam.h5 --where 'x = 0'", 2, "equality is written =="),
    ("show beam.h5 --where 'x <> 0'", 2, "inequality is written !="),
    ("show beam.h5 --where 'x => 0'", 2, "greater or equal is written >="),
    ("show beam.h5 --where 'xx > 0'", 1, 'there is no column or attribute "xx" (nearest: x, px'),
    (
        "show beam.h5 --where 'x > y z'",
        2,
        '"z" at character 7 is not expected: an operator is missing before',
    ),
    ("show beam.h5 --where 'x > 0)'", 2, '")" at character 6 closes nothing'),
    ("show beam.h5 --where 'x > 0, y > 0'", 2, "commas separate arguments; write and between conditions"),
    ("show beam.h5 --where x", 2, "'x' is not a condition: compare something, as in x > 0"),
    ("show beam.h5 --where 'sqr(x) > 1'", 1, 'there is no function "sqr" (nearest: sqrt'),
    ("show beam.h5 --where 'x > px'", 2, "the units differ: m and m$be$nc; convert one side"),
    ("show beam.h5 --where ''", 2, "the expression is empty"),
    ("show beam.h5 --where 'x > 0' --attributes", 2, "--where selects rows of tables"),
    ("show twiss.table --where 'ElementName == QF'", 1, "a text is written in quotes: 'QF'"),
    ("show twiss.table --where 'ElementName > 3'", 2, "text and number cannot be compared"),
    ("convert beam.h5 out.h5 --where 'x >> 0'", 2, 'a value is expected at character 4, not ">"'),
    ("filter beam.h5 out.h5 'x > 0 OR px > 0'", 2, '"OR" at character 7 is no operator: write or'),
    ("define beam.h5 out.h5 r", 2, "'r' is not a definition; write NAME=EXPRESSION"),
    ("define beam.h5 out.h5 'r=hypot(x'", 2, "the arguments are not closed by )"),
    ("define beam.h5 out.h5 'x=2*x'", 1, "there is one of this name already; --replace replaces it"),
    ("define beam.h5 out.h5 'r=x+s*px'", 2, "the units differ: m and m m$be$nc"),
    ("define beam.h5 out.h5 'r=x' --unit q=mm", 2, "--unit names 'q', which is not defined here"),
    # units and formats of numbers
    ("show beam.h5 --unit x=parsec", 2, '"parsec" is not a known unit: * write for example mm'),
    ("show beam.h5 --unit x=Meter", 2, "'Meter' is not the name of a unit (nearest: m)"),
    ("show beam.h5 --unit x=s", 1, '\'x\': "m" cannot be converted to "s"'),
    ("show beam.h5 --unit q=mm", 1, "there is no quantity 'q'; there are: x, px"),
    ("import data.csv out.h5 --units x=mev", 2, "'mev' is not the name of a unit (nearest: MeV, meV)"),
    ("show beam.h5 --format x=%q", 2, "'%q' is not a format for one value; write for example x=%10.3e"),
    ("show beam.h5 --format q=%g", 1, "there is no quantity 'q' to format; there are:"),
    # beams
    ("stats beam.h5 --screen 1", 2, "--screen, --robust and --wavelength need --beam"),
    ("stats beam.h5 --beam --weight x", 2, "--beam uses the weights of the file; leave out --weight"),
    ("stats beam.h5 --beam --columns sigmax", 1, 'no quantity "sigmax"; the nearest: sigma_x'),
    ("stats beam.h5 --beam --species unobtainium", 2, "'unobtainium' is not a species; there are electron"),
    ("stats beam.h5 --beam --convention impctx", 2, "there is no convention 'impctx' (nearest: impactx)"),
    ("stats beam.h5 --beam --slices none", 2, "'none' is not a number of slices; write for example 50"),
    ("stats twiss.table --beam", 2, "no phase-space convention; * the nearest is astra: x [m], y"),
    ("convert beam.h5 out.h5 --for impctx", 2, "there is no program 'impctx' (nearest: impactx)"),
    ("convert beam.h5 out.h5 --convention impactx", 2, "describe particles for a program: give --for too"),
    ("import data.csv out.h5 --from asta", 2, "'asta' (nearest: astra"),
    # outputs
    ("convert beam.h5 beam.h5", 1, "quire: beam.h5: the target is the source itself; name another file"),
    ("convert beam.h5 twiss.table --format {first}", 1, "the target exists already; --overwrite"),
    ("convert beam.h5 out.xyz", 2, "no format is known by the suffix of 'out.xyz'; name the format"),
    ("convert beam.h5 out.h5 --format h5prt", 2, 'there is no format "h5prt"; the formats are'),
    ("convert beam.h5 no/such/out.h5", 4, "there is no directory * create the directory first"),
    ("convert beam.h5 -", 2, "standard output has no suffix: give --format"),
    ("thin beam.h5 out.h5", 2, "give either --every N or --fraction F"),
    ("thin beam.h5 out.h5 --every 0", 2, "every 0 rows are none: write 1 or more"),
    ("concat out.h5", 2, "'out.h5' is the only name: give the inputs, and at last the new file"),
    ("example beam beam.h5", 1, "quire: beam.h5: the target exists already"),
    ("example beem", 2, "there is no example 'beem' (nearest: beam)"),
    # pictures
    ("plot beam.h5", 2, "give one of -y with -x, --attributes, --beam, --histogram and --field"),
    ("plot beam.h5 -x x -y px", 2, "there is no image after 'beam.h5': name one, such as plot.png"),
    ("plot beam.h5 -y x out.png", 2, "columns need a column on the horizontal axis: give -x"),
    ("plot beam.h5 -x x -y px out.gif", 2, "is not the name of an image; the suffixes are .png, .pdf, .svg"),
    ("plot beam.h5 -x q -y px out.png", 1, "quire: beam.h5: there is no column 'q'"),
    ("plot beam.h5 -x step -y x out.png", 2, "select a particle, such as --where 'id == 17'"),
    ("plot beam.h5 -x s -y x --where 'id == -1' out.png", 1, "no step has a row with id == -1"),
    ("plot beam.h5 --attributes rmsx out.png", 1, "there is no attribute 'rmsx' of steps (nearest: rms_x"),
    ("plot beam.h5 --histogram x --bins 0 out.png", 2, "is not a number of bins * write for example 100"),
    ("plot beam.h5 --field rho out.png", 2, "take a plane by --slice z=0, or sum over an axis by --sum z"),
    # texts
    ("import data.csv out.h5 --types q=int32", 1, "quire: data.csv: there is no column 'q'; there are: x, t"),
    ("import data.csv out.h5 --types x=int31", 2, 'there is no type "int31"; the types are int8'),
    ("import data.csv out.h5 --names a", 2, "quire: data.csv: 1 names are given for 2 columns"),
    ("import words.csv out.h5 --types a=float64", 1, 'quire: words.csv: line 2: "one" is not float64'),
]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the mistakes."""
    from quire.toolkit.examples import EXAMPLES

    folder = tmp_path_factory.mktemp("mistakes")
    first = path_for(folder, step_formats()[0], "twiss")
    EXAMPLES["twiss"].write(first)
    first.rename(folder / "twiss.table")
    EXAMPLES["beam"].write(folder / "beam.h5")
    shutil.copy(folder / "beam.h5", folder / "other.h5")
    (folder / "notes.txt").write_text("no data\n")
    (folder / "empty.h5").touch()
    (folder / "folder").mkdir()
    (folder / "data.csv").write_text("x,t\n1,2\n")
    (folder / "six.txt").write_text("1\n1e-3 0 0 0 1e-4 195.7\n")
    (folder / "words.csv").write_text("a,b\none,2\n")
    return folder


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of each file."""
    found = {one.name: one.stat() for one in os.scandir(folder)}
    return {name: (info.st_size, info.st_mtime_ns) for name, info in found.items()}


def test_there_are_a_hundred_of_them() -> None:
    assert len(MISTAKES) >= 100
    assert len({line for line, _, _ in MISTAKES}) == len(MISTAKES)


@pytest.mark.parametrize(("line", "code", "message"), MISTAKES, ids=[line for line, _, _ in MISTAKES])
def test_mistakes_are_explained(
    run: Run, prepared: Path, monkeypatch: pytest.MonkeyPatch, line: str, code: int, message: str
) -> None:
    monkeypatch.chdir(prepared)
    before = contents(prepared)
    outcome = run(*shlex.split(line.format(first=quire.formats()[0])))
    assert outcome.code == code, outcome.errors
    first, *rest = outcome.errors.rstrip("\n").split("\n")
    pattern = ".*".join(re.escape(part) for part in message.split("*"))
    assert first.startswith("quire: ")
    assert re.search(pattern, first) or message in first, first
    # One line; errors of expressions are followed by the expression with carets.
    assert not rest or (len(rest) == 2 and set(rest[1].strip()) == {"^"}), outcome.errors
    assert outcome.output == ""
    assert contents(prepared) == before
