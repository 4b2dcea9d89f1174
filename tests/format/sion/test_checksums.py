"""Checksums of a multifile detect changed bytes of a stream, which no other check can."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.toolkit.recover import recover

STREAMS = [bytes(range(200)), b"", b"x" * 5000]


# Merged streams are never opened: they are written at once.
@pytest.mark.parametrize(
    ("options", "opened"),
    [
        ({"block_size": 64}, False),
        ({"block_size": 64}, True),
        ({"files": 2}, False),
        ({"files": 2}, True),
        ({"style": "compact", "mode": "merge"}, False),
    ],
)
def test_changed_bytes_of_a_stream_are_named(
    tmp_path: Path, options: dict[str, int | str], opened: bool
) -> None:
    path = tmp_path / "run.sion"
    with quire.create(path, checksums=True, **options) as out, out.step(0) as step:  # type: ignore[arg-type]
        streams = [step.stream(rank=rank, chunk_size=8192) for rank in range(len(STREAMS))]
        if opened:
            step.open()
        for stream, content in zip(streams, STREAMS, strict=True):
            if "mode" in options:
                stream.write_together(content)  # every task of a group calls, some with 0 bytes
            elif content:
                stream.write(content)
    table = Path(f"{path}.quire-sums")
    assert table.exists()
    with quire.open(path) as file:
        assert file.check().damage is None
        assert [file[0].streams[rank].read() for rank in range(3)] == STREAMS
    for part in sorted(tmp_path.glob("run.sion*")):
        content = part.read_bytes()
        place = content.find(b"x" * 100)
        if part == table or place < 0:
            continue
        part.write_bytes(content[: place + 7] + b"y" + content[place + 8 :])
        with quire.open(path) as file:
            damage = file.check().damage
        assert damage is not None
        assert "checksum" in damage.message
        assert damage.offset is not None
        assert damage.offset <= place + 7
        assert Path(damage.file).name == part.name
        with pytest.raises(quire.BadFileError, match="checksum differs"):
            recover(path, tmp_path / "kept.sion")
        part.write_bytes(content)
    table.write_bytes(table.read_bytes()[:-1])
    with quire.open(path) as file:
        found = file.check()
        assert found.damage is None
        assert any("table of checksums" in warning for warning in found.warnings)
    quire.create(path, replacement="direct").close()
    assert not table.exists()


def test_files_of_many_steps_have_no_checksums(tmp_path: Path) -> None:
    with pytest.raises(quire.UnsupportedError, match="one step"):
        quire.create(tmp_path / "run.sdds", checksums=True)


def write_tasks(comm: Any, path: str) -> None:
    options = {"block_size": 64, "files": 2, "stored_name": "run.sion"}
    with quire.create(path, comm=comm, checksums=True, **options) as out, out.step(0) as step:  # type: ignore[arg-type]
        for rank in range(comm.rank, 7, comm.size):
            step.stream(rank=rank, chunk_size=1000).write(bytes([rank]) * (50 * rank + 250))


@pytest.mark.mpi
def test_the_table_does_not_depend_on_the_number_of_ranks(tmp_path: Path) -> None:
    tables, contents = [], []
    for ranks in (1, 2, 3):
        path = tmp_path / str(ranks) / "run.sion"
        path.parent.mkdir()
        run_ranks(write_tasks, ranks, str(path))
        with quire.open(path) as file:
            assert file.check().damage is None
        tables.append(Path(f"{path}.quire-sums").read_bytes())
        contents.append(path.read_bytes())
    assert contents[1:] == contents[:1] * 2
    assert tables[1:] == tables[:1] * 2
