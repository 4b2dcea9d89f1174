"""Files of every kind in the soak can be written; its runs are killed and print no errors themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from readers import Kind, kinds, write, wrong


@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.name)
def test_every_kind_is_written_and_read(tmp_path: Path, kind: Kind) -> None:
    path = kind.path(tmp_path)
    write(path, kind, commits=3)
    assert wrong(path, kind, committed=3) == ""
    assert wrong(path, kind, committed=4) != ""
