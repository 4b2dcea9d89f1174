"""Add columns of samples of distributions to the rows of steps."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count
from typing import TypeVar

from quire.errors import UsageError
from quire.verbs.numbers import computed
from quire.verbs.sources import SEED, Sample, agreed_seed, made_column, parsed, with_radices
from quire.verbs.step_chain import StepChain
from quire.verbs.steplike import StepLike, new_attribute

S = TypeVar("S", bound=StepChain)


def unused(name: str, known: Collection[str]) -> str:
    """Independent. Return the name, with a number if it is used already."""
    names = (name if number == 1 else f"{name}_{number}" for number in count(1))
    return next(one for one in names if one not in known)


def sample(chain: S, *definitions: str, seed: int | None = None) -> S:
    """Collective. Add columns of samples to each step: `NAME=DISTRIBUTION` or `NAME[unit]=DISTRIBUTION`.

    Parameters
    ----------
    definitions : distributions as for `quire.new`, such as `dx[m]=gaussian(0, 1e-4, 2)`
    seed : of random numbers; by default a new one. It is the attribute `seed`, or `seed_2` if that exists

    The samples of a step depend on the seed, its place among the steps, and the name of the column.

    >>> import quire
    >>> errors = quire.new("name=Q1,Q2,Q3").sample("dx=gaussian(0, 1, 2)", seed=7).read()
    >>> errors["name"].tolist(), bool(abs(errors["dx"]).max() < 2)
    (['Q1', 'Q2', 'Q3'], True)
    """
    columns = with_radices([parsed(text) for text in definitions])
    for one in columns:
        if not isinstance(one.source, Sample):
            raise UsageError("a distribution is needed, such as gaussian(0, 1)", object=one.name)
    is_random = any(one.is_random for one in columns)
    chosen = agreed_seed(chain._file.comm, seed) if is_random else 0

    def sampled(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        for place, step in enumerate(steps):
            table = chain.table_of(step)
            made = [made_column(one, len(table), (chosen, place)) for one in columns]
            attributes = dict(step.attrs.info)
            if is_random:
                name = unused(SEED, attributes)
                attributes[name] = new_attribute(name, chosen)
            yield computed(step, table, made, len(table), attributes.values(), others=list(table))

    return chain.through(sampled)
