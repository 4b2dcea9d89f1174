"""The rules about versions and file systems, and how they are matched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from quire.errors import UsageError
from quire.lab.doctor.known import file_system_findings, identify, is_within, rules, version_findings
from quire.lab.doctor.record import FileSystem, from_dictionary
from quire.lab.doctor.system import file_system_of, mount_of

OPEN_MPI = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022"


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        (OPEN_MPI, "Open MPI", "4.1.4"),
        ("MPICH Version: 4.0.2", "MPICH", "4.0.2"),
        ("MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)", "Cray MPICH", "8.1.25.17"),
        ("Intel(R) MPI Library 2021.9 for Linux* OS", "Intel MPI", "2021.9"),
        ("something else", "", ""),
    ],
)
def test_libraries_are_recognised_by_their_version_strings(text: str, name: str, version: str) -> None:
    library, found = identify(text)
    assert (library.name, found) == (name, version)


def test_versions_are_compared_by_number() -> None:
    assert is_within("4.1.4", "4.1.0 to 4.1.4")
    assert is_within("4.1.4rc2", "4.1.0 to 4.1.4")
    assert not is_within("4.1.10", "4.1.0 to 4.1.4")
    assert is_within("3.0", "3.0.0 to 3.0.3")
    assert not is_within("2.1", "3.0.0 to 3.0.3")


def test_a_known_bad_component_is_unsafe_only_where_it_opens_files() -> None:
    found = version_findings("Open MPI", "4.1.4", "ompio")
    assert [finding.severity for finding in found] == ["unsafe", "caution"]
    assert "OMPI_MCA_io=romio321" in found[0].advice
    assert [finding.severity for finding in version_findings("Open MPI", "4.1.4", "romio")] == ["caution"]
    assert version_findings("Open MPI", "4.1.6", "ompio") == []


@pytest.mark.parametrize(
    ("library", "version", "is_faulty"),
    [
        ("MPICH", "4.0", True),
        ("MPICH", "4.0.2", True),
        ("MPICH", "4.0.3", False),
        ("MPICH", "3.4.3", False),
        ("Open MPI", "4.1.1", False),
        ("Open MPI", "4.1.4", True),
        ("Open MPI", "4.1.5", False),
    ],
)
def test_mpi_that_compares_unsigned_words_as_signed_is_recognised(
    library: str, version: str, is_faulty: bool
) -> None:
    for component in ("romio", "ompio", ""):
        found = [one for one in version_findings(library, version, component) if "MPI_MAX" in one.text]
        assert len(found) == is_faulty
        assert all("move to" in one.advice for one in found)


def test_every_rule_has_a_source_and_an_advice() -> None:
    for rule in [*rules()["version"], *rules()["file_system"]]:
        assert rule["source"]
        assert rule["advice"]
        assert rule["severity"] in ("unsafe", "caution", "note")


def file_system(kind: str, options: str) -> FileSystem:
    """A file system with mount options."""
    return FileSystem(kind, "/data", options, 10**12, 4096)


def test_file_systems_are_judged_by_their_mount_options() -> None:
    assert "locks hold on one node" in file_system_findings(file_system("lustre", "rw,localflock"))[0].text
    assert file_system_findings(file_system("lustre", "rw,flock")) == []
    assert len(file_system_findings(file_system("nfs4", "rw,vers=4.2"))) == 1
    assert file_system_findings(file_system("nfs4", "rw,noac")) == []
    assert file_system_findings(file_system("ext4", "rw")) == []


def test_a_path_belongs_to_the_deepest_mount() -> None:
    table = (
        "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
        "30 22 0:30 / /scratch\\040one rw - lustre 10.0.0.1@tcp:/fs rw,flock\n"
        "31 22 0:31 / /scratch rw shared:4 - tmpfs tmpfs rw,size=1k\n"
    )
    assert mount_of(Path("/home/me"), table) == ("/", "ext4", "rw,relatime,discard")
    assert mount_of(Path("/scratch one/run"), table) == ("/scratch one", "lustre", "rw,flock")
    assert mount_of(Path("/scratch/run"), table)[1] == "tmpfs"
    assert mount_of(Path("/scratched"), table)[1] == "ext4"


def test_the_file_system_of_a_folder(tmp_path: Path) -> None:
    where = file_system_of(tmp_path)
    assert where.free_bytes > 0
    assert str(tmp_path.resolve()).startswith(where.mount)
    with pytest.raises(FileNotFoundError):
        file_system_of(tmp_path / "nothing")


def test_other_files_are_usage_errors() -> None:
    documents: list[Any] = [[], {"schema": "other"}, {"schema": "quire-doctor", "version": 2}]
    for document in documents:
        with pytest.raises(UsageError):
            from_dictionary(document)
    with pytest.raises(UsageError, match="not complete"):
        from_dictionary({"schema": "quire-doctor", "version": 1, "costs": {}})


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("ranks", 0, "ranks"),
        ("hosts", [], "hosts"),
        ("costs", {"stat": {"median": "fast"}}, "costs"),
        ("checks", [{"group": 3}], "checks"),
        ("findings", 7, "findings"),
        ("file_system", {"free_bytes": "all"}, "file_system.free_bytes"),
        ("file_system", 3, "file_system"),
    ],
)
def test_a_record_with_values_of_other_kinds_is_a_usage_error(name: str, value: Any, place: str) -> None:
    document = {"schema": "quire-doctor", "version": 1, name: value}
    with pytest.raises(UsageError, match=f"'{place}' of the record has a value of another kind"):
        from_dictionary(document)
