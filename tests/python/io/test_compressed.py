"""Compressed files of every format, with Python's own modules as the other side."""

from __future__ import annotations

import gzip
import json
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for, same, sample_columns, step_formats
from tests.python.support.mpi import run_ranks

import quire

ROWS = 300
STEPS = 3

Pack = Callable[[bytes], bytes]


def lzma_alone(plain: bytes) -> bytes:
    """The older container."""
    return lzma.compress(plain, format=lzma.FORMAT_ALONE)


def members(plain: bytes) -> bytes:
    """Several members, empty ones among them."""
    third = len(plain) // 3
    parts = [b"", plain[:third], b"", plain[third : 2 * third], plain[2 * third :], b""]
    return b"".join(gzip.compress(part, mtime=0) for part in parts)


def streams(plain: bytes) -> bytes:
    """Several streams with padding between them."""
    half = len(plain) // 2
    return lzma.compress(plain[:half]) + bytes(8) + lzma.compress(plain[half:])


PACKS: list[tuple[str, Pack]] = [
    ("gzip", gzip.compress),
    ("gzip", members),
    ("xz", lzma.compress),
    ("xz", streams),
    ("lzma", lzma_alone),
]
UNPACKS: list[tuple[str, Callable[[bytes], bytes]]] = [
    (".gz", gzip.decompress),
    (".xz", lzma.decompress),
    (".lzma", lzma.decompress),
]


@pytest.fixture(params=step_formats())
def format(request: pytest.FixtureRequest) -> str:
    """The name of each format in turn."""
    return str(request.param)


def values(number: int) -> dict[str, Any]:
    """The columns of a step."""
    return {name: column + number for name, column in sample_columns(ROWS).items() if name != "q"}


def write(path: Path, format: str, **options: Any) -> Path:
    """Write a few steps."""
    with quire.create(path, format=format, **options) as out:
        for number in range(STEPS):
            with out.step(number) as step:
                step.set("turn", number)
                for name, column in values(number).items():
                    step.put(name, column)
    return path


def first_difference(path: Path) -> str:
    """Read all steps; what differs from those that were written, or an empty text."""
    with quire.open(path) as file:
        if file.numbers != list(range(STEPS)):
            return f"steps {file.numbers}"
        for step in reversed(list(file)):
            for name, column in values(step.number).items():
                if not same(step[name][:], column):
                    return f"step {step.number}, {name}"
    return ""


@pytest.mark.parametrize(("name", "pack"), PACKS, ids=lambda value: getattr(value, "__name__", value))
def test_what_others_compress_is_read_whatever_its_name(
    tmp_path: Path, format: str, name: str, pack: Pack
) -> None:
    plain = write(path_for(tmp_path, format), format)
    packed = tmp_path / "packed.without-a-known-suffix"
    packed.write_bytes(pack(plain.read_bytes()))
    assert first_difference(packed) == ""
    with quire.open(packed) as file:
        assert file.format == format
        assert file.layout["compression"] == name
        assert not file.warnings
        assert file.check().damage is None


@pytest.mark.parametrize(("suffix", "unpack"), UNPACKS, ids=[suffix for suffix, _ in UNPACKS])
def test_what_we_compress_are_the_bytes_of_a_plain_file(
    tmp_path: Path, format: str, suffix: str, unpack: Callable[[bytes], bytes]
) -> None:
    plain = write(path_for(tmp_path, format), format)
    packed = write(plain.with_name(plain.name + suffix), format)
    again = write(plain.with_name("again" + plain.name + suffix), format)
    assert unpack(packed.read_bytes()) == plain.read_bytes()
    assert packed.read_bytes() == again.read_bytes()
    assert first_difference(packed) == ""
    assert sorted(tmp_path.iterdir()) == sorted([plain, packed, again])


