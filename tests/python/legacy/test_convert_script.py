"""Scripts with calls of old programs, rewritten."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.legacy.support import write_table
from tests.python.legacy.test_shims import shell

from quire.errors import UsageError
from quire.legacy.install import install
from quire.legacy.scripts.conversion import convert, language_of

LANGUAGES = ("sh", "csh", "tcl")

SCRIPT = """#!/bin/sh
file=T
low=2; pattern='Q*'
sddsprocess $file.sdds -pipe=out "-define=column,r,x sqr sqrt 2 *,units=m" \\
    -filter=col,x,$low,6 -match=col,n="$pattern" | \\
  sddssort -pipe -col=r,decr | sdds2stream -pipe=in -col=r   # the largest first
value=`sdds2stream "${file}.sdds" -par=p`
rpnl $(sdds2stream $file.sdds -par=p) $low + $value +
sddsprocess $file.sdds $file.out.sdds -process=y,max,yMax "-def=par,half,yMax 2 /" > /dev/null
sdds2stream $file.out.sdds -par=half,yMax
"""


def rounded(word: str) -> str:
    """Return a word, and a number in one form."""
    try:
        return f"{float(word):.13e}"
    except ValueError:
        return word


def test_a_rewritten_script_prints_the_same(tmp_path: Path) -> None:
    printed = []
    made = convert(SCRIPT)
    assert [one.text for one in made.remarks if one.is_left] == []
    assert made.rewritten == 8
    for name, text in (("old", SCRIPT), ("new", made.text)):
        folder = tmp_path / name
        folder.mkdir()
        write_table(folder / "T.sdds")
        install(folder / "bin")
        (folder / "quire").write_text('#!/bin/sh\nexec python -m quire "$@"\n')
        (folder / "quire").chmod(0o755)
        (folder / "script").write_text(text)
        done = shell("sh -e script", folder, *([folder / "bin"] if name == "old" else [folder]))
        printed.append([rounded(word) for word in done.stdout.split()])
    assert printed[0][2:] == [rounded(word) for word in ("8", "4.5", "9")]
    assert printed[0] == printed[1]


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("sh", "sddssort $f -pipe=out -col=x", "quire run $f / sort x / write - --format sdds"),
        ("sh", 'sdds2stream "$d/a b.sdds" -page=1 -par=p', 'quire get "$d/a b.sdds" p --index 0'),
        ("sh", "/opt/bin/sdds2stream a -page=1 -par=p;", "quire get a p --index 0;"),
        ("sh", "A=1 sdds2stream a -page=1 -par=p&", "A=1 quire get a p --index 0&"),
        ("sh", "if ! sdds2stream a -page=1 -par=p", "if ! quire get a p --index 0"),
        ("sh", "(rpnl 2 sqrt)", "(quire calc --format %.15lg -- 'rpn-1986: 2 sqrt')"),
        (
            "sh",
            "rpnl '$' $x",
            "quire calc --format %.15lg -- 'rpn-1986: $ '\"$x\"",
        ),
        (
            "sh",
            "sddsprocess a b -filter=col,x,$lo,${hi}",
            'quire run a / filter "x between $lo and ${hi}" / write b --format sdds --overwrite --quiet',
        ),
        (
            "sh",
            "sddsprocess a b.sdds -redef=col,x,y,units=$unit",
            'quire run a / define --as column "x[$unit]=rpn-1986: y" --type x=float64 --replace / '
            "write b.sdds --overwrite --quiet",
        ),
        (
            "csh",
            "sddsprocess a b.sdds -redef=col,$x,y,units=m",
            'quire run a / define --as column "${x}[m]=rpn-1986: y" --type $x=float64 --replace / '
            "write b.sdds --overwrite --quiet",
        ),
        ("csh", "set a = `sdds2stream $1:r.s -page=1 -par=p`", "set a = `quire get $1:r.s p --index 0`"),
        ("csh", "sdds2stream a -page=1 -par=p >& log", "quire get a p --index 0 >& log"),
        ("tcl", "set a [exec sdds2stream $f -page=1 -par=p]", "set a [exec quire get $f p --index 0]"),
        (
            "tcl",
            "catch {exec sddssort $f(1) -pipe=out {-col=a b} | wc > $log}",
            "catch {exec quire run $f(1) / sort {a b} / write - --format sdds | wc > $log}",
        ),
        (
            "tcl",
            'exec rpnl "[exec rpnl 2 sqrt] 3 *"',
            'exec quire calc --format %.15lg -- "rpn-1986: [exec quire calc --format %.15lg -- '
            '{rpn-1986: 2 sqrt}] 3 *"',
        ),
    ],
)
def test_calls_become_commands(language: str, old: str, new: str) -> None:
    made = convert(old, language)
    assert (made.text, made.left) == (new, 0)


def test_a_bar_at_the_end_of_a_line_continues_a_pipe() -> None:
    made = convert("sddssort a -pipe=out -col=x |\n  sddsprocess -pipe=in b.sdds -clip=1,0\nls\n")
    assert (
        made.text
        == "quire run a \\\n  / sort x \\\n  / rows 1: \\\n  / write b.sdds --overwrite --quiet\nls\n"
    )
    made = convert("sddssort a -pipe=out -col=x | # sorted\nsddsprocess -pipe=in b.sdds -clip=1,0\n")
    assert made.rewritten == 2
    assert "| # sorted\nquire run - / rows" in made.text


def test_continued_lines_stay_continued() -> None:
    made = convert("sddssort a -pipe=out \\\n   -col=x \\\n   | sddsprocess -pipe=in b.sdds -clip=1,0\nls\n")
    assert made.text == (
        "quire run a \\\n   / sort x \\\n   / rows 1: \\\n   / write b.sdds --overwrite --quiet\nls\n"
    )


@pytest.mark.parametrize(
    ("language", "script", "line", "reason"),
    [
        ("sh", "\nsddssmooth a b -col=x", 2, "no shim of sddssmooth"),
        ("sh", "sddssort *.sdds -pipe=out -col=x", 1, "names of files"),
        ("sh", "sddssort ~/a -pipe=out -col=x", 1, "~"),
        ("sh", 'sddssort "$@"', 1, "several words"),
        ("sh", "sddssort @@words", 1, "words of a file"),
        ("sh", "sddssort a b -nonsense", 1, "-nonsense"),
        ("sh", "sddssort a b -col=x > log -nonsense", 1, "after a redirection"),
        ("sh", "sddsprocess a b -clip=$n,0", 1, "depends on the value of $n"),
        ("sh", "sdds2stream $f -col=x -page=$n", 1, "depends on the value of $n"),
        ("sh", "sddsprocess $f -clip=1,0 > log", 1, "the file is replaced"),
        ("sh", "sddsprocess $f $g -print=col,s,%f,x", 1, "no command does the same"),
        ("sh", "rpnl rnd", 1, "random numbers"),
        ("sh", "echo 2 | rpnl -s", 1, "standard input"),
        ("sh", "cat <<END\nsddsprocess a b\nEND\n", 2, "not called here by a plain command"),
        ("sh", "for p in sddsprocess; do $p a b; done", 1, "not called here"),
        ("sh", "ls\necho 'open\nrpnl 2", 2, "' is not closed"),
        ("csh", "sddsprocess a b -match=col,n=a!", 1, "csh reads !"),
        ("tcl", "eval exec sddssort $words", 1, "not called here"),
        ("tcl", "exec sddssort {*}$words", 1, "several words"),
        ("tcl", "exec sddssort $f -col=x", 1, "the file is replaced"),
    ],
)
def test_what_is_not_understood_is_left_and_listed(
    language: str, script: str, line: int, reason: str
) -> None:
    made = convert(script, language)
    assert made.text == script
    assert [(one.line, one.is_left) for one in made.remarks] == [(line, True)]
    assert reason in made.remarks[0].text


@pytest.mark.parametrize("pattern", ["$p*", "*$p*", "a$p", "$p*b*", "$p"])
def test_wildcards_beside_variables_stay(pattern: str) -> None:
    made = convert(f'sddsprocess a b -match=col,n="{pattern}"\n').text
    assert f"filter n like {pattern} /" in made.replace('"', "").replace("'", "")


def test_keys_that_could_be_equal_are_noted() -> None:
    made = convert("sddsxref a b c -match=n -take=v\n")
    assert made.text == "quire run a / join b --on n --take v / write c --format sdds --overwrite --quiet\n"
    assert [(one.is_left, one.text.partition(":")[0]) for one in made.remarks] == [
        (False, "keys are taken to be unique")
    ]
    assert not convert("sddsxref a b c -take=v\n").remarks


def test_numbers_that_could_be_names_are_noted() -> None:
    made = convert("\nsddsprocess a b -filter=col,x,$low,$(rpnl 1)")
    assert made.left == 0
    assert [(one.line, one.text) for one in made.remarks] == [
        (2, "$low is taken for a number"),
        (2, "$(quire calc --format %.15lg -- 'rpn-1986: 1') is taken for a number"),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@given(st.text(st.sampled_from("ab$`'\"\\ \n#|;&<>(){}[]*?~=-!@1:/"), max_size=40))
def test_scripts_without_old_programs_are_kept(language: str, text: str) -> None:
    assert convert(text, language).text == text


@pytest.mark.parametrize("language", LANGUAGES)
@given(st.text(st.sampled_from("ab$'\"\\ \n#|;&<>(){}[]*?~=-!@1:/"), max_size=20))
def test_what_follows_a_call_is_kept(language: str, text: str) -> None:
    made = convert(f"{'exec ' * (language == 'tcl')}rpnl 2\n{text}", language)
    first, _, rest = made.text.partition("\n")
    assert rest == text
    assert ("calc" in first) != bool(made.left)


@pytest.mark.parametrize(
    ("text", "suffix", "language"),
    [
        ("#!/bin/csh -f\n", "", "csh"),
        ("#!/usr/bin/env tcsh\n", ".sh", "csh"),
        ("#!/bin/bash\n", ".tcl", "tcl"),
        ('#!/bin/sh\n# \\\nexec tclsh "$0"\n', "", "tcl"),
        ("#!/usr/bin/tclsh8.6\n", "", "tcl"),
        ("ls\n", ".csh", "csh"),
        ("ls\n", "", "sh"),
    ],
)
def test_languages_are_recognised(text: str, suffix: str, language: str) -> None:
    assert language_of(text, suffix) == language


def test_other_languages_are_refused() -> None:
    with pytest.raises(UsageError, match="'perl'"):
        convert("ls", "perl")
