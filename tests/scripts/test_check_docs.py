"""The check of the documentation finds long lines, missing openings and broken links."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import check_docs

PAGE = "# Title\n\nWhat the page describes.\n\nContents: [one](#one) · [two](#two)\n\n## One\n\n## Two\n"


@pytest.mark.parametrize(
    "line", ["| " + "a " * 80 + "|", "    " + "a " * 80, "- [text](" + "a" * 120 + ")", "<p> " + "a " * 80]
)
def test_lines_that_cannot_be_broken_may_be_long(line: str) -> None:
    assert list(check_docs.long_lines(f"text\n\n{line}\n")) == []


def test_long_lines_of_code_blocks_are_accepted() -> None:
    assert list(check_docs.long_lines("```\n" + "a " * 80 + "\n```\n")) == []


@pytest.mark.parametrize("line", ["a " * 51, "- item\n    " + "a " * 60])
def test_long_lines_of_prose_are_reported(line: str) -> None:
    assert len(list(check_docs.long_lines(line))) == 1


def test_opening_of_a_page_is_required() -> None:
    assert list(check_docs.opening(PAGE)) == []
    for part in ("# Title\n\n", "What the page describes.\n\n", "Contents: [one](#one) · [two](#two)\n\n"):
        assert len(list(check_docs.opening(PAGE.replace(part, "")))) == 1, part


def test_names_of_sections_are_those_of_github() -> None:
    page = "# `a`, b: C-d\n\n```\n# not a heading\n```\n## Notes\n## Notes\n"
    assert check_docs.section_names(page) == ["a-b-c-d", "notes", "notes-1"]


def test_broken_links_are_reported(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/page.md").write_text(PAGE)
    (tmp_path / "README.md").write_text("[a](docs/page.md#two), [b](https://example.org/c#d)\n")
    assert check_docs.main([str(tmp_path)]) == 0
    for target in ("docs/page.md#three", "docs/other.md", "#two"):
        (tmp_path / "README.md").write_text(f"[a]({target})\n")
        assert check_docs.main([str(tmp_path)]) == 1, target
