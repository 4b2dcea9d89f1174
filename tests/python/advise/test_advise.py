"""Advice: rules are data, apply where they should, and writers accept the options that they print."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import string
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from tests.python.support.files import write_table
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.errors import UsageError
from quire.io.formats import common_options, format_infos, transports
from quire.lab.advise import Advice, Load, Situation, advise, commands_of, situation_of
from quire.lab.advise.rules import Rule, facts_of, rules
from quire.lab.advise.situation import parse_workload
from quire.lab.doctor.record import Check, Cost, FileSystem, Record, save
from quire.lab.plan.simulation import Method, Report, compare
from quire.lab.plan.simulation import parse_workload as sizes_of
from quire.sizes import parse_size

MEBIBYTE = 1 << 20
LARGE = Load("table", 5_500_000_000, 10)
SMALL = Load("table", 2_500_000, 10)


def file_system(kind: str) -> FileSystem:
    """A file system of a type."""
    return FileSystem(kind, "/data", "rw", 10**13, 4 * MEBIBYTE)


def record(*checks: Check, mpi_io: str = "romio", name: str = "MPICH", version: str = "4.0.2") -> Record:
    """A possible record of doctor."""
    costs = {one: Cost(2e-3, 1e-3, 3e-3, 15) for one in ("barrier", "polite_barrier", "fsync")}
    return Record(
        "now",
        "/data",
        2,
        ["mpiexec"],
        ["a"],
        2,
        "0",
        name,
        name,
        version,
        mpi_io,
        file_system("ext4"),
        0,
        costs,
        list(checks),
    )


def situation(
    kind: str = "ext4", load: Load = LARGE, ranks: int = 768, nodes: int = 32, **more: Any
) -> Situation:
    """Ranks that write a load."""
    return Situation(Path("/data/run"), load, ranks, nodes, 24, file_system(kind), **more)


def settings(found: list[Advice]) -> dict[str, str]:
    """Values by name."""
    return {one.name: one.value for one in found}


def every_situation() -> list[Situation]:
    """Situations that differ widely."""
    checks = [
        Check("locks", "os", "byte ranges", "unsupported"),
        Check("file locking", "x", "create", "error"),
    ]
    bad = record(*checks, mpi_io="ompio", name="Open MPI", version="4.1.4")
    return [
        situation(kind, Load(what, size, 6), ranks, nodes, targets=targets, format=format, measured=measured)
        for kind in ("ext4", "tmpfs", "nfs4", "lustre", "gpfs", "beegfs", "strange")
        for what, size in (("table", 0), ("table", 10**6), ("field", 10**12), ("streams", 10**10))
        for ranks, nodes in ((1, 1), (96, 1), (10**5, 2000))
        for targets, format, measured in (
            (None, None, None),
            (48, quire.formats()[0], bad),
            (4, streams_format(), record()),
            (4, aligned_format(), None),
        )
    ]


def test_every_rule_states_its_basis_and_uses_known_facts() -> None:
    known = {"transport"}.union(*(facts_of(one) for one in every_situation()))
    used = {option.name for info in format_infos() for option in info.write_options}
    for rule in rules():
        assert rule.basis in ("measured here", "measured on one node", "published", "rule"), rule
        assert rule.source, rule
        assert {name.removesuffix("_min").removesuffix("_max") for name in rule.when} <= known, rule
        names = {name for _, name, _, _ in string.Formatter().parse(rule.value + rule.reason) if name}
        assert names <= known, rule
        if rule.target == "option":
            assert rule.name in used, rule
        if rule.target == "transport":
            assert rule.value in ("posix", "mpi_independent", "mpi_collective", "aggregated")
        if rule.target == "stripe":
            assert rule.name in {option.name for option in common_options()[1]}


def measured_places() -> dict[str, str]:
    """Possible sources of measured rules: rows of the table of knobs, and facts of the page."""
    docs = Path(__file__).parents[3] / "docs"
    table = [line for line in (docs / "knobs.md").read_text().splitlines() if line.startswith("| ")]
    knobs = {line.split("|")[1].strip(" `"): line for line in table}
    facts = re.findall(
        r"^- \*\*(.+?)\.\*\* ((?:.+\n(?!- |\n))*.+)", (docs / "advise.md").read_text(), re.MULTILINE
    )
    return {f"manual: knobs, {name}": line for name, line in knobs.items()} | {
        f"manual: advise, {name.lower()}": text for name, text in facts
    }


def test_measured_numbers_of_rules_are_in_their_sources() -> None:
    """When tables are measured again, the rules that depend on them must follow."""
    places = measured_places()
    rested = [rule for rule in rules() if rule.basis == "measured on one node"]
    assert len(rested) >= 5
    for rule in rested:
        numbers = re.findall(r"\d+\.\d+|\d+ (?:MB|ms)", rule.reason)
        missing = [
            number for number in numbers if not re.search(rf"(?<![\d.]){number}(?!\d)", places[rule.source])
        ]
        assert not missing, (rule.name, rule.source, missing)


def test_every_rule_wins_somewhere_and_every_situation_gets_a_transport() -> None:
    found = [advise(one) for one in every_situation()]
    assert all("transport" in settings(advice) for advice in found)
    first, *others = transports()
    without = [{first}, {first, "mpi_independent"}] if others else []
    found += [advise(situation(bad_ways=frozenset(ways), measured=record())) for ways in without]
    existing = situation("lustre", targets=48)
    found.append(advise(dataclasses.replace(existing, path=Path(__file__))))
    said = [one for advice in found for one in advice]
    for rule in rules():
        if rule.target == "transport" and rule.value not in transports():
            continue
        ending = rule.reason.rsplit("}", 1)[-1]
        assert any(
            (one.target, one.name, one.source) == (rule.target, rule.name, rule.source)
            and (one.reason.endswith(ending) or "{stripes_now}" in rule.reason)
            and ("{" in rule.value or one.value == rule.value)
            for one in said
        ), rule


def test_no_setting_is_recommended_twice() -> None:
    for one in every_situation():
        keys = [(advice.target, advice.name) for advice in advise(one)]
        assert len(keys) == len(set(keys))


@pytest.mark.parametrize("format", [info.name for info in format_infos()])
def test_writers_accept_the_printed_options(tmp_path: Path, format: str) -> None:
    info = next(one for one in format_infos() if one.name == format)
    load = Load("streams", 10**10) if info.holds_streams else LARGE
    for number, kind in enumerate(("ext4", "lustre")):
        one = situation(kind, load, ranks=2, nodes=1, format=format, targets=48)
        commands = commands_of(one, advise(one))
        path = tmp_path / f"{number}{info.suffixes[0]}"
        options: dict[str, Any] = dict(commands.options)
        quire.create(path, format=format, transport=commands.transport, **options).close()


@pytest.mark.parametrize("format", [info.name for info in format_infos() if info.tables])
def test_the_printed_command_runs_unchanged(
    tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Except for the name of the output; without a tool for stripes there is a warning."""
    info = next(one for one in format_infos() if one.name == format)
    source, target = tmp_path / f"my beam{info.suffixes[0]}", tmp_path / f"out{info.suffixes[0]}"
    write_table(source, format, {"x": np.arange(2.0)})
    monkeypatch.setattr("quire.lab.advise.situation.file_system_of", lambda path: file_system("lustre"))
    outcome = run(str(source), "--ranks", "2", "--stripes", "4")
    (line,) = [one.strip() for one in outcome.output.splitlines() if one.strip().startswith("quire convert ")]
    words = [str(target) if word == "OUT" else word for word in shlex.split(line)[1:]]
    assert "--option" in words
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    with quire.open(target) as file:
        assert list(file[0].table["x"].read()) == [0.0, 1.0]


