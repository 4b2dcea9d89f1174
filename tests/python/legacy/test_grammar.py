"""The grammar of old command lines, patterns, edits and formats."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.legacy.support import write_table

import quire
from quire.errors import UsageError
from quire.legacy.edits import edited
from quire.legacy.grammar import parse, split_items
from quire.legacy.patterns import condition, matches
from quire.legacy.printing import formatted

KEYWORDS = ("define", "delete", "process", "print", "format_string")


@pytest.mark.parametrize(
    ("word", "keyword", "items"),
    [
        ("-def=column,a,b", "define", ("column", "a", "b")),
        ("-DEFINE,a", "define", ("a",)),
        ("-def:a=b", "define", ("a=b",)),
        ("-proc", "process", ()),
        ("-formatstring=%s", "format_string", ("%s",)),
        (r"-pri=a\,b,c", "print", ("a,b", "c")),
        ("-pri=(a,b),c", "print", ("a,b", "c")),
        ("-pri=x=(a,b),c", "print", ("x=(a,b)", "c")),
        (r"-pri=a\tb", "print", ("a\tb",)),
        ("-pri=f(a),b", "print", ("f(a)", "b")),
    ],
)
def test_options_are_abbreviated_and_split(word: str, keyword: str, items: tuple[str, ...]) -> None:
    (option,) = parse("program", KEYWORDS, [word]).options
    assert (option.keyword, option.items) == (keyword, items)


@pytest.mark.parametrize(("word", "reason"), [("-de=a", "-define or -delete"), ("-foo=1", "no such option")])
def test_unknown_and_ambiguous_options_are_named(word: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as problem:
        parse("program", KEYWORDS, [word])
    assert word in str(problem.value)


def test_files_pipes_and_comments_are_separated(tmp_path: Path) -> None:
    arguments = tmp_path / "arguments"
    arguments.write_text("-print=a\nmore.sdds\n")
    words = ["in", "-pipe=out", "=", "-nonsense", "words", "=", f"@@{arguments}", "-pip=in"]
    line = parse("program", KEYWORDS, words)
    assert line.files == ["in", "more.sdds"]
    assert line.pipe == {"input", "output"}
    assert [one.keyword for one in line.options] == ["print"]
    path = write_table(tmp_path / "T.sdds", 2)
    assert parse("p", KEYWORDS, [f"@@{path},parameter=label"]).files == ["page 0", "page 1"]
    assert parse("p", KEYWORDS, [f"@@{path},column=n"]).files[:2] == ["Q1", "Q2"]


@given(st.lists(st.text(st.sampled_from("ab =."), min_size=0, max_size=4), min_size=1, max_size=4))
def test_items_without_protection_are_what_is_between_commas(items: list[str]) -> None:
    assert split_items(",".join(items)) == items


LETTERS = st.text(st.sampled_from("aAbQ1_"), max_size=6)


@given(LETTERS, st.text(st.sampled_from("aAbQ1_*?"), max_size=6))
def test_patterns_match_like_those_of_file_names(text: str, pattern: str) -> None:
    assert matches(text, pattern) == fnmatchcase(text, pattern)
    assert matches(text, f"^{pattern}") != matches(text, pattern)


@given(LETTERS, st.text(st.sampled_from("aAbQ1_*?"), max_size=6), st.booleans())
def test_conditions_of_patterns_hold_for_the_same_texts(text: str, pattern: str, ignores_case: bool) -> None:
    found = quire.expression(condition("n", pattern, ignores_case))(n=text)
    assert bool(found) == matches(text, pattern, ignores_case)


@pytest.mark.parametrize(
    ("text", "pattern", "is_match"),
    [
        ("b", "[a-c]", True),
        ("d", "[a-c]", False),
        ("d", "[^a-c]", True),
        ("*", r"\*", True),
        ("a", r"\*", False),
    ],
)
def test_sets_and_quoted_characters(text: str, pattern: str, is_match: bool) -> None:
    assert matches(text, pattern) is is_match


@pytest.mark.parametrize(
    ("command", "text", "result"),
    [
        ("5d", "abcdefgh", "fgh"),
        ("ei/_x/", "ab", "ab_x"),
        ("%/Q/Quad/", "QQ", "QuadQ"),
        ("2%/Q/Quad/", "QQ", "QuadQuad"),
        ("Z_", "abc_def", "def"),
        ("z_", "abc_def", "_def"),
        ("s/c/2d", "abcdef", "abcf"),
        ("S/c/2d", "abcdef", "abef"),
        ("s?/x/2d", "abcdef", "abcdef"),
        ("1D", "one two", " two"),
        ("2key", "abcd", "cdab"),
        ("e2b1d", "abcd", "abd"),
    ],
)
def test_edits(command: str, text: str, result: str) -> None:
    assert edited(command, text) == result


def test_a_wrong_edit_names_the_step() -> None:
    with pytest.raises(UsageError, match="no step 'q'"):
        edited("q", "text")
    with pytest.raises(UsageError, match="no closing /"):
        edited("i/abc", "text")


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**31), 2**31))
def test_formats_print_as_in_c(value: float, count: int) -> None:
    assert formatted("%8.3lf|%-8ld|%e", value, count, value) == f"{value:8.3f}|{count:<8d}|{value:e}"


@pytest.mark.parametrize(("text", "values"), [("%s", ()), ("%d", ("a",)), ("x", (1,)), ("%q", (1,))])
def test_formats_that_do_not_fit_are_errors(text: str, values: tuple[object, ...]) -> None:
    with pytest.raises(UsageError):
        formatted(text, *values)
