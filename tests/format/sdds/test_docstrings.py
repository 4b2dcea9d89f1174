"""The public names of `quire.sdds` have examples, which do what they say."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path

import pytest

import quire
import quire.sdds


@pytest.mark.parametrize("name", [name for name in quire.sdds.__all__ if name != "TYPES"])
def test_examples_do_what_they_say(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(getattr(quire.sdds, name)) or ""
    test = doctest.DocTestParser().get_doctest(text, {"quire": quire}, name, name, 0)
    assert test.examples
    output: list[str] = []
    assert doctest.DocTestRunner().run(test, out=output.append).failed == 0, "".join(output)
