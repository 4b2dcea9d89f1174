"""Check that sentences use plain technical English, and that commit subjects are short.

    scripts/check_words.py [ROOT]
    scripts/check_words.py --only PATH...      the words alone, of these files and folders

1. No word of the list below is used in a text file of the repository, neither in prose nor as a part of an
   identifier. CONTRIBUTING.md has the glossary; each entry here names the usual replacement.
2. The subject of a commit has at most 72 characters. Commits before this rule are not checked.

Prints one line for each violation and exits with 1 if there is any.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

MAXIMUM_SUBJECT = 72
MAXIMUM_SHOWN = 100
TEXT_SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".f90", ".py", ".md", ".toml", ".cmake", ".txt", ".sh", ".json"}

AVOIDED = {
    "announce announces announced announcing announcement announcements": "declare, claim, send, state",
    "behind": "after; at the end of",
    "consult consults consulted consultation counsel": "gather and broadcast",
    "forsake forsakes forsaken forsook": "abandon",
    "hear hears heard hearing": "receive",
    "lest": "so that ... not",
    "meet meets meeting meetings": "collective, allreduce; reach (a target)",
    "nobody": "no rank, no program, none",
    "owe owed owes": "pending",
    "stand stands stood": "is stored, is",
    "tell tells told telling teller": "report, state, send, distinguish",
    "whoever": "a program that, users who",
}
REPLACEMENT = {word: advice for words, advice in AVOIDED.items() for word in words.split()}
# Terms in which such a word is the right one.
ALLOWED = re.compile(
    r"(?i)stand[-_ ]?(?:alone|ins?\b|ard|by)|(?:held|stream)\.tell\b|def tell\(self\) -> int|\"meetings\""
)

# What is not checked: the glossary, the list of words and its test, and files of other programs.
UNCHECKED = [
    "CONTRIBUTING.md",
    "scripts/check_words.py",
    "tests/data",
    "tests/scripts/test_check_words.py",
]

# The parts of a name: words of letters, split at changes from lower to upper case.
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def checked_files(root: Path, places: list[str]) -> list[PurePosixPath]:
    """Return the text files under version control that are checked, at these places only if there are any."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=False)
    paths = [PurePosixPath(name) for name in listing.stdout.decode().split("\0") if name]
    return [
        path
        for path in paths
        if path.suffix in TEXT_SUFFIXES
        and not any(path.is_relative_to(place) for place in UNCHECKED)
        and (not places or any(path.is_relative_to(place) for place in places))
        and (root / path).is_file()
    ]


def violations_in(path: PurePosixPath, text: str) -> Iterator[str]:
    """Yield the violations of the text of one file, each with its place and the usual replacement."""
    for number, line in enumerate(text.splitlines(), start=1):
        for word in WORD.findall(ALLOWED.sub("", line)):
            if advice := REPLACEMENT.get(word.lower()):
                yield f"{path}:{number}: '{word}': write {advice}"


def subject_violations(subjects: list[str]) -> Iterator[str]:
    """Yield the violations of the subjects of commits, each as `HASH SUBJECT`."""
    for line in subjects:
        _, _, subject = line.partition(" ")
        if len(subject) > MAXIMUM_SUBJECT:
            yield f"commit {line}: {len(subject)} characters, more than {MAXIMUM_SUBJECT}"


def new_subjects(root: Path) -> list[str]:
    """Return hash and subject of the commits after the one that brought this rule; none without a history."""

    def git(*arguments: str) -> list[str]:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
        return done.stdout.splitlines() if done.returncode == 0 else []

    added = git("log", "--diff-filter=A", "--format=%H", "--", "scripts/check_words.py")
    return git("log", "--no-merges", "--format=%h %s", f"{added[-1]}..HEAD") if added else []


def main(arguments: list[str]) -> int:
    """Check the repository, or the tree or the places that are named."""
    only = arguments[1:] if arguments[:1] == ["--only"] else []
    root = Path(arguments[0] if arguments and not only else Path(__file__).parent.parent).resolve()
    files = checked_files(root, only)
    found = [
        violation
        for path in files
        for violation in violations_in(path, (root / path).read_text(encoding="utf-8", errors="replace"))
    ]
    if not only:
        found += subject_violations(new_subjects(root))
    shown = found[:MAXIMUM_SHOWN]
    if len(found) > len(shown):
        shown.append(f"and {len(found) - len(shown)} more")
    print("\n".join([*shown, f"words: {len(files)} files, {len(found)} violations"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
