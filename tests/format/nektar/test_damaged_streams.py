"""A multifile of fields is recognised as one, whichever of its streams is damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.format.nektar.made import QUADRILATERALS, TRIANGLES, block_of
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.toolkit.recover import recover

DATA = Path(__file__).resolve().parents[2] / "data" / "nektar"


def streams_of(style: str) -> list[bytes]:
    """Return the streams written by the ranks of a small run."""
    return [(DATA / f"tiny-sion-{style}.rank{rank}.bin").read_bytes() for rank in range(2)]


def multifile(path: Path, streams: list[bytes]) -> Path:
    """Write streams as they are."""
    with quire.create(path, format="sion", block_size=64) as out, out.step(0) as step:
        for rank, stream in enumerate(streams):
            step.stream(rank=rank, chunk_size=max(1, len(stream))).write(stream)
    return path


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut": (lambda whole: whole[:12], "ends"),
    "cut in a name": (lambda whole: whole[:30], "ends"),
    "version": (lambda whole: b"\x09" + whole[1:], "version of the stream is 9"),
    "empty": (lambda whole: b"", "empty"),
    "text": (lambda whole: b"hello world, this is a text", "version"),
    "name": (lambda whole: whole.replace(b"FIELDS", b"FIELD?", 1), "FIELD"),
}


@pytest.mark.parametrize("style", ["old", "new"])
@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_stream_is_refused_by_name(tmp_path: Path, style: str, rank: int, damage: str) -> None:
    change, words = DAMAGE[damage]
    streams = streams_of(style)
    streams[rank] = change(streams[rank])
    path = multifile(tmp_path / "case.chk", streams)
    with pytest.raises(quire.Error, match=words) as caught, quire.open(path) as file:
        file[0].read_elements_all()
    with quire.open(path) as file:
        assert file.format == "nektar"
    assert f"stream of task {rank}" in str(caught.value)
    assert "format=sion" in str(caught.value)
    result = CliRunner().invoke(app, ["check", str(path)])
    assert result.exit_code == 1, result.output
    assert f"stream of task {rank}: " in result.output
    with quire.open(path, format="sion") as file:
        assert file[0].streams[rank].readall() == streams[rank]


def values_in(step: quire.Step) -> dict[int, list[float]]:
    """Return the coefficients of one variable by element."""
    return {int(id): block.element(id)["p"].tolist() for block in step.expansions for id in block.ids}


@pytest.mark.parametrize("style", ["old", "new"])
@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("damage", DAMAGE)
def test_the_streams_of_other_tasks_are_kept(tmp_path: Path, style: str, rank: int, damage: str) -> None:
    change, words = DAMAGE[damage]
    streams = streams_of(style)
    with quire.open(multifile(tmp_path / "rest.chk", streams[1 - rank : 2 - rank])) as file:
        wanted = values_in(file[0])
    streams[rank] = change(streams[rank])
    path = multifile(tmp_path / "case.chk", streams)
    before = path.read_bytes()
    result = CliRunner().invoke(app, ["check", str(path)])
    assert " OUT --rows keeps what is whole" in result.output
    found = recover(path, tmp_path / "kept.chk", rows=True)
    assert any(f"stream of task {rank}: " in text and words in text for text in found.lost), found.lost
    assert path.read_bytes() == before
    recover(path, rows=True)
    for kept in (tmp_path / "kept.chk", path):
        with quire.open(kept) as file:
            assert file.layout["layout"] == "streams"
            assert file.check().damage is None
            assert values_in(file[0]) == wanted


def test_whole_streams_in_any_chunks_are_kept(tmp_path: Path) -> None:
    path, cut = tmp_path / "whole.chk", tmp_path / "cut.chk"
    blocks = [
        block_of(TRIANGLES, [5, 3, 4], np.array([[2, 3], [3, 3], [2, 2]])),
        block_of(TRIANGLES, [1, 2], np.array([2, 3])),
    ]
    with quire.create(path, layout="streams") as out:
        out.step(0).set("Time", 0.5).put_elements(blocks).commit()
    with quire.open(path, format="sion") as file:
        stream = bytes(file[0].streams[0].read())
    with quire.open(path) as file:
        wanted = values_in(file[0])
    with quire.create(cut, format="sion", block_size=1) as out, out.step(0) as step:
        for task, content in enumerate((stream, stream[:-100])):
            pieces = step.stream(rank=task, chunk_size=37)
            for first in range(0, len(content), 37):
                pieces.write(content[first : first + 37])
    recover(cut, tmp_path / "kept.chk", rows=True)
    with quire.open(tmp_path / "kept.chk") as file:
        assert file[0].attrs["Time"] == "0.5"
        assert values_in(file[0]) == wanted
    # After a recovery the same describer still refuses the step.
    with quire.open(cut) as file:
        assert file.check().salvageable
        kept = file.salvage(0)
        assert kept is not None
        assert values_in(kept) == wanted
        with pytest.raises(quire.Error, match="stream of task 1"):
            file[0].read_elements_all()
        assert values_in(kept) == wanted


def two_tasks(tmp_path: Path) -> list[bytes]:
    """Return streams of two tasks, the first one with the metadata of the step."""
    streams = []
    for task in range(2):
        path = tmp_path / f"task_{task}.chk"
        with quire.create(path, layout="streams") as out, out.step(7) as step:
            step.set("Time", 0.5).put_elements(
                [block_of(TRIANGLES, [10 * task, 10 * task + 1], np.array([3, 4]))]
            )
        with quire.open(path, format="sion") as file:
            streams.append(bytes(file[0].streams[0].read()))
    return [streams[0], streams[1][: streams[1].index(METADATA)]]


METADATA = b"\x08" + bytes(7) + b"METADATA"
LOST = "the metadata (time, number of the step) were in the stream of task 0 and are lost"


def recovered(path: Path, kept: Path) -> tuple[dict[int, list[float]], list[str]]:
    """Return what recover keeps, and what it reports as lost."""
    with quire.open(path) as file:
        assert file.check().damage is not None
    found = recover(path, kept, rows=True, overwrite=True)
    with quire.open(kept) as file:
        assert file.check().damage is None
        return values_in(file[0]), found.lost


def test_blocks_before_truncated_metadata_are_kept(tmp_path: Path) -> None:
    streams = two_tasks(tmp_path)
    with quire.open(multifile(tmp_path / "whole.chk", streams)) as file:
        wanted = values_in(file[0])
        assert (file.numbers, file[0].attrs["Time"]) == ([7], "0.5")
    begin = streams[0].index(METADATA)
    for end in (
        begin + 1,
        begin + 7,
        begin + 8,
        begin + 12,
        begin + 16,
        begin + 20,
        begin + 24,
        len(streams[0]) - 1,
    ):
        path = multifile(tmp_path / "case.chk", [streams[0][:end], streams[1]])
        values, lost = recovered(path, tmp_path / "kept.chk")
        assert values == wanted, end
        assert LOST in lost
        assert any(text.startswith("stream of task 0: ") for text in lost), lost


def test_unreadable_metadata_are_reported_as_lost(tmp_path: Path) -> None:
    streams = two_tasks(tmp_path)
    begin = streams[0].index(METADATA) + len(METADATA) + 8
    broken = streams[0][:begin] + bytes(len(streams[0]) - begin)
    path = multifile(tmp_path / "case.chk", [broken, streams[1]])
    values, lost = recovered(path, tmp_path / "kept.chk")
    assert sorted(values) == [0, 1, 10, 11]
    assert LOST in lost


def test_metadata_that_are_lost_with_their_stream_are_reported(tmp_path: Path) -> None:
    streams = two_tasks(tmp_path)
    path = multifile(tmp_path / "case.chk", [streams[0][:100], streams[1]])
    values, lost = recovered(path, tmp_path / "kept.chk")
    assert sorted(values) == [10, 11]
    assert LOST + ", if there were any" in lost
    path = multifile(tmp_path / "case.chk", [streams[0], streams[1][:-100]])
    values, lost = recovered(path, tmp_path / "kept.chk")
    assert sorted(values) == [0, 1]
    assert not any("metadata" in text for text in lost), lost
    with quire.open(tmp_path / "kept.chk") as file:
        assert (file.numbers, file[0].attrs["Time"]) == ([7], "0.5")


def test_a_single_stream_of_another_version_is_refused(tmp_path: Path) -> None:
    path = multifile(tmp_path / "case.chk", [b"\x02" + streams_of("new")[0][1:]])
    with pytest.raises(quire.Error, match="version of the stream is 2"), quire.open(path) as file:
        file[0].read_elements_all()


def test_streams_of_many_tasks_without_blocks_are_fields(tmp_path: Path) -> None:
    nothing = b"\x01" + bytes(11)
    path = multifile(tmp_path / "case.chk", [nothing] * 70 + streams_of("old"))
    with quire.open(path) as file:
        assert sum(len(block) for block in file[0].read_elements_all(partition="everything")) == 4


def test_other_streams_are_not_fields(tmp_path: Path) -> None:
    path = multifile(tmp_path / "case.sion", [b"x" * (rank + 1) for rank in range(100)])
    with quire.open(path) as file:
        assert file.format == "sion"
        with pytest.raises(quire.Error, match="no elements") as caught:
            file[0].read_elements_all()
        assert "format=nektar" in str(caught.value)


def test_a_step_without_elements_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "empty.fld"
    path.write_text("<NEKTAR><Metadata><Time>1</Time></Metadata></NEKTAR>")
    with quire.open(path) as file:
        assert list(file[0].read_elements_all()) == []
    blocks = [
        block_of(kind, ids, np.array([3, 4])) for kind, ids in ((TRIANGLES, [1]), (QUADRILATERALS, [2]))
    ]
    for layout in ("streams", "hdf5", "xml"):
        with quire.create(tmp_path / "case.chk", layout=layout) as out, out.step(0) as step:
            step.put_elements(blocks)
        with quire.open(tmp_path / "case.chk") as file:
            assert sum(len(block) for block in file[0].read_elements_all(ids=[])) == 0
