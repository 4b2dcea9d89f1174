"""The viewer in a notebook: a server in a thread, and a frame with its page."""

from __future__ import annotations

import os
from html import escape
from typing import Final

from quire.errors import UsageError
from quire.viewer.library import Library
from quire.viewer.serving import ANY_HOST, Viewer

HEIGHT: Final = 720
"""Of the frame, in pixels."""


class Page:
    """The page of some files, which a notebook shows. The files are served until `stop`."""

    def __init__(self, viewer: Viewer, address: str, height: int) -> None:
        self._viewer = viewer
        self._height = height
        self.address: str = address
        """Opens the page in any tab of the browser."""

    def stop(self) -> None:
        """Independent. End the server and close the files."""
        self._viewer.stop()

    def _repr_html_(self) -> str:
        source = escape(self.address, quote=True)
        style = f"width:100%;height:{self._height}px;border:1px solid #8884;border-radius:8px"
        return f"<iframe src='{source}' style='{style}' allow='clipboard-write'></iframe>"

    def __repr__(self) -> str:
        return f"<Page {self.address}>"


def view(*files: str | os.PathLike[str], height: int = HEIGHT, proxy: str | None = None) -> Page:
    """Independent. Show files in a notebook, as `quire view` does in a browser. Needs `quire[view]`.

    Parameters
    ----------
    files : one or more
    height : of the frame in pixels
    proxy : the path below which jupyter-server-proxy serves ports, such as "/proxy"; by default that of the
        JupyterHub in which the notebook runs, if any. Without a proxy the browser has to run on this machine,
        or its port to be forwarded

    >>> page = quire.view("beam.h5")
    >>> page.address.startswith("http://127.0.0.1:"), "<iframe" in page._repr_html_()
    (True, True)
    >>> page.stop()
    """
    if not 100 <= height <= 10_000:
        raise UsageError(f"{height} is not a height in pixels; write for example {HEIGHT}")
    hub = os.environ.get("JUPYTERHUB_SERVICE_PREFIX")
    path = f"{hub}proxy" if proxy is None and hub else proxy
    viewer = Viewer(Library([os.fspath(file) for file in files]), hosts=[] if path is None else [ANY_HOST])
    viewer.start()
    address = viewer.address if path is None else f"{path.rstrip('/')}/{viewer.port}/{viewer.token}/"
    return Page(viewer, address, height)
