"""Hints at what was probably meant: an expression in place of a file, an attribute in place of a column."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire import File
    from quire.errors import MissingError

EXPRESSION = r"[<>=]|\w\(|\b(and|or|not)\b"
"""Parts of expressions that names of files rarely contain."""

MISSING = r"there is no (?P<kind>column|attribute|field)\b[^'\"]*['\"](?P<name>[^'\"]+)['\"]"
"""The message about an object that does not exist."""


def looks_like_expression(text: str) -> bool:
    """Independent. Return whether a text that should name a file is probably an expression."""
    return re.search(EXPRESSION, text) is not None


def is_expression(target: str, format: str | None) -> bool:
    """Independent. Return whether what should be a new file is probably an expression."""
    from quire.io.formats import format_for_path

    return format is None and looks_like_expression(target) and format_for_path(target) is None


def refuse_expression(target: str, format: str | None) -> None:
    """Independent. Raise UsageError if an expression is in the place of the new file."""
    from quire.errors import UsageError

    if is_expression(target, format):
        raise UsageError(f"'{target}' looks like an expression, and the new file is expected here")


def refuse_order(
    command: str, source: str, target: str, expressions: Sequence[str], format: str | None
) -> None:
    """Independent. Raise UsageError with the right order if an expression precedes the new file."""
    from quire.errors import UsageError

    if looks_like_expression(source) and not os.path.exists(source) and os.path.isfile(target):
        words = ["quire", command, target, *(expressions or ["OUT"]), source]
        raise UsageError(
            f"'{source}' is an expression, and the file comes first", advice=f"write: {shlex.join(words)}"
        )
    if not is_expression(target, format):
        return
    files = [one for one in expressions if not looks_like_expression(one)]
    others = [target, *(one for one in expressions if one not in files)]
    words = ["quire", command, source, *(files or ["OUT"]), *others]
    raise UsageError(
        f"'{target}' is an expression, but the new file comes first", advice=f"write: {shlex.join(words)}"
    )


def refuse_names_first(command: str, file: str, names: Sequence[str]) -> None:
    """Independent. Raise UsageError with the right order if the file follows names or expressions."""
    from quire.errors import UsageError

    if os.path.exists(file) or not any(map(os.path.isfile, names)):
        return
    ordered = sorted([file, *names], key=lambda one: not os.path.isfile(one))
    raise UsageError(
        "the file comes before the names", advice=f"write: quire {command} {shlex.join(ordered)}"
    )


def of_other_kind(problem: MissingError, local: str, name: str) -> MissingError | None:
    """Independent. Return the error about a missing object with the command for the object of another kind
    that has this name, None if there is none. `name` is that of the file in messages.
    """
    import quire
    from quire.errors import Error

    found = re.match(MISSING, problem.message)
    if found is None or problem.advice:
        return None
    try:
        with quire.open(local, quire.SELF, tolerant=True) as file:
            advice = advice_for(file, found["name"], found["kind"], shlex.quote(name))
    except (Error, OSError, EOFError):
        return None
    if not advice:
        return None
    return type(problem)(problem.message, file=problem.file, object=problem.object, advice=advice)


def advice_for(file: File, name: str, kind: str, path: str) -> str:
    """Independent. Return the command that prints an object of this name and of another kind, or nothing."""
    step = next((step for _, step in file.readable()), None)
    quoted = shlex.quote(name)
    if kind != "attribute" and (name in file.attrs or (step is not None and name in step.attrs)):
        return f"it is an attribute: quire get {path} {quoted} prints it"
    if step is None:
        return ""
    if kind != "column" and any(name in table for table in step.tables.values()):
        return f"it is a column: quire show {path} --columns {quoted} prints it"
    if kind != "field" and name in step.fields:
        return f"it is a field: quire show {path} --field {quoted} prints it"
    return ""
