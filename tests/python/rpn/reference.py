"""An interpreter of reverse Polish notation that runs one row after another, with numbers on its stacks."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

CONSTANTS = {"pi": math.pi, "c_mks": 299792458.0, "mev": 0.51099895069, "log_10": math.log(10)}


def divided(a: float, b: float) -> float:
    return float(np.float64(a) / np.float64(b))


UNARY: Mapping[str, Callable[[float], float]] = {
    "sqr": lambda a: a * a,
    "sqrt": lambda a: float(np.sqrt(a)),
    "exp": lambda a: float(np.exp(a)),
    "ln": lambda a: float(np.log(a)),
    "int": lambda a: float(np.trunc(a)),
    "floor": math.floor,
    "ceil": lambda a: float(np.ceil(a)),
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": lambda a: float(np.arcsin(a)),
    "acos": lambda a: float(np.arccos(a)),
    "atan": math.atan,
    "erf": math.erf,
    "erfc": math.erfc,
    "lngam": math.lgamma,
    "chs": lambda a: -a,
    "abs": abs,
    "rec": lambda a: divided(1.0, a),
    "sign": lambda a: float(np.sign(a)),
    "fact": lambda a: math.gamma(a + 1),
    "log": lambda a: float(np.log10(a)),
    "10x": lambda a: 10.0**a,
    "dsin": lambda a: math.sin(math.radians(a)),
    "dcos": lambda a: math.cos(math.radians(a)),
    "dasin": lambda a: math.degrees(float(np.arcsin(a))),
    "datan": lambda a: math.degrees(math.atan(a)),
    "rtod": math.degrees,
    "dtor": math.radians,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "beta.p": lambda p: p / math.sqrt(1 + p * p),
    "gamma.p": lambda p: math.sqrt(1 + p * p),
    "p.gamma": lambda g: float(np.sqrt(g * g - 1)),
    "gamma.beta": lambda b: float(1 / np.sqrt(np.float64(1 - b * b))),
    "p.beta": lambda b: float(b / np.sqrt(np.float64(1 - b * b))),
}
BINARY: Mapping[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "mult": lambda a, b: a * b,
    "/": divided,
    "pow": lambda a, b: float(np.power(np.float64(a), b)),
    "atan2": lambda x, y: math.atan2(y, x),
    "fmod": math.fmod,
    "mod": lambda a, b: float(np.mod(a, b)),
    "hypot": math.hypot,
    "max2": max,
    "min2": min,
}
SEVERAL: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sumn": sum, "maxn": max, "minn": min, "mean": lambda v: sum(v) / len(v),
    "rms": lambda v: math.sqrt(sum(one * one for one in v) / len(v)),
}  # fmt: skip
COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b, ">": lambda a, b: a > b, "==": lambda a, b: a == b,
}  # fmt: skip


class Interpreter:
    """The stacks of all rows; variables and stacks as in the manual of the language."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.columns = columns
        self.rows = len(next(iter(columns.values())))
        self.variables: dict[str, float] = {}

    def run(self, text: str) -> list[float]:
        """Return the top of the stack of each row; a condition if it was pushed last."""
        return [self.row(text.split(), row) for row in range(self.rows)]

    def row(self, words: Sequence[str], row: int) -> float:
        self.numbers: list[Any] = []
        self.logic: list[bool] = []
        self.texts: list[str] = []
        self.answers = False
        self.words(words, row)
        return float(self.logic[-1] if self.answers and self.logic else self.numbers[-1])

    def words(self, words: Sequence[str], row: int) -> None:
        place = 0
        while place < len(words):
            if words[place] == "?":
                middle, end = self.parts(words, place)
                taken = words[place + 1 : middle] if self.logic.pop() else words[middle + 1 : end]
                self.words(taken, row)
                place = end + 1
            elif words[place] == "sto":
                self.variables[words[place + 1]] = self.numbers[-1]
                place += 2
            else:
                self.word(words[place], row)
                place += 1

    def parts(self, words: Sequence[str], place: int) -> tuple[int, int]:
        depth, middle = 0, 0
        for at in range(place, len(words)):
            depth += (words[at] == "?") - (words[at] == "$")
            if words[at] == ":" and depth == 1:
                middle = at
            if depth == 0:
                return middle, at
        raise ValueError("? without $")

    def word(self, word: str, row: int) -> None:
        numbers, logic = self.numbers, self.logic
        if word in COMPARISONS:
            logic.append(COMPARISONS[word](*numbers[-2:]))
            self.answers = True
        elif word in ("&&", "||"):
            b, a = logic.pop(), logic.pop()
            logic.append((a and b) if word == "&&" else (a or b))
            self.answers = True
        elif word == "!":
            logic.append(not logic.pop())
            self.answers = True
        elif word in ("isnan", "isinf"):
            logic.append(bool((np.isnan if word == "isnan" else np.isinf)(numbers[-1])))
            self.answers = True
        elif word in ("streq", "strmatch"):
            right, left = self.texts.pop(), self.texts.pop()
            logic.append(left == right if word == "streq" else fnmatch.fnmatchcase(left, right))
            self.answers = True
        elif word in ("popl", "pop", "swap", "cle", "rup", "rdn"):
            self.shuffle(word)
        else:
            self.push(word, row)

    def shuffle(self, word: str) -> None:
        numbers = self.numbers
        if word == "popl":
            self.logic.pop()
        elif word == "pop":
            numbers.pop()
        elif word == "swap":
            numbers[-2:] = numbers[:-3:-1]
        elif word == "cle":
            numbers.clear()
        else:
            numbers[:] = numbers[1:] + numbers[:1] if word == "rup" else numbers[-1:] + numbers[:-1]

    def push(self, word: str, row: int) -> None:
        numbers = self.numbers
        self.answers = False
        symbols = {"i_row": row, "n_rows": self.rows, "i_page": 3, "stlv": len(numbers)}
        if word.startswith('"') or (word in self.columns and isinstance(self.columns[word][row], str)):
            self.texts.append(word.strip('"') if word.startswith('"') else self.columns[word][row])
        elif word in self.variables:
            numbers.append(self.variables[word])
        elif word in self.columns:
            numbers.append(float(self.columns[word][row]))
        elif word.startswith("&"):
            numbers.append(word[1:])
        elif word == "[":
            name, index = numbers.pop(), int(numbers.pop())
            numbers.append(float(self.columns[name][index]) if 0 <= index < self.rows else math.nan)
        elif word == "=":
            numbers.append(numbers[-1])
        elif word == "n=":
            count = int(numbers.pop())
            numbers += numbers[-count:]
        elif word == "strlen":
            numbers.append(float(len(self.texts.pop())))
        elif word in UNARY:
            numbers.append(UNARY[word](numbers.pop()))
        elif word in BINARY:
            b, a = numbers.pop(), numbers.pop()
            numbers.append(BINARY[word](a, b))
        elif word in SEVERAL:
            count = int(numbers.pop())
            taken = [numbers.pop() for _ in range(count)]
            numbers.append(SEVERAL[word](taken[::-1]))
        else:
            numbers.append(float(symbols.get(word, CONSTANTS.get(word, word))))
