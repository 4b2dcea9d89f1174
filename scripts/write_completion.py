"""Write the files by which bash, zsh and fish complete the words of the command line.

    scripts/write_completion.py FOLDER

The folder is that of shared data, such as PREFIX/share, below which the shells look for them.
"""

from __future__ import annotations

import sys
from pathlib import Path

FILES = {
    "bash": "bash-completion/completions/quire",
    "zsh": "zsh/site-functions/_quire",
    "fish": "fish/vendor_completions.d/quire.fish",
}
"""The file of each shell. bash and fish read it when the command is first completed, zsh when it starts."""

AT_FIRST = {"zsh": '\n_quire_completion "$@"\n'}
"""zsh runs the file at the first completion, which would otherwise only define the function."""


def main(arguments: list[str]) -> int:
    """Write the files into a folder."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    for shell, name in FILES.items():
        path = Path(arguments[0]) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        script = get_completion_script(prog_name="quire", complete_var="_QUIRE_COMPLETE", shell=shell)
        path.write_text(f"{script}\n{AT_FIRST.get(shell, '')}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
