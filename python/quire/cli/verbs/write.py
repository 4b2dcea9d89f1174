"""The last stage of a chain: write a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quire.cli.copying import (
    AsJson,
    Durable,
    Format,
    Lossy,
    Overwrite,
    Quiet,
    Target,
    WriteOptions,
    common_request,
)

if TYPE_CHECKING:
    from quire.toolkit.request import Request


@dataclass(frozen=True)
class Writing:
    """Where the result of a chain is written."""

    target: str
    request: Request
    json: bool
    quiet: bool = False


def write(
    target: Target,
    format: Format = None,
    option: WriteOptions = None,
    overwrite: Overwrite = False,
    durable: Durable = False,
    lossy: Lossy = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> Writing:
    """Write the result to a file, of any format. The last verb of a chain.

    Example: quire run beam.h5 / sort z / write sorted.h5
    """
    request = common_request(target, format, option, None, None, overwrite, durable=durable, lossy=lossy)
    return Writing(target, request, json, quiet)