def test_levels_change_the_size_only(tmp_path: Path, format: str) -> None:
    plain = path_for(tmp_path, format)
    sizes = []
    for level in (1, 9):
        path = write(plain.with_name(f"level{level}.gz"), format, compression_level=level)
        sizes.append(path.stat().st_size)
        assert first_difference(path) == ""
    assert sizes[0] > sizes[1]
    with pytest.raises(quire.UsageError, match="0 to 9"):
        quire.create(plain.with_name("wrong.gz"), format=format, compression_level=10)
    with pytest.raises(quire.UsageError, match="zip"):
        quire.create(plain, format=format, compression="zip")


def test_the_path_does_not_exist_before_close(tmp_path: Path, format: str) -> None:
    path = path_for(tmp_path, format)
    path = path.with_name(path.name + ".gz")
    with quire.create(path) as out:
        with out.step(0) as step:
            step.put("x", np.arange(5.0))
        assert not path.exists()
        beside = path.with_name(path.name + ".plain")
        with quire.open(beside) as file:
            assert file.numbers == [0]
    assert path.exists()
    assert not beside.exists()


def test_a_link_stays_a_link(tmp_path: Path, format: str) -> None:
    target = write(path_for(tmp_path, format, "target"), format, compression="gzip")
    target.chmod(0o640)
    link = tmp_path / "link.gz"
    link.symlink_to(target)
    write(link, format)
    assert link.is_symlink()
    assert first_difference(target) == ""
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_directory_is_no_target(tmp_path: Path, format: str) -> None:
    (tmp_path / "folder.gz").mkdir()
    with pytest.raises(quire.InputOutputError, match=r"folder\.gz"):
        quire.create(tmp_path / "folder.gz", format=format)


def test_compressed_files_are_not_changed(tmp_path: Path, format: str) -> None:
    path = write(tmp_path / "beam.gz", format)
    with pytest.raises(quire.UnsupportedError, match="compressed"):
        quire.append(path)
    with pytest.raises(quire.UnsupportedError, match="compressed"):
        quire.repair(path)
    assert first_difference(path) == ""


def is_damage_reported(path: Path, **options: Any) -> bool:
    """Read everything; whether anything was said. Steps that come without an error must be right."""
    try:
        with quire.open(path, **options) as file:
            is_reported = bool(file.warnings) or file.check().damage is not None
            for step in file:
                for name, column in values(step.number).items():
                    assert same(step[name][:], column), f"a wrong value in step {step.number}"
            return is_reported or len(file) < STEPS
    except (quire.BadFileError, quire.MemoryBudgetError, quire.UnsupportedError):
        return True


