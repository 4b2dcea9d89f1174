"""The check of words finds the listed words, and nothing in ordinary sentences."""

from __future__ import annotations

import subprocess
from pathlib import Path, PurePosixPath

import pytest

import check_words


def words_in(text: str) -> list[str]:
    return [found.split("'")[1] for found in check_words.violations_in(PurePosixPath("a.md"), text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The rank hears it.", ["hears"]),
        ("tell_root(StandsThere, toldRank)", ["tell", "Stands", "told"]),
        ("Nobody stands\nbehind it.", ["Nobody", "stands", "behind"]),
    ],
)
def test_listed_words_are_found(text: str, words: list[str]) -> None:
    assert words_in(text) == words


@pytest.mark.parametrize(
    "text", ["a standard stand-alone program", "a stand_in for it", "intellect, standing, metal, shear"]
)
def test_other_words_are_accepted(text: str) -> None:
    assert words_in(text) == []


def test_long_subject_is_found() -> None:
    subjects = ["1234567 " + "a" * 72, "89abcde " + "b" * 73]
    assert [found[:15] for found in check_words.subject_violations(subjects)] == ["commit 89abcde "]


def test_only_later_commits_are_checked(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tmp_path, check=True
        )

    git("init", "-q")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts/check_words.py").write_text("pass\n")
    git("add", ".")
    git("commit", "-q", "-m", "a" * 80)
    assert check_words.main([str(tmp_path)]) == 0
    (tmp_path / "b.md").write_text("fine\n")
    git("add", ".")
    git("commit", "-q", "-m", "b" * 80)
    assert check_words.main([str(tmp_path)]) == 1
