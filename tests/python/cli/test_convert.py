"""quire convert keeps all values, by any route."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.python.support.files import formats_of_uneven_steps, refusal, step_formats

import quire
from quire import Step
from quire.io.formats import format_info, format_infos
from quire.toolkit import share
from quire.toolkit.representation import loses_payload
from quire.toolkit.selection import parse_steps, select_steps

if TYPE_CHECKING:
    from tests.python.cli.conftest import Cut, Make, Run, Start, Values


def assert_same(run: Run, left: Any, right: Any, *options: str) -> None:
    outcome = run("diff", left, right, *options)
    assert outcome.code == 0, outcome.output + outcome.errors


def test_any_format_to_any_format_and_back(
    run: Run, beam: Path, make: Make, other_format: str, tmp_path: Path
) -> None:
    there = make(other_format, "there", numbers=[2])
    there.unlink()
    back = tmp_path / f"back{beam.suffix}"
    assert run("convert", beam, there, "--format", other_format).code == 0
    with quire.open(there) as file:
        assert file.format == other_format
        assert file.numbers == [1, 4, 9]
    assert_same(run, beam, there, "--types")
    with quire.open(beam) as file:
        assert run("convert", there, back, "--format", file.format).code == 0
    assert_same(run, beam, back, "--types")


def strange_nan(width: int, payload: int) -> np.ndarray[Any, Any]:
    """A NaN of a type of this many bytes, with a payload."""
    quiet = int(np.array([np.nan], dtype=f"f{width}").view(f"u{width}")[0])
    return np.array([quiet ^ payload], dtype=f"u{width}").view(f"f{width}")


@pytest.mark.parametrize("mode", ["default", "text"])
def test_a_conversion_without_a_message_keeps_every_bit_of_nan(
    run: Run, make: Make, format: str, other_format: str, mode: str, tmp_path: Path
) -> None:
    options: list[str] = []
    if mode == "text":
        info = format_info(other_format)
        texts = [one for one in info.write_options if "ascii" in one.choices]
        if not texts:
            pytest.skip("this format has no text")
        options = ["--option", f"{texts[0].name}=ascii"]
    path, there = make(format), tmp_path / "there"
    with quire.create(path, format=format) as out:
        out.set("limit", strange_nan(8, 3)[0])
        for number in range(2):
            with out.step(number) as step:
                step.set("worst", strange_nan(8, 7)[0])
                step.put("x", np.concatenate([strange_nan(8, number), [0.5, -0.0]]))
                step.put("w", strange_nan(4, number * (1 << 22 | 1)).repeat(3))
                step.put("plain", np.array([np.nan, -np.nan, 1.0]))
                step.put_field("f", strange_nan(8, number).reshape(1, 1, 1))
    outcome = run("convert", path, there, "--format", other_format, *options)
    assert outcome.code == 0, outcome.errors
    losses = [line for line in outcome.errors.splitlines() if "NaN" in line]
    if mode == "text":
        for what in ("columns w, x", "field f", "attribute worst"):
            assert f"lost: {what}: NaN lose their payload" in losses
        assert not any("plain" in line for line in losses)
    compared = run("diff", path, there)
    assert compared.code == (1 if losses else 0), (outcome.errors, compared.output)
    assert run("diff", "--no-representation", path, there).code == 0


@pytest.mark.parametrize(
    ("width", "kind", "payload", "is_lost"),
    [
        (4, "float64", 1 << 22 ^ 1, True),
        (4, "float64", 1, False),
        (8, "float32", 1, True),
        (8, "float80", 1, False),
    ],
)
def test_nan_that_another_type_cannot_hold_are_lost(
    width: int, kind: str, payload: int, is_lost: bool
) -> None:
    """Between types the low end of payloads is cut, and signalling NaN become quiet."""
    assert loses_payload(strange_nan(width, payload), kind, as_text=False) == is_lost


@pytest.mark.parametrize("block_bytes", [1, 500])
def test_blocks_do_not_change_the_result(
    run: Run, beam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    whole, pieces = tmp_path / f"whole{beam.suffix}", tmp_path / f"pieces{beam.suffix}"
    assert run("convert", beam, whole).code == 0
    monkeypatch.setattr(share, "BLOCK_BYTES", block_bytes)
    assert run("convert", beam, pieces).code == 0
    assert whole.read_bytes() == pieces.read_bytes()


def test_steps_columns_and_rows_can_be_chosen(run: Run, beam: Path, values: Values, tmp_path: Path) -> None:
    part = tmp_path / f"part{beam.suffix}"
    outcome = run("convert", beam, part, "--steps", "4-", "--columns", "x", "--rows", "-10:")
    assert outcome.code == 0
    assert outcome.output == f"{part}: 2 steps, 20 rows\n"
    with quire.open(part) as file:
        assert file.numbers == [4, 9]
        assert list(file[0].table.columns) == ["x"]
        np.testing.assert_array_equal(file[1]["x"][:], values(9)["x"][-10:])


def test_an_existing_file_is_kept_without_overwrite(
    run: Run, beam: Path, make: Make, format: str, tmp_path: Path
) -> None:
    target = make(format, "target", numbers=[2])
    before = target.read_bytes()
    outcome = run("convert", beam, target)
    assert outcome.code == 1
    assert "--overwrite" in outcome.errors
    assert target.read_bytes() == before
    target.chmod(0o600)
    assert run("convert", beam, target, "--overwrite").code == 0
    assert_same(run, beam, target)
    # The permissions of the old file are kept.
    assert target.is_dir() or target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_a_file_is_never_converted_onto_itself(
    run: Run, beam: Path, tmp_path: Path, link: Callable[[Path, Path], None]
) -> None:
    before = beam.read_bytes()
    other = tmp_path / f"link{beam.suffix}"
    link(beam, other)
    for target in (beam, other):
        outcome = run("convert", beam, target, "--overwrite")
        assert outcome.code == 1
        assert "itself" in outcome.errors
    assert beam.read_bytes() == before


def test_a_failure_keeps_the_old_file_and_leaves_no_partial_one(
    run: Run, beam: Path, make: Make, format: str, cut: Cut, tmp_path: Path
) -> None:
    target = make(format, "target", numbers=[2])
    before = target.read_bytes()
    damaged = cut(beam, 100)
    outcome = run("convert", damaged, target, "--overwrite")
    assert outcome.code == 3
    assert target.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([beam.name, target.name])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--steps", "77"], 1),
        (["--columns", "nothing"], 1),
        (["--rows", "200:300"], 2),
        (["--format", "nothing"], 2),
        (["--option", "nothing=1"], 2),
        (["--option", "nothing"], 2),
        (["--transport", "pigeon"], 2),
    ],
)
def test_wrong_requests_are_one_line_and_write_nothing(
    run: Run, beam: Path, tmp_path: Path, arguments: list[str], code: int
) -> None:
    outcome = run("convert", beam, tmp_path / f"out{beam.suffix}", *arguments)
    assert outcome.code == code
    assert len(outcome.errors.splitlines()) == 1
    assert list(tmp_path.iterdir()) == [beam]


def test_nothing_is_read_after_the_last_selected_step(beam: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole steps can be read from a file that is damaged after them."""
    readable = quire.File.readable

    def first_step(file: quire.File, asked: Any = None) -> Iterator[tuple[int, Step]]:
        yield next(readable(file, asked))
        raise AssertionError("the second step is looked at")

    monkeypatch.setattr(quire.File, "readable", first_step)
    with quire.open(beam) as file:
        found = list(select_steps(file, parse_steps("0-1")))
        assert [step.number for _, step in found] == [1]


