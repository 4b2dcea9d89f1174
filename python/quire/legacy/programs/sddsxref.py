"""sddsxref: specs/sdds-toolkit.md, section 6.4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quire.errors import UsageError
from quire.legacy.acts.crossing import Crossing, cross
from quire.legacy.acts.elements import require_elements
from quire.legacy.grammar import CommandLine, Option, parse
from quire.legacy.patterns import is_pattern
from quire.legacy.programs.common import kind_of, major_order
from quire.legacy.running import sources_and_target
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddsxref"

UNIQUE: Final = "keys are taken to be unique: join makes a row of each partner, and not of the first alone"
HOW: Final = {"match": "match", "wildMatch": "wild", "equate": "equate"}
OPTIONS: Final = (
    *HOW, "take", "leave", "replace", "transfer", "reuse", "fillIn", "rename", "editNames", "ifis", "ifnot",
    "noWarnings", "majorOrder", "threads",
)  # fmt: skip


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    source, others, end = sources_and_target(line, major_order(line))
    keys = [one for one in line.options if one.keyword in HOW]
    if len(keys) > 1:
        raise UsageError("one of -match, -wildMatch and -equate is translated, and not several")
    reuse = [item for one in line.each("reuse") for item in ([*one.items] or ["rows"])]
    reuses = {option_of(line, "reuse").resolved(item, ("rows", "page"), "reuse") for item in reuse}
    take = line.last("take")
    request = Crossing(
        **key(keys[0]) if keys else {},
        reuses_rows="rows" in reuses,
        reuses_page="page" in reuses,
        fills=line.last("fillIn") is not None,
        take=None if take is None else [item for one in line.each("take") for item in one.items],
        leave=[item for one in line.each("leave") for item in one.items],
        replace=of_kinds(line, "replace"),
        transfer=of_kinds(line, "transfer"),
        rename={kind: renaming(line, kind) for kind in ("column", "parameter", "array")},
        edits=[(kind_of(one), one.item(1, "the pattern"), one.item(2, "the edit command"))
               for one in line.each("editNames")],
    )  # fmt: skip
    acts = [
        Act(require_elements, (kind_of(one), list(one.items[1:]), one.keyword == "ifis"))
        for one in line.options
        if one.keyword in ("ifis", "ifnot")
    ]
    acts.append(Act(cross, (request,), others, words_of(request, others), UNIQUE if request.how else ""))
    return Translation(PROGRAM, source, acts, end)


def option_of(line: CommandLine, keyword: str) -> Option:
    """Independent. Return the last option of a keyword, which is there."""
    found = line.last(keyword)
    assert found is not None
    return found


def key(option: Option) -> dict[str, str]:
    """Independent. Return the columns that are compared."""
    mine, _, other = option.item(0, "the column").partition("=")
    if len(option.items) > 1:
        raise option.wrong("a tolerance or further column is not translated")
    return {"how": HOW[option.keyword], "key": mine, "other": other or mine}


def of_kinds(line: CommandLine, keyword: str) -> dict[str, list[str]]:
    """Independent. Return the patterns of an option by kind of element."""
    found: dict[str, list[str]] = {}
    for option in line.each(keyword):
        option.item(1, "the names")
        found.setdefault(kind_of(option), []).extend(option.items[1:])
    return found


def renaming(line: CommandLine, kind: str) -> dict[str, str]:
    """Independent. Return the new names of a kind of element. Raises UsageError."""
    found: dict[str, str] = {}
    for option in line.each("rename"):
        for item in option.items[1:] if kind_of(option) == kind else ():
            old, is_set, new = item.partition("=")
            if not is_set:
                raise option.wrong(f"'{item}' is not OLD=NEW")
            found[old] = new
    return found


def words_of(request: Crossing, others: Sequence[str]) -> tuple[str, ...]:
    """Independent. Return the verb `join`, none for what it does not do."""
    names: Any = request.take or ()
    is_plain = not any((request.leave, request.replace, request.edits, request.fills, request.how == "wild"))
    is_plain = is_plain and not any(request.rename.values()) and not any(map(is_pattern, names))
    if not is_plain or len(others) != 1 or request.transfer:
        return ()
    on = request.key if request.key == request.other else f"{request.key}={request.other}"
    return (
        "join", others[0], *(("--on", on) if request.how else ()),
        *(("--take", ",".join(names)) if names else ()),
    )  # fmt: skip
