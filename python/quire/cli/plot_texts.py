"""Texts of pictures that are the values of attributes: `@NAME`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quire.errors import MissingError
from quire.near import there_is_no
from quire.toolkit.curves import STEP_NUMBER, Curve, join
from quire.toolkit.lines import exact_text, printer
from quire.toolkit.selection import select_steps

if TYPE_CHECKING:
    from quire import Attribute
    from quire.cli.drawing import Source
    from quire.toolkit.look import Look

MARK = "@"
"""The first character of a text that names an attribute; two of them are a text with one."""


def is_of_attribute(text: str) -> bool:
    """Return whether a text is the value of an attribute."""
    return text.startswith(MARK) and not text.startswith(2 * MARK)


def text_of(text: str, source: Source, step: Any = None) -> str:
    """Return a text; for `@NAME` the value of the attribute of a step, by default the first selected one, or
    of the file, and for `@step` the number of the step. Raises MissingError.
    """
    if not is_of_attribute(text):
        return text[1:] if text.startswith(MARK) else text
    if step is None:
        step = next((one for _, one in select_steps(source.file, source.selection)), None)
    known: dict[str, Attribute] = dict(source.file.attrs.info)
    if step is not None:
        known = {STEP_NUMBER.name: replace(STEP_NUMBER, value=step.number), **known, **step.attrs.info}
    name = text[1:]
    if name not in known:
        raise MissingError(there_is_no("attribute", name, list(known)), file=source.file.path)
    value = known[name].value
    form = known[name].display or ("%.7g" if isinstance(value, float) else "")
    return (printer(form) or exact_text)(value)


def with_texts(look: Look, source: Source) -> Look:
    """Return a look whose title and labels of axes are texts of a file."""
    return replace(
        look,
        title=text_of(look.title, source),
        subtitle=text_of(look.subtitle, source),
        labels={axis: text_of(text, source) for axis, text in look.labels.items()},
    )


def labelled(curves: Sequence[Curve], text: str, origins: Mapping[str, tuple[Source, Any]]) -> list[Curve]:
    """Return curves that the legend shows by the value of an attribute of their step, after the name of the
    quantity if there are several.
    """
    is_one = len({one.name for one in curves}) == 1
    texts = {origin: text_of(text, *place) for origin, place in origins.items()}
    return [
        replace(one, label=texts[one.origin] if is_one else join(texts[one.origin], one.name))
        for one in curves
    ]
