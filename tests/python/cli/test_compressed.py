"""Compressed files on the command line behave like any other."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Start


@pytest.mark.parametrize(("suffix", "name"), [(".gz", "gzip"), (".xz", "xz"), (".lzma", "xz")])
def test_the_suffix_of_the_target_compresses(run: Run, beam: Path, suffix: str, name: str) -> None:
    packed = beam.with_name(f"packed{beam.suffix}{suffix}")
    assert run("convert", beam, packed).output == f"{packed}: 3 steps, 300 rows\n"
    plain = beam.with_name(f"plain{beam.suffix}")
    assert run("convert", beam, plain).code == 0
    unpack = gzip.decompress if suffix == ".gz" else lzma.decompress
    assert unpack(packed.read_bytes()) == plain.read_bytes()
    assert run("diff", beam, packed, "--types").code == 0
    assert run("check", packed).code == 0
    (described,) = json.loads(run("info", "--json", packed).output)["files"]
    assert described["layout"]["compression"] == name
    assert f"compression: {name}" in run("info", packed, "--layout").output
    assert run("get", packed, "turn").output == run("get", beam, "turn").output


def test_an_option_compresses_under_any_name(run: Run, one_beam: Path) -> None:
    packed = one_beam.with_name(f"packed{one_beam.suffix}")
    arguments = ["--option", "compression=gzip", "--option", "compression_level=1"]
    assert run("convert", one_beam, packed, *arguments).code == 0
    assert run("diff", one_beam, packed).code == 0
    assert packed.read_bytes()[:2] == b"\x1f\x8b"
    refused = run("convert", one_beam, one_beam.with_name("x.h5"), "--option", "compression=zip")
    assert refused.code == 2
    assert "compression" in refused.errors


def test_standard_input_may_be_compressed(start: Start, beam: Path) -> None:
    for pack in (gzip.compress, lzma.compress):
        shown = start("show", "-", "--csv", stdin=pack(beam.read_bytes()))
        assert shown.returncode == 0, shown.stderr
        assert shown.stdout == start("show", str(beam), "--csv").stdout


def test_standard_output_may_be_compressed(start: Start, one_beam: Path) -> None:
    with quire.open(one_beam) as file:
        name = file.format
    made = start("convert", str(one_beam), "-", "--format", name, "--option", "compression=xz")
    assert made.returncode == 0, made.stderr
    assert lzma.decompress(made.stdout)


@pytest.mark.mpi
def test_any_ranks_write_the_same_bytes(start: Start, beam: Path) -> None:
    for suffix in (".gz", ".xz"):
        alone, together = (beam.with_name(f"{n}{beam.suffix}{suffix}") for n in ("alone", "together"))
        assert start("convert", str(beam), str(alone)).returncode == 0
        made = start("convert", str(beam), str(together), ranks=2)
        assert made.returncode == 0, made.stderr
        assert alone.read_bytes() == together.read_bytes()


def test_a_failure_leaves_no_new_files(run: Run, one_beam: Path, tmp_path: Path) -> None:
    target = one_beam.with_name(f"old{one_beam.suffix}.gz")
    target.write_bytes(b"old")
    refused = run("convert", one_beam, target, "--overwrite", "--columns", "nothing")
    assert refused.code != 0
    assert target.read_bytes() == b"old"
    assert sorted(tmp_path.iterdir()) == sorted([one_beam, target])


@pytest.mark.parametrize("share", [40, 70, 95])
def test_whole_steps_of_a_cut_file_are_kept(run: Run, make: Make, format: str, share: int) -> None:
    # In some formats nothing is whole without the end.
    beam = make(format, rows=4000)
    packed = gzip.compress(beam.read_bytes())
    damaged = beam.with_name("damaged")
    damaged.write_bytes(packed[: len(packed) * share // 100])
    checked = run("check", "--json", damaged)
    assert checked.code in (1, 3)
    kept = beam.with_name(f"kept{beam.suffix}.xz")
    recovered = run("recover", damaged, kept)
    if checked.code == 3:
        assert recovered.code == 3
        return
    (answer,) = json.loads(checked.output)["files"]
    assert not answer["whole"]
    if answer["whole_steps"] == 0:
        assert recovered.code == 2
        assert not kept.exists()
        return
    assert recovered.code == 0, recovered.errors
    with quire.open(kept) as file:
        assert file.numbers == answer["numbers"]
        assert file.layout["compression"] == "xz"
    assert run("recover", damaged, "--in-place", "--rows").code == 0
    with quire.open(damaged) as file:
        assert file.numbers[: len(answer["numbers"])] == answer["numbers"]
        assert file.layout["compression"] == "gzip"
    assert run("diff", kept, beam, "--steps", f"0-{answer['numbers'][-1]}").code == 0
    assert "no errors were found" in run("recover", damaged, "--in-place").output


def test_data_without_a_valid_checksum_are_kept_with_an_option(run: Run, beam: Path) -> None:
    packed = bytearray(gzip.compress(beam.read_bytes()))
    packed[-6] ^= 1
    damaged, kept = beam.with_name("damaged"), beam.with_name(f"kept{beam.suffix}")
    damaged.write_bytes(packed)
    refused = run("check", damaged)
    assert refused.code == 3
    assert "checksum" in refused.errors
    assert "unconfirmed=true" in refused.errors
    recovered = run("recover", damaged, kept, "--read-option", "unconfirmed=true")
    assert recovered.code == 0, recovered.errors
    assert "kept 3 whole steps (1, 4, 9)" in recovered.output
    assert "checksum" in recovered.output
    assert run("diff", beam, kept, "--types").code == 0
