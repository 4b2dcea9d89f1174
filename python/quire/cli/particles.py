"""The options of all commands that compute quantities of particles."""

from __future__ import annotations

from typing import Annotated

import typer

Convention = Annotated[
    str | None, typer.Option("--convention", help="Phase-space convention, if it is not recognised.")
]
Species = Annotated[
    str | None, typer.Option("--species", help="Species: electron, proton ... or '938.272 MeV/c^2, 1'")
]
