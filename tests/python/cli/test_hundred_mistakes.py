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
    ("info no/such.h5", 4, "quire: no/such.h5: cannot open: * there is no directory no"),
    ("export beam.h5 no/such.csv", 4, "no/such.csv: No such file or directory; there is no directory no"),
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
    ("filter 'x > 0' beam.h5 out.h5", 2, "the file comes first; write: quire filter beam.h5 out.h5 'x > 0'"),
    ("show beam.h5 --columns x, px", 2, "one argument too many; a list of names has no blanks: x,px; see"),
    ("plot beam.h5 x px a.png", 2, "write for example: quire plot beam.h5 -x x -y px a.png"),
    ("track beam.h5 out.h5 17", 2, "one argument too many; particles are chosen by --ids 17; see"),
    ("thin beam.h5 out.h5 10", 2, "one argument too many; every 10-th row is kept by --every 10; see"),
    ("get beam.h5 x --unit x=mm", 2, "--unit prints units, and has no value; quire show --unit x=mm prints"),
    ("run beam.h5 / filter x>0 sort z", 2, "verbs are divided by / in a chain: * / sort ...; see"),
    ("run beam.h5 / sort x group z / write out.h5", 1, "'group'; * divide verbs by /: sort x / group z"),
    # options and commands of other programs
    ("show beam.h5 --head 3", 2, "no such option: --head*write --rows 0:20; see"),
    ("sort beam.h5 out.h5 x --reverse", 2, "no such option: --reverse*write NAME:desc; see"),
    ("sort beam.h5 out.h5 x desc", 1, "there is no column 'desc'; * written with its order: x:desc"),
    ("group beam.h5 out.h5 z 20", 1, "there is no column '20'; * bins are written bin(COLUMN, 20)"),
    ("show beam.h5 -c x", 2, "no such option: -c*; options are --columns, --component, --csv (a value"),
    ("plot beam.h5 --x x -y px a.png", 2, "it has one dash: -x; see"),
    ("follow beam.h5", 2, "there is no command 'follow'; see: * track IN OUT --ids 17"),
    # steps and rows
    ("info beam.h5 --steps x", 2, "'x' is not a selection of steps; write for example 3 or 1,4-8 or 20-"),
    ("info beam.h5 --steps 5-1", 2, "'5-1' is not a selection of steps"),
    ("show beam.h5 --steps 99", 1, "quire: beam.h5: there is no step 99; the nearest are 20, 15, 10"),
    ("convert beam.h5 out.h5 --steps 99,98", 1, "no step has one of these numbers; quire info lists the"),
    ("show beam.h5 --index 77", 1, "quire: beam.h5: there is no step at index 77: the file has 5 steps"),
    ("show beam.h5 --steps 5 --index 0", 2, "give either --steps or --index"),
    ("show beam.h5 --rows 5:3", 2, "'5:3' is an empty range of rows; the second number is the one after"),
    ("show beam.h5 --rows a:b", 2, "'a:b' is not a range of rows; write for example 0:100 or -10: or 7"),
    ("show beam.h5 --rows 5000:", 2, "no row is selected: no table here has more than 2000 rows"),
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
    ("get beam.h5 emittance_nx", 1, "a quantity of the beam: quire stats FILE emittance_nx computes it"),
    ("get beam.h5 X", 1, "quire: beam.h5: there is no attribute, column or field 'X' (nearest: x"),
    ("stats beam.h5 --columns z,zz", 1, "quire: beam.h5: there is no column 'zz' (nearest: z)"),
    ("stats twiss.table betaxx", 1, "there is no column 'betaxx' (nearest: betax"),
    ("stats twiss.table median", 2, "median is a reduction of a column; write median(s)"),
    (
        "stats beam.h5 'rms(x'",
        2,
        "'rms(x' is no reduction; write for example mean(x) or name=percentile(x, 90)",
    ),
    ("stats beam.h5 --beam --columns size", 1, "there are: particles, * and * more"),
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
    ("show beam.h5 --where 'Step > 0'", 1, "(nearest: step)"),
    ("show beam.h5 --where 'xx > 0'", 1, 'there is no column or attribute "xx" (nearest: x)'),
    ("show beam.h5 --where 'foo > 0'", 1, 'there is no column or attribute "foo"; there are: '),
    ("calc Step", 1, 'there is no constant "Step"; there are: pi, euler'),
    ("calc 2*mc2_elektron", 1, 'there is no constant "mc2_elektron" (nearest: mc2_electron'),
    (
        "show beam.h5 --where 'x > y z'",
        2,
        '"z" at character 7 is not expected: an operator is missing before',
    ),
    ("show beam.h5 --where 'x > 0)'", 2, '")" at character 6 closes nothing'),
    ("show beam.h5 --where 'x > 0, y > 0'", 2, "commas separate arguments; write and between conditions"),
    ("show beam.h5 --where x", 2, "'x' is not a condition: compare something, as in x > 0"),
    ("filter beam.h5 out.h5 x", 2, "; quote conditions: a shell takes < and > as redirection"),
    (
        "filter beam.h5 out.h5 'x > 1 mm'",
        2,
        "; numbers have no unit here: a column is compared in its own unit",
    ),
    ("define beam.h5 out.h5 'y2=2 m'", 2, "; numbers have no unit here: y2[unit]=... states the unit of"),
    (
        "show beam.h5 --list",
        2,
        "option --list needs a value: --list NAME * columns, steps, ...); see quire show --help",
    ),
    ("thin beam.h5 out.h5 --every", 2, "option --every needs a value: --every N (Keep every N-th row)"),
    ("filter beam.h5 out.h5 --where 'x>0'", 2, "--where; it is an argument: quire filter IN OUT EXPR; see"),
    (
        "sort beam.h5 out.h5 --by x",
        2,
        "--by; it is an argument: quire sort IN OUT KEY...; see quire sort --help",
    ),
    ("run beam.h5 / sort --by x", 2, "--by; it is an argument: quire run ... / sort KEY..."),
    ("thin beam.h5 out.h5 0.1", 2, "; a random sample is taken by --fraction 0.1"),
    ("filter beam.h5 out.h5 x+1", 2, "'x+1' is not a condition: compare something, as in x > 0"),
    ("track twiss.table out.h5 --ids 3", 1, "known to identify particles; name it by --key NAME"),
    ("sort beam.h5 out.h5 z:asc:desc", 2, "'z:asc:desc' has two orders: write asc or desc"),
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
    (
        "define beam.h5 out.h5 'x=2*x'",
        1,
        "there is a column or attribute of this name; --replace replaces it",
    ),
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
    ("stats twiss.table --beam", 1, "no phase-space convention; * a beam has a row for each particle"),
    ("convert beam.h5 out.h5 --for impctx", 2, "there is no program 'impctx' (nearest: impactx)"),
    ("convert beam.h5 out.h5 --convention impactx", 2, "describe particles for a program: give --for too"),
    ("import data.csv out.h5 --from asta", 2, "'asta' (nearest: astra"),
    # outputs
    ("convert beam.h5 beam.h5", 1, "quire: beam.h5: the target is the source itself; name another file"),
    ("convert beam.h5 twiss.table --format {first}", 1, "the target exists already; --overwrite"),
    ("convert beam.h5 out.xyz", 2, "no format is known by the suffix of 'out.xyz'; name the format"),
    ("convert beam.h5 out.h5 --format h5prt", 2, 'there is no format "h5prt"; the formats are'),
    ("convert beam.h5 no/such/out.h5", 4, "there is no directory * create the directory first"),
    ("convert beam.h5 -", 2, "standard output has no suffix: give --format, one of "),
    ("thin beam.h5 out.h5", 2, "give either --every N or --fraction F"),
    ("thin beam.h5 out.h5 --every 0", 2, "every 0 rows are none: write 1 or more"),
    ("concat out.h5", 2, "'out.h5' is the only name: give the inputs, and at last the new file"),
    ("example beam beam.h5", 1, "quire: beam.h5: the target exists already"),
    ("example beem", 2, "there is no example 'beem' (nearest: beam)"),
    # pictures
    ("plot beam.h5", 2, "quire plot beam.h5 --histogram x,px plot.png"),
    ("plot beam.h5 -x x -y px", 2, "there is no image after 'beam.h5': name one, such as plot.png"),
    ("plot beam.h5 -y x out.png", 2, "columns need a column on the horizontal axis: give -x"),
    ("plot beam.h5 -x x -y px out.gif", 2, "is not the name of an image; the suffixes are .png, .pdf, .svg"),
    ("plot beam.h5 -x q -y px out.png", 1, "quire: beam.h5: there is no column 'q'"),
    ("plot beam.h5 -x step -y x out.png", 2, "select a particle, such as --where 'id == 17'"),
    ("plot beam.h5 -x s -y x --where 'id == -1' out.png", 1, "no step has a row with id == -1"),
    ("plot beam.h5 -x x -y px --where 'x > 1' out.png", 1, "has a row with x > 1: there is nothing to draw"),
    ("plot beam.h5 --histogram x,px --where 'x > 1' out.png", 1, "no step has a row with x > 1"),
    ("plot beam.h5 --beam sigma_x --where 'x > 1' out.png", 1, "no step has a row with x > 1"),
    ("plot no-rows.table --histogram x out.png", 1, "quire: no-rows.table: no step has a row: there is noth"),
    ("plot beam.h5 --attributes rmsx out.png", 1, "there is no attribute 'rmsx' of steps (nearest: rms_x"),
    ("plot beam.h5 --histogram x --bins 0 out.png", 2, "is not a number of bins * write for example 100"),
    ("plot beam.h5 --field rho out.png", 2, "take a plane by --slice z=0, or sum over an axis by --sum z"),
    # texts
    ("import data.csv out.h5 --types q=int32", 1, "quire: data.csv: there is no column 'q'; there are: x, t"),
    ("import data.csv out.h5 --types x=int31", 2, 'there is no type "int31"; the types are int8'),
    ("import data.csv out.h5 --names a", 2, "quire: data.csv: 1 names are given for 2 columns"),
    ("import words.csv out.h5 --types a=float64", 1, 'quire: words.csv: line 2: "one" is not float64'),
    ("view words.csv", 3, "quire: words.csv: this is a table of text* import it by: quire import words.csv"),
    ("open-in paraview words.csv", 3, "this is a table of text* import it by: quire import words.csv"),
    ("index words.csv", 3, "words.csv: this is a table of text* import it by: quire import words.csv words."),
    ("attach words.csv", 3, "quire: words.csv: this is a table of text* import it by: quire import words."),
    ("import beam.h5 out.h5", 3, "quire: beam.h5: this is a file * quire convert beam.h5 out.h5 converts it"),
    ("import six.txt out.h5 --from foo", 2, "no program with a known text 'foo'; there are: astra, bmad"),
    ("import empty.h5 out.h5", 3, "quire: empty.h5: there are neither names nor rows"),
    ("import data.csv out.h5 --skip -1", 2, "-1 lines cannot be skipped"),
    # information about steps that do not exist, names before the file
    ("info beam.h5 --step 99", 1, "quire: beam.h5: there is no step 99; the nearest are 20, 15, 10"),
    ("info beam.h5 --steps 98,99", 1, "quire: beam.h5: no step has one of these numbers"),
    ("info beam.h5 --step 99 --json", 1, "quire: beam.h5: there is no step 99"),
    ("info beam", 4, "quire: beam: cannot open: No such file or directory; did you mean beam.h5?"),
    ("stats 'std(x)' beam.h5", 2, "the file comes before the names; write: quire stats beam.h5 'std(x)'"),
    ("stats 'std(x)'", 4, "this looks like an expression, and a file is expected"),
    ("stats beam.h5 'foo(x)'", 2, "there is no reduction 'foo'; there are: mean, rms"),
    ("stats beam.h5 'std(x'", 2, "'std(x' is no reduction; write for example mean(x)"),
    ("stats beam.h5 'std(x)' --columns x", 2, "--columns is an option of statistics without WHAT"),
    ("stats beam.h5 'std(x)' --unit x=mm", 2, "--unit is an option of statistics without WHAT"),
    ("stats beam.h5 n=count", 2, "the number of rows, which has no other name; write count, or n=count(COL"),
    ("stats beam.h5 'count()'", 2, "'count()' has no column; write count for the number of rows, or count(C"),
    ("stats beam.h5 'n=mean( )'", 2, "'n=mean( )' has no column; write mean(COLUMN)"),
    ("stats beam.h5 m=x", 2, "'m=x' is no reduction; write m=mean(x)"),
    ("stats beam.h5 m=mean", 2, "'m=mean' has no column; write m=mean(COLUMN)"),
    ("stats beam.h5 e=emittance_nx", 2, "quantities of the beam have no other names; write for example e=me"),
    ("stats beam.h5 count --window 9", 2, "each window has 9 rows; write count(COLUMN)"),
    (
        "stats beam.h5 'max(x, position)' --window 9",
        2,
        "needs another column here; write max(x, COLUMN, position)",
    ),
    # damaged files
    ("show cut.h5 --steps 20", 3, "quire: cut.h5: Step#10, Step#15, Step#20: the file is cut"),
    ("get beam.h5 x px --where 'id == -1'", 1, "quire: beam.h5: 0 of 2000 rows satisfy id == -1"),
    ("get cut.h5 x", 3, "quire: cut.h5: the file is cut: * quire recover"),
    ("convert cut.h5 out.h5", 3, "quire: cut.h5: the file is cut: * quire recover"),
    ("export cut.h5 out.csv", 3, "quire: cut.h5: the file is cut: * quire recover"),
    ("sort cut.h5 out.h5 z", 3, "quire: cut.h5: the file is cut: * quire recover"),
    ("diff beam.h5 cut.h5", 3, "quire: cut.h5: the file is cut: * quire recover"),
    ("sum cut.h5", 3, "quire: cut.h5: the file is cut: * quire recover"),
    ("recover cut.h5", 2, "write: quire recover cut.h5 OUT, or add --in-place"),
    ("recover cut.h5 cut.h5", 1, "quire: cut.h5: the target is the source itself; name another file"),
    # verbs for tables
    ("select nothing.h5 out.h5 x", 4, "quire: nothing.h5: cannot open: No such file or directory"),
    ("select beam.h5 out.h5 xx", 1, "quire: beam.h5: there is no column 'xx' (nearest: x); there are: x, px"),
    ("select beam.h5 out.h5 --drop qq", 1, "quire: beam.h5: there is no column 'qq'"),
    ("select beam.h5 out.h5 --rename x", 2, "'x' has no value; write for example --rename OLD=NEW"),
    ("select beam.h5 out.h5 --rename x=px", 1, '"px": two columns would have this name; rename or drop the'),
    ("select beam.h5 out.h5 --cast x", 2, "'x' has no value; write for example --cast id=int64"),
    ("select beam.h5 out.h5 --unit x=parsec", 2, '"parsec" is not a known unit'),
    ("select beam.h5 out.h5 x --table electrons", 1, 'quire: beam.h5, "electrons": step 0 has no table'),
    ("select beam.h5 out.h5 x --where 'x >'", 2, "the expression ends where a value is expected"),
    (
        "sort beam.h5 out.h5",
        2,
        "missing argument 'KEY...' of quire sort IN OUT KEY...; see quire sort --help",
    ),
    ("sort beam.h5 out.h5 zz", 1, "quire: beam.h5: there is no column 'zz' (nearest: z)"),
    ("sort beam.h5 out.h5 z --memory lots", 2, "'lots' is not a size; write bytes, or a number with kB"),
    ("sort beam.h5 beam.h5 z", 1, "quire: beam.h5: the target is the source itself; name another file"),
    ("group beam.h5 out.h5 'bin(z)'", 2, "'bin(z)' is no group; write bin(COLUMN, COUNT), with COUNT from 1"),
    ("group beam.h5 out.h5 'bin(z, five)'", 2, "'bin(z, five)' is no group; write bin(COLUMN, COUNT)"),
    ("group beam.h5 out.h5 'gap(z, -1)'", 2, "'gap(z, -1)' is no group; write gap(COLUMN, DISTANCE), with"),
    ("group beam.h5 out.h5 'bn(z, 5)'", 2, "there is no kind of group 'bn' (nearest: bin)"),
    ("group beam.h5 out.h5 'bin(zz, 5)'", 1, "quire: beam.h5: there is no column 'zz' (nearest: z)"),
    ("group beam.h5 out.h5 'slice=bin(z, 5'", 2, "is no group; write NAME=bin(COLUMN, COUNT)"),
    ("join beam.h5 out.h5", 2, "missing argument 'FILE' of quire join IN OUT FILE; see quire join --help"),
    ("join beam.h5 out.h5 nothing.h5 --on id", 4, "quire: nothing.h5: cannot open"),
    ("join beam.h5 out.h5 other.h5 --on idd", 1, "quire: beam.h5: there is no column 'idd' (nearest: id)"),
    (
        "join beam.h5 out.h5 other.h5 --on id",
        1,
        '"x": both files have this column; choose by --take, or --suf',
    ),
    ("join beam.h5 out.h5 other.h5 --on id --how lft", 2, "no manner to join 'lft' (nearest: left)"),
    (
        "join beam.h5 out.h5 other.h5 --nearest z --tolerance -1",
        2,
        "a tolerance (--tolerance) is 0 or more, not -1",
    ),
    ("join beam.h5 out.h5 other.h5 --on id --tolerance 1", 2, "of nearest values; give --nearest NAME"),
    (
        "pages beam.h5 out.h5",
        2,
        "missing argument 'WHAT' of quire pages IN OUT WHAT: collapse, expand, merge",
    ),
    ("pages beam.h5 out.h5 merg", 2, "'merg' is not one of collapse, expand, * (nearest: merge); see"),
    ("pivot beam.h5 out.h5 x", 2, "missing argument 'VALUE' of quire pivot IN OUT COLUMN VALUE"),
    ("transpose twiss.table out.h5 --names qq", 1, "quire: twiss.table: there is no column 'qq'"),
    # histograms and signals
    ("hist beam.h5 out.h5 xx", 1, "quire: beam.h5: there is no column 'xx' (nearest: x)"),
    ("hist beam.h5 out.h5 x --bins 0", 2, "'0' is not a number of bins; write for example 100 or 60x40"),
    (
        "hist beam.h5 out.h5 x --bins 9 --width 1",
        2,
        "give either the number of bins (--bins) or their width (--width)",
    ),
    ("hist beam.h5 out.h5 x --joint", 2, "a joint histogram has two columns, not 1: x"),
    ("hist beam.h5 out.h5 x --range 5", 2, "'5' is not a range; write for example -1e-3:1e-3, 0: or :5"),
    ("hist beam.h5 out.h5 x --range 5:1", 2, "the upper limit 1 is not above the lower 5"),
    ("hist beam.h5 out.h5 x --norm pek", 2, "'pek' is not one of none, sum, area, peak (nearest: peak); see"),
    ("hist twiss.table out.h5 ElementName", 1, "this column contains texts, and numbers are needed"),
    ("fft beam.h5 out.h5 x --results amplitud", 2, "there is no result 'amplitud' (nearest: amplitude)"),
    (
        "fft beam.h5 out.h5 x --window hanning",
        2,
        "'hanning' is not one of none, hann, * (nearest: hann); see",
    ),
    ("fft beam.h5 out.h5 x --pad --truncate", 2, "choose one of --pad and --truncate"),
    (
        "fft beam.h5 out.h5 x --versus z",
        1,
        "beam.h5: step 0: z is not evenly spaced: * interpolate at equal steps before",
    ),
    ("fft beam.h5 out.h5 x --spacing wide", 2, "invalid value for '--spacing': it must be a number; see"),
    ("tunes beam.h5 out.h5 x --count 0", 2, "the number of frequencies is 1 or more, not 0"),
    ("smooth beam.h5 out.h5 x --points 4", 2, "a window (--points) has an odd number of rows, not 4"),
    ("interp beam.h5 out.h5 x", 2, "missing option '--versus'; see quire interp --help"),
    (
        "interp beam.h5 out.h5 x --versus id --at one",
        2,
        "'one' is not a list of numbers; write for example 0,",
    ),
    (
        "interp beam.h5 out.h5 x --versus z --at 1",
        1,
        "beam.h5: step 0: z is not strictly monotonic: * sort by it",
    ),
    ("deriv beam.h5 out.h5 x --versus id --interval 0", 2, "derivative is at least 1 row, not 0"),
    ("integ beam.h5 out.h5 x --versus qq", 1, "quire: beam.h5: there is no column 'qq'"),
    ("peaks beam.h5 out.h5 x --threshold high", 2, "invalid value for '--threshold': it must be a number"),
    ("zeros beam.h5 out.h5 x", 2, "missing option '--versus'; see quire zeros --help"),
    ("outliers beam.h5 out.h5 xx", 1, "quire: beam.h5: there is no column 'xx' (nearest: x)"),
    # fits and matrices
    (
        "fit beam.h5 out.h5 px",
        2,
        "a fit by polynomial needs one column or two as variable; give --versus NAME",
    ),
    ("fit beam.h5 out.h5 px --versus x --model polynom", 2, "no model 'polynom' (nearest: polynomial)"),
    ("fit beam.h5 out.h5 px --versus x --model 'a+b*x'", 2, "is known of a, b; give start a=1,b=1"),
    ("fit beam.h5 out.h5 px --versus x --model a*x --start a=one", 2, "'one' is not a number; write for exa"),
    (
        "fit beam.h5 out.h5 px --versus x --model a*x --start a",
        2,
        "'a' has no value; write for example a=0.5",
    ),
    ("fit beam.h5 out.h5 px --versus x --model gaussian --fix mu=1", 2, "no parameter 'mu'; there are: base"),
    ("fit beam.h5 out.h5 px --versus x --order 5000", 2, "orders are from 0 to 100, not 5000"),
    (
        "fit beam.h5 out.h5 px --versus x --orders 1,1",
        2,
        "orders are different numbers, and 1 is given twice",
    ),
    ("correlate beam.h5 out.h5 x", 1, "quire: beam.h5: a correlation needs two columns, and there is: x"),
    ("matrix beam.h5 out.h5 invert", 2, "'invert' is not one of product, inverse, * (nearest: inverse); see"),
    (
        "matrix beam.h5 out.h5 inverse",
        1,
        "quire: beam.h5: a matrix of 2000 x 7 has no inverse; use the pseudo-inverse",
    ),
    ("matrix beam.h5 out.h5 pseudo-inverse --remove one", 2, "'one' is not a whole number; write for exa"),
    ("new out.h5 x", 2, "'x' is no definition; write NAME=SOURCE or NAME[unit]=SOURCE"),
    ("new out.h5 'x=gaussian(0,1)'", 2, "the number of rows of a sample is not known; give --rows 1000"),
    ("new out.h5 'x=gaus(0,1)' --rows 9", 2, "there is no distribution 'gaus' (nearest: gaussian"),
    ("new out.h5 x=1,2 y=1,2,3", 1, "columns differ in length: x 2, y 3"),
    ("new out.h5 'x=tabulated(beam.h5,xx,px)' --rows 9", 1, "quire: beam.h5: there is no column 'xx'"),
    # chains
    ("run beam.h5 / srt z", 2, "there is no verb 'srt' (nearest: sort)"),
    ("run beam.h5 / sort", 2, "missing argument 'KEY...' of quire run ... / sort KEY..."),
    ("run beam.h5 / stats 'mean(x)' --strict", 2, "write it before IN: quire run --strict IN; see"),
    ("run beam.h5 / sort z --where 'x > 0'", 2, "write it before IN: quire run --where ... IN; see"),
    ("run beam.h5 / sort z --overwrite", 2, "write it after the new file: / write OUT --overwrite; see"),
    ("run beam.h5 / sort z -o out.h5", 2, "-o: the last verb writes the new file: / write OUT; see"),
    ("run beam.h5 / sort z --steps 5", 2, "write it before IN: quire run --steps ... IN"),
    ("run beam.h5 / write out.h5 / sort z", 2, "write is the last verb of a chain"),
    ("run beam.h5 / / sort z", 2, "there is no verb between two slashes"),
    ("run beam.h5 other.h5 / sort z", 2, "a chain begins with one file: quire run IN / VERB"),
    ("run --table q beam.h5 / sort z", 1, 'quire: beam.h5, "q": step 0 has no table "q"'),
    ("run beam.h5 / stats 'sdt(x)'", 2, "there is no reduction 'sdt' (nearest: std)"),
    ("run beam.h5 / define r", 2, "'r' is not a definition; write NAME=EXPRESSION"),
    ("run beam.h5 / write beam.h5", 1, "quire: beam.h5: the target is the source itself"),
    ("run beam.h5 / concat nothing.h5", 4, "quire: nothing.h5: cannot open"),
    # files inside files, pages of the manual, expressions alone
    ("attach beam.h5 nothing.txt", 4, "quire: nothing.txt: No such file or directory"),
    ("attach beam.h5 --extract q", 1, 'quire: beam.h5: there is no attachment "q"'),
    ("unpack beam.h5", 1, "quire: beam.h5: the file has no streams"),
    ("unpack nothing.pack", 4, "quire: nothing.pack: cannot open: No such file or directory"),
    (
        "split beam.h5 out.h5",
        2,
        "all files would have the name 'out.h5'; write for example 'out_{step}.h5'",
    ),
    ("explain 'rpn: x +'", 2, "+ needs 2 numbers, and the stack has 1"),
    ("explain xx beam.h5", 1, 'quire: beam.h5: there is no column or attribute "xx" (nearest: x'),
    ("advise", 2, "missing argument 'PATH' of quire advise PATH; see quire advise --help"),
    ("shims", 2, "missing argument 'DIR' of quire shims DIR"),
]

