"""sddscombine: specs/sdds-toolkit.md, section 6.6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.errors import UsageError
from quire.legacy.acts.combining import Combining, combine
from quire.legacy.acts.damage import whole_pages
from quire.legacy.acts.layout import collapse_pages
from quire.legacy.grammar import CommandLine, integer, parse
from quire.legacy.programs.common import COLLAPSED, chosen_elements, major_order
from quire.legacy.translation import STANDARD, Act, Translation, Writing

PROGRAM: Final = "sddscombine"

COMMON: Final = "concat keeps what all files have, and adds neither Filename nor NumberCombined"
OPTIONS: Final = (
    "merge", "retain", "delete", "sparse", "collapse", "overWrite", "append", "recover", "xzLevel",
    "majorOrder", "noWarnings", "threads",
)  # fmt: skip


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    if option := line.last("append"):
        raise option.wrong("it is not translated: combine both files into a new one")
    source, others, target = files(line)
    merging, sparse = line.last("merge"), line.last("sparse")
    if sparse is not None and len(sparse.items) > 1:
        raise sparse.wrong("only an interval is translated")
    request = Combining(
        () if source == STANDARD else [source, *others],
        merging is not None or source == STANDARD,
        merging.items[0] if merging is not None and merging.items else "",
        1 if sparse is None else integer(sparse.item(0, "the interval"), sparse),
    )
    acts = [Act(whole_pages)] if line.last("recover") is not None and not others else []
    acts.append(Act(combine, (request,), others, words_of(request, others), COMMON))
    acts += chosen_elements(line)
    if line.last("collapse") is not None:
        acts.append(Act(collapse_pages, words=COLLAPSED))
    end = Writing(target, major_order(line), line.last("overWrite") is not None or target == STANDARD)
    return Translation(PROGRAM, source, acts, end)


def files(line: CommandLine) -> tuple[str, list[str], str]:
    """Independent. Return the first input, the other inputs, and the output. Raises UsageError."""
    found = list(line.files)
    is_piped = "output" in line.pipe
    if not is_piped and not found:
        raise UsageError("the output is missing: name it last, or give -pipe=out")
    target = STANDARD if is_piped else found.pop()
    if "input" in line.pipe and found and not is_piped:
        raise UsageError(f"there are too many files beside the pipe: {', '.join(found)}")
    if not found and "input" not in line.pipe:
        raise UsageError("there is no input to combine")
    first, *others = found or [STANDARD]
    return first, others, target


def words_of(request: Combining, others: Sequence[str]) -> tuple[str, ...]:
    """Independent. Return the verb `concat`, none if rows are merged or chosen."""
    return ("concat", *others) if others and not request.merges and request.sparse == 1 else ()
