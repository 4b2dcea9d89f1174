"""Pages of the interfaces in C++ and C, from the comments of their headers.

The public headers are short and laid out by clang-format: comments begin with `///` and are before what they
describe, or after a member on its line, and empty lines separate groups of declarations. So the pages
are made from their lines, and need no other program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SCOPE = re.compile(r"(?:template <.*> )?(class|struct|enum class) (\w+)[^;]*\{$")
C_SCOPE = re.compile(r"typedef (?:enum|struct) (\w+) \{$")
HIDDEN = re.compile(r"(private|protected):$")
SKIPPED = re.compile(r"#|//(?!/)|namespace|extern \"C\"|\}  // namespace|public:|\}$|/\*|\*| \*")


@dataclass
class Declaration:
    """What a comment describes: the lines of the declaration, and the text of the comment."""

    comment: list[str]
    lines: list[str] = field(default_factory=list)
    scope: str = ""

    @property
    def name(self) -> str:
        """Return the name that is declared."""
        text = " ".join(self.lines)
        if found := re.match(
            r"(?:template <[^>]*> )?(?:class|struct|enum class|using|typedef (?:enum|struct)) (\w+)", text
        ):
            return found[1]
        if found := re.match(r"typedef .*\(\*(\w+)\)", text):
            return found[1]
        if found := re.search(r"(~?\w+|operator\S+)\s*\(", re.sub(r"\brequires\s*\(.*?\)", "", text)):
            return found[1]
        before = re.split(r"[=;{]", text)[0].split()
        return before[-1].rstrip("[]0123456789") if before else ""


def comments_of_file(lines: list[str]) -> list[str]:
    """Return the paragraphs of the comment at the beginning of a header, which is in the form of C."""
    text = "\n".join(lines)
    found = re.search(r"/\*\n(.*?)\*/", text, re.DOTALL)
    return [re.sub(r"^ \* ?", "", line) for line in found[1].splitlines()] if found else []


def declarations_of(lines: list[str]) -> Iterator[Declaration]:
    """Yield the declarations with a comment in their order: structures as a whole, classes by member."""
    comment: list[str] = []
    scope = ""
    hidden = False
    number = 0
    while number < len(lines):
        text = lines[number].strip()
        number += 1
        if text.startswith("///"):
            comment.append(text.removeprefix("///").strip())
            continue
        if scope and lines[number - 1] == "};":
            scope, hidden = "", False
        opened = SCOPE.match(text) or C_SCOPE.match(text)
        if opened and not lines[number - 1].startswith(" "):
            body = body_of(lines, number - 1)
            is_class = opened.re is SCOPE and opened[1] == "class"
            if comment:
                yield Declaration(comment, [text.removesuffix("{").strip()] if is_class else body)
            if is_class:
                scope = opened[2]
            else:
                number += len(body) - 1
            comment = []
            continue
        hidden = (hidden or HIDDEN.match(text) is not None) and text != "public:"
        if not text or SKIPPED.match(text):
            comment = [] if not text or (comment and not text.startswith(("#", "//"))) else comment
            continue
        if comment and not hidden:
            number, declared = statement(lines, number - 1)
            yield Declaration(comment, declared, scope)
            comment = []


def body_of(lines: list[str], begin: int) -> list[str]:
    """Return the lines of a structure, to the brace that closes it."""
    end = begin
    while not lines[end].startswith("}"):
        end += 1
    return lines[begin : end + 1]


def statement(lines: list[str], begin: int) -> tuple[int, list[str]]:
    """Return the line after a declaration, and its lines, with those of others without a comment."""
    found: list[str] = []
    number = begin
    while number < len(lines):
        line = lines[number]
        if not line.strip() or (
            line.strip().startswith(("///", "}")) and found and not found[-1].endswith(",")
        ):
            break
        indent = len(line) - len(line.lstrip())
        if line.rstrip().endswith("{") and "(" in line:  # the body of an inline function is not shown
            found.append(line.rstrip().removesuffix("{").rstrip() + ";")
            number += 1
            while (
                number < len(lines)
                and lines[number].strip()
                and (len(lines[number]) - len(lines[number].lstrip()) > indent)
            ):
                number += 1
            number += 1
            continue
        found.append(line.rstrip())
        number += 1
    least = min((len(line) - len(line.lstrip()) for line in found), default=0)
    return number, [line[least:] for line in found]


def paragraphs(comment: list[str]) -> str:
    """Return a comment as Markdown: lists stay lists, and markup of HTML is text."""
    return "\n".join(line.replace("<", "&lt;") if "`" not in line else line for line in comment)


def page_of(header: Path, name: str, language: str) -> str | None:
    """Return the page of a header, None if nothing in it is described."""
    lines = header.read_text(encoding="utf-8").splitlines()
    parts = [f"# {name}", f"Declarations of `{name}` with their comments."]
    if about := comments_of_file(lines):
        parts.append(paragraphs(about))
    found = list(declarations_of(lines))
    seen = ""
    for one in found:
        title = f"{one.scope}::{one.name}" if one.scope else one.name
        if title != seen:
            parts.append(f"## `{title}`")
        seen = title
        declared = "\n".join(one.lines)
        parts += [f"```{language}\n{declared}\n```", paragraphs(one.comment)]
    return "\n\n".join(parts) + "\n" if found else None


def header_pages(include: Path) -> dict[str, tuple[str, str]]:
    """Return pages by their paths, each with the group that it belongs to: C, C++, or extensions."""
    pages: dict[str, tuple[str, str]] = {}
    for header in sorted(include.rglob("*.h*")):
        name = header.relative_to(include).as_posix()
        language = "c" if header.suffix == ".h" else "cpp"
        group = "c" if language == "c" else "extensions" if "/spi/" in name else "cpp"
        text = page_of(header, name, language)
        if text is not None:
            pages[f"reference/{group}/{name.replace('/', '-').replace('.', '-')}.md"] = (group, text)
    return pages
