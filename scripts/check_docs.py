"""Check the form of the documentation.

    scripts/check_docs.py [ROOT]

1. Lines of Markdown have at most 100 columns. Tables, code, HTML and lines that cannot be broken, such as
   one with a long link, may be longer.
2. A page of docs/ begins with a title and a sentence about its purpose, then lists its sections after the
   word `Contents:`. A page of one section needs no list.
3. Links to files of the repository, and to sections of its pages, resolve.

Prints one line for each violation and exits with 1 if there is any.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

MAXIMUM_COLUMNS = 100
# Pages whose lines are not yet wrapped.
UNWRAPPED = ("ARCHITECTURE.md", "CHANGELOG.md", "tests/")

LINK = re.compile(r"\[[^\]\[]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"\s*(```|~~~)")


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines outside code blocks."""
    fenced = False
    indented = False
    blank = True
    for number, line in enumerate(text.splitlines(), start=1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            # Four spaces after an empty line begin a block of code; other indented lines continue a list.
            indented = line.startswith("    ") and (blank or indented)
            if not indented:
                yield number, line
        blank = not line.strip()


def section_names(text: str) -> list[str]:
    """Return the anchors of all headings of a page, as GitHub forms them."""
    names: list[str] = []
    for _, line in prose_lines(text):
        if line.startswith("#"):
            heading = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            count = sum(re.fullmatch(re.escape(heading) + r"(-\d+)?", name) is not None for name in names)
            names.append(f"{heading}-{count}" if count else heading)
    return names


def long_lines(text: str) -> Iterator[str]:
    """Yield the lines of prose that are too long and can be broken."""
    for number, line in prose_lines(text):
        if len(line) <= MAXIMUM_COLUMNS or line.lstrip().startswith(("|", "<", "#", "!")):
            continue
        # Spaces inside the text of a link or inside code may be broken as well.
        if " " in line.strip().removeprefix("- ")[: MAXIMUM_COLUMNS + 1]:
            yield f"{number}: {len(line)} columns, more than {MAXIMUM_COLUMNS}"


def opening(text: str) -> Iterator[str]:
    """Yield what is missing at the beginning of a page."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    if not blocks or not blocks[0].startswith("# "):
        yield "1: a page begins with its title"
        return
    if len(blocks) < 2 or blocks[1].startswith(("#", "|", "Contents:", "    ", "```")):
        yield "3: a sentence about the purpose of the page follows the title"
    sections = [line for _, line in prose_lines(text) if line.startswith("## ")]
    if len(sections) > 1 and not any(block.startswith("Contents:") for block in blocks[1:4]):
        yield "5: a list of the sections follows, which begins with 'Contents:'"


def broken_links(root: Path, path: Path, text: str) -> Iterator[str]:
    """Yield the links of a page to files and sections that do not exist."""
    for number, line in prose_lines(text):
        for target in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, section = target.partition("#")
            other = (path.parent / name).resolve() if name else path
            if not other.exists() or not other.is_relative_to(root):
                yield f"{number}: no file {target}"
            elif section and section not in section_names(other.read_text(encoding="utf-8")):
                yield f"{number}: no section {target}"


def violations_of(root: Path, name: str) -> Iterator[str]:
    """Yield the violations of one page, each with its place."""
    path = root / name
    text = path.read_text(encoding="utf-8")
    found = list(broken_links(root, path, text))
    if not name.startswith(UNWRAPPED):
        found += long_lines(text)
    if name.startswith("docs/"):
        found += opening(text)
    yield from (f"{name}:{violation}" for violation in found)


def main(arguments: list[str]) -> int:
    """Check the repository, or the tree that is named."""
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    listing = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    names = [name for name in listing.stdout.split("\0") if name and (root / name).is_file()]
    found = [violation for name in sorted(set(names)) for violation in violations_of(root, name)]
    print("\n".join([*found, f"documentation: {len(names)} pages, {len(found)} violations"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