def test_an_unknown_suffix_needs_a_format(run: Run, beam: Path, tmp_path: Path) -> None:
    outcome = run("convert", beam, tmp_path / "out.unknown")
    assert outcome.code == 2
    assert f"name the format: {', '.join(quire.formats())}" in outcome.errors


def test_text_is_exported_and_a_missing_file_is_named(run: Run, beam: Path, tmp_path: Path) -> None:
    assert "quire export" in run("convert", beam, tmp_path / "a.csv").errors
    missing = run("import", tmp_path / "no.csv", beam.with_name(f"other{beam.suffix}"))
    assert (missing.code, missing.errors) == (4, f"quire: {tmp_path / 'no.csv'}: No such file or directory\n")


def test_a_dry_run_writes_nothing(run: Run, beam: Path, tmp_path: Path) -> None:
    outcome = run("convert", beam, tmp_path / f"out{beam.suffix}", "--dry-run")
    assert outcome.code == 0, outcome.errors
    assert list(tmp_path.iterdir()) == [beam]
    as_json = run("convert", beam, tmp_path / f"out{beam.suffix}", "--dry-run", "--json")
    assert json.loads(as_json.output)["losses"] == []


def test_a_dry_run_refuses_what_the_conversion_refuses(run: Run, beam: Path, tmp_path: Path) -> None:
    for info in format_infos():
        if not info.one_step:
            continue
        options = [beam, tmp_path / "target", "--format", info.name]
        dry, outcome = run("convert", *options, "--dry-run"), run("convert", *options)
        assert (dry.code, dry.errors) == (outcome.code, outcome.errors)
        assert ("has streams of bytes only" if info.holds_streams else "several to convert") in dry.errors


