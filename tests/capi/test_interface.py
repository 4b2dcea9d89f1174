"""The C interface as a whole: what the headers declare, the library has, and the tests call."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.python.support.mpi import BUILD, PRESET, ROOT

PLAIN_HEADERS = sorted((ROOT / "include/quire/capi").glob("*.h"))
HEADERS = PLAIN_HEADERS + ([] if PRESET == "serial" else [ROOT / "include/quire/quire_mpi.h"])
MAXIMUM_ARGUMENTS = 8


def declarations() -> dict[str, list[str]]:
    """Return the parameters of each exported function."""
    text = " ".join(re.sub(r"//[^\n]*", "", header.read_text()) for header in HEADERS)
    found = re.findall(r"QUIRE_EXPORT\s[^;{]*?\b(\w+)\(([^;]*?)\);", text)
    return {name: [one.strip() for one in parameters.split(",")] for name, parameters in found}


def symbols(*command: str) -> set[str]:
    """Return the names that a call of nm lists, of the form quire_*."""
    done = subprocess.run(["nm", *command], capture_output=True, text=True, timeout=60, check=True)
    return set(re.findall(r"\b(quire_[a-z0-9_]+(?:@@?\w+)?)$", done.stdout, re.MULTILINE))


def library() -> Path:
    """Return the shared library with all symbols."""
    path = BUILD / "tests/capi/libcapi_versions.so"
    if not path.exists():
        pytest.skip("the linker of this system knows no versions")
    return path


def test_the_library_exports_what_the_headers_declare() -> None:
    exported = {name.split("@")[0] for name in symbols("-D", "--defined-only", str(library()))}
    assert exported == set(declarations())


def test_exported_functions_have_the_version_of_the_interface() -> None:
    versions = {name.rsplit("@", 1)[-1] for name in symbols("-D", "--defined-only", str(library()))}
    assert versions == {"QUIRE_0"}


def test_every_function_is_called_by_the_tests() -> None:
    objects = sorted(map(str, (BUILD / "tests/capi/CMakeFiles").glob("capi_*_test.dir/*.o")))
    assert objects
    assert set(declarations()) - symbols("-u", *objects) == set()


def collective_functions() -> set[str]:
    """Return the functions whose comment says that all ranks call them."""
    text = "\n".join(header.read_text() for header in HEADERS)
    comments = re.findall(r"((?:^///.*\n)+)QUIRE_EXPORT\s[^;{]*?\b(\w+)\(", text, re.MULTILINE)
    return {name for comment, name in comments if re.search(r"\bCollective\b", comment.split(".")[0])}


def test_every_collective_function_is_called_with_a_wrong_argument_on_one_rank() -> None:
    takes_only_the_handle = {
        name
        for name, parameters in declarations().items()
        if all(re.fullmatch(r"quire_file\* file|int borrow", one) for one in parameters)
    }
    text = "\n".join(path.read_text() for path in sorted((ROOT / "tests/capi").glob("*.c")))
    wrong_on_one_rank = {
        name
        for statement in re.split(r"[;{}]", text)
        if "is_last" in statement
        for name in re.findall(r"\b(quire_\w+)\(", statement)
    }
    wanted = collective_functions()
    assert len(wanted) > 30
    assert wanted - takes_only_the_handle - wrong_on_one_rank == set()


def test_functions_have_few_arguments_and_regular_names() -> None:
    for name, parameters in declarations().items():
        assert len(parameters) <= MAXIMUM_ARGUMENTS, name
        assert re.fullmatch(r"quire_[a-z0-9]+(_[a-z0-9]+)*", name)


def test_functions_that_fail_take_the_handle_first() -> None:
    with_handle = re.compile(r"(const )?quire_file\* file")
    for name, parameters in declarations().items():
        places = [i for i, one in enumerate(parameters) if with_handle.fullmatch(one)]
        assert places in ([], [0]), name


@pytest.mark.parametrize("header", PLAIN_HEADERS, ids=lambda header: header.name)
@pytest.mark.parametrize("standard", ["c99", "c11"])
def test_headers_compile_alone_without_extensions(header: Path, standard: str, tmp_path: Path) -> None:
    program = tmp_path / "alone.c"
    program.write_text(f'#include "{header}"\nint main(void) {{ return 0; }}\n')
    command = ["cc", f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    command += ["-fsyntax-only", f"-I{ROOT / 'include'}", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
