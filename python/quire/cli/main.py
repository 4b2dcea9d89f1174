"""Entry of the command line: `quire COMMAND ...`."""

import typer

from quire import __version__

app = typer.Typer(name="quire", no_args_is_help=True, add_completion=False)


def show_version(requested: bool) -> None:
    """Print the version and leave."""
    if requested:
        typer.echo(f"quire {__version__}")
        raise typer.Exit


@app.callback()
def quire(
    version: bool = typer.Option(
        False, "--version", callback=show_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Look into, compare, convert and draw the data files of accelerator and particle-in-cell codes."""


def main() -> None:
    """Run the command line; the console script of the package."""
    app()
