"""What an old command line is in Quire: acts on pages, as data, and what becomes of the result."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from quire.io.expression import OLD_STEP
from quire.legacy.steps import NUMBERED
from quire.rpn import is_rpn

if TYPE_CHECKING:
    from quire.legacy.pages import Pages

STANDARD: Final = "-"
RENUMBERING: Final = ("group", "concat", "pages split", "pages expand", "pages swap")
"""Verbs after which steps have other numbers."""


@dataclass(frozen=True)
class Call:
    """A function of pages with its arguments, which are data.

    With `files` its second argument are the pages of these files. `words` are those of the verb of
    `quire run` that does the same, empty if there is none, and `note` is what these assume.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    files: Sequence[str] = ()
    words: Sequence[str] = ()
    note: str = ""

    def apply(self, pages: Pages, opened: Callable[[str], Pages]) -> Any:
        """Independent. Return what the function makes of the pages."""
        others = [[opened(path) for path in self.files]] if self.files else []
        return self.function(pages, *others, *self.arguments)

    @property
    def python(self) -> str:
        """The call in Python."""
        others = ", ".join(f"Pages.of({path!r}, stack)" for path in self.files)
        given = ["pages", *([f"[{others}]"] if others else []), *map(python, self.arguments)]
        return f"{self.function.__name__}({', '.join(given)})"

    @property
    def imports(self) -> set[str]:
        """The imports of the call in Python."""
        found = {f"from {self.function.__module__} import {self.function.__name__}"}
        return found.union(*map(imports_of, self.arguments))


class Act(Call):
    """A function from pages to pages."""


class Printing(Call):
    """A function that yields the texts that a program prints. `words` are a command with its file."""


@dataclass(frozen=True)
class Writing:
    """Where the result is written. `backup` is the name under which the former file is kept."""

    target: str
    options: Mapping[str, str] = field(default_factory=dict)
    replaces: bool = True
    backup: str = ""
    quiet: bool = False
    """Whether the verb prints nothing, as an old program."""

    @property
    def written(self) -> str:
        """The file that a command writes: one that is replaced afterwards is not the target itself."""
        return f"{self.target}.new" if self.backup else self.target

    @property
    def words(self) -> list[str]:
        """The verb that writes the result."""
        words = ["write", self.written]
        if not self.written.endswith(".sdds"):
            words += ["--format", "sdds"]
        for name, value in self.options.items():
            words += ["--option", f"{name}={value}"]
        words += ["--overwrite"] if self.replaces and self.target != STANDARD else []
        return words + (["--quiet"] if self.quiet and self.target != STANDARD else [])


class Made(Protocol):
    """What a program makes without pages of an input; a data class."""

    @property
    def words(self) -> Sequence[str]:
        """The verb that makes the same, empty if there is none."""

    @property
    def python(self) -> str:
        """The call in Python."""

    def pages(self) -> Pages:
        """Independent. Return the pages."""


@dataclass(frozen=True)
class NewData:
    """What a program without input makes: columns as for `quire.new`."""

    definitions: Sequence[str]
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def pages(self) -> Pages:
        """Independent. Return the pages."""
        from quire.legacy.pages import Pages
        from quire.verbs.new import new

        made = new(*self.definitions, **self.keywords)
        return Pages(made._file, lambda: iter(made))

    @property
    def words(self) -> list[str]:
        """The verb that makes the columns."""
        options = [word for name, value in self.keywords.items() for word in (f"--{name}", str(value))]
        return ["new", *self.definitions, *options]

    @property
    def python(self) -> str:
        """The call in Python."""
        return f"NewData({list(self.definitions)!r}, {dict(self.keywords)!r}).pages()"