def test_losses_are_reported_before_and_a_dry_run_exits_with_1(
    run: Run, format: str, other_format: str, tmp_path: Path
) -> None:
    source, target = tmp_path / "rich", tmp_path / "target"
    try:
        with quire.create(source, format=format) as out, out.step(1) as step:
            step.put("x", np.arange(3.0))
            step.put("name", ["a", "b", "c"])
    except quire.UnsupportedError:
        pytest.skip("this format has no columns of texts")
    dry = run("convert", source, target, "--format", other_format, "--dry-run")
    outcome = run("convert", source, target, "--format", other_format, "--json")
    assert outcome.code == 0
    losses = json.loads(outcome.output)["losses"]
    assert dry.code == (1 if losses else 0)
    messages = [line for line in outcome.errors.splitlines() if line.startswith("lost: ")]
    assert messages == [f"lost: {sentence}" for sentence in losses]
    with quire.open(target) as file:
        kept = list(file[0].table.columns)
        assert ("name" in kept) == (not any("name" in sentence for sentence in losses))
        np.testing.assert_array_equal(file[0]["x"][:], np.arange(3.0))


def test_changes_of_many_columns_are_one_line(
    run: Run, format: str, other_format: str, tmp_path: Path
) -> None:
    source, target = tmp_path / "many", tmp_path / "target"
    names = [f"c{number:02}" for number in range(30)]
    with quire.create(source, format=format) as out:
        for number in range(2):
            with out.step(number) as step:
                for name in names:
                    step.put(
                        name,
                        np.zeros(2, dtype=np.longdouble),
                        unit=quire.Texts("m", description=f"column {name}"),
                    )
    outcome = run("convert", source, target, "--format", other_format, "--lossy", "--json")
    answer = json.loads(outcome.output)
    kinds = {"lost": "losses", "renamed": "renamed", "reshaped": "reshaped", "changed": "changes"}
    messages = [f"{kind}: {text}" for kind, key in kinds.items() for text in answer.get(key, [])]
    assert sorted(outcome.errors.splitlines()) == sorted(messages)
    with quire.open(source) as before, quire.open(target) as after:
        old, new = before[0]["c00"], after[0]["c00"]
        for is_lost, word in (
            (old.description != new.description, "description"),
            (old.type != new.type, "type"),
        ):
            lines = [line for line in messages if word in line]
            assert len(lines) == is_lost, messages
            for line in lines:
                assert line.startswith(f"lost: columns {', '.join(names[:8])} and 22 more: ")


