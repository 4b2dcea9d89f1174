"""The options of all commands that compute quantities of particles."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion

Convention = Annotated[
    str | None,
    typer.Option(
        "--convention",
        autocompletion=completion.conventions,
        help="Phase-space convention, if it is not recognised.",
    ),
]
Species = Annotated[
    str | None,
    typer.Option(
        "--species",
        autocompletion=completion.species,
        help="Species: electron, proton ... or '938.272 MeV/c^2, 1'",
    ),
]
