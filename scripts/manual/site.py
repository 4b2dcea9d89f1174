"""The sources of the site: the pages of docs/ and those that are made, in one folder for Sphinx.

Pages in docs/ are read on their own as well. So they have no directives: the lists of links of some pages
become the tables of contents of the site, plots are drawn below the commands that make them, and links to
pages outside of docs/ lead to copies.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from manual.blocks import blocks_of
from manual.command_pages import command_pages
from manual.fortran_pages import fortran_pages
from manual.header_pages import header_pages
from manual.page_run import PageRun
from manual.python_pages import python_pages
from manual.transcripts import install_programs

LISTS = ("index.md", "howto.md", "coming-from.md", "commands.md")
"""Pages whose links to other pages are a table of contents."""
OUTSIDE = {"ARCHITECTURE.md": "architecture", "CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog"}
"""Pages of the repository that the site has as well."""
PICTURED = ("index.md", "gallery.md")
"""Pages whose plots are drawn."""
PICTURE = re.compile(r"quire plot .*?(\S+\.(?:png|svg))(?!\S)", re.DOTALL)
LINK = re.compile(r"\]\(([\w/.-]+\.md)(?:#[\w-]*)?\)")
REMARK = re.compile(r"^<!-- (?:not run|first|rows): .*? -->\n\n?", re.MULTILINE)
CONTENTS = re.compile(r"^Contents:.*?\n\n", re.MULTILINE | re.DOTALL)


def stage(root: Path, source: Path) -> None:
    """Write the sources of the site into a new folder."""
    shutil.copytree(root / "docs", source, ignore=shutil.ignore_patterns("*.md"))
    for path in sorted((root / "docs").rglob("*.md")):
        name = path.relative_to(root / "docs")
        text = path.read_text(encoding="utf-8")
        if name.as_posix() in PICTURED:
            text = with_pictures(text, source, f"pictures/{name.stem}")
        text = for_site(text, name)
        if name.as_posix() in LISTS:
            text += contents_of(text)
        if name.as_posix() == "index.md":
            text += reference_contents(root, source)
        write(source / name, text)
    for outside, copy in OUTSIDE.items():
        text = (root / outside).read_text(encoding="utf-8")
        write(source / f"{copy}.md", for_site(text.replace("](docs/", "]("), Path(f"{copy}.md")))


def write(path: Path, text: str) -> None:
    """Write a page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def for_site(page: str, name: Path) -> str:
    """Return a page without lists of sections and remarks for tests, and with fences around all blocks."""
    up = "../" * (len(name.parts) - 1)
    for outside, copy in OUTSIDE.items():
        page = re.sub(rf"\]\((?:\.\./)*{re.escape(outside)}", f"]({up}{copy}.md", page)
    lines = page.splitlines()
    for block in reversed(list(blocks_of(page))):
        if block.language in ("console", "") and lines[block.first].startswith("    "):
            end = block.first + len(block.lines)
            lines[block.first : end] = [f"```{block.language or 'text'}", *block.lines, "```"]
        elif block.note.startswith("file=") and block.language != "table":
            lines[block.first - 1] = f"```{block.language}"
    page = "\n".join(lines) + "\n"
    return REMARK.sub("", CONTENTS.sub("", page, count=1))


def contents_of(page: str) -> str:
    """Return hidden tables of contents of the pages that a page links to, one for each of its sections."""
    tables = ""
    seen: set[str] = set()
    for section in re.split(r"^## ", page, flags=re.MULTILINE):
        title = section.partition("\n")[0]
        links = [link for link in dict.fromkeys(LINK.findall(section)) if link not in seen]
        links = [link for link in links if not link.startswith("..")]
        seen.update(links)
        if links:
            tables += toctree(title if not title.startswith("# ") else "", links)
    return tables


def toctree(caption: str, pages: list[str], entries: dict[str, str] | None = None) -> str:
    """Return a hidden table of contents."""
    lines = ["", "```{toctree}", ":hidden:"]
    if caption:
        lines.append(f":caption: {caption}")
    names = {page: (entries or {}).get(page) for page in pages}
    lines += ["", *(f"{title} <{page}>" if title else page for page, title in names.items()), "```", ""]
    return "\n".join(lines)


def reference_contents(root: Path, source: Path) -> str:
    """Write the pages of the reference, and return their table of contents."""
    groups: dict[str, tuple[str, dict[str, str]]] = {
        "reference/commands": ("Commands", command_pages()),
        "reference/python": ("Python", python_pages()),
    }
    headers = header_pages(root / "include")
    for key, title in (("cpp", "C++"), ("c", "C"), ("extensions", "Formats and transports in C++")):
        held = {path: text for path, (group, text) in headers.items() if group == key}
        groups[f"reference/{key}"] = (title, held)
    groups["reference/fortran"] = ("Fortran", fortran_pages(root / "src" / "fortran"))
    for path, (title, pages) in groups.items():
        for name, text in pages.items():
            write(source / name, text)
        links = [os.path.relpath(name, "reference") for name in pages]
        rows = [
            f"| [{title_of(page)}]({link}) | {summary_of(page)} |"
            for page, link in zip(pages.values(), links, strict=True)
        ]
        listed = "\n".join(["| page | contents |", "|---|---|", *rows])
        text = f"# {title}\n\nMade from the sources.\n\n{listed}\n{toctree('', links)}"
        write(source / f"{path}.md", text)
    return toctree("Reference", [f"{path}.md" for path in groups])


def title_of(page: str) -> str:
    """Return the title of a page."""
    return page.partition("\n")[0].removeprefix("# ")


def summary_of(page: str) -> str:
    """Return the first sentence of a page, as a cell of a table; empty if it begins with another section."""
    for part in page.split("\n\n")[1:]:
        if part.startswith("#"):
            break
        if not part.startswith(("```", "|", "-", ">>>")):
            sentence = re.split(r"(?<=[.:])\s", " ".join(part.split()), maxsplit=1)[0]
            return re.sub(r"(?<!\\)\|", r"\|", sentence).rstrip(".:")
    return ""


def with_pictures(page: str, source: Path, place: str) -> str:
    """Run a page of plots, and return it with its pictures, which go into a new folder of the sources."""
    folder = source / place
    folder.mkdir(parents=True)
    run = PageRun(folder, install_programs(folder / "programs"))
    differences = [str(one) for one in run.differences(page)]
    if differences:
        raise RuntimeError("\n".join(differences))
    lines = page.splitlines()
    for block in reversed(list(blocks_of(page))):
        names = [found[1] for one in block.commands() if (found := PICTURE.search(one.text))]
        end = block.first + len(block.lines)
        lines[end:end] = [line for name in names for line in ("", f"![{name}]({place}/{name})")]
    return "\n".join(lines) + "\n"