def test_names_that_the_target_cannot_have_are_renamed_and_not_lost(
    run: Run, format: str, other_format: str, tmp_path: Path
) -> None:
    source, target = tmp_path / "names", tmp_path / "target"

    def write() -> None:
        with quire.create(source, format=format) as out, out.step(0) as step:
            step.put("p x", np.arange(3.0)).put("p y", np.arange(3.0))

    if refusal(write) is not None:
        pytest.skip("this format has no such names")
    dry = run("convert", source, target, "--format", other_format, "--dry-run")
    outcome = run("convert", source, target, "--format", other_format, "--json")
    answer = json.loads(outcome.output)
    assert (dry.code, answer["losses"]) == (0, [])
    assert dry.errors == outcome.errors
    with quire.open(target) as file:
        x, y = file[0].table.columns
    if (x, y) == ("p x", "p y"):
        assert "renamed" not in answer
    else:
        (sentence,) = answer["renamed"]
        assert sentence.startswith(f"columns p x (now {x}), p y (now {y}): ")
        assert outcome.errors == f"renamed: {sentence}\n"


def test_unselected_data_are_not_reported_as_lost(
    run: Run, format: str, other_format: str, tmp_path: Path
) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    with quire.create(source, format=format) as out, out.step(0) as step:
        step.put("x", np.arange(3.0)).put(
            "y", np.arange(3.0), unit=quire.Texts(symbol="y", description="not wanted")
        )
    outcome = run("convert", source, target, "--format", other_format, "--columns", "x")
    assert outcome.errors == ""


@pytest.mark.parametrize(
    "target", [one.name for one in format_infos() if not one.tables and not one.holds_streams]
)
def test_a_target_that_can_hold_no_table_is_a_failure_and_no_file(
    run: Run, beam: Path, tmp_path: Path, target: str
) -> None:
    """An empty target could be mistaken for a successful conversion."""
    outcome = run("convert", beam, tmp_path / "there", "--format", target, "--steps", "1")
    assert (outcome.code, outcome.output) == (1, "")
    assert "lost: " in outcome.errors
    assert f"the format {target} can store none of the tables" in outcome.errors.splitlines()[-1]
    assert not (tmp_path / "there").exists()


def test_all_properties_of_quantities_are_kept_in_the_same_format(
    run: Run, format: str, tmp_path: Path
) -> None:
    source, target = tmp_path / "rich", tmp_path / "target"
    texts = quire.Texts("m", symbol="sx", description="a size", display="%8.3e")
    with quire.create(source, format=format) as out, out.step(7) as step:
        out.title, out.contents = "A title", "beam"
        step.set("size", np.float32(0.25), texts)
        step.put("x", np.arange(3, dtype=np.float32), texts)
    assert run("convert", source, target, "--format", format).code == 0
    with quire.open(source) as before, quire.open(target) as after:
        assert (before.title, before.contents) == (after.title, after.contents)
        for left, right in [
            (before[0].attrs.info["size"], after[0].attrs.info["size"]),
            (before[0]["x"], after[0]["x"]),
        ]:
            for text in ("type", "unit", "symbol", "description", "display"):
                assert getattr(left, text) == getattr(right, text)


