"""The last stage of a chain: print values for shell scripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quire.cli.get import Delimiter, Form, Names

if TYPE_CHECKING:
    from quire.verbs.chain import Chain


@dataclass(frozen=True)
class Getting:
    """What is printed of the result of a chain."""

    names: list[str]
    form: str | None
    delimiter: str | None

    def show(self, chain: Chain, name: str, is_changed: bool) -> None:
        """Independent. Print the values of all steps. `name` is that of the input, for errors. Raises
        DataError if no step is left, or no row of a chain that changes its input.
        """
        from quire.cli.get import Asked, Place, all_found, show
        from quire.cli.streams import display_name
        from quire.errors import DataError
        from quire.toolkit.lines import parse_delimiter

        between = None if self.delimiter is None else parse_delimiter(self.delimiter)
        asked, has_columns, steps = Asked(), False, 0
        for step in chain:
            steps += 1
            only: Any = OneStep(chain, step)
            found = all_found(name, only, self.names, Place(step.number, None, False, None))
            has_columns |= any(owner is not None for owner, _ in found)
            show(found, asked, self.form, between)
        if not steps or (is_changed and has_columns and not asked.found):
            raise DataError(f"no {'row' if steps else 'step'} is left", file=display_name(name))


class OneStep:
    """A step of a chain with the interface of a file of one step."""

    def __init__(self, chain: Chain, step: Any) -> None:
        self._chain = chain
        self._step = step

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chain, name)

    def step(self, number: int) -> Any:
        """Independent. Return the step."""
        return self._step


def get(names: Names, form: Form = None, delimiter: Delimiter = None) -> Getting:
    """Print values of attributes and columns, or of expressions, of all steps. The last verb of a chain.

    Example: quire run beam.h5 / filter 'x > 0' / get 'rms(x)' --format %.3e
    """
    from quire.cli.get import require_form

    require_form(form)
    return Getting(names, form, delimiter)
