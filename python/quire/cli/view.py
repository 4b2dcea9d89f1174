"""quire view: the viewer in a browser."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from quire.cli.command import command
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import say

Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port of the server; 0 is any free one.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the address.")]
Hosts = Annotated[
    list[str] | None,
    typer.Option("--allow-host", metavar="NAME", help="Name of a host that a proxy before the server has."),
]


@command
def view(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Data files.")],
    port: Port = 0,
    no_browser: NoBrowser = False,
    allow_host: Hosts = None,
    read_option: ReadOptions = None,
) -> None:
    """Look at files in a browser: densities, histograms, curves, fields.

    A server on this machine serves the page until Ctrl-C ends it. It answers only the address that is
    printed, and reads only these files. Over ssh, forward its port: ssh -L PORT:localhost:PORT HOST. It needs
    the packages of pip install 'quire[view]'.

    Example: quire view beam.h5

    Example: quire view beam.h5 --port 8000 --no-browser
    """
    import webbrowser

    import quire
    from quire.viewer.library import Library
    from quire.viewer.serving import Viewer, all_have_ended

    options = parse_options(read_option)
    for file in files:
        quire.open(file, **options).close()  # reports a file that cannot be read
    viewer = Viewer(Library(files, options), port, allow_host or ())

    def started() -> None:
        say(viewer.address)
        if "SSH_CONNECTION" in os.environ:
            say(f"on your machine: ssh -L {viewer.port}:localhost:{viewer.port} HOST, then open this address")
        say("Ctrl-C ends the viewer")
        sys.stdout.flush()
        if not no_browser and has_screen():
            webbrowser.open(viewer.address)

    try:
        viewer.run(started)
    except KeyboardInterrupt:
        say("")
    if not all_have_ended():
        # Python would wait for them, such as for one that reads from a slow disk. They only read.
        sys.stdout.flush()
        os._exit(0)


def has_screen() -> bool:
    """Independent. Return whether a browser would open a window, and not take over the terminal."""
    return sys.platform in ("darwin", "win32") or bool({"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ))
