"""The mark-up of symbols and units, such as `$gb$r$bx$n`, for matplotlib.

The codes are those of specs/sdds-toolkit.md, section 2.7.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

CODE: Final = re.compile(r"(\$[abngrseiduvtfh])")

GREEK: Final = {
    "a": "alpha", "b": "beta", "g": "gamma", "d": "delta", "e": "epsilon", "z": "zeta", "h": "eta",
    "q": "theta", "i": "iota", "k": "kappa", "l": "lambda", "m": "mu", "n": "nu", "x": "xi", "p": "pi",
    "r": "rho", "s": "sigma", "t": "tau", "u": "upsilon", "f": "phi", "c": "chi", "y": "psi", "w": "omega",
    "G": "Gamma", "D": "Delta", "Q": "Theta", "L": "Lambda", "X": "Xi", "P": "Pi", "S": "Sigma",
    "U": "Upsilon", "F": "Phi", "Y": "Psi", "W": "Omega",
}  # fmt: skip
"""Greek letters by the Latin ones of the symbol font; other letters stay."""

ESCAPED: Final = {"\\": r"\backslash ", " ": r"\ ", "{": r"\{", "}": r"\}"} | {
    one: f"\\{one}" for one in "%#&_$"
}


def marked_up(text: str) -> str:
    """Independent. Return a text with its mark-up in that of matplotlib; other texts as they are, with `$`
    protected.

    `$a` raises, `$b` lowers, `$n` returns to the line, between `$g` and `$r` letters are Greek; codes of
    sizes and special letters are left out.

    >>> from quire.toolkit.markup import marked_up
    >>> marked_up("$gb$r$bx$n"), marked_up("m$be$nc"), marked_up("cost in $")
    ('$\\\\mathrm{{\\\\beta}_{x}}$', '$\\\\mathrm{m_{e}c}$', 'cost in \\\\$')
    """
    if not CODE.search(text):
        return text.replace("$", "\\$")
    made = f"$\\mathrm{{{in_mathematics(text)}}}$"
    return made if is_drawable(made) else CODE.sub("", text).replace("$", "\\$")


def in_mathematics(text: str) -> str:
    """Independent. Return a text with mark-up as mathematics."""
    made, script, is_greek = "", "", False
    for piece in CODE.split(text):
        if piece in ("$g", "$r"):
            is_greek = piece == "$g"
        elif piece == "$n" or (script and piece in ("$u", "$v")):
            made += "}" if script else ""
            script = ""
        elif piece in ("$a", "$b", "$u", "$v"):
            made += ("}" if script else "") + ("^{" if piece in ("$a", "$u") else "_{")
            script = piece
        elif not CODE.fullmatch(piece):
            made += "".join(letter_of(one, is_greek) for one in piece)
    return made + ("}" if script else "")


def letter_of(letter: str, is_greek: bool) -> str:
    """Independent. Return a letter in mathematics."""
    if is_greek and letter in GREEK:
        return f"{{\\{GREEK[letter]}}}"
    return ESCAPED.get(letter, letter)


def drawn_length(text: str) -> int:
    """Independent. Return the number of letters that are drawn of a text with the mark-up of matplotlib."""
    return len(re.sub(r"\\mathrm|[{}$^_]", "", re.sub(r"{\\\w+}", "x", text)))


@cache
def is_drawable(text: str) -> bool:
    """Independent. Return whether matplotlib can draw a text."""
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(text)
    except ValueError:
        return False
    return True
