"""The words of reverse Polish notation and what they are in infix: specs/sdds-toolkit.md, section 4.

The operands of a template are {a}, {b}, ...; the last is that on top of the stack.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FUNCTIONS: Final[Mapping[str, str]] = {
    # built-in words
    "+": "{a} + {b}",
    "-": "{a} - {b}",
    "*": "{a} * {b}",
    "/": "{a} / {b}",
    "fmod": "fmod({a}, {b})",
    "pow": "{a} ** {b}",
    "sqr": "{a} ** 2",
    "sqrt": "sqrt({a})",
    "exp": "exp({a})",
    "ln": "log({a})",
    "int": "trunc({a})",
    "floor": "floor({a})",
    "ceil": "ceil({a})",
    "round": "round({a})",
    "sin": "sin({a})",
    "cos": "cos({a})",
    "tan": "tan({a})",
    "asin": "asin({a})",
    "acos": "acos({a})",
    "atan": "atan({a})",
    "atan2": "atan2({b}, {a})",
    "erf": "erf({a})",
    "erfc": "erfc({a})",
    "lngam": "lgamma({a})",
    "Jn": "bessel_j({b}, {a})",
    "Yn": "bessel_y({b}, {a})",
    "BesIn": "bessel_i({b}, {a})",
    "BesKn": "bessel_k({b}, {a})",
    "cei1": "comp_ellint_1({a})",
    "cei2": "comp_ellint_2({a})",
    "bit&": "bitand(int({a}), int({b}))",
    "bit|": "bitor(int({a}), int({b}))",
    # standard definitions
    "chs": "-{a}",
    "abs": "abs({a})",
    "rec": "1 / {a}",
    "mod": "{a} % {b}",
    "sign": "sign({a})",
    "mult": "{a} * {b}",
    "fact": "gamma({a} + 1)",
    "log": "log10({a})",
    "10x": "10 ** {a}",
    "hypot": "hypot({a}, {b})",
    "dist2": "hypot({a} - {c}, {b} - {d})",
    "max2": "max({a}, {b})",
    "min2": "min({a}, {b})",
    "dsin": "sin({a} * pi / 180)",
    "dcos": "cos({a} * pi / 180)",
    "dtan": "tan({a} * pi / 180)",
    "dasin": "asin({a}) * 180 / pi",
    "dacos": "acos({a}) * 180 / pi",
    "datan": "atan({a}) * 180 / pi",
    "rtod": "{a} * 180 / pi",
    "dtor": "{a} * pi / 180",
    "sinh": "sinh({a})",
    "cosh": "cosh({a})",
    "tanh": "tanh({a})",
    "asinh": "asinh({a})",
    "acosh": "acosh({a})",
    "atanh": "atanh({a})",
    "Tn": "where(abs({a}) <= 1, cos({b} * acos({a})), sign({a}) ** {b} * cosh({b} * acosh(abs({a}))))",
    "beta.p": "{a} / sqrt(1 + {a} ** 2)",
    "gamma.p": "sqrt(1 + {a} ** 2)",
    "gamma.beta": "1 / sqrt(1 - {a} ** 2)",
    "p.beta": "{a} / sqrt(1 - {a} ** 2)",
    "p.gamma": "sqrt({a} ** 2 - 1)",
}
"""Words that replace their operands by one number."""

OF_SEVERAL: Final[Mapping[str, str]] = {
    "sumn": "({sum})",
    "maxn": "max({list})",
    "minn": "min({list})",
    "mean": "({sum}) / {n}",
    "rms": "sqrt(({squares}) / {n})",
}
"""Words that replace n numbers, with n on top of them, by one."""

COMPARISONS: Final[Mapping[str, str]] = {
    "<": "{a} < {b}",
    ">": "{a} > {b}",
    "==": "{a} == {b}",
    "<=": "{a} <= {b}",
    ">=": "{a} >= {b}",
    "!=": "{a} != {b}",
    "isnan": "isnan({a})",
    "isinf": "isinf({a})",
}
"""Words that push a condition, and leave their operands."""

LOGIC: Final[Mapping[str, str]] = {"&&": "{a} and {b}", "||": "{a} or {b}", "!": "not {a}"}

TEXT_COMPARISONS: Final[Mapping[str, str]] = {
    "streq": "{a} == {b}",
    "strgt": "{a} > {b}",
    "strlt": "{a} < {b}",
    "strmatch": "{a} like {b}",
}

SYMBOLS: Final[Mapping[str, str]] = {
    "i_row": "row",
    "n_rows": "rows",
    "i_page": "page",
    "table_number": "page",
    "nan": "nan",
    "pi": "pi",
    "HUGE": "exp(100)",
    "log_10": "log(10)",
}

CODATA_2022: Final[Mapping[str, str]] = {
    "c_mks": "c_light",
    "c_cgs": 'as_unit(2.99792458e10, "cm/s")',
    "e_mks": "e_charge",
    "e_cgs": 'as_unit(4.803204712570263e-10, "esu")',
    "me_mks": "m_electron",
    "mp_mks": "m_proton",
    "re_mks": "r_electron",
    "kb_mks": "k_boltzmann",
    "mev": "mc2_electron",
    "hbar_mks": "h_bar",
    "hbar_MeVs": 'as_unit(6.582119569e-22, "MeV s")',
    "mu_o": "mu_0",
    "eps_o": "epsilon_0",
}
"""Constants of the standard definitions with the values of infix (physics.nist.gov/constants)."""

OLD_TABLE: Final[Mapping[str, str]] = {
    # CODATA 1986 (Cohen and Taylor, Rev. Mod. Phys. 59 (1987) 1121), except for two of CODATA 1973.
    "c_mks": "c_light",
    "c_cgs": 'as_unit(2.99792458e10, "cm/s")',
    "e_mks": 'as_unit(1.60217733e-19, "C")',
    "e_cgs": 'as_unit(4.8032068e-10, "esu")',
    "me_mks": 'as_unit(9.1093897e-31, "kg")',
    "mp_mks": 'as_unit(1.6726485e-27, "kg")',  # 1973
    "re_mks": 'as_unit(2.81794092e-15, "m")',
    "kb_mks": 'as_unit(1.380658e-23, "J/K")',
    "mev": 'as_unit(0.51099906, "MeV")',
    "hbar_mks": 'as_unit(1.0545887e-34, "J s")',  # 1973
    "hbar_MeVs": 'as_unit(6.5821220e-22, "MeV s")',
    "mu_o": 'as_unit(4e-7 * pi, "N/A^2")',
    "eps_o": 'as_unit(8.854187817e-12, "F/m")',
}
"""The same with the values of 1973 and 1986 that old results were computed with."""

ARRAYS = "arrays have no place in an expression; columns are fetched by INDEX &COLUMN ["
FILES = "an expression neither reads nor writes files and runs no commands"
PRINTS = "an expression prints nothing"
TEXT_MAKING = "texts are not formatted or scanned in an expression"
RANDOM = "it depends on the order of evaluation; in infix hash(row, 1) is a random number of each row"
SPECIAL = "infix does not have this function; compute it by SciPy"
OPEN = "its definition is not part of Quire; give the file that has it by --rpn-definitions"
DEFINING = "functions are defined in files of definitions (--rpn-definitions)"

REFUSED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("mal", "]"), ARRAYS),
    **dict.fromkeys(("open", "clos", "puts", "gets", "fprf", "@", "execs", "execn", "cshs", "xstr"), FILES),
    **dict.fromkeys(("view", "vlog", "test", "help", "smem"), PRINTS),
    **dict.fromkeys(("sprf", "scan", "format", "getformat"), TEXT_MAKING),
    **dict.fromkeys(("rnd", "grnd", "grndl", "srnd"), RANDOM),
    **dict.fromkeys(
        ("betai", "gamP", "gamQ", "FresS", "FresC", "G1y", "InvFq", "qlfun", "poiSL", "simpson"), SPECIAL
    ),
    **dict.fromkeys(("interp", "safe_div", "stats", "segt", "selt", "sene", "knee", "stepfn"), OPEN),
    **dict.fromkeys(("t2SL", "FSL", "rSL", "Chi2SL", "KSprob"), OPEN),
    **dict.fromkeys(("udf", "mudf", "sudf"), DEFINING),
    **dict.fromkeys(("isort", "dsort"), "the order of values is not known before they are computed"),
}
"""Words that have no translation, and why."""
