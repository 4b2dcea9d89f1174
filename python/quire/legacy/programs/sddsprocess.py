"""sddsprocess: specs/sdds-toolkit.md, section 5."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from quire.legacy.acts import elements, equations, rows, sampling, texts
from quire.legacy.acts.equations import Equation
from quire.legacy.equations import (
    ENTRIES,
    RPN,
    Environment,
    entries_of,
    expression,
    filter_condition,
    infix,
    match_condition,
    type_of,
)
from quire.legacy.grammar import Option, integer, number, parse
from quire.legacy.programs.common import chosen_elements, described, kind_of, major_order
from quire.legacy.programs.process_option import process_act
from quire.legacy.running import writing
from quire.legacy.steps import STEP, numbered
from quire.legacy.translation import Act, Translation
from quire.rpn import is_rpn
from quire.rpn.definitions import names_stored
from quire.rpn.tokens import tokens_of

PROGRAM: Final = "sddsprocess"

KINDS: Final = ("column", "parameter")


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, list(OPTIONS), words)
    source, end = writing(line, major_order(line))
    state = State(Environment.of_variable(), source)
    first = [
        act for option in line.options if option.keyword in FIRST for act in FIRST[option.keyword](option)
    ]
    chosen = chosen_elements(line)
    acts = [act for option in line.options for act in OPTIONS[option.keyword](option, state)]
    return Translation(PROGRAM, source, [*first, *chosen, *acts], end)


@dataclass
class State:
    """What options change for those after them."""

    environment: Environment
    source: str
    seed: int | None = None
    """The seed of random numbers; None is a new one."""
    stored: set[str] = field(default_factory=set)
    """Variables that equations before have stored."""
    defined: set[str] = field(default_factory=set)
    """Columns and parameters that equations before have defined."""

    def written(self, text: str, made: str, kind: str) -> tuple[str, str] | None:
        """Independent. Return the expression that is made of an equation as verbs write it, and what that
        assumes; None if no verb has the same.
        """
        if self.knows(text):
            return None
        if is_rpn(made) or STEP in self.defined:
            return made, ""
        return numbered(made, self.source, is_of_parameters=kind == "parameter")

    def knows(self, text: str) -> bool:
        """Independent. Return whether an equation uses definitions of files, variables of others, or its own
        ones of the row before.
        """
        words = [one.text for one in tokens_of(text)]
        is_read_first = any(
            words[: words.index(name)][-1:] not in (["sto"], ["ssto"])
            for name in names_stored(tokens_of(text), {})
        )
        return self.environment.definitions is not None or is_read_first or bool(self.stored & {*words})


def filter_(option: Option, state: State) -> Iterator[Act]:
    """Filter rows or pages by limits."""
    yield from choosing(option, filter_condition(option))


def match(option: Option, state: State) -> Iterator[Act]:
    """Filter rows or pages by patterns."""
    yield from choosing(option, match_condition(option))


def choosing(option: Option, condition: str) -> Iterator[Act]:
    """Choose rows or pages by a condition."""
    if kind_of(option, KINDS) == "column":
        yield Act(rows.filter_rows, (condition,), words=("filter", condition))
    else:
        yield Act(rows.keep_pages, (condition,))


def test(option: Option, state: State) -> Iterator[Act]:
    """Filter rows or pages by an expression."""
    kind = kind_of(option, KINDS)
    text = option.item(1, "the expression")
    given = option.qualified(2, (), ("autostop", "algebraic"))
    condition = expression(text, "algebraic" in given.flags)
    known = (state.environment.definitions,)
    if "autostop" in given.flags:
        if kind == "column":
            raise option.wrong("autostop of columns is not translated")
        yield Act(rows.require_pages, (condition, *known))
    elif kind == "column":
        written = state.written(text, condition, kind)
        words, note = ((), "") if written is None else (("filter", written[0]), written[1])
        yield Act(rows.filter_rows, (condition, *known), words=words, note=note)
    else:
        yield Act(rows.keep_pages, (condition, *known))


def number_test(option: Option, state: State) -> Iterator[Act]:
    """Keep what is a number."""
    given = option.qualified(2, (), ("invert",))
    yield Act(
        rows.keep_numbers, (kind_of(option, KINDS), option.item(1, "the name"), "invert" in given.flags)
    )


def clip(option: Option, state: State) -> Iterator[Act]:
    """Leave out rows at the ends."""
    head, tail = (integer(option.item(place, "the number of rows"), option) for place in (0, 1))
    keeps = "invert" in option.qualified(2, (), ("invert",)).flags
    words: tuple[str, ...] = ()
    if not keeps:
        words = ("rows", f"{head or ''}:{-tail if tail else ''}")
    elif head and not tail:
        words = ("rows", f"0:{head}")
    elif tail and not head:
        words = ("rows", "--", f"{-tail}:")
    yield Act(rows.clip, (head, tail, keeps), words=words)


def clip_fractions(option: Option, state: State) -> Iterator[Act]:
    """Leave out fractions of the rows at the ends."""
    head, tail = (number(option.item(place, "the fraction"), option) for place in (0, 1))
    keeps = "invert" in option.qualified(2, (), ("invert",)).flags
    yield Act(rows.clip_fractions, (head, tail, keeps))


def sparse(option: Option, state: State) -> Iterator[Act]:
    """Keep every n-th row."""
    interval = integer(option.item(0, "the interval"), option)
    offset = integer(option.items[1], option) if len(option.items) > 1 else 0
    if interval < 1 or offset < 0:
        raise option.wrong("the interval is 1 or more, the offset 0 or more")
    yield Act(rows.slice_rows, (offset, None, interval), words=("filter", f"row % {interval} == {offset}")
              if offset < interval else ())  # fmt: skip


def sample(option: Option, state: State) -> Iterator[Act]:
    """Keep rows at random."""
    yield Act(rows.sample, (number(option.item(0, "the fraction"), option),))


def define(option: Option, state: State) -> Iterator[Act]:
    """Define a column or a parameter."""
    kind = kind_of(option, KINDS)
    name, text = option.item(1, "the name"), option.item(2, "the equation")
    given = option.qualified(3, (*ENTRIES, "select", "exclude", "editSelection"), ("algebraic",))
    is_infix = "algebraic" in given.flags or text.startswith("@@")
    entries, keeps = entries_of(given), option.keyword == "redefine"
    drawn: list[str] = []
    if kind == "column" and not is_infix:
        text, drawn = with_random_columns(option, name, text)
    known = state.environment.definitions
    equation = Equation(name, expression(text, is_infix), entries, "" if is_infix else RPN, known)
    if select := given.get("select"):
        if kind != "column":
            raise option.wrong("select chooses columns")
        patterns = (select, given.get("exclude"), given.get("editSelection"))
        yield Act(equations.define_each, (equation, *patterns, keeps))
        return
    function = equations.define_column if kind == "column" else equations.define_parameter
    names = [one.partition("=")[0] for one in drawn]
    if drawn:
        seed = () if state.seed is None else ("--seed", str(state.seed))
        yield Act(sampling.draw, (drawn, state.seed), words=("sample", *drawn, *seed))
        keeps = keeps or name in names
    written = None if equation.text.startswith("@") else state.written(text, equation.text, kind)
    words: tuple[str, ...] = ()
    if written is not None:
        words = defining_words(kind, replace(equation, text=written[0]), keeps)
    state.stored |= {*names_stored(tokens_of(text), state.environment.functions)}
    state.defined.add(name)
    yield Act(function, (equation, keeps), words=words, note="" if written is None else written[1])
    if others := [one for one in names if one != name]:
        choice = elements.Choice(delete={"column": others})
        yield Act(elements.choose, (choice,), words=("select", "--drop", ",".join(others)))


def with_random_columns(option: Option, name: str, text: str) -> tuple[str, list[str]]:
    """Return an equation with columns in place of its random words, and the distributions of these.

    The first column has the name of the new one, unless the equation uses that.
    """
    given = text.split()
    names = (f"{name}_random_{place}" if place or name in given else name for place in count())
    words: list[str] = []
    drawn: list[str] = []
    for word in given:
        if word in RANDOM:
            if word == "grndl" and not words:
                raise option.wrong("the limit of grndl is missing")
            limit = str(number(words.pop(), option)) if word == "grndl" else ""
            words.append(next(names))
            drawn.append(f"{words[-1]}={RANDOM[word].replace('LIMIT', limit)}")
        else:
            words.append(word)
    return (" ".join(words), drawn) if drawn else (text, [])


INTEGERS: Final = ("int16", "uint16", "int32", "uint32", "int64", "uint64")

RANDOM: Final = {"rnd": "uniform(0,1)", "grnd": "gaussian(0,1)", "grndl": "gaussian(0,1,LIMIT)"}
"""Random words of equations, as distributions."""


def defining_words(kind: str, equation: Equation, replaces: bool) -> tuple[str, ...]:
    """Return the verb of a definition; the unit is that of the expression unless it is given."""
    entries = equation.entries
    unit = "" if entries.units is None else f"[{entries.units}]"
    name = equation.name if equation.name.isidentifier() else f"`{equation.name}`"
    words = ["define", "--as", "column" if kind == "column" else "attribute"]
    written = equation.text
    if entries.type in INTEGERS:  # they are cut, where define refuses numbers that are not whole
        written = f"{written} int" if written.startswith(RPN) else f"trunc({written})"
    words.append(f"{name}{unit}={written}")
    for what, text in (
        ("type", entries.type or "float64"),
        ("symbol", entries.symbol),
        ("description", entries.description),
    ):
        if text:
            words += [f"--{what}", f"{equation.name}={text}"]
    return (*words, "--replace") if replaces else tuple(words)


def evaluate(option: Option, state: State) -> Iterator[Act]:
    """Define a parameter by the equation in another one."""
    if kind_of(option, KINDS) == "column":
        raise option.wrong("an equation of each row is not translated")
    name, source = option.item(1, "the name"), option.item(2, "the parameter with the equation")
    given = option.qualified(3, ENTRIES, ())
    yield Act(equations.define_parameter, (Equation(name, f"@{source}", entries_of(given), RPN),))


def cast(option: Option, state: State) -> Iterator[Act]:
    """Convert types."""
    kind = kind_of(option, KINDS)
    new, old = option.item(1, "the new name"), option.item(2, "the old name")
    wanted = type_of(option.item(3, "the type"), option)
    words = ("select", "--cast", f"{new}={wanted}") if new == old and kind == "column" else ()
    yield Act(elements.cast_element, (kind, new, old, wanted), words=words)


def convert_units(option: Option, state: State) -> Iterator[Act]:
    """Multiply by a factor and set the unit."""
    if len(option.items) != 5:
        raise option.wrong("it has five items: column or parameter, name, new unit, old unit, factor")
    kind = kind_of(option, KINDS)
    _, name, new, old, text = option.items
    factor = number(text, option)
    words = ("define", "--replace", f"{name}[{new}]={name} * {text}") if name.isidentifier() else ()
    yield Act(elements.convert_units, (kind, name, new, old, factor), words=words)


def rpn_expression(option: Option, state: State) -> Iterator[Act]:
    """Note words that are run before equations."""
    text = option.item(0, "the expression")
    given = option.qualified(1, (), ("repeat", "algebraic"))
    if "algebraic" in given.flags:
        raise option.wrong(f"infix is not translated here: {infix(text)}")
    before, _, after = text.rpartition("srnd")
    if before.strip():
        *words, seed = before.split()
        state.seed = abs(integer(seed, option))
        text = " ".join([*words, after])
    if text.split():
        state.stored |= {*names_stored(tokens_of(text), state.environment.functions)}
        repeats = "repeat" in given.flags
        yield Act(equations.run_words, (RPN + text, state.environment.definitions, repeats))


def rpn_files(option: Option, state: State) -> Iterator[Act]:
    """Read definitions."""
    for path in option.items:
        state.environment.read(path)
    yield from ()


def print_(option: Option, state: State) -> Iterator[Act]:
    """Print values as texts."""
    kind = kind_of(option, KINDS)
    name, text = option.item(1, "the name"), option.item(2, "the format")
    sources = [one for one in option.items[3:] if "=" not in one]
    entries = [one for one in option.items[3:] if "=" in one]
    given = Option(option.keyword, tuple(entries), option.written).qualified(0, ENTRIES)
    keeps = option.keyword == "reprint"
    yield Act(texts.print_texts, (kind, name, text, sources, entries_of(given), keeps))


def edit(option: Option, state: State) -> Iterator[Act]:
    """Edit texts."""
    kind = kind_of(option, KINDS)
    name, source = option.item(1, "the new name"), option.item(2, "the source")
    command = option.item(3, "the edit command")
    given = option.qualified(4, ENTRIES)
    keeps = option.keyword == "reedit"
    yield Act(texts.edit_texts, (kind, name, source, command, entries_of(given), keeps))


def scan(option: Option, state: State) -> Iterator[Act]:
    """Read numbers from texts."""
    kind = kind_of(option, KINDS)
    name, source = option.item(1, "the new name"), option.item(2, "the source")
    text = option.item(3, "the format")
    given = option.qualified(4, (*ENTRIES, "edit"))
    yield Act(texts.scan_texts, (kind, name, source, text, entries_of(given), given.get("edit")))


def process(option: Option, state: State) -> Iterator[Act]:
    """Reduce columns."""
    yield process_act(option)


def description(option: Option, state: State) -> Iterator[Act]:
    """Describe the file."""
    yield described(option)


def no_act(option: Option, state: State) -> Iterator[Act]:
    """Accept an option that changes nothing here."""
    yield from ()


def refused(reason: str) -> Callable[[Option, State], Iterator[Act]]:
    """Return a function that refuses an option for a reason."""

    def refuse(option: Option, state: State) -> Iterator[Act]:
        raise option.wrong(reason)

    return refuse


def requiring(option: Option) -> Iterator[Act]:
    """Require that elements are present, or absent."""
    kind = kind_of(option, elements.KINDS)
    yield Act(elements.require_elements, (kind, list(option.items[1:]), option.keyword == "ifis"))


FIRST: Final = {"ifis": requiring, "ifnot": requiring}
"""Options that are carried out before all others."""

OPTIONS: Final[Mapping[str, Callable[[Option, State], Iterator[Act]]]] = {
    "cast": cast,
    "clip": clip,
    "convertUnits": convert_units,
    "define": define,
    "delete": no_act,
    "description": description,
    "edit": edit,
    "evaluate": evaluate,
    "fclip": clip_fractions,
    "filter": filter_,
    "format": refused("texts are not reformatted word by word"),
    "ifis": no_act,
    "ifnot": no_act,
    "majorOrder": no_act,
    "match": match,
    "noWarnings": no_act,
    "numberTest": number_test,
    "print": print_,
    "process": process,
    "redefine": define,
    "reedit": edit,
    "reprint": print_,
    "retain": no_act,
    "rpnDefinitionsFiles": rpn_files,
    "rpnExpression": rpn_expression,
    "sample": sample,
    "scan": scan,
    "sparse": sparse,
    "summarize": no_act,
    "system": refused("commands of the shell are not run for values"),
    "test": test,
    "threads": no_act,
    "timeFilter": refused("times of the calendar are not translated: filter by seconds"),
    "verbose": no_act,
    "xzLevel": no_act,
}
"""The options, each with the function that translates it."""
