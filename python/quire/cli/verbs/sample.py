"""quire sample: columns of random numbers beside other columns."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.verb import Stage
from quire.cli.verbs.new import Seed

Definitions = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME[unit]=DISTRIBUTION...",
        help="uniform(low,high), gaussian(mean,sigma,limit), poisson(mean), tabulated(FILE,x,density), "
        "cumulative(FILE,x,distribution).",
    ),
]


def sample(definitions: Definitions, seed: Seed = None) -> Stage:
    """Add columns of samples of distributions, such as random errors.

    Distributions are those of new; the seed is written as the attribute seed.

    Example: quire sample beam.h5 noisy.h5 'noise[m]=gaussian(0,1e-6,3)' --seed 7
    """
    from quire.verbs.sample import sample as sampled

    return Stage(lambda chain: sampled(chain, *definitions, seed=seed))