@dataclass(frozen=True)
class Translation:
    """An old command line in Quire."""

    program: str
    source: str
    acts: Sequence[Act]
    end: Writing | Printing
    warnings: Sequence[str] = ()
    target: str = STANDARD
    """The file that is printed to; `-` is standard output."""
    new: Made | None = None
    """What takes the place of the source."""

    def explained(self) -> str:
        """Independent. Return the new command, or the program in Python where no verb does the same."""
        return self.command() if self.has_command else self.in_python()

    def silent(self) -> Translation:
        """Independent. Return what prints nothing about the file that it writes."""
        return replace(self, end=replace(self.end, quiet=True)) if isinstance(self.end, Writing) else self

    @property
    def notes(self) -> list[str]:
        """What the command assumes."""
        end = [self.end] if isinstance(self.end, Printing) else []
        return [one.note for one in [*self.acts, *end] if one.note] if self.has_command else []

    @property
    def has_command(self) -> bool:
        """Whether verbs do the same."""
        calls = [*self.acts, *([self.end] if isinstance(self.end, Printing) else [])]
        begins = self.new is None or bool(self.new.words)
        return begins and all(one.words for one in calls) and knows_step(self.acts)

    def command(self, quote: Callable[[str], str] = shlex.quote, blank: str = " ") -> str:
        """Independent. Return the command, with a chain of verbs if there are any.

        `quote` writes a word for the shell, and `blank` is before each verb and each command of a pipe.
        """

        def joined(words: Sequence[str]) -> str:
            return " ".join(map(quote, words))

        verbs = [joined(one.words) for one in self.acts]
        if isinstance(self.end, Writing):
            verbs.append(joined(self.end.words))
            replacement = f"{blank}&& mv {joined([self.end.written, self.source])}" if self.end.backup else ""
        else:
            verbs += ["write - --format sdds"] if verbs or self.new else []
            replacement = "" if self.target == STANDARD else f" > {quote(self.target)}"
        begin = f"quire run {quote(self.source) if self.new is None else joined(self.new.words)}"
        chain = f"{blank}/ ".join([begin, *verbs]) if verbs else ""
        if isinstance(self.end, Writing):
            return chain + replacement
        shown = [STANDARD if word == self.source and chain else word for word in self.end.words]
        return (f"{chain}{blank}| " if chain else "") + f"quire {joined(shown)}{replacement}"

    def in_python(self) -> str:
        """Independent. Return a program in Python that does the same."""
        imports = {"from contextlib import ExitStack", "from quire.legacy.pages import Pages"}
        imports = imports.union(*(act.imports for act in self.acts))
        begin = f"Pages.of({self.source!r}, stack)"
        if self.new is not None:
            begin = self.new.python
            imports |= imports_of(self.new)
        lines = [f"pages = {begin}", *(f"pages = {act.python}" for act in self.acts)]
        if isinstance(self.end, Writing):
            imports.add("from quire.legacy.running import write_pages")
            lines.append(f"write_pages(pages, {self.end.target!r}, {dict(self.end.options)!r})")
        else:
            imports |= self.end.imports
            lines.append(f"print(*{self.end.python}, sep='', end='')")
        body = "\n".join(f"    {line}" for line in lines)
        return "\n".join(sorted(imports)) + f"\n\nwith ExitStack() as stack:\n{body}"


def knows_step(acts: Sequence[Act]) -> bool:
    """Independent. Return whether the verbs know the parameter `Step` where they use it.

    In equations it is the number of the step, but not after verbs that number steps anew. As the limit of a
    filter it is an attribute that steps with numbers do not have.
    """
    is_number = True
    for act in acts:
        verb, *words = act.words
        uses = act.note == NUMBERED or any(
            is_rpn(word.partition("=")[2] or word) and OLD_STEP in word.split() for word in words
        )
        if f"@{OLD_STEP}" in " ".join(words).split() or (uses and not is_number):
            return False
        is_number = is_number and not f"{verb} {' '.join(words)}".startswith(RENUMBERING)
    return True


@dataclass(frozen=True)
class Command:
    """An old command line that is one command of Quire."""

    program: str
    words: Sequence[str]
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()

    def silent(self) -> Command:
        """Independent. Return what prints nothing about the picture that it draws."""
        return replace(self, words=(*self.words, "--quiet")) if self.words[0] == "plot" else self

    @property
    def has_command(self) -> bool:
        """Whether a command does the same: always."""
        return True

    def explained(self) -> str:
        """Independent. Return the new command."""
        return self.command()

    def command(self, quote: Callable[[str], str] = shlex.quote, blank: str = " ") -> str:
        """Independent. Return the command, with words as `quote` writes them. `blank` is of chains."""
        return " ".join(["quire", *map(quote, self.words)])


def python(value: Any) -> str:
    """Independent. Return an argument in Python; of data classes what differs from the defaults."""
    if not is_dataclass(value) or isinstance(value, type):
        if isinstance(value, list | tuple):
            inner = ", ".join(map(python, value))
            return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
        return repr(value)
    given = [f"{name}={python(one)}" for name, one in set_fields(value)]
    return f"{type(value).__name__}({', '.join(given)})"


def set_fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Independent. Yield the fields of a data class that differ from their defaults."""
    for one in fields(value):
        default = one.default_factory() if one.default_factory is not MISSING else one.default
        found = getattr(value, one.name)
        if default is MISSING or found != default:
            yield one.name, found


def imports_of(value: Any) -> set[str]:
    """Independent. Return the imports that an argument needs in Python."""
    inner: Iterable[Any] = value if isinstance(value, list | tuple) else ()
    if is_dataclass(value) and not isinstance(value, type):
        inner = [one for _, one in set_fields(value)]
        return {f"from {type(value).__module__} import {type(value).__name__}"}.union(*map(imports_of, inner))
    return set().union(*map(imports_of, inner))
