"""The blocks of all pages run, and print what the pages show."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs.surroundings import prepare
from tests.python.support.mpi import ROOT

from manual.blocks import blocks_of
from manual.page_run import PageRun
from manual.transcripts import install_programs

PAGES = ["README.md", *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md"))]
MOST_NOT_RUN = 24
"""Blocks that are marked as ones that do not run."""


def text_of(page: str) -> str:
    """Return the text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def pages_with_blocks() -> list[object]:
    """Return the pages that have blocks which run; those of several ranks have the mark for it."""
    found: list[object] = []
    for page in PAGES:
        blocks = [block for block in blocks_of(text_of(page)) if block.not_run is None]
        if any(block.language in ("console", "pycon", "python") for block in blocks):
            starts_ranks = any("mpi" in block.text for block in blocks)
            found.append(pytest.param(page, marks=pytest.mark.mpi) if starts_ranks else page)
    return found


@pytest.mark.timeout(300)  # a page builds programs
@pytest.mark.parametrize("page", pages_with_blocks())
def test_blocks_print_what_the_page_shows(page: str, tmp_path: Path) -> None:
    run = PageRun(tmp_path / "work", install_programs(tmp_path / "programs"))
    run.names.update(prepare(run.folder, page))
    assert [str(one) for one in run.differences(text_of(page))] == []


def test_few_blocks_do_not_run() -> None:
    reasons = [block.not_run for page in PAGES for block in blocks_of(text_of(page)) if block.not_run]
    assert 0 < len(reasons) <= MOST_NOT_RUN