def test_stripes_fit_rows_or_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stripe holds contiguous data of a writer: all columns of rows, otherwise one column."""
    monkeypatch.setattr("quire.lab.advise.situation.file_system_of", lambda path: file_system("lustre"))
    sizes = {}
    for info in format_infos():
        if info.tables:
            words = {"workload": "table:4194304x64", "targets": 48, "format": info.name}
            one = situation_of(tmp_path, 64, nodes=8, **cast(Any, words))
            assert one.arrays_apart in (1, 64)
            sizes[one.arrays_apart] = settings(advise(one))["stripe_size"]
    assert sizes == {1: str(32 * MEBIBYTE), 64: str(MEBIBYTE)}


def test_defaults_have_a_reason_but_are_not_printed_as_options() -> None:
    one = situation("lustre", Load("streams", 10**10), format=streams_format())
    assert settings(advise(one))["files"] == "1"
    assert "files" not in commands_of(one, advise(one)).options


def streams_format() -> str:
    """The format that holds streams."""
    return next(info.name for info in format_infos() if info.holds_streams)


def aligned_format() -> str:
    """A format that aligns arrays."""
    return next(
        info.name for info in format_infos() if "alignment" in {one.name for one in info.write_options}
    )


def test_large_steps_are_striped_over_servers_with_64_mib_for_each() -> None:
    one = situation("lustre", targets=48)
    found = settings(advise(one))
    assert found["stripe_count"] == "48"
    piece = LARGE.bytes // 10 // 768
    assert piece <= int(found["stripe_size"]) < 2 * MEBIBYTE
    assert commands_of(one, advise(one)).set_stripes == "lfs setstripe -c 48 -S 1M /data"
    fewer = situation("lustre", Load("table", 640 * MEBIBYTE, 10), targets=48)
    assert settings(advise(fewer))["stripe_count"] == "10"
    unknown = situation("lustre")
    assert settings(advise(unknown))["stripe_count"] == "-1"
    assert "striping_factor" not in settings(advise(unknown))


def test_stripes_hold_the_part_of_an_array_of_one_writer() -> None:
    one = situation("lustre", Load("streams", 100 * 768 * MEBIBYTE), targets=48)
    assert settings(advise(one))["stripe_size"] == str(128 * MEBIBYTE)


def test_small_steps_stay_on_one_server_and_other_file_systems_have_no_stripes() -> None:
    assert settings(advise(situation("lustre", SMALL, targets=48)))["stripe_count"] == "1"
    for kind in ("ext4", "nfs4", "beegfs"):
        one = situation(kind, targets=48)
        assert not {"stripe_count", "stripe_size", "striping_unit"} & set(settings(advise(one)))
        assert commands_of(one, advise(one)).set_stripes == ""


def test_the_alignment_follows_the_stripes_only_where_arrays_are_larger() -> None:
    with_it = aligned_format()
    assert settings(advise(situation("lustre", format=with_it)))["alignment"] == str(MEBIBYTE)
    assert "alignment" not in settings(advise(situation("lustre", SMALL, format=with_it)))
    assert "alignment" not in settings(advise(situation("ext4", format=with_it)))


def test_small_data_of_many_clients_are_joined_on_their_nodes() -> None:
    assert settings(advise(situation("lustre", SMALL)))["transport"] == joined()
    assert settings(advise(situation("lustre", LARGE)))["transport"] == "posix"
    assert settings(advise(situation("ext4", SMALL)))["transport"] == "posix"
    assert settings(advise(situation("nfs4", LARGE)))["transport"] == joined()


def joined() -> str:
    """The transport that joins the ranks of a node, if this build has it."""
    return "aggregated" if "aggregated" in transports() else "posix"


def test_a_transport_that_gave_wrong_data_here_is_not_recommended(tmp_path: Path) -> None:
    wrong = record(Check("transport", "posix", "holes", "wrong", "1 bytes"))
    found = situation_of(tmp_path, 4, workload="1GB", measured=wrong)
    assert found.bad_ways == {"posix"}
    advice = advise(found)
    assert settings(advice).get("transport") != "posix"
    assert (advice[0].name, advice[0].reason) == ("not posix", "holes: wrong, 1 bytes")


def test_existing_stripes_and_aggregators_of_a_transport_are_reported(tmp_path: Path) -> None:
    where = dataclasses.replace(file_system("lustre"), stripe_count=1)
    path = tmp_path / "old"
    path.touch()
    one = dataclasses.replace(situation("lustre", LARGE, targets=48), where=where, path=path)
    by_name = {advice.name: advice for advice in advise(one)}
    assert "New files here have 1 now" in by_name["stripe_count"].reason
    assert "write a new one" in by_name["stripes"].reason
    assert "aggregators" not in by_name
    assert settings(advise(situation("nfs4", nodes=3))).get("aggregators", "3") == "3"


def test_files_grow_with_cores_and_nodes_up_to_four_a_node() -> None:
    def files(ranks: int, nodes: int, cores: int) -> str | None:
        one = situation("ext4", Load("streams", 10**10), ranks, nodes, format=streams_format())
        return settings(advise(dataclasses.replace(one, cores=cores))).get("files")

    assert files(64, 1, 64) == "4"
    assert files(64, 8, 64) == "32"
    assert files(64, 1, 2) == "2"
    assert files(1, 1, 8) is None


def test_measurements_of_doctor_are_named_and_used() -> None:
    checks = [
        Check("locks", "os", "byte ranges", "unsupported"),
        Check("file locking", "not set", "create", "error"),
        Check("file locking", "TRUE", "create", "error", default=False),
    ]
    one = situation(load=SMALL, measured=record(*checks))
    found = {advice.name: advice for advice in advise(one)}
    assert found["HDF5_USE_FILE_LOCKING"].value == "FALSE"
    assert found["romio_ds_write"].basis == "measured here"
    assert "4 ms" in found["durable"].reason
    sound = {advice.name: advice for advice in advise(situation(measured=record()))}
    assert "HDF5_USE_FILE_LOCKING" not in sound
    assert sound["romio_ds_write"].basis == "rule"


def test_a_bad_component_of_open_mpi_is_replaced() -> None:
    bad = record(mpi_io="ompio", name="Open MPI", version="4.1.4")
    assert settings(advise(situation(measured=bad)))["OMPI_MCA_io"] == "^ompio"
    good = record(mpi_io="romio", name="Open MPI", version="4.1.4")
    assert "OMPI_MCA_io" not in settings(advise(situation(measured=good)))


def test_conditions_are_inclusive_and_unknown_facts_match_nothing() -> None:
    rule = Rule("note", "x", "", "rule", "", when={"bytes_min": 5, "bytes_max": 7, "kind": ["a", "b"]})
    assert [rule.holds({"bytes": size, "kind": "a"}) for size in (4, 5, 7, 8)] == [False, True, True, False]
    assert not rule.holds({"bytes": 6, "kind": "c"})
    assert not rule.holds({"kind": "a"})


@pytest.mark.parametrize(
    ("text", "bytes"),
    [("1000", 1000), ("5.5GB", 5_500_000_000), ("64MiB", 64 * MEBIBYTE), ("2 kB", 2000), ("1g", 10**9)],
)
def test_sizes(text: str, bytes: int) -> None:
    assert parse_size(text) == bytes


def test_workloads() -> None:
    assert parse_workload("table:811008x192") == Load("table", 8 * 811008 * 192, 192)
    assert parse_workload("field:4x5x6") == Load("field", 8 * 120, 1)
    assert parse_workload("streams:2GiB") == Load("streams", 2 << 30, 1)
    assert parse_workload("streams:2GiB", ranks=3) == Load("streams", 6 << 30, 1)
    assert parse_workload("elements:2GiB") == Load("elements", 2 << 30, 1)
    assert parse_workload("table:7") == Load("table", 56, 1)
    assert parse_workload("particles,rows=1000") == Load("table", 48000, 6, 5)
    assert parse_workload("field:4x5,fields=3,components=2,steps=7") == Load("field", 8 * 120, 6, 7)
    assert parse_workload("checkpoint-large").kind == "elements"
    for text in ("much", "table:", "box:3x3", "5 furlongs", "table:0x8", "0GB", "99999999TB"):
        with pytest.raises(UsageError):
            parse_workload(text)


def test_the_load_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / f"beam{format_infos()[0].suffixes[0]}"
    with quire.create(path) as out:
        for number, rows in ((0, 10), (1, 1000)):
            with out.step(number) as step:
                step.put("x", np.zeros(rows))
                step.put("id", np.zeros(rows, np.int32))
    found = situation_of(path, 4)
    assert (found.load.kind, found.load.bytes, found.load.columns) == ("table", 12000, 2)
    assert found.format == format_infos()[0].name


def test_a_format_that_cannot_hold_the_data_is_refused(tmp_path: Path) -> None:
    for info in format_infos():
        if info.holds_streams:
            assert situation_of(tmp_path, 2, workload="streams:8").format == info.name
            assert situation_of(tmp_path, 2, workload="table:8x8", format=info.name).format == info.name
            continue
        with pytest.raises(UsageError, match=f"a {info.name} file does not hold this .streams."):
            situation_of(tmp_path, 2, workload="streams:8", format=info.name)
    path = tmp_path / f"beam{format_infos()[0].suffixes[0]}"
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.zeros(10))
    only_elements = [info.name for info in format_infos() if info.name not in table_formats()]
    assert only_elements
    for name in only_elements:
        with pytest.raises(UsageError, match=r"does not hold this .table."):
            situation_of(path, 2, format=name)
    assert {situation_of(path, 2, format=name).format for name in table_formats()} == set(table_formats())


def table_formats() -> list[str]:
    """The formats that accept a table of one column of doubles."""
    found = compare([Method(info.name) for info in format_infos()], sizes_of("table:1x1"), 1)
    return [one.method.format for one in found if isinstance(one, Report)]


def run(*words: str) -> Any:
    """The command line."""
    return CliRunner().invoke(app, ["advise", *words])


def test_the_command_prints_settings_with_reasons(tmp_path: Path) -> None:
    saved = tmp_path / "doctor.json"
    save(record(), saved)
    words = [str(tmp_path), "--ranks", "64", "--workload", "5.5GB", "--measured", str(saved)]
    outcome = run(*words)
    assert outcome.exit_code == 0
    assert 'quire.create(path, transport="posix")' in outcome.output
    assert "measured here: quire doctor" in " ".join(outcome.output.split())
    assert "another file system (ext4 on /data)" in outcome.stderr
    document = json.loads(run(*words, "--json").stdout)
    assert document["commands"]["transport"] == "posix"
    assert all({"reason", "basis", "source"} <= set(one) for one in document["advice"])


def test_local_storage_is_not_advised_for_several_nodes() -> None:
    def first(kind: str, nodes: int) -> str:
        return advise(situation(kind, nodes=nodes))[0].name

    assert first("ext4", 16) == first("tmpfs", 16) == "not shared"
    others = (("ext4", 1), ("lustre", 16), ("nfs4", 16), ("strange", 16))
    assert "not shared" not in {first(*one) for one in others}


def test_cores_of_a_node_can_be_given(tmp_path: Path) -> None:
    words = (str(tmp_path), "--ranks", "64", "--nodes", "2", "--workload", "1GB")
    assert "64 ranks on 2 nodes of 16 cores" in run(*words, "--cores", "16").output
    assert "32 ranks share 16 cores" in run(*words, "--cores", "16").output
    assert "ranks share" not in run(*words, "--cores", "32").output


def test_invalid_requests_are_usage_errors(tmp_path: Path) -> None:
    assert run(str(tmp_path), "--ranks", "4").exit_code == 2
    assert run(str(tmp_path), "--ranks", "4", "--workload", "1GB", "--format", "none").exit_code == 2
    assert run(str(tmp_path / "nothing"), "--ranks", "4", "--workload", "1GB").exit_code == 4
    outcome = run("nowhere", "--ranks", "4")
    assert (outcome.exit_code, outcome.stderr) == (4, "quire: nowhere: there is no such file or directory\n")
    outcome = run(str(tmp_path), "--ranks", "4", "--workload", "1GB", "--measured", "nothing.json")
    assert outcome.stderr == "quire: nothing.json: there is no such record of quire doctor\n"
    outcome = run(str(tmp_path), "--ranks", "4", "--nodes", "8", "--workload", "1GB")
    assert (outcome.exit_code, "4 ranks cannot be on 8 nodes" in outcome.output) == (2, True)
    (tmp_path / "other.json").write_text("{}")
    words = ["--workload", "1GB", "--measured", str(tmp_path / "other.json")]
    assert run(str(tmp_path), "--ranks", "4", *words).exit_code == 2
