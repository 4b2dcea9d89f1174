"""The blocks of C++ and C of all pages compile against the public headers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.docs.test_pages import PAGES, text_of
from tests.python.support.mpi import BUILD, ROOT

from manual.blocks import Block, blocks_of

NAMES = """
extern quire::WriteStep& step;
extern const quire::Reader& reader;
extern std::uint64_t rank, ranks, n;
extern std::vector<double> x, px, values, coarse, ions, u;
extern std::vector<std::uint64_t> order;
extern std::vector<std::uint32_t> ids;
"""
"""What the fragments take for granted, of the program around them."""

NAMES_OF_C = """
typedef struct particle { double x; int64_t id; } particle;
extern quire_file* file;
extern particle* beam;
extern double* x;
extern const double mass, origin[3], spacing[3];
extern uint64_t particles, first, count, rows, found;
extern int rank, ranks;
extern const char* const* names;
extern const quire_type* types;
extern void* const* values;
extern const void* const* components;
"""
"""The same in C."""


def blocks(language: str) -> list[tuple[str, Block]]:
    """Return the blocks of a language that run, with their pages, but no programs of several files."""
    return [
        (page, block)
        for page in PAGES
        for block in blocks_of(text_of(page))
        if block.language == language and block.not_run is None and '#include "' not in block.text
    ]


def as_function(number: int, page: str, block: Block) -> tuple[list[str], str]:
    """Return the includes of a fragment, and a function with the rest."""
    includes = [line for line in block.lines if line.startswith("#include")]
    rest = [line if not line.startswith("#include") else "" for line in block.lines]
    body = "\n".join(rest)
    return includes, f'void fragment_{number}() {{\n#line {block.first + 1} "{page}"\n{body}\n}}\n'


def cache_entry(name: str) -> str:
    """Return an entry of the cache of the build."""
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    assert found is not None, name
    return found[1]


def compile_text(text: str, path: Path) -> None:
    """Check a program, of which no part is linked, with the compiler and the MPI of the build."""
    path.write_text(text)
    language, standard = ("C", "c11") if path.suffix == ".c" else ("CXX", "c++20")
    folders = [str(ROOT / "include"), *cache_entry("MPI_C_COMPILER_INCLUDE_DIRS").split(";")]
    command = [cache_entry(f"CMAKE_{language}_COMPILER"), f"-std={standard}", "-fsyntax-only", "-Wall"]
    command += ["-Wno-unused", *(f"-I{folder}" for folder in folders), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.mpi
def test_fragments_of_cpp_compile(tmp_path: Path) -> None:
    found = [(page, block) for page, block in blocks("cpp") if "int main" not in block.text]
    assert len(found) >= 4
    parts = [as_function(number, page, block) for number, (page, block) in enumerate(found)]
    includes = {line for lines, _ in parts for line in lines} | {
        "#include <quire/quire.hpp>",
        "#include <quire/comm/mpi.hpp>",
    }
    text = "\n".join([*sorted(includes), NAMES, *(function for _, function in parts)])
    compile_text(text, tmp_path / "fragments.cpp")


@pytest.mark.mpi
def test_fragments_of_c_compile(tmp_path: Path) -> None:
    found = [(page, block) for page, block in blocks("c") if "int main" not in block.text]
    assert len(found) >= 6
    functions = [as_function(number, page, block)[1] for number, (page, block) in enumerate(found)]
    includes = ["#include <stdio.h>", "#include <quire/quire_mpi.h>"]
    text = "\n".join([*includes, NAMES_OF_C, *functions]).replace("() {", "(void) {")
    compile_text(text, tmp_path / "fragments.c")


@pytest.mark.mpi
def test_programs_in_c_compile(tmp_path: Path) -> None:
    programs = [block for _, block in blocks("c") if "int main" in block.text]
    assert len(programs) >= 2
    for number, block in enumerate(programs):
        compile_text(block.text, tmp_path / f"program_{number}.c")


def test_programs_are_files_which_their_pages_build() -> None:
    programs = [
        block for language in ("cpp", "c") for _, block in blocks(language) if "int main" in block.text
    ]
    assert len(programs) >= 3
    assert [block.text for block in programs if not block.note.startswith("file=")] == []
