"""The parts of the manual: blocks, comparison of output, man pages, reference and site."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import quire
from manual.blocks import blocks_of
from manual.command_pages import command_pages
from manual.fortran_pages import fortran_pages
from manual.header_pages import header_pages
from manual.man_pages import man_pages
from manual.python_pages import python_pages
from manual.site import PICTURED, contents_of, for_site, summary_of, with_pictures
from manual.transcripts import agree, needs_shell
from quire.cli.main import app

ROOT = Path(__file__).parents[2]

PAGE = """# Title

    $ quire info a.h5
    a.h5
      format  b

    $ quire convert a.h5 \\
          b.h5

<!-- not run: takes hours -->

```python file=one.py
x = 1
```

```console
$ cat <<END
> text
> END
text
```
"""


def test_blocks_have_commands_outputs_and_remarks() -> None:
    first, program, console = blocks_of(PAGE)
    assert [one.text for one in first.commands()] == ["quire info a.h5", "quire convert a.h5 \\\n      b.h5"]
    assert [one.output for one in first.commands()] == [["a.h5", "  format  b", ""], []]
    assert (program.note, program.not_run) == ("file=one.py", "takes hours")
    assert [one.text for one in console.commands()] == ["cat <<END\ntext\nEND"]
    assert PAGE.splitlines()[next(first.commands()).first] == "    a.h5"


def test_the_last_column_of_a_marked_table_is_a_file() -> None:
    table = "| other | Quire |\n|---|---|\n| `f(x)` | `a();` |\n| `g(x)` | |\n| | `b();` `c();` |\n"
    (block,) = blocks_of(f"<!-- rows: one.c -->\n\n{table}\ntext\n")
    assert (block.note, block.lines) == ("file=one.c", ["a();", "b();", "c();"])
    assert list(blocks_of(table)) == []


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a"], ["a", "b"], False),
        (["a", "..."], ["a", "b", "c"], True),
        (["...", "c"], ["a", "b"], False),
        (["a", "...", "c"], ["a", "c"], True),
        (["time ... s"], ["time 0.25 s"], True),
        (["time ... s"], ["time 0.25 ms"], False),
        (["x 1.0000000000000001"], ["x 1.0"], True),
        (["x 1.000001"], ["x 1.0"], False),
        (["12 rows"], ["13 rows"], False),
        ([], [""], True),
        ([], ["warning"], False),
    ],
)
def test_outputs_agree_only_if_equal(shown: list[str], printed: list[str], same: bool) -> None:
    assert agree(shown, printed) is same


def test_only_commands_with_syntax_of_the_shell_need_one() -> None:
    assert not needs_shell("quire filter a b 'abs(x) > 3 * y'")
    assert not needs_shell("quire define a b --unit x=mm")
    assert needs_shell("quire show a | head -1")
    assert needs_shell("cat a")
    assert needs_shell("quire info *.h5")


def test_every_command_has_a_man_page_with_all_its_options(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "write_man.py"), str(tmp_path)], check=False
    )
    assert done.returncode == 0
    program = typer.main.get_command(app)
    names = {f"quire-{name}.1" for name in program.commands}  # type: ignore[attr-defined]
    assert names <= {path.name for path in tmp_path.iterdir()}
    text = (tmp_path / "quire-filter.1").read_text()
    assert text.startswith(f'.TH QUIRE-FILTER 1 "" "Quire {quire.__version__}"')
    for parameter in program.commands["filter"].params:  # type: ignore[attr-defined]
        for spelling in parameter.opts:
            assert spelling.replace("-", "\\-") in text or not spelling.startswith("-"), spelling
    # A line that begins with a point or an apostrophe would be a request.
    requests = {
        line.split()[0] for page in man_pages("1").values() for line in page.splitlines() if line[:1] == "."
    }
    assert requests <= {".TH", ".SH", ".PP", ".TP", ".B", ".BR", ".nf", ".fi"}
    assert not any(line.startswith("'") for page in man_pages("1").values() for line in page.splitlines())


def test_completion_is_written_for_every_shell(tmp_path: Path) -> None:
    script = str(ROOT / "scripts" / "write_completion.py")
    subprocess.run([sys.executable, script, str(tmp_path)], check=True, timeout=60)
    bash = tmp_path / "bash-completion" / "completions" / "quire"
    program = tmp_path / "quire"
    program.write_text(f"#!{sys.executable}\nfrom quire.cli.main import main\nmain()\n")
    program.chmod(0o755)
    line = f"source {bash}; COMP_WORDS=(quire conv); COMP_CWORD=1; _quire_completion quire; echo $COMPREPLY"
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=True, timeout=60, env=environment
    )
    assert done.stdout.strip() == "convert"
    for name in ("zsh/site-functions/_quire", "fish/vendor_completions.d/quire.fish"):
        assert "_QUIRE_COMPLETE=complete_" in (tmp_path / name).read_text()


def test_the_reference_has_every_command_and_every_public_name() -> None:
    commands = command_pages()
    program = typer.main.get_command(app)
    for name in program.commands:  # type: ignore[attr-defined]
        assert f"reference/commands/quire-{name}.md" in commands, name
    text = "\n".join(python_pages().values())
    for name in quire.__all__:
        assert name.startswith("__") or name == "SELF" or f"`{name}`" in text, name


def test_the_reference_has_the_comments_of_headers() -> None:
    pages = header_pages(ROOT / "include")
    _, writer = pages["reference/cpp/quire-api-writer-hpp.md"]
    assert "## `WriteStep::commit`\n\n```cpp\nvoid commit();\n```\n\nCollective. Writes all bytes" in writer
    assert "bool durable = false;  ///<" in writer
    assert "private" not in writer
    group, files = pages["reference/c/quire-capi-files-h.md"]
    assert group == "c"
    assert "## `quire_create`" in files
    assert "## `quire_default_options`" in files
    assert "QUIRE_USAGE = 1," in pages["reference/c/quire-capi-base-h.md"][1]


def test_the_reference_has_every_procedure_of_fortran() -> None:
    sources = ROOT / "src" / "fortran"
    pages = fortran_pages(sources)
    titles = set(re.findall(r"^## `(.+)`$", "\n".join(pages.values()), re.MULTILINE))
    module = (sources / "quire.f90").read_text()
    text = "\n".join(pages.values())
    for name in re.findall(r"\bquire_\w+", " ".join(re.findall(r"^  public :: (.*)$", module, re.MULTILINE))):
        assert re.search(rf"\b{name}\b", text), name
    for source, owner in (("base", "handle"), ("writing", "writer"), ("reading", "reader")):
        lines = (sources / f"{source}.f90").read_text()
        for name in re.findall(r"^    (?:procedure|generic) :: (\w+)", lines, re.MULTILINE):
            assert f"quire_{owner}%{name}" in titles or name in ("set", "assignment"), name
    writing = pages["reference/fortran/writing.md"]
    assert "subroutine put(column, values, unit, stat, errmsg)\n" in writing
    assert "  values_of_any_kind, pointer, intent(in) :: values(..)\n" in writing
    assert writing.count("## `quire_writer%put`") == 1
    assert "- `axis`: from 1 on, the fastest first" in writing
    assert "function rows(stat, errmsg) result(number)\n" in pages["reference/fortran/reading.md"]
    assert not [title for title in titles if title.startswith(("opening", "file_of", "conclude"))]


def test_pages_of_the_site_have_fences_and_tables_of_contents() -> None:
    text = for_site(
        "# A\n\nContents: [b](#b)\n\n" + PAGE + "[c](../CONTRIBUTING.md)\n", Path("howto", "a.md")
    )
    assert "```console\n$ quire info a.h5\n" in text
    assert "Contents:" not in text
    assert "not run" not in text
    assert "](../contributing.md)" in text
    assert ":caption: Two\n\nb.md\n" in contents_of("# A\n\n[a](a.md)\n\n## Two\n\n[b](b.md#c), [a](a.md)\n")


def test_every_plot_of_a_page_is_shown(tmp_path: Path) -> None:
    for name in PICTURED:
        page = (ROOT / "docs" / name).read_text()
        shown = with_pictures(page, tmp_path, f"pictures/{name}")
        drawn = sorted(path.name for path in (tmp_path / "pictures" / name).glob("*.png"))
        assert page.count("$ quire plot") == len(drawn)
        assert sorted(re.findall(r"^!\[(\S+\.png)\]", shown, re.MULTILINE)) == drawn


def test_the_lists_of_the_reference_say_what_each_page_is_about() -> None:
    for pages in (command_pages(), python_pages()):
        for name, page in pages.items():
            assert summary_of(page) or name.endswith(("functions.md", "errors.md")), name
    assert summary_of("# a\n\n```\nb\n```\n\nThe sum. Of all.\n") == "The sum"


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("myst_parser", reason="the packages of the extra docs are not installed")
    pytest.importorskip("furo", reason="the packages of the extra docs are not installed")
    command = [sys.executable, str(ROOT / "scripts" / "build_docs.py"), "--check", str(tmp_path / "docs")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "docs" / "source" / "reference" / "c.md").exists()
