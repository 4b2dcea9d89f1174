"""quire fft: spectra of columns."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from quire.cli import completion
from quire.cli.verb import Stage
from quire.cli.verbs.arguments import Names, Spacing, Times


class Window(StrEnum):
    """A window."""

    NONE = "none"
    HANN = "hann"
    HAMMING = "hamming"
    PARZEN = "parzen"
    WELCH = "welch"
    FLAT_TOP = "flat_top"
    GAUSSIAN = "gaussian"


Results = Annotated[
    str,
    typer.Option(
        "--results",
        autocompletion=completion.constants("quire.verbs.spectra", "RESULTS"),
        metavar="NAMES",
        help="amplitude, phase, unwrapped_phase, real, imaginary, density, power, power_above.",
    ),
]
TheWindow = Annotated[
    Window,
    typer.Option("--window", metavar="NAME", help="hann, hamming, parzen, welch, flat_top or gaussian."),
]
Correct = Annotated[bool, typer.Option("--correct", help="Scale the density: the window keeps the power.")]
WithoutMean = Annotated[bool, typer.Option("--remove-mean", help="Subtract the mean before.")]
Pad = Annotated[bool, typer.Option("--pad", help="Add zeros up to a power of two.")]
Truncate = Annotated[bool, typer.Option("--truncate", help="Leave out rows up to factors of 2, 3 and 5.")]


def fft(
    columns: Names,
    versus: Times = "",
    spacing: Spacing = None,
    results: Results = "amplitude,phase",
    window: TheWindow = Window.NONE,
    correct: Correct = False,
    remove_mean: WithoutMean = False,
    pad: Pad = False,
    truncate: Truncate = False,
) -> Stage:
    """Make a row of each frequency of the Fourier transforms of columns.

    The amplitude of a sine of amplitude 2 is 2; phases are in degrees, referred to time 0; density is the
    one-sided power spectral density, whose integral is the mean square, and power its integral from 0 on.

    Example: quire fft beam.h5 spectra.h5 x,y --spacing 1e-6 --window hann --results amplitude,density
    """
    from quire.errors import UsageError
    from quire.toolkit.selection import parse_names
    from quire.verbs.spectra import fft as transformed

    if pad and truncate:
        raise UsageError("choose one of --pad and --truncate")
    names = parse_names(columns) or []
    wanted: dict[str, Any] = {
        "versus": versus,
        "spacing": spacing,
        "results": parse_names(results) or [],
        "window": window.value,
        "correct": correct,
        "remove_mean": remove_mean,
        "length": "pad" if pad else "truncate" if truncate else "as_is",
    }
    return Stage(lambda chain: transformed(chain, *names, **wanted))