def test_standard_input_and_output(run: Run, start: Start, beam: Path, format: str) -> None:
    done = start("convert", "-", "-", "--format", format, stdin=beam.read_bytes())
    assert done.returncode == 0, done.stderr
    direct = beam.with_name("direct")
    assert run("convert", beam, direct, "--format", format).code == 0
    assert done.stdout == direct.read_bytes()


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_any_number_of_ranks_writes_the_same_bytes(
    run: Run, start: Start, beam: Path, format: str, ranks: int
) -> None:
    names = step_formats()
    # Over all numbers of ranks, every format is the target of every other.
    target = names[(names.index(format) + ranks) % len(names)]
    alone, shared = beam.with_name("alone"), beam.with_name("shared")
    assert run("convert", beam, alone, "--format", target).code == 0
    done = start("convert", beam, shared, "--format", target, "--json", ranks=ranks)
    assert done.returncode == 0, done.stderr
    # One rank prints for all.
    assert json.loads(done.stdout)["steps"] == 3
    assert alone.read_bytes() == shared.read_bytes()


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 3])
def test_fields_of_numbers_and_texts_are_kept(
    run: Run, start: Start, format: str, tmp_path: Path, ranks: int
) -> None:
    source, target = tmp_path / "fields", tmp_path / "target"
    names = np.array(["a", "bc", "", "d"], dtype=object)

    def write(texts: bool) -> None:
        with quire.create(source, format=format) as out:
            for number in (1, 2):
                with out.step(number) as step:
                    step.put_field("phi", number + np.arange(12.0).reshape(2, 2, 3), unit="V")
                    step.put("x", np.arange(5.0))
                    if texts:
                        step.put_field("names", names)

    has_texts = refusal(lambda: write(texts=True)) is None
    if not has_texts:
        write(texts=False)
    done = start("convert", source, target, "--format", format, ranks=ranks)
    assert done.returncode == 0, done.stderr
    assert_same(run, source, target, "--types")
    with quire.open(target) as file:
        if has_texts:
            assert file[1].fields["names"][:].tolist() == names.tolist()
        np.testing.assert_array_equal(file[1].fields["phi"][...], 2 + np.arange(12.0).reshape(2, 2, 3))


@pytest.mark.mpi
def test_the_world_has_the_requested_size(start: Start, beam: Path) -> None:
    done = start("convert", beam, beam.with_name("out" + beam.suffix), ranks=3, QUIRE_TRACE="1")
    assert done.returncode == 0, done.stderr
    for rank in range(3):
        assert f"rank {rank}: ".encode() in done.stderr


@pytest.mark.mpi
def test_an_error_on_many_ranks_is_one_line(start: Start, beam: Path, cut: Cut) -> None:
    done = start("convert", cut(beam, 100), beam.with_name("out" + beam.suffix), ranks=3)
    assert done.returncode == 3
    assert done.stderr.count(b"quire:") == 1
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("format", formats_of_uneven_steps())
def test_objects_of_only_some_steps_are_left_out_if_steps_must_be_alike(
    run: Run, format: str, other_format: str, tmp_path: Path
) -> None:
    source, target = tmp_path / "uneven", tmp_path / "target"
    with quire.create(source, format=format) as out:
        for number in (1, 2, 3):
            with out.step(number) as step:
                step.set("s", float(number))
                step.put("x", np.arange(4.0))
                if number != 2:
                    step.put("y", np.arange(4.0))
                if number == 3:
                    step.set("late", 1)
    outcome = run("convert", source, target, "--format", other_format, "--json")
    assert outcome.code == 0, outcome.errors
    losses = json.loads(outcome.output)["losses"]
    with quire.open(target) as file:
        assert file.numbers == [1, 2, 3]
        for found in file:
            assert found.attrs["s"] == found.number
            np.testing.assert_array_equal(found["x"][:], np.arange(4.0))
    difference = run("diff", source, target)
    if losses:
        assert any(sentence.startswith("column y:") for sentence in losses)
        assert any(sentence.startswith("attribute late:") for sentence in losses)
        assert difference.code == 1
    else:
        assert difference.code == 0, difference.output


@pytest.mark.parametrize("format", formats_of_uneven_steps())
@pytest.mark.parametrize("without", [1, 3], ids=["first", "last"])
def test_a_step_without_the_table_does_not_change_the_others(
    run: Run, format: str, other_format: str, tmp_path: Path, without: int
) -> None:
    source, target = tmp_path / "uneven", tmp_path / "target"
    with quire.create(source, format=format) as out:
        for number in (1, 2, 3):
            with out.step(number) as step:
                step.set("s", float(number))
                if number != without:
                    step.put("x", np.arange(4.0))
                    step.put("id", np.arange(4))
    outcome = run("convert", source, target, "--format", other_format, "--columns", "x", "--json")
    assert outcome.code == 0, outcome.errors
    assert "without rows" not in str(json.loads(outcome.output)["losses"])
    assert outcome.errors.count("changed: a step without the table") == outcome.output.count("without rows")
    with quire.open(target) as file:
        assert file.numbers == [1, 2, 3]
        for found in file:
            rows = [len(table) for table in found.tables.values()]
            if found.number == without:
                assert sum(rows) == 0
            else:
                assert rows == [4]
                np.testing.assert_array_equal(found["x"][:], np.arange(4.0))