QUERIES: list[tuple[str, int, str]] = [
    ("sql \"select x from 'nothing.h5'\"", 4, "quire: nothing.h5: cannot open: No such file or directory"),
    ("sql \"select xx from 'beam.h5'\"", 2, 'column "xx" not found in FROM clause! Candidate bindings: "x"'),
    ("sql \"selct x from 'beam.h5'\"", 2, 'syntax error at or near "selct"; write SELECT ... FROM'),
    ('sql "drop table x"', 2, "this is no query; write SELECT ... FROM 'FILE'"),
    ('sql "select x from beam.h5"', 2, "the name of a file is written in quotes: FROM 'beam.h5'"),
    ('sql "select x from beam"', 4, "quire: beam: cannot open: * did you mean beam.h5?"),
    (
        "sql \"select avg(ElementName) from 'twiss.table'\"",
        2,
        "the given name and argument types 'avg(VARCHAR",
    ),
    ("sql \"select x from 'beam.h5#ions'\"", 1, 'quire: beam.h5, "ions": step 0 has no table "ions"'),
    ("sql \"select x from 'beam.h5'\" beam.h5", 1, "quire: beam.h5: the target is the source itself"),
    ("sql \"select x from 'cut.h5'\"", 3, "quire: cut.h5: the file is cut"),
]
"""Mistakes in queries, which need the engine."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the mistakes."""
    from quire.toolkit.examples import EXAMPLES

    folder = tmp_path_factory.mktemp("mistakes")
    first = path_for(folder, step_formats()[0], "twiss")
    EXAMPLES["twiss"].write(first)
    first.rename(folder / "twiss.table")
    with quire.create(first) as out, out.step(0) as step:
        step.put("x", [])
    first.rename(folder / "no-rows.table")
    EXAMPLES["beam"].write(folder / "beam.h5")
    shutil.copy(folder / "beam.h5", folder / "other.h5")
    whole = (folder / "beam.h5").read_bytes()
    (folder / "cut.h5").write_bytes(whole[: len(whole) // 2])
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


@pytest.mark.parametrize(("line", "code", "message"), QUERIES, ids=[line for line, _, _ in QUERIES])
def test_mistakes_in_queries_are_explained(
    run: Run, prepared: Path, monkeypatch: pytest.MonkeyPatch, line: str, code: int, message: str
) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    test_mistakes_are_explained(run, prepared, monkeypatch, line, code, message)


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
