"""The translation of reverse Polish notation to infix, by running its words on stacks of infix texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from string import ascii_lowercase
from typing import Final

from quire.errors import UsageError
from quire.rpn import PREFIX
from quire.rpn.definitions import Definitions, names_stored
from quire.rpn.tokens import NUMBER, Token, error_at, matching, name_text, number_text, tokens_of
from quire.rpn.words import (
    CODATA_2022,
    COMPARISONS,
    FUNCTIONS,
    LOGIC,
    OF_SEVERAL,
    OLD_TABLE,
    REFUSED,
    SYMBOLS,
    TEXT_COMPARISONS,
)

LONGEST: Final = 1 << 16
"""Characters of a translation: values that are used twice are written twice."""

NEIGHBOUR: Final = re.compile(r"row (?P<sign>[+-]) (?P<distance>[0-9]+)")


def infix(text: str, definitions: Definitions | None = None) -> str:
    """Independent. Translate `rpn: ...` to infix; `rpn-1986:` has the constants of the old table.

    Raises UsageError with the position of what cannot be translated.
    """
    return after_words(text, definitions).result().text


def stored_values(text: str, definitions: Definitions | None = None) -> dict[str, tuple[str, bool]]:
    """Independent. Return the variables that `rpn: ...` stores: their values in infix, and whether they are
    texts.
    """
    machine = after_words(text, definitions)
    return {
        name: (machine.variables[name].text, machine.variables[name].word == "text")
        for name in dict.fromkeys(names_stored(tokens_of(text), machine.functions))
        if name in machine.variables and not machine.variables[name].before
    }


def after_words(text: str, definitions: Definitions | None) -> Machine:
    """Independent. Return the stacks after the words of `rpn: ...`.

    A variable that was stored before, and is stored again, begins with its value.
    """
    prefix = PREFIX.match(text)
    if prefix is None:
        raise UsageError("an expression in reverse Polish notation begins with rpn:")
    known = definitions or Definitions()
    constants = OLD_TABLE if prefix["old"] else CODATA_2022
    tokens = tokens_of(text, prefix.end())
    machine = Machine(text, known.functions, constants)
    machine.variables = {
        name: Value(value, "text" if is_text else "call" if "(" in value else "")
        for name, (value, is_text) in known.values.items()
    }
    machine.stored = {*names_stored(known.before, known.functions), *names_stored(tokens, known.functions)}
    for token in known.before:
        machine.at = replace(token, position=0)
    machine.run(known.before, "the file of definitions")
    machine.numbers.clear()
    if known.of_rows:
        own = {*names_stored(tokens, known.functions)} & machine.variables.keys()
        machine.first = {name: machine.variables.pop(name) for name in own}
    machine.run(tokens)
    return machine


@dataclass(frozen=True)
class Value:
    """A value on a stack: its text in infix, and the word and the operands that it was made of.

    `before` are the variables whose values of the row before it uses.
    """

    text: str
    word: str = ""
    operands: tuple[Value, ...] = ()
    before: frozenset[str] = frozenset()
    order: int = 0

    @property
    def as_operand(self) -> str:
        """The text in parentheses if it needs them."""
        is_single = self.word == "call" or (not self.operands and not self.text.startswith("-"))
        return self.text if is_single else f"({self.text})"


@dataclass
class Machine:
    """The stacks, and the words that change them."""

    source: str
    functions: Mapping[str, Sequence[Token]]
    constants: Mapping[str, str]
    numbers: list[Value] = field(default_factory=list)
    logic: list[Value] = field(default_factory=list)
    texts: list[Value] = field(default_factory=list)
    variables: dict[str, Value] = field(default_factory=dict)
    stored: set[str] = field(default_factory=set)
    """Variables that the expression stores anywhere."""
    first: dict[str, Value] = field(default_factory=dict)
    """The values before the first row of variables that the expression stores."""
    answers: bool = False
    """Whether a condition was pushed last."""
    at: Token = field(default_factory=lambda: Token("", 0))
    """The word of the expression that is run."""
    word: str = ""
    """The word that is run, which may be inside of a function."""
    inside: tuple[str, ...] = ()
    """The functions that are run."""
    pushes: int = 0
    is_ragged: bool = False
    """Whether the number of values on the stack differs from row to row."""
    reads: dict[str, Token] = field(default_factory=dict)
    """Where variables are read before they are stored."""

    def fail(self, message: str) -> UsageError:
        """Return an error at the present word."""
        where = f" in {self.inside[-1]}" if self.inside else ""
        return error_at(message + where, self.source, self.at)

    def run(self, tokens: Sequence[Token], function: str = "") -> None:
        """Run words, those of a function at the position of its name."""
        outside, self.inside = self.inside, (*self.inside, function) if function else self.inside
        place = 0
        while place < len(tokens):
            if not self.inside:
                self.at = tokens[place]
            place = self.step(tokens, place)
        self.inside = outside

    def step(self, tokens: Sequence[Token], place: int) -> int:
        """Run the word at a place. Return the place of the next one."""
        self.word = word = tokens[place].text
        if word == "?":
            return self.choose(tokens, place)
        if word in ("sto", "ssto"):
            if place + 1 == len(tokens):
                raise self.fail(f"{word} is followed by the name of a variable")
            self.store(word, tokens[place + 1].text)
            return place + 2
        if word in (":", "$"):
            raise self.fail(f"{word} belongs to no ?")
        self.perform(word)
        return place + 1

    def perform(self, word: str) -> None:
        """Run a word: a function of the user, a variable, a built-in word, a number, or a name."""
        if word in self.functions:
            if word in self.inside:
                raise self.fail(f"{word} calls itself, which has no translation")
            self.run(self.functions[word], word)
        elif word.startswith(('"', "`", "&`")):
            self.quoted(word)
        elif word in self.variables:
            value = self.variables[word]
            (self.push_text if value.word == "text" else self.push)(value)
        elif word in self.stored:
            self.reads.setdefault(word, self.at)
            self.push(Value(name_text(word), "before", (), frozenset((word,))))
        elif word in SIMPLE:
            SIMPLE[word](self)
        elif word in REFUSED:
            raise self.fail(f"{word} cannot be translated: {REFUSED[word]}")
        elif word in self.constants:
            self.push(Value(self.constants[word], "call"))
        elif NUMBER.fullmatch(word):
            self.push(Value(number_text(word)))
        elif word[0] == "&" and len(word) > 1:
            self.push(Value(name_text(word[1:]), "address"))
        elif word[0].isalpha():
            self.push(Value(name_text(word), "name"))
        else:
            raise self.fail(f"{word} is neither a word nor a name; other names are written in backticks")

    def quoted(self, word: str) -> None:
        """Push a text, or a name in backticks."""
        if word[0] == '"':
            self.push_text(Value(word, "text"))
        else:
            kind = "address" if word[0] == "&" else "name"
            self.push(Value(name_text(word.lstrip("&")[1:-1].replace("``", "`")), kind))

    def push(self, value: Value) -> None:
        """Push a number."""
        if len(value.text) > LONGEST:
            raise self.fail("the translation is too long")
        self.pushes += 1
        self.numbers.append(replace(value, order=self.pushes))
        self.answers = False

    def push_text(self, value: Value) -> None:
        """Push a text."""
        self.pushes += 1
        self.texts.append(replace(value, order=self.pushes))
        self.answers = False

    def answer(self, value: Value) -> None:
        """Push a condition."""
        self.logic.append(value)
        self.answers = True

    def take(self, count: int = 1) -> tuple[Value, ...]:
        """Pop numbers; the last was on top."""
        if len(self.numbers) < count:
            some = "a number" if count == 1 else f"{count} numbers"
            raise self.fail(f"{self.word} needs {some}, and the stack has {len(self.numbers)}")
        taken = tuple(self.numbers[len(self.numbers) - count :])
        del self.numbers[len(self.numbers) - count :]
        return taken

    def take_condition(self) -> Value:
        """Pop a condition."""
        if not self.logic:
            raise self.fail(f"{self.word} needs a condition, and there is none: compare something before")
        return self.logic.pop()

    def take_text(self) -> Value:
        """Pop a text: of texts and names, which may be those of texts, the one that was pushed last."""
        order = self.texts[-1].order if self.texts else -1
        if self.numbers and self.numbers[-1].word == "name" and self.numbers[-1].order > order:
            return self.numbers.pop()
        if not self.texts:
            raise self.fail(f"{self.word} needs a text, and there is none")
        return self.texts.pop()

    def literal(self) -> int:
        """Pop a number of values, which must be written as such."""
        (value,) = self.take()
        if not value.text.isdigit():
            raise self.fail(f"{self.word} needs the number of values as an integer")
        return int(value.text)

    def store(self, word: str, name: str) -> None:
        """Give a variable the value on top of the stack, which remains there."""
        if not name[0].isalpha() or name in SIMPLE or name in self.functions:
            raise self.fail(f"{name} cannot be the name of a variable")
        if word == "ssto":
            value = self.take_text()
            self.variables[name] = replace(value, word="text")
            self.push_text(value)
            return
        (value,) = self.take()
        value = running(value, name, self.first.get(name)) or value
        self.variables[name] = value
        self.push(value)

    def choose(self, tokens: Sequence[Token], place: int) -> int:
        """Run both parts of `? a : b $` on copies of the stacks, and merge these from the top.

        Comparisons leave their operands, so that one part may leave more values than the other.
        """
        found = matching(tokens, place)
        if found is None:
            raise self.fail("? needs : and $, each with blanks around it")
        middle, end = found
        question, condition = self.at, self.take_condition()
        parts = [self.copy(), self.copy()]
        for part, some in zip(parts, (tokens[place + 1 : middle], tokens[middle + 1 : end]), strict=True):
            part.run(some)
        self.at = question
        for name in ("numbers", "logic", "texts"):
            a, b = (getattr(part, name) for part in parts)
            self.is_ragged |= len(a) != len(b)
            depth = min(len(a), len(b))
            pairs = zip(a[len(a) - depth :], b[len(b) - depth :], strict=True)
            setattr(self, name, [merged(condition, *both, name) for both in pairs])
        first, second = (part.variables for part in parts)
        self.variables = {
            name: merged(condition, first[name], second[name], "numbers") for name in first if name in second
        }
        self.pushes = max(part.pushes for part in parts)
        self.answers = all(part.answers for part in parts)
        return end + 1

    def copy(self) -> Machine:
        """Return a machine with its own stacks."""
        return replace(
            self,
            numbers=list(self.numbers),
            logic=list(self.logic),
            texts=list(self.texts),
            variables=dict(self.variables),
        )

    def result(self) -> Value:
        """Return the value of the expression. Raises UsageError if there is none."""
        stacks = [self.numbers, self.texts, self.logic]
        if self.answers:
            stacks.insert(0, self.logic)
        found = next((stack[-1] for stack in stacks if stack), None)
        if found is None:
            raise UsageError("the expression leaves no value on the stack")
        if found.word == "address":
            raise self.fail(f"&{found.text} is followed by [, which fetches a value")
        for name in found.before:
            self.at = self.reads[name]
            raise self.fail(
                f"{name} is read before it is stored: of values of the row before only sums, products and "
                f"extremes have a translation, such as y {name} + sto {name}"
            )
        return found


def made(template: str, word: str, operands: Sequence[Value]) -> Value:
    """Independent. Return a value made of others by a template."""
    letters = dict(zip(ascii_lowercase, (one.as_operand for one in operands), strict=False))
    text = template.format(**letters)
    is_call = re.match(r"\w+\(", template) is not None and template.endswith(")") and template.count("(") == 1
    before = frozenset().union(*(one.before for one in operands))
    return Value(text, "call" if is_call and word not in ACCUMULATED else word, tuple(operands), before)


def merged(condition: Value, a: Value, b: Value, stack: str) -> Value:
    """Independent. Return the value of a conditional."""
    if a.text == b.text:
        return a
    if stack == "logic":
        return made("({a} and {b}) or (not {a} and {c})", "merge", (condition, a, b))
    return replace(made("where({a}, {b}, {c})", "where", (condition, a, b)), order=max(a.order, b.order))


ACCUMULATED: Final = {
    "+": ("cumsum({a})", "{b} + cumsum({a})", "0"),
    "*": ("cumprod({a})", "{b} * cumprod({a})", "1"),
    "mult": ("cumprod({a})", "{b} * cumprod({a})", "1"),
    "max2": ("cummax({a})", "max({b}, cummax({a}))", ""),
    "min2": ("cummin({a})", "min({b}, cummin({a}))", ""),
}
"""What a variable is that a word combines with its own value of the row before: without a value before the
first row, with one, and the one that changes nothing.
"""


def running(value: Value, name: str, first: Value | None = None) -> Value | None:
    """Independent. Return `y total +`, which is stored in `total`, as `cumsum(y)`; None for other values.

    `first` is the value of the variable before the first row.
    """
    if value.word not in ACCUMULATED or len(value.operands) != 2:
        return None
    own = [one for one in value.operands if one.word == "before" and one.before == {name}]
    others = [one for one in value.operands if name not in one.before]
    if not len(own) == len(others) == 1:
        return None
    alone, begun, neutral = ACCUMULATED[value.word]
    if first is None or (neutral and first.text in (neutral, f"{neutral}.0")):
        return made(alone, "call", others)
    return replace(made(begun, "", [*others, first]), word="")


def of_template(word: str, template: str, machine: Machine) -> None:
    """Run a word that replaces its operands by a number."""
    machine.push(made(template, word, machine.take(operand_count(template))))


def operand_count(template: str) -> int:
    """Independent. Return the number of operands of a template."""
    return max(ascii_lowercase.index(letter) for letter in re.findall(r"{([a-z])}", template)) + 1


def of_several(word: str, template: str, machine: Machine) -> None:
    """Run a word that replaces n numbers by one."""
    count = machine.literal()
    if count < 1:
        raise machine.fail(f"{word} needs at least one value")
    values = machine.take(count)
    texts = [one.as_operand for one in values]
    squares = " + ".join(f"{one} ** 2" for one in texts)
    text = template.format(sum=" + ".join(texts), list=", ".join(texts), squares=squares, n=count)
    if count == 1 and word in ("maxn", "minn"):
        text = texts[0]
    machine.push(Value(text, word, values, frozenset().union(*(one.before for one in values))))


def compare(word: str, template: str, machine: Machine) -> None:
    """Push a condition; the operands remain."""
    operands = machine.take(operand_count(template))
    machine.numbers += operands
    machine.answer(made(template, word, operands))


def join_logic(word: str, template: str, machine: Machine) -> None:
    """Replace conditions by one."""
    taken = [machine.take_condition() for _ in range(operand_count(template))]
    machine.answer(made(template, word, taken[::-1]))


def compare_texts(word: str, template: str, machine: Machine) -> None:
    """Replace texts by a condition. Patterns that begin with ^ are inverted."""
    right, left = machine.take_text(), machine.take_text()
    if word == "strmatch" and right.text.startswith('"^'):
        right = replace(right, text='"' + right.text[2:])
        template = "not ({a} like {b})"
    machine.answer(made(template, word, (left, right)))


def fetch(machine: Machine) -> None:
    """Run `INDEX &COLUMN [`: the value of another row."""
    index, address = machine.take(2)
    if address.word != "address":
        raise machine.fail("[ fetches a value of a column: INDEX &COLUMN [")
    column = replace(address, word="name")
    calls = {"0": "first({a})", "row": "{a}", "rows - 1": "last({a})"}
    neighbour = NEIGHBOUR.fullmatch(index.text)
    if neighbour is not None:
        call = "lag" if neighbour["sign"] == "-" else "lead"
        machine.push(made(f"{call}({{a}}, {neighbour['distance']})", "call", (column,)))
    elif index.text in calls:
        machine.push(made(calls[index.text], "call", (column,)) if index.text != "row" else column)
    else:
        raise machine.fail("[ fetches the first, last, same, or a neighbouring row: 0, n_rows 1 -, i_row 1 -")


def duplicate(machine: Machine) -> None:
    """Push the top number again."""
    (value,) = machine.take()
    machine.push(value)
    machine.push(value)


def duplicate_several(machine: Machine) -> None:
    """Push the top n numbers again."""
    values = machine.take(machine.literal())
    for value in (*values, *values):
        machine.push(value)


def swap(machine: Machine) -> None:
    """Exchange the top numbers."""
    a, b = machine.take(2)
    machine.numbers += [b, a]


def duplicate_text(machine: Machine) -> None:
    """Push the top text again."""
    value = machine.take_text()
    machine.push_text(value)
    machine.push_text(value)


def all_numbers(machine: Machine) -> list[Value]:
    """Independent. Return the stack. Raises UsageError if its depth differs from row to row."""
    if machine.is_ragged:
        raise machine.fail("the parts of ? : $ before leave unequal numbers of values on the stack")
    return machine.numbers


def rotate_up(machine: Machine) -> None:
    """Move the number at the bottom to the top."""
    all_numbers(machine)
    machine.numbers[:] = machine.numbers[1:] + machine.numbers[:1]


def rotate_down(machine: Machine) -> None:
    """Move the number on top to the bottom."""
    all_numbers(machine)
    machine.numbers[:] = machine.numbers[-1:] + machine.numbers[:-1]


SIMPLE: Final[Mapping[str, Callable[[Machine], object]]] = {
    **{word: partial(of_template, word, template) for word, template in FUNCTIONS.items()},
    **{word: partial(of_several, word, template) for word, template in OF_SEVERAL.items()},
    **{word: partial(compare, word, template) for word, template in COMPARISONS.items()},
    **{word: partial(join_logic, word, template) for word, template in LOGIC.items()},
    **{word: partial(compare_texts, word, template) for word, template in TEXT_COMPARISONS.items()},
    **{
        word: (lambda machine, text=text: machine.push(Value(text, "call")))  # type: ignore[misc]
        for word, text in SYMBOLS.items()
    },
    "[": fetch,
    "=": duplicate,
    "n=": duplicate_several,
    "swap": swap,
    "pop": Machine.take,
    "popl": Machine.take_condition,
    "pops": Machine.take_text,
    "=str": duplicate_text,
    "strlen": lambda machine: machine.push(made("length({a})", "strlen", (machine.take_text(),))),
    "cle": lambda machine: machine.numbers.clear(),
    "stlv": lambda machine: machine.push(Value(str(len(all_numbers(machine))))),
    "rup": rotate_up,
    "rdn": rotate_down,
}
"""Words that need nothing but the stacks."""
