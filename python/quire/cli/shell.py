"""How the command line presents itself: help in the width of the terminal, groups, usage errors."""

from __future__ import annotations

import inspect
import math
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from quire.cli.hints import looks_like_expression
from quire.cli.verbs import STAGES

NARROWEST, WIDEST = 50, 100
"""Limits of the width of help, in characters."""

LONGEST_LABEL = 28
"""Longer labels of arguments and options have their text on the next line."""

SETTINGS = {"help_option_names": ["-h", "--help"]}

PLACEHOLDERS = {
    name: word
    for word, names in {
        "A:B": "rows",
        "DIRECTORY": "directory figures",
        "FILE": "driver file measured output results save_as",
        "FORMAT": "form format formats",
        "LIST": "operations steps tasks",
        "NAME": "convention day extract field how language listing method mode model name preset quantity "
        "remove species step_column style table target time transport value weight workload",
        "NAME=TEXT": "description symbol",
        "NAME=TYPE": "type types",
        "NAME=UNIT": "unit units",
        "NAME=VALUE": "option read_option",
        "NAMES": "columns ignore names positions",
        "OLD=NEW": "rename",
        "SIZE": "block_size big chunk_size lock_size most_bytes request_size row_bytes stripe_size",
        "TEXT": "between comment delimiter launcher prefix subtitle suffix title x_label y_label",
    }.items()
    for name in names.split()
}
"""Names of the values of options in help, by parameter, for options without a name of their own."""

HELP = "help"

NOT_HERE = {
    "analyze": "stats",
    "append": "concat, or quire.append in Python",
    "attributes": "show FILE --attributes",
    "avg": "stats FILE",
    "cat": "show FILE",
    "columns": "show FILE --list columns",
    "combine": "concat",
    "compare": "diff",
    "compress": "convert IN OUT.gz",
    "copy": "convert",
    "cp": "convert",
    "csv": "export IN OUT.csv, or import TEXT OUT",
    "cut": "show --columns, or convert --columns",
    "derivative": "deriv",
    "delete": "convert IN OUT --columns",
    "draw": "plot",
    "drop": "select IN OUT --drop",
    "dump": "show FILE",
    "edit": "define",
    "emittance": "stats FILE --beam",
    "fields": "show FILE --fields",
    "fix": "recover",
    "follow": "track IN OUT --ids 17",
    "head": "show FILE --rows 0:20",
    "header": "info FILE",
    "histogram": "hist, or plot --histogram",
    "integrate": "integ",
    "interpolate": "interp",
    "less": "show FILE",
    "limits": "info FILE --stats",
    "list": "info FILE",
    "lost": "stats FILE --beam --columns particles,lost",
    "ls": "info FILE",
    "max": "stats FILE",
    "mean": "stats FILE",
    "merge": "concat IN... OUT; --join-rows joins the rows of steps with the same number; pages IN OUT merge",
    "min": "stats FILE",
    "minmax": "stats FILE",
    "more": "show FILE",
    "naff": "tunes",
    "open": "info FILE",
    "parameters": "show FILE --attributes",
    "print": "show FILE",
    "read": "show FILE",
    "rename": "select IN OUT --rename OLD=NEW",
    "reorder": "select",
    "repair": "recover",
    "scatter": "plot",
    "set": "define",
    "slice": "convert --rows, or plot --field --slice",
    "steps": "show FILE --list steps",
    "summary": "stats",
    "tail": "show FILE --rows -20:",
    "to_csv": "export IN OUT.csv",
    "tree": "info FILE",
    "twiss": "stats FILE --beam",
    "units": "show FILE --list columns --units",
    "validate": "check",
    "verify": "check",
    "version": "--version",
    "where": "show FILE --where",
}
"""What people look for, and the commands that do it."""

OUTPUT = r"no such option: (-o|--out|--output)( .*)?"
"""A message about the option that other programs have for their output."""

OF_CHAIN = "quire run ... / "
"""What the names of the verbs of a chain begin with in messages."""

