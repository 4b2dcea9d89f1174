"""Files of every kind in the soak can be written, also while they are opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from readers import Kind, kinds, open_concurrently, write, wrong

COMMITS = 3000
OPENS = 2000


@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.name)
def test_every_kind_is_written_and_read(tmp_path: Path, kind: Kind) -> None:
    path = kind.path(tmp_path)
    write(path, kind, commits=3)
    assert wrong(path, kind, committed=3) == ""
    assert wrong(path, kind, committed=4) != ""


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.name)
def test_opens_beside_a_writer_find_every_commit(kind: Kind) -> None:
    done = 0
    while done < OPENS:
        opens, complaints = open_concurrently(kind, COMMITS, OPENS - done)
        assert complaints == []
        done += opens
