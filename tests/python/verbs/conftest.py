"""What the tests of verbs share."""

from __future__ import annotations

from typing import Any

import pytest

from quire import Table


@pytest.fixture
def columns_read(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of the columns that are read of files from then on."""
    read: set[str] = set()
    blocks, whole = Table.blocks, Table.read

    def noted_blocks(self: Table, names: Any, *rest: Any, **more: Any) -> Any:
        read.update(names)
        return blocks(self, names, *rest, **more)

    def noted_read(self: Table, names: Any = None, *rest: Any, **more: Any) -> Any:
        read.update(names)
        return whole(self, names, *rest, **more)

    monkeypatch.setattr(Table, "blocks", noted_blocks)
    monkeypatch.setattr(Table, "read", noted_read)
    return read
