"""Reverse Polish notation: its translation to infix, and its values, compared with an interpreter of rows."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.rpn.reference import Interpreter

import quire
from quire.io.expression import Expression, core_attribute
from quire.io.row_source import Arrays
from quire.rpn.compiler import SIMPLE, infix
from quire.rpn.definitions import Definitions, parse_definitions
from quire.rpn.tokens import tokens_of
from quire.rpn.words import CODATA_2022, COMPARISONS, FUNCTIONS, OLD_TABLE, REFUSED, SYMBOLS

TRANSLATIONS = {
    "x": "x",
    "12": "12",
    "x sqr y sqr + sqrt": "sqrt(x ** 2 + y ** 2)",
    "x y * x y / - 2 +": "x * y - x / y + 2",
    "x y + x y - /": "(x + y) / (x - y)",
    "x y - x -": "x - y - x",
    "x y x - -": "x - (y - x)",
    "a 3 pow": "a ** 3",
    "x 2 mult chs": "-(x * 2)",
    "x chs sqr": "(-x) ** 2",
    "x abs rec": "1 / abs(x)",
    "a sqrt exp ln": "log(exp(sqrt(a)))",
    "x 10 * int": "trunc(x * 10)",
    "x floor y ceil +": "floor(x) + ceil(y)",
    "x sin y cos * a tan +": "sin(x) * cos(y) + tan(a)",
    "b asin b acos + x atan +": "asin(b) + acos(b) + atan(x)",
    "x y atan2": "atan2(y, x)",
    "x erf y erfc +": "erf(x) + erfc(y)",
    "a 1 + lngam": "lgamma(a + 1)",
    "x y mod": "x % y",
    "x y fmod": "fmod(x, y)",
    "x sign y *": "sign(x) * y",
    "5 fact x *": "gamma(5 + 1) * x",
    "a log x 10x +": "log10(a) + 10 ** x",
    "x y hypot": "hypot(x, y)",
    "x y max2 a min2": "min(max(x, y), a)",
    "x y a 3 sumn": "x + y + a",
    "x y a 3 maxn x y 2 minn -": "max(x, y, a) - min(x, y)",
    "x y 2 mean": "(x + y) / 2",
    "x y 2 rms": "sqrt((x ** 2 + y ** 2) / 2)",
    "x dsin y dcos +": "sin(x * pi / 180) + cos(y * pi / 180)",
    "b dasin x datan +": "asin(b) * 180 / pi + atan(x) * 180 / pi",
    "x rtod y dtor +": "x * 180 / pi + y * pi / 180",
    "x sinh y cosh + a tanh +": "sinh(x) + cosh(y) + tanh(a)",
    "x beta.p": "x / sqrt(1 + x ** 2)",
    "x gamma.p": "sqrt(1 + x ** 2)",
    "b gamma.beta b p.beta +": "1 / sqrt(1 - b ** 2) + b / sqrt(1 - b ** 2)",
    "a 1 + p.gamma": "sqrt((a + 1) ** 2 - 1)",
    "x c_mks / 1e9 *": "x / c_light * 1e9",
    "x mev *": "x * mc2_electron",
    "pi 2 * x *": "pi * 2 * x",
    "i_row n_rows / i_page +": "row / rows + page",
    "x 0 >": "x > 0",
    "x 0 > y 1 < &&": "x > 0 and y < 1",
    "x 0 > y 1 < || !": "not (x > 0 or y < 1)",
    "x 0 == x isnan || y isinf ||": "x == 0 or isnan(x) or isinf(y)",
    "x 0 > x +": "0 + x",
    "x 0 > popl": "0",
    "y 4 > ? 1 : 0 $": "where(y > 4, 1, 0)",
    "x y > pop pop ? x : y $": "where(x > y, x, y)",
    "x 0 < pop ? chs : 2 * $": "where(x < 0, -x, x * 2)",
    "x 0 > ? y 1 > ? 2 : 1 $ : 0 $": "where(x > 0, where(y > 1, 2, 1), 0)",
    "a x 0 > pop pop ? 2 * : $": "where(x > 0, a * 2, a)",
    "x =  *": "x * x",
    "x y 2 n= + * -": "x - y * (x + y)",
    "x y swap -": "y - x",
    "x y a rup - -": "y - (a - x)",
    "x y a rdn - -": "a - (x - y)",
    "x y pop 3 +": "x + 3",
    "x y cle a": "a",
    "x y stlv + *": "x * (y + 2)",
    "x 2 * sto k k k * +": "x * 2 + x * 2 * (x * 2)",
    "0 &y [": "first(y)",
    "n_rows 1 - &y [": "last(y)",
    "i_row &y [ x +": "y + x",
    "i_row 1 - &y [": "lag(y, 1)",
    "i_row 2 + &y [": "lead(y, 2)",
    's "Q1" streq ? 1 : 2 $': 'where(s == "Q1", 1, 2)',
    's "Q*" strmatch !': 'not s like "Q*"',
    "s strlen x +": "length(s) + x",
    "x 3 * -2.5e-1 + .5 -": "x * 3 + -2.5e-1 - .5",
}
WITH_MEMORY = {
    "y run + sto run": "cumsum(y)",
    "run y + sto run x *": "cumsum(y) * x",
    "x sqr total + sto total sqrt": "sqrt(cumsum(x ** 2))",
}
"""Variables that keep their value from row to row; before the first they are 0."""


def columns(seed: int = 0, rows: int = 9) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {
        "x": random.normal(0, 3, rows).round(2),
        "y": random.normal(0, 5, rows).round(1),
        "a": random.uniform(0.5, 3, rows).round(2),
        "b": random.uniform(-0.9, 0.9, rows).round(2),
        "s": random.choice(np.array(["Q1", "Q2", "D1", "S"], dtype=object), rows),
    }


def values_of(text: str, found: dict[str, np.ndarray]) -> np.ndarray:
    rows = len(found["x"])
    kinds = {name: "string" if array.dtype.hasobject else "float64" for name, array in found.items()}
    quantities = [quire._core.Quantity(name, kind) for name, kind in kinds.items()]
    bound = Expression(text).compile(
        quantities, (), {"rows": rows, "page": 3, "step": 7}, Arrays(found, rows)
    )
    return bound.evaluate(found, 0, rows).astype(np.float64)


@pytest.mark.parametrize("text", TRANSLATIONS)
def test_words_are_translated(text: str) -> None:
    assert quire.expression(f"rpn: {text}").text == TRANSLATIONS[text]


@pytest.mark.parametrize("text", [*TRANSLATIONS, *WITH_MEMORY])
def test_values_are_those_of_the_interpreter(text: str) -> None:
    found = columns()
    interpreter = Interpreter(found)
    if text in WITH_MEMORY:
        interpreter.variables |= {"run": 0.0, "total": 0.0}
        assert quire.expression(f"rpn: {text}").text == WITH_MEMORY[text]
    with np.errstate(all="ignore"):
        expected = interpreter.run(text)
    np.testing.assert_allclose(values_of(f"rpn: {text}", found), expected, 1e-13, 1e-13)


pushes = st.sampled_from(["x", "y", "a", "b", "2", "-0.5", "i_row", "n_rows", "pi"])
changes = st.sampled_from(
    ["+", "-", "*", "max2", "min2", "hypot", "swap", "= +", "sqr", "chs", "abs", "sin", "floor", "sign"]
)
conditions = st.sampled_from(
    ["> pop ? 2 * : 1 - $", "< ? x : y $", "> y 0 < && ? a : chs $", "< ! pop ? 3 : x 1 > ? 4 : 5 $ $"]
)


@settings(max_examples=150)
@given(st.lists(st.one_of(pushes, changes, conditions), max_size=10), st.integers(0, 50))
def test_random_programs_have_the_values_of_the_interpreter(words: list[str], seed: int) -> None:
    text = " ".join(["x y a", *words])
    found = columns(seed, 4)
    try:
        expected = Interpreter(found).run(text)
    except (IndexError, ValueError, TypeError):
        with pytest.raises(quire.UsageError, match="needs"):
            infix(f"rpn: {text}")
        return
    try:
        value = values_of(f"rpn: {text}", found)
    except quire.UsageError:
        # Rows of the branch with fewer values would have none left.
        assert any("?" in word for word in words)
        return
    np.testing.assert_allclose(value, expected, 1e-12, 1e-12)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("x +", "+ needs 2 numbers, and the stack has 1", "  ^"),
        ("+", "+ needs 2 numbers, and the stack has 0", "^"),
        ("x sin cos y hypot hypot", "hypot needs 2 numbers, and the stack has 1", "                  ^^^^^"),
        ("x ? 1 : 2 $", "? needs a condition, and there is none", "  ^"),
        ("x 0 > && 3", "&& needs a condition", "      ^^"),
        ("x 0 > ? 1 : 2", "? needs : and $", "      ^"),
        ("x 0 > ? 1 $", "? needs : and $", "      ^"),
        ("x 1 : 2", ": belongs to no ?", "    ^"),
        ("x 1 $", "$ belongs to no ?", "    ^"),
        ("x rnd *", "rnd cannot be translated: it depends on the order of evaluation", "  ^^^"),
        ("x 2 betai", "betai cannot be translated: infix does not have this function", "    ^^^^^"),
        ("x y interp", "interp cannot be translated: its definition is not part of Quire", "    ^^^^^^"),
        ('"ls" cshs', "cshs cannot be translated: an expression neither reads nor writes files", "     ^^^^"),
        ("10 mal", "mal cannot be translated: arrays have no place", "   ^^^"),
        ("3 &y [", "[ fetches the first, last, same, or a neighbouring row", "     ^"),
        ("0 y [", "[ fetches a value of a column", "    ^"),
        ("x &y", "&y is followed by [", "  ^^"),
        ("x #1 +", "#1 is neither a word nor a name", "  ^^"),
        ("x n maxn", "maxn needs the number of values as an integer", "    ^^^^"),
        ("x sto", "sto is followed by the name of a variable", "  ^^^"),
        ("x sto 3", "3 cannot be the name of a variable", "  ^^^"),
        ("y run 2 * + sto run", "run is read before it is stored", "  ^^^"),
        ("x strlen streq", "streq needs a text, and there is none", "         ^^^^^"),
        ('x "abc', 'the text that begins here has no closing "', "  ^^^^"),
        ("x `abc +", "the name that begins here has no closing `", "  ^^^^^^"),
        ("x y + x 0 > ? y : pop $ stlv", "unequal numbers of values", "                        ^^^^"),
        ("x udf", "udf cannot be translated: functions are defined in files", "  ^^^"),
    ],
)
def test_errors_show_the_word(text: str, message: str, place: str) -> None:
    with pytest.raises(quire.UsageError) as caught:
        quire.expression(f"rpn: {text}")
    first, line, carets = caught.value.message.splitlines()
    assert message in first
    assert line == f"    rpn: {text}"
    assert carets == f"         {place}"


def test_an_expression_without_a_value_is_an_error() -> None:
    for text in ("rpn:", "rpn: x pop", "rpn: x cle"):
        with pytest.raises(quire.UsageError, match="leaves no value on the stack"):
            quire.expression(text)


def test_names_with_dots_and_names_of_words() -> None:
    assert quire.expression("rpn: MALIN.DP 2 *").text == "`MALIN.DP` * 2"
    assert quire.expression("rpn: `odd name` `mod` + 0 &`odd name` [ -").text == (
        "`odd name` + mod - first(`odd name`)"
    )
    assert quire.expression("rpn: and or +").names == ["and", "or"]
    assert quire.expression("rpn: `a``b`").names == ["a`b"]
    assert quire.expression("rpn: MALIN.DP sqr")({"MALIN.DP": np.array([1.0, 3.0])}).tolist() == [1, 9]


def test_separators_are_blanks_commas_and_semicolons() -> None:
    assert quire.expression("  rpn:x,y;+ \t 2\n* ").text == "(x + y) * 2"
    assert quire.expression('rpn: s "a, b" streq').text == 's == "a, b"'


def test_patterns_are_those_of_the_toolkit() -> None:
    names = np.array(["Q1", "D1", "Q2"], dtype=object)
    assert quire.expression('rpn: s "Q?" strmatch')(s=names).tolist() == [1, 0, 1]
    assert quire.expression('rpn: s "^Q*" strmatch')(s=names).tolist() == [0, 1, 0]
    assert quire.expression('rpn: s "D1" strgt ? 1 : 0 $')(s=names).tolist() == [1, 0, 1]


def test_texts_have_a_stack_of_their_own() -> None:
    name = core_attribute("who", "Q1")
    bound = Expression('rpn: "Q2" who "Q1" streq ? "yes" : "no" $').compile([], [name])
    assert bound.value == "yes"
    assert quire.expression('rpn: "ab" ssto w strlen w strlen +')() == 4


def test_constants_are_those_of_codata_or_of_the_old_table() -> None:
    new, old = (quire.expression(f"{prefix}: mev")() for prefix in ("rpn", "rpn-1986"))
    assert (new, old) == (0.51099895069, 0.51099906)
    assert CODATA_2022.keys() == OLD_TABLE.keys()
    units = {}
    for name in CODATA_2022:
        now, before = (quire.expression(f"{prefix}: {name}") for prefix in ("rpn", "rpn-1986"))
        assert math.isclose(now(), before(), rel_tol=2e-5), name
        units[name] = [one.compile([]).unit for one in (now, before)]
    assert all(now == before for now, before in units.values())
    assert units["c_mks"] == ["m/s", "m/s"]
    # The values of specs/sdds-toolkit.md, section 4.5.
    assert quire.expression("rpn-1986: e_mks")() == 1.60217733e-19
    for name in ("hbar_mks", "mp_mks"):
        ratio = (
            quire.expression(f"rpn-1986: {name} rpn".replace(" rpn", ""))()
            / quire.expression(f"rpn: {name}")()
        )
        assert round((ratio - 1) * 1e6) == 16, name


def test_special_functions_take_the_argument_first() -> None:
    assert quire.expression("rpn: x 1 Jn").text == "bessel_j(1, x)"
    assert math.isclose(quire.expression("rpn: 2 1 Jn")(), 0.5767248077568734)
    assert math.isclose(quire.expression("rpn: 0.5 cei1")(), 1.685750354812596)
    assert quire.expression("rpn: 0.5 3 Tn")() == pytest.approx(4 * 0.125 - 3 * 0.5)
    assert quire.expression("rpn: -2 3 Tn")() == pytest.approx(4 * -8 + 6)
    assert quire.expression("rpn: 12 10 bit& 12 10 bit| -")() == 8 - 14
    assert quire.expression("rpn: 1 2 4 6 dist2")() == 5


DEFINITIONS = """/* functions of mine, in two spellings
3 sto scale

udf
cube
= = * *

udf double
scale pop
2 *

udf
endless
1 endless
"""


def test_functions_of_the_user_precede_words(tmp_path: Path) -> None:
    path = tmp_path / "my.rpn"
    path.write_text(DEFINITIONS)
    assert quire.expression("rpn: x cube double", path).text == "x * (x * x) * 2"
    assert quire.expression("rpn: x scale *", path).text == "x * 3"
    with pytest.raises(quire.UsageError, match=r"endless calls itself, which has no translation in endless"):
        quire.expression("rpn: x endless +", path)
    with pytest.raises(quire.UsageError, match=r"\* needs 2 numbers, and the stack has 0 in cube") as caught:
        Expression("rpn: cle cube", parse_definitions("udf\ncube\n*\n"))
    assert caught.value.message.endswith("         ^^^^")
    assert Expression("rpn: x sin", parse_definitions("udf sin\n2 *")).text == "x * 2"
    with pytest.raises(quire.MissingFileError):
        quire.expression("rpn: x", tmp_path / "none.rpn")
    with pytest.raises(quire.UsageError, match="udf is followed by one name"):
        parse_definitions("udf\n")


def test_variables_begin_with_the_value_that_they_have_before() -> None:
    def text(before: str, words: str, of_rows: bool = True) -> str:
        return Expression(f"rpn: {words}", Definitions({}, tokens_of(before), of_rows)).text

    assert text("0 sto run", "y run + sto run") == "cumsum(y)"
    assert text("5 sto run", "y run + sto run") == "5 + cumsum(y)"
    assert text("-1 sto run", "y run mult sto run") == "-1 * cumprod(y)"
    assert text("0 sto top", "y top max2 sto top") == "max(0, cummax(y))"
    with pytest.raises(quire.UsageError, match="k is read before it is stored"):
        text("7 sto k", "x k * y sto k +")
    assert text("7 sto k", "k 1 + sto k", of_rows=False) == "7 + 1"


def test_definitions_know_the_variables_of_those_before() -> None:
    rows = quire.new("y=2,4,1", "z=1,1,1", attributes=["k=5"])
    made = rows.define(
        "s=rpn: y run + sto run", "last=rpn: run 0 z * +", "more=rpn: z run + sto run",
        "twice=rpn: k sto q 2 *", 'third=rpn: q 3 * z 0 * +', 'text=rpn: "ab" ssto w strlen',
        "long=rpn: w strlen 1 + z *",
    )  # fmt: skip
    found = made.read()
    assert [found[name].tolist() for name in ("s", "last", "more", "third", "long")] == [
        [2, 6, 7], [7, 7, 7], [8, 9, 10], [15, 15, 15], [3, 3, 3],
    ]  # fmt: skip
    empty = rows.filter("y > 9").define("a=rpn: k sto q", "b=rpn: q 1 +")
    assert next(iter(empty)).attrs["b"] == 6


WORDS = """
+ - * / fmod pow sqr sqrt exp ln int floor ceil round sumn sin cos asin acos atan atan2 erf erfc
lngam betai gamP gamQ Jn Yn BesIn BesKn cei1 cei2 FresS FresC G1y InvFq qlfun poiSL simpson rnd
grnd grndl srnd nan isnan isinf bit& bit| < > == && || ! popl vlog = n= swap pop cle rup rdn
stlv isort dsort view =str pops strlen streq strgt strlt strmatch sprf scan format getformat
xstr execs execn cshs open clos puts gets fprf @ udf mudf sudf smem help pi c_mks c_cgs e_mks
e_cgs me_mks mp_mks re_mks kb_mks mev hbar_mks hbar_MeVs mu_o eps_o HUGE log_10 chs abs rec mod
sign mult fact log 10x hypot dist2 interp safe_div max2 min2 maxn minn mean rms stats dsin dcos
dtan dasin dacos datan rtod dtor sinh cosh tanh asinh acosh atanh Tn beta.p gamma.p gamma.beta
p.beta p.gamma segt selt sene knee stepfn t2SL FSL rSL Chi2SL KSprob test i_row n_rows i_page
table_number mal [
"""
"""Those of specs/sdds-toolkit.md, sections 4.4 to 4.6, apart from ? : $ and sto."""


def test_every_word_is_translated_or_refused() -> None:
    known = {*SIMPLE, *REFUSED, *CODATA_2022}
    assert [word for word in WORDS.split() if word not in known] == []
    assert [word for word in (*FUNCTIONS, *COMPARISONS, *SYMBOLS) if word in REFUSED] == []
