"""Files of text have no limits of blocks of rows: their values may be rounded."""

from __future__ import annotations

from pathlib import Path

import quire


def test_text_has_no_limits(tmp_path: Path) -> None:
    path = tmp_path / "text.sdds"
    with quire.create(path, mode="ascii", canonical=True, zones=True) as out, out.step(1) as step:
        step.put("x", [1 / 3, 2 / 3])
    assert "may be rounded" in " ".join(out.remarks)
    assert not Path(f"{path}.qix").exists()