OF_INPUT = r"no such option: (--steps?|--index|--table|--columns|--rows|--where|--read-option|--strict)\b.*"
"""A message about an option of the input of a chain, or of all of it, after one of its verbs."""

OF_OUTPUT = r"no such option: (-f|--format|--option|--overwrite|--durable|--lossy|--json)\b.*"
"""A message about an option of the new file of a chain, after one of its verbs."""

UNNAMED = r"(?s)(missing argument )'([a-z_]+)'(?:\. Choose from:\s+(.*))?"
"""A message about a missing argument that is called by its parameter, with the values that it may have."""

EXTRA = r"got unexpected extra argument(?:s|\(s\))? \((.*)\)"
"""A message about arguments that the command does not have."""

WORD = r"[^\W\d][\w*?]*|[*?][\w*?]*"
"""What may be the name of a column, or a pattern of names."""

WRONG_VALUES = {
    "valid int": "an integer",
    "valid number": "a number",
    "valid float": "a number",
    "is not finite": "a finite number",
}
"""What messages about a value of an option contain, and what the value must be."""


def width() -> int:
    """Return the width of help for this terminal."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns))


def first_sentence(text: str) -> str:
    """Return the first sentence of a description, without its period."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".")


def wrapped(text: str, indent: str = "") -> str:
    """Return a paragraph in the width of the terminal."""
    lines = textwrap.wrap(
        " ".join(text.split()),
        width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return "\n".join(lines)


def listed(rows: Sequence[tuple[str, str]]) -> str:
    """Return labels and their texts in two columns."""
    longest = max((len(label) for label, _ in rows if len(label) <= LONGEST_LABEL), default=LONGEST_LABEL)
    lines: list[str] = []
    for label, text in rows:
        texts = textwrap.wrap(text, width() - longest - 4, break_on_hyphens=False) or [""]
        if len(label) > longest:
            lines.append(f"  {label}")
            label = ""
        lines.append(f"  {label:{longest}}  {texts[0]}".rstrip())
        lines += [" " * (longest + 4) + more for more in texts[1:]]
    return "\n".join(lines)


def placeholder(option: Any) -> str:
    """Return what the value of an option is called, empty for a flag."""
    if option.is_flag:
        return ""
    if choices := choices_of(option.type):
        return "|".join(choices)
    kind = option.type.name  # such as integer or "float range", and int in some releases of typer
    of_kind = "N" if kind.startswith("int") else "X" if kind.startswith("float") else "TEXT"
    return option.metavar or PLACEHOLDERS.get(option.name, of_kind)


def choices_of(kind: Any) -> list[str]:
    """Return the values that a type has, none if these are not a few."""
    return [str(getattr(one, "value", one)) for one in getattr(kind, "choices", ())]


def label_of(option: Any) -> str:
    """Return the names of an option as help shows them."""
    opposite = f" / {', '.join(option.secondary_opts)}" if option.secondary_opts else ""
    value = placeholder(option)
    return ", ".join(sorted(option.opts, key=len)) + opposite + (f" {value}" if value else "")


def text_of(option: Any) -> str:
    """Return the description of an option with its default, if that says something."""
    default = option.default
    if default in (None, False, "", ()) or callable(default) or not option.show_default:
        return option.help or ""
    if option.is_flag:
        default = (option.opts if default else option.secondary_opts)[0]
    return f"{option.help or ''} [default: {default}]"


def usage_of(name: str, parameters: Sequence[Any]) -> str:
    """Return the line that shows how a command is called."""
    pieces = [name]
    for one in parameters:
        if one.param_type_name != "argument":
            continue
        shown = one.metavar or one.name.upper()
        pieces.append(shown if one.required or shown.startswith("[") else f"[{shown}]")
    if any(one.param_type_name == "option" for one in parameters):
        pieces.append("[options]")
    return " ".join(pieces)


@dataclass(frozen=True)
class Description:
    """What help and manual say of a command. Arguments and options are labels and texts."""

    usage: str
    paragraphs: list[str]
    arguments: list[tuple[str, str]]
    options: list[tuple[str, str]]
    examples: list[str]


def description_of(command: Any, context: Any) -> Description:
    """Return the description of one command."""
    parameters = [one for one in command.get_params(context) if not getattr(one, "hidden", False)]
    paragraphs = [" ".join(one.split()) for one in inspect.cleandoc(command.help or "").split("\n\n")]
    prefix = "Example: "
    return Description(
        usage_of(context.command_path, parameters),
        [one for one in paragraphs if not one.startswith(prefix)],
        [(one.metavar or one.name.upper(), one.help or "") for one in parameters
         if one.param_type_name == "argument"],
        [(label_of(one), text_of(one)) for one in parameters if one.param_type_name == "option"],
        [one.removeprefix(prefix) for one in paragraphs if one.startswith(prefix)],
    )  # fmt: skip


def help_of(command: Any, context: Any, sections: Sequence[str] = ()) -> str:
    """Return the help of one command: usage, description, arguments, options, other sections, examples."""
    described = description_of(command, context)
    parts = [f"usage: {described.usage}", *map(wrapped, described.paragraphs)]
    if described.arguments:
        parts.append("Arguments\n" + listed(described.arguments))
    parts.append("Options\n" + listed(described.options))
    parts += sections
    if described.examples:
        parts.append("Examples\n" + "\n".join(f"  {one}" for one in described.examples))
    return "\n\n".join(parts)


NUMBERS = frozenset(("A:B", "AXIS=VALUE", "F", "LIST", "NAME=A:B", "NAME=X", "P", "X", "X,..."))
"""What values of options that are numbers, or contain some, are called."""


def has_infinite(text: str) -> bool:
    """Independent. Return whether a number of a list, a range, or one after `=` is NaN or infinite."""
    for word in re.split("[,:]", text):
        with suppress(ValueError):
            if not math.isfinite(float(word.rpartition("=")[2])):
                return True
    return False


def refuse_not_finite(command: Any, context: Any) -> None:
    """Independent. Raise a usage error for an option with a number that is NaN or infinite. The default of an
    option, such as no limit, may be infinite.
    """
    for option in command.params:
        value = context.params.get(option.name)
        if (
            option.param_type_name != "option"
            or value == option.default
            or placeholder(option) not in NUMBERS
        ):
            continue
        for one in value if isinstance(value, list | tuple) else [value]:
            if has_infinite(str(one)):
                raise typer.BadParameter(f"{one} is not finite", ctx=context, param=option)


class Checked:
    """A command or a group of them whose options have finite numbers."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of a command line. Raises usage errors of typer, which know the command."""
        try:
            rest: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        except Exception as problem:
            found: Any = problem
            if hasattr(found, "format_message") and getattr(found, "ctx", ctx) is None:
                found.ctx = ctx
            raise
        if not ctx.resilient_parsing:
            refuse_not_finite(self, ctx)
        return rest


class Command(Checked, TyperCommand):
    """A command whose help is laid out by `help_of`."""

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the first sentence of the help, which completion shows beside the name."""
        return first_sentence(self.help or "")

    def get_help(self, ctx: Any) -> str:
        """Return the help as text."""
        return help_of(self, ctx)


COMPLETION_HELP = {
    "install_completion": "Let the tab key complete names, in the shell that runs this.",
    "show_completion": "Print the lines that do it, for a start-up file of the shell.",
}
"""What help says of the options of typer."""


class Program(Checked, TyperGroup):
    """The commands, shown in groups. Usage errors are one line, like all others."""

    groups: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Titles and the names of the commands in them."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with that of the help."""
        parameters: list[Any] = super().get_params(ctx)
        for one in parameters:
            one.help = COMPLETION_HELP.get(one.name, getattr(one, "help", None))
        return parameters

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the first sentence of the help, which completion shows beside the name."""
        return first_sentence(self.help or "")

    def get_help(self, ctx: Any) -> str:
        """Return the help as text."""
        paragraphs = inspect.cleandoc(self.help or "").split("\n\n")
        parts = [f"usage: {ctx.command_path} COMMAND [arguments] [options]"]
        parts += [wrapped(one) for one in paragraphs[:1]]
        named = {name for names in self.groups.values() for name in names}
        others = [name for name in self.commands if name not in named]
        for title, names in {**self.groups, "Commands": others}.items():
            rows = [
                (name, text)
                for name in names
                if name in self.commands and (text := self.summary(name)) is not None
            ]
            if rows:
                parts.append(f"{title}\n{listed(rows)}")
        options = [(label_of(one), text_of(one)) for one in self.get_params(ctx)]
        parts.append("Options\n" + listed(options))
        parts += [wrapped(one) for one in paragraphs[1:]]
        return "\n\n".join(parts)

    def summary(self, name: str) -> str | None:
        """Return the first sentence about a command; None if it is not listed."""
        found = self.commands[name]
        return None if found.hidden else first_sentence(found.help or "")

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, without building them."""
        return list(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, or say what is close to an unknown one. `help COMMAND` is `COMMAND --help`."""
        name = args[0]
        if name == HELP and self.get_command(ctx, name) is None:
            if len(args) == 1:
                print(self.get_help(ctx))
                ctx.exit()
            args = [*args[1:], "--help"]
            name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            ctx.fail(unknown_command(ctx.command_path, name, list(self.commands)))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command. An interruption before the command begins is reported like a later one."""
        from quire.cli.signals import code_of, raised_interruptions

        try:
            with raised_interruptions():
                return super().invoke(ctx)
        except KeyboardInterrupt as interruption:
            from quire.cli.command import report_interruption

            report_interruption(interruption)
            raise typer.Exit(code_of(interruption)) from None

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line. A usage error is reported by `report_usage`."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except typer.Abort:
            sys.exit(1)
        except Exception as problem:
            if not hasattr(problem, "format_message"):
                raise
            sys.exit(report_usage(problem))
        sys.exit(code if isinstance(code, int) else 0)


def unknown_command(program: str, name: str, names: Sequence[str]) -> str:
    """Return the message for a command that does not exist."""
    from quire.near import near_names

    if name in NOT_HERE:
        return f"there is no command '{name}'; see: {program} {NOT_HERE[name]}"
    near = near_names(name, names, 1)
    return f"there is no command '{name}'" + (f"; did you mean '{near[0]}'?" if near else "")


def place_of_extra(text: str, context: Any) -> str:
    """Independent. Return a hint at the option for an argument that a command does not have."""
    parameters = getattr(getattr(context, "command", None), "params", ())
    options = options_of(context)
    arguments = [one.metavar for one in parameters if one.param_type_name == "argument"]
    if looks_like_expression(text) and "--where" in options:
        return f"; a condition is written --where {shlex.quote(text)}"
    words = text.split()
    if words[0] in STAGES:
        return f"; verbs are divided by / in a chain: quire run IN / VERB ... / {words[0]} ..."
    for value in getattr(context, "params", {}).values():
        parts = value if isinstance(value, (list, tuple)) else [value]
        if parts and isinstance(parts[-1], str) and parts[-1].endswith(","):
            return f"; a list of names has no blanks: {parts[-1]}{words[0]}"
    if "--fraction" in options and re.fullmatch(r"0?\.\d+", text):
        return f"; a random sample is taken by --fraction {text}"
    if "OUT" in arguments and len(words) > 0 and all("." in word or "/" in word for word in words):
        return "; one command writes one file, except quire convert IN... DIRECTORY/"
    if "--fraction" in options and text.isdecimal():
        return f"; every {text}-th row is kept by --every {text}"
    if "--ids" in options and all(word[:1].isdecimal() for word in words):
        return f"; particles are chosen by --ids {','.join(words)}"
    if "--columns" in options and all(re.fullmatch(WORD, word) for word in words):
        return f"; columns are chosen by --columns {','.join(words)}"
    return ""


def with_reason(message: str, kind: Any) -> str:
    """Independent. Return a message about a wrong value with the values that its type has."""
    from quire.near import near_names

    place, _, found = message.partition(": ")
    if names := choices_of(kind):
        word = found[1:].partition("' is not one of")[0]
        near = near_names(word, names, 1)
        return f"{place}: '{word}' is not one of {', '.join(names)}" + (
            f" (nearest: {near[0]})" if near else ""
        )
    for what, words in WRONG_VALUES.items():
        if what in found:
            return f"{place}: it must be {words}"
    if "is not in the range" in found:
        limits = [("greater", getattr(kind, "min", None)), ("less", getattr(kind, "max", None))]
        return f"{place}: it must be " + " and ".join(
            f"{word} than or equal to {limit}" for word, limit in limits if limit is not None
        )
    return message


NO_PERIOD = r"(?<!\.)\.$"
UNFINISHED = r"option '(-[^']+)' requires an argument"
"""The message about an option at the end of a line."""


def usage_in(context: Any) -> str:
    """Independent. Return the command of a context with its arguments."""
    if context is None:
        return "quire"
    return usage_of(context.command_path, context.command.get_params(context)).removesuffix(" [options]")


def value_of(option: str, context: Any) -> str:
    """Independent. Return how an option is written with its value, and what it does."""
    parameters = getattr(getattr(context, "command", None), "params", ())
    found = next((one for one in parameters if option in one.opts), None)
    return f": {option} {placeholder(found)} ({re.sub(NO_PERIOD, '', found.help or '')})" if found else ""


def options_of(context: Any) -> set[str]:
    """Independent. Return the options of the command of a context."""
    return {name for one in getattr(getattr(context, "command", None), "params", ()) for name in one.opts}


def place_in_chain(message: str) -> str:
    """Independent. Return where an option of a chain is written that a verb does not have, if it is one."""
    if found := re.fullmatch(OF_INPUT, message):
        value = "" if found[1] == "--strict" else " ..."
        return f"no such option of a verb: {found[1]}: write it before IN: quire run {found[1]}{value} IN"
    if found := re.fullmatch(OF_OUTPUT, message):
        return f"no such option of a verb: {found[1]}: write it after the new file: / write OUT {found[1]}"
    if found := re.fullmatch(OUTPUT, message):
        return f"no such option of a verb: {found[1]}: the last verb writes the new file: / write OUT"
    return ""


def report_usage(problem: Any) -> int:
    """Independent. Print a usage error as one line and where to read more; returns the exit code."""
    from quire.cli.command import complain
    from quire.cli.option_hints import argument_instead, hint_at_option

    context = getattr(problem, "ctx", None)
    if type(problem).__name__ == "NoArgsIsHelpError":
        print(problem.format_message(), file=sys.stderr)
        return 2
    path = context.command_path if context is not None else "quire"
    message = problem.format_message().rstrip(".")
    message = message[:1].lower() + message[1:].replace("(Possible", "(possible")
    if extra := re.fullmatch(EXTRA, message):
        message = f"there is no place for {extra[1]}: it is one argument too many"
        message += place_of_extra(extra[1], context)
    if message.startswith("missing argument") and context is not None:
        usage = usage_in(context)
        unnamed = re.fullmatch(UNNAMED, message)
        choices = f": {unnamed[3]}" if unnamed and unnamed[3] else ""
        message = f"{unnamed[1]}'{unnamed[2].upper()}'" if unnamed else message
        message += f" of {usage}{choices}"
    if unfinished := re.fullmatch(UNFINISHED, message):
        message = f"option {unfinished[1]} needs a value{value_of(unfinished[1], context)}"
    if message.startswith("invalid value"):
        message = with_reason(message, getattr(getattr(problem, "param", None), "type", None))
    if path.startswith(OF_CHAIN) and (place := place_in_chain(message)):
        message = place
    elif re.fullmatch(OUTPUT, message) and context is not None:
        message += ": the new file is the last argument"
    elif message.startswith("no such option: "):
        message = argument_instead(message, usage_in(context)) or (
            message + hint_at_option(message, options_of(context))
        )
    is_answered = message.startswith("there is no command") and "see" in message
    complain(message if context is None or is_answered else f"{message}; see {path} --help")
    return int(problem.exit_code)