@pytest.mark.parametrize(("name", "pack"), PACKS, ids=lambda value: getattr(value, "__name__", value))
def test_no_cut_makes_a_wrong_value(tmp_path: Path, format: str, name: str, pack: Pack) -> None:
    packed = pack(write(path_for(tmp_path, format), format).read_bytes())
    cut = tmp_path / "cut"
    for length in range(13, len(packed) - 1, len(packed) // 40):
        cut.write_bytes(packed[:length])
        is_reported = is_damage_reported(cut)
        # A cut between two members leaves a whole compressed file; its contents are damaged.
        assert is_reported or pack is members, f"no message about a cut at {length}"


@pytest.mark.parametrize("pack", [gzip.compress, members, lzma.compress, streams])
def test_no_wrong_bit_makes_a_wrong_value(tmp_path: Path, format: str, pack: Pack) -> None:
    packed = pack(write(path_for(tmp_path, format), format).read_bytes())
    rng = np.random.default_rng(5)
    wrong = tmp_path / "wrong"
    for position in range(6, len(packed), len(packed) // 60):
        content = bytearray(packed)
        content[position] ^= 1 << int(rng.integers(8))
        wrong.write_bytes(content)
        is_damage_reported(wrong)


def test_steps_before_a_damaged_member_are_read_and_the_rest_if_asked(tmp_path: Path, format: str) -> None:
    packed = bytearray(gzip.compress(write(path_for(tmp_path, format), format).read_bytes()))
    packed[-6] ^= 1
    path = tmp_path / "checksum"
    path.write_bytes(packed)
    with pytest.raises(quire.BadFileError, match="checksum"):
        quire.open(path)
    with quire.open(path, unconfirmed=True) as file:
        assert file.numbers == list(range(STEPS))
        assert any("checksum" in warning for warning in file.warnings)
        damage = file.check().damage
        assert damage is not None
        assert "checksum" in damage.message
        with pytest.raises(quire.BadFileError, match="checksum"):
            list(file)


def test_what_follows_is_a_warning(tmp_path: Path, format: str) -> None:
    packed = gzip.compress(write(path_for(tmp_path, format), format).read_bytes())
    path = tmp_path / "junk"
    path.write_bytes(packed + b"junk")
    assert first_difference(path) == ""
    with quire.open(path) as file:
        assert file.warnings == ["4 bytes after the compressed data are ignored"]
        report = file.check()
        assert (report.damage, report.warnings) == (None, file.warnings)


def test_the_format_inside_is_reported(tmp_path: Path, format: str) -> None:
    path = tmp_path / "inside"
    path.write_bytes(gzip.compress(b"no data file"))
    with pytest.raises(quire.BadFileError, match="the bytes inside gzip"):
        quire.open(path)
    path.write_bytes(lzma.compress(gzip.compress(write(path_for(tmp_path, format), format).read_bytes())))
    with pytest.raises(quire.UnsupportedError, match="twice"):
        quire.open(path)
    path.write_bytes(b"\x1f\x8b\x08")
    with pytest.raises(quire.BadFileError, match="no byte of it can be read"):
        quire.open(path)


def read_on_ranks(comm: Any, path: str) -> list[str]:
    """Each rank reads its part; the names of the columns that are wrong."""
    wrong = []
    with quire.open(path, comm=comm) as file:
        for step in file:
            for name, column in values(step.number).items():
                share = slice(comm.rank * ROWS // comm.size, (comm.rank + 1) * ROWS // comm.size)
                if not same(step[name][share], column[share]):
                    wrong.append(name)
    return wrong


@pytest.mark.mpi
@pytest.mark.parametrize("pack", [members, streams])
def test_any_ranks_read(tmp_path: Path, format: str, pack: Pack) -> None:
    packed = tmp_path / "packed"
    packed.write_bytes(pack(write(path_for(tmp_path, format), format).read_bytes()))
    for ranks in (2, 3):
        assert run_ranks(read_on_ranks, ranks, str(packed)) == [[]] * ranks


def bombs(folder: Path, format: str) -> list[str]:
    """Small files with a large inflated size: a single repeated byte, alone or after a good file."""
    filling = b"\xff" * (1 << 20)
    good = write(path_for(folder, format), format).read_bytes()
    paths = []
    for name, pack, count in (("gzip", gzip.compress, 400), ("xz", lzma.compress, 400)):
        many = pack(filling) * count
        for kind, content in (("alone", many), ("after", pack(good) + many)):
            path = folder / f"{name}-{kind}"
            path.write_bytes(content)
            paths.append(str(path))
    return paths


WORKER = """
import json, resource, sys
import quire
paths = json.loads(sys.argv[1])
quire.open(paths[0]).close()
mapped = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (mapped + (64 << 20), -1))
for path in paths[1:]:
    try:
        with quire.open(path) as file:
            file.check()
    except quire.Error as error:
        assert error.kind != "memory", f"{path}: {error}"
"""


def test_bombs_take_little_memory(tmp_path: Path, format: str) -> None:
    paths = [str(write(tmp_path / "small.gz", format)), *bombs(tmp_path, format)]
    command = [sys.executable, "-c", WORKER, json.dumps(paths)]
    environment = {"PYTHONPATH": str(Path(quire.__file__).parents[1])}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
