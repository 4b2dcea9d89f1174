"""The parameter `Step`, which gives the numbers of steps: for old programs it is one like others."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import quire
from quire.io.attributes import Attribute
from quire.io.expression import OLD_STEPS

if TYPE_CHECKING:
    from quire.verbs.steplike import StepLike

STEP: Final = "Step"
NUMBER: Final = "step"
"""The number of the step in commands of Quire."""
OWN_DESCRIPTION: Final = "step number"
"""Its description in files of Quire."""

NUMBERED: Final = "Step increases from page to page: it is then the number of the step"
"""What commands assume that have the number of the step in place of the parameter."""


def is_attribute(paths: Iterable[str]) -> bool:
    """Independent. Return whether steps of one of these files have the parameter as an attribute. It is not
    known of files that do not exist.
    """
    for path in paths:
        if os.path.isfile(path):
            with quire.open(path, quire.SELF) as file:
                if any(STEP in step.attrs for step in file[:1]):
                    return True
    return False


def numbered(text: str, path: str, *, is_of_parameters: bool) -> tuple[str, str] | None:
    """Independent. Return an infix expression with the number of the step in place of the parameter, and what
    that assumes; unchanged if the file has a column or an attribute of its name.

    None if it may be a column: of a file that does not exist, by an expression that is not of parameters.
    """
    written = OLD_STEPS.sub(lambda found: found[1] or NUMBER, text)
    if written == text:
        return text, ""
    if not os.path.isfile(path):
        return (written, NUMBERED) if is_of_parameters else None
    with quire.open(path, quire.SELF) as file:
        has_own = any(
            STEP in names for step in file[:1] for names in ({*step.attrs}, *map(set, step.tables.values()))
        )
    return (text, "") if has_own else (written, "")


def with_step(file: Any, step: StepLike) -> dict[str, Attribute]:
    """Independent. Return the attributes of a step, with the parameter that gave its number, where the
    header has it.
    """
    known = dict(step.attrs.info)
    if STEP in known or file.layout.get("step_parameter") != "1":
        return known
    declared = {} if file.declared is None else dict(file.declared.attrs.info)
    kind = file.layout.get("step_type", "long")
    own = Attribute(STEP, None, {"long": "int32", "long64": "int64"}[kind], description=OWN_DESCRIPTION)
    known[STEP] = replace(declared.get(STEP, own), value=step.number)
    places = {STEP: -1} | {name: place for place, name in enumerate(declared)}
    return dict(sorted(known.items(), key=lambda item: places.get(item[0], len(places))))