def test_single_bytes_become_numbers_where_the_target_has_none(
    run: Run, format: str, other_format: str, tmp_path: Path
) -> None:
    source, target = tmp_path / "letters", tmp_path / "target"
    letters = np.array([b"a", b"", b"\xff"], dtype="S1").reshape(1, 1, 3)
    with quire.create(source, format=format) as out, out.step(1) as step:
        step.put_field("letters", letters)
    outcome = run("convert", source, target, "--format", other_format)
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        found = file[0].fields["letters"][...]
    codes = found.view(np.int8) if found.dtype.kind == "S" else found
    assert codes.tolist() == letters.view(np.int8).tolist()


@pytest.mark.parametrize("single", [info.name for info in format_infos() if info.one_step and info.tables])
def test_checksums_are_replaced_with_the_target(run: Run, beam: Path, tmp_path: Path, single: str) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    target = folder / "target"
    wish = ("convert", beam, target, "--format", single, "--steps", "4", "--overwrite")
    assert run(*wish, "--option", "checksums=true").code == 0
    assert len(list(folder.iterdir())) == 2
    assert run("check", target).code == 0
    whole = target.read_bytes()
    with quire.open(target) as file:
        name = next(iter(file[0].table.columns))
        place = whole.index(file[0][name][:].tobytes())
    target.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    assert run("check", target).code == 1
    assert run(*wish).code == 0
    assert list(folder.iterdir()) == [target]
    assert run("check", target).code == 0


def test_an_error_names_the_target_and_not_its_temporary_file(run: Run, beam: Path, tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    outcome = run("convert", beam, folder / f"out{beam.suffix}")
    assert outcome.code == 4
    assert str(folder / f"out{beam.suffix}") in outcome.errors
    assert ".quire-" not in outcome.errors


def test_one_call_copies_a_file(beam: Path, other_format: str, tmp_path: Path, values: Values) -> None:
    target = tmp_path / "copy"
    report = quire.copy(
        beam, target, format=other_format, steps="4-", columns=["p*"], rows=slice(10, 30), lossy=True
    )
    assert (report.steps, report.rows) == (2, 40)
    with quire.open(target) as file:
        assert file.numbers == [4, 9]
        assert list(file[1].table.columns) == ["px"]
        np.testing.assert_array_equal(file[1]["px"][:], values(9)["px"][10:30])
    with pytest.raises(quire.ConflictError, match="exists already"):
        quire.copy(beam, target, format=other_format)
    with pytest.raises(quire.UsageError, match="selection of steps"):
        quire.copy(beam, target, format=other_format, steps="x")


@pytest.mark.parametrize("single", [info.name for info in format_infos() if info.one_step and info.tables])
def test_several_steps_for_a_file_of_one_step_are_refused_first(
    run: Run, beam: Path, tmp_path: Path, single: str
) -> None:
    target = tmp_path / "one"
    outcome = run("convert", beam, target, "--format", single)
    assert outcome.code == 2
    assert "--steps 1" in outcome.errors
    assert not target.exists()
    assert run("convert", beam, target, "--format", single, "--steps", "4").code == 0
    with quire.open(target) as file:
        assert len(file) == 1


def test_a_striping_that_is_not_applied_is_reported(run: Run, beam: Path, tmp_path: Path) -> None:
    target = tmp_path / f"striped{beam.suffix}"
    outcome = run("convert", beam, target, "--option", "stripe_count=2")
    assert outcome.code == 0, outcome.errors
    assert "the striping was not applied" in outcome.errors
    assert_same(run, beam, target)
